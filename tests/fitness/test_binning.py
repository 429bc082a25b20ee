import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nffs.fitness.forest.binning import MAX_BINS, apply_bins, find_bins

floats = st.floats(-(2.0**100), 2.0**100, width=32)
columns = st.one_of(
    arrays(np.float32, st.integers(1, 2000), elements=floats),
    arrays(np.float32, st.integers(300, 2000), elements=st.integers(-400, 400).map(float)),
    st.integers(0, 10**6).map(lambda seed: _mixed(seed)),
)


def bin_column(values):
    column = np.ascontiguousarray(values, dtype=np.float32)[:, None]
    bins = find_bins(column)
    return apply_bins(column, bins)[:, 0], bins


def _mixed(seed):
    """Continuous values with frequent ones among them."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=5000) ** 3
    for value in rng.normal(size=rng.integers(0, 200)):
        values[rng.random(5000) < 0.01] = value
    return values.astype(np.float32)


@given(columns)
def test_every_value_lies_in_its_bin(values):
    codes, bins = bin_column(values)
    count = bins.count[0]
    assert 1 <= count <= MAX_BINS
    low, high = bins.low[0], bins.high[0]
    for b in range(count):
        inside = values[codes == b]
        assert inside.min() == low[b]
        assert inside.max() == high[b]
    assert (low[1:count] > high[: count - 1]).all()
    assert np.isinf(high[count:]).all()


@given(columns)
def test_few_values_are_kept_exactly(values):
    codes, bins = bin_column(values)
    distinct = np.unique(values)
    if len(distinct) <= MAX_BINS:
        assert bins.count[0] == len(distinct)
        np.testing.assert_array_equal(bins.low[0, : len(distinct)], distinct)
        np.testing.assert_array_equal(distinct[codes], values)


@given(columns)
def test_frequent_values_stand_alone(values):
    _, bins = bin_column(values)
    distinct, counts = np.unique(values, return_counts=True)
    alone = bins.low[0] == bins.high[0]
    # twice the average size of a bin is frequent under any quota the bins may be cut by
    for value in distinct[counts > 2 * len(values) / (MAX_BINS - 1) + 1]:
        assert value in bins.low[0][alone]


@given(columns, st.randoms(use_true_random=False))
def test_bins_do_not_depend_on_the_order_of_rows(values, random):
    order = np.arange(len(values))
    random.shuffle(order)
    for a, b in zip(
        *(vars(find_bins(v[:, None])).values() for v in (values, values[order])), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_bins_of_distinct_values_are_of_about_equal_size():
    values = np.random.default_rng(0).normal(size=20000).astype(np.float32)
    codes, bins = bin_column(values)
    sizes = np.bincount(codes)
    assert bins.count[0] >= 250
    assert sizes.max() <= 2 * len(values) / bins.count[0]


def test_new_values_go_to_the_upper_neighbour_or_the_last_bin():
    bins = find_bins(np.array([[1.0], [2.0], [4.0]], dtype=np.float32))
    new = np.array([[0.0], [1.0], [1.5], [3.9], [4.0], [9.0]], dtype=np.float32)
    assert apply_bins(new, bins)[:, 0].tolist() == [0, 0, 1, 2, 2, 2]


def test_rows_can_be_padded():
    X = np.arange(15, dtype=np.float32).reshape(5, 3)
    codes = apply_bins(X, find_bins(X), row_bytes=8)
    assert codes.shape == (5, 8)
    assert (codes[:, 3:] == 0).all()
    np.testing.assert_array_equal(codes[:, :3], apply_bins(np.asfortranarray(X), find_bins(X)))


def test_refuses_no_rows_and_too_narrow_rows():
    with pytest.raises(ValueError, match="at least one row"):
        find_bins(np.empty((0, 3), dtype=np.float32))
    X = np.ones((2, 3), dtype=np.float32)
    with pytest.raises(ValueError, match="row_bytes"):
        apply_bins(X, find_bins(X), row_bytes=2)
