"""Bins, moments and components on the device, against the CPU's."""

import numpy as np
import pytest
from fitness.gpu.problems import continuous, drawn, few_values, split_of

from nffs.fitness.forest.binning import apply_bins, find_bins
from nffs.fitness.forest.projection import Projection
from nffs.fitness.gpu.columns import Columns, StandardisedColumns, binned, merged
from nffs.fitness.gpu.device import whole


def prepared(rows, device, variance=0.93):
    return StandardisedColumns(device, rows, rows.splits[0], variance)


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 1000, 5000])
def test_bins_of_a_column_are_the_cpus(device, n):
    rng = np.random.default_rng(n)
    X = np.stack(
        [rng.normal(size=n), rng.integers(0, 5, n), np.exp(3 * rng.normal(size=n)).round(),
         np.where(rng.random(n) < 0.4, 0.25, rng.normal(size=n)), np.zeros(n)],
        axis=1,
    ).astype(np.float32)  # fmt: skip
    codes, exact = binned(device, device.put(np.ascontiguousarray(X.T).reshape(-1)), n, 5)
    bins = find_bins(X)
    np.testing.assert_array_equal(device.get(codes).reshape(5, n).T, apply_bins(X, bins))
    few = [len(np.unique(column)) <= 256 for column in X.T]
    np.testing.assert_array_equal(device.get(exact).astype(bool), few)


@pytest.mark.parametrize("frequent", [0.125, 0.0, -1.5])
def test_bins_of_a_sample_keep_the_order_and_set_frequent_values_apart(device, frequent):
    rng = np.random.default_rng(0)
    column = rng.normal(size=30_000).astype(np.float32)
    column[rng.random(30_000) < 0.2] = frequent
    codes, exact = binned(device, device.put(column), len(column), 1)
    codes = device.get(codes).astype(int)
    order = np.argsort(column, kind="stable")
    assert (np.diff(codes[order]) >= 0).all()
    own = np.unique(codes[column == frequent])
    assert len(own) == 1
    assert (column[codes == own[0]] == frequent).all()
    assert not device.get(exact)[0]
    # about as many rows in each of the others
    assert np.bincount(codes[codes != own[0]]).max() < 3 * 24_000 / 255


def test_a_value_that_the_sample_misses_makes_a_column_inexact(simulated):
    column = np.zeros(20_000, dtype=np.float32)
    column[1::2] = 1.0
    column[3] = 0.5  # between two rows of the sample
    _, exact = binned(simulated, column, len(column), 1)
    assert not exact[0]


def test_moments_and_standardised_values(device):
    rows = continuous()
    split, X = rows.splits[0], rows.matrix
    columns = prepared(rows, device)
    train = X[split.train].astype(np.float64)
    expected = (X - train.mean(axis=0)) / train.std(axis=0)
    for values, own in ((columns.train, split.train), (columns.evaluated, split.evaluation)):
        found = device.get(values).reshape(X.shape[1], -1).T
        np.testing.assert_allclose(found, expected[own], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("make", [continuous, few_values])
def test_components_are_the_cpus_but_for_rounding(device, make):
    rows, masks = make(), drawn(make(), 3)
    split = rows.splits[0]
    pool = prepared(rows, device).presented(masks)
    projection = Projection(rows.matrix, split.train, split.evaluation, 0.93)
    for s, mask in enumerate(masks):
        for values, expected in zip(
            (pool.train, pool.evaluated), projection.project(mask), strict=True
        ):
            own = device.get(values).reshape(pool.n_columns, -1)[pool.first[s] : pool.first[s + 1]]
            assert own.shape == expected.T.shape
            # of two loadings of one size, rounding decides which is positive
            signs = np.sign((own.T * expected).sum(axis=0))
            np.testing.assert_allclose(own.T, expected * signs, atol=2e-4)


def test_columns_that_depend_on_one_another_and_odd_numbers_of_them(simulated):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 500)
    X = np.c_[np.eye(4)[codes], rng.normal(size=(500, 2)), np.full(500, 3.0)]  # sums to 1; constant
    rows = split_of(X, codes > 1, 400)
    masks = np.array([[1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 1]]) > 0
    split = rows.splits[0]
    pool = prepared(rows, simulated).presented(masks)
    projection = Projection(rows.matrix, split.train, split.evaluation, 0.93)
    kept = [len(projection.components(mask)[0]) for mask in masks]
    np.testing.assert_array_equal(np.diff(pool.first), kept)
    assert np.isfinite(pool.train).all()


def test_equal_rows_have_one_that_stands_for_them(device):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (700, 3)).astype(np.float32)
    labels = rng.integers(0, 2, 700).astype(np.uint8)
    listed, first = np.array([0, 2, 1], dtype=np.int32), np.array([0, 2, 3], dtype=np.int32)
    put = device.put
    for own in (labels, None):
        found = device.get(
            merged(
                device, put(np.ascontiguousarray(X.T).reshape(-1)), 700, put(listed), put(first), 2,
                np.uint64(0) if own is None else put(own),
            )
        ).reshape(2, 700)  # fmt: skip
        for s, columns in enumerate(([0, 2], [1])):
            rows = X[:, columns] if own is None else np.c_[X[:, columns], own]
            _, starts, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            np.testing.assert_array_equal(found[s], starts[inverse.reshape(-1)])


def test_rows_whose_numbers_coincide_are_not_merged(simulated):
    column = np.array([1.0, 2.0, 1.0], dtype=np.float32)
    hashes, keys = np.full(3, 77, dtype=np.uint64), np.zeros(8, dtype=np.uint64)
    rows, found = np.full(8, 2**32 - 1, dtype=np.uint32), np.empty(3, dtype=np.uint32)
    listed, first = np.array([0], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    simulated.launch("note_rows", (1, 1, 1), hashes, whole(3), keys, rows, np.uint64(8))
    simulated.launch(
        "merge_rows", (1, 1, 1), column, whole(3), listed, first, np.uint64(0), hashes, keys, rows,
        np.uint64(8), found,
    )  # fmt: skip
    np.testing.assert_array_equal(found, [0, 1, 0])


def test_columns_as_they_are(simulated):
    rows = continuous(300, 6)
    columns = Columns(simulated, rows, rows.splits[0])
    found = columns.train.reshape(6, -1).T
    np.testing.assert_array_equal(found, rows.matrix[rows.splits[0].train])
