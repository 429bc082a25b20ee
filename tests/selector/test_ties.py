"""Columns that cannot be told apart, numbers that are equal, weights out of range."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, InputError


@pytest.fixture(scope="module")
def frame():
    """Three signals, two of them with copies, noise, and three columns that are constant."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    strong, weak, other = (y * step + rng.normal(size=200) for step in (2.0, 1.0, 1.5))
    columns = {"m": strong, "c": strong, "x": strong, "k": weak, "b": weak, "o": other}
    columns |= {f"noise_{i}": rng.normal(size=200) for i in range(4)}
    columns |= dict.fromkeys(("z", "a", "n"), np.ones(200))
    return pl.DataFrame(columns), y


def orders(frame):
    names = frame.columns
    return [names, names[::-1], *(np.random.default_rng(i).permutation(names) for i in range(4))]


@pytest.mark.parametrize("keep_all", [False, True])  # copies are left out, or compete
def test_of_identical_columns_the_same_names_whatever_the_order(frame, keep_all):
    X, y = frame
    found = set()
    for names in orders(X):
        selector = NFFS(
            estimator=GaussianNB(), n_subsets=12, n_nested=4, choose="method", keep_all=keep_all,
            random_state=0,
        )  # fmt: skip
        found.add(frozenset(selector.fit(X.select(names), y).selected_features_))
    assert len(found) == 1


def test_constant_columns_keep_their_ranks(quick, frame):
    X, y = frame
    ranks = [
        dict(zip(names, quick(keep_all=True).fit(X.select(names), y).ranking_, strict=True))
        for names in orders(X)
    ]
    assert all(rank == ranks[0] for rank in ranks)
    assert [ranks[0][name] for name in ("a", "n", "z")] == [11, 12, 13]


def bits(selector):
    return selector.mi_.tobytes(), selector.archive_fitness_.tobytes(), selector.fingerprint_


def test_float32_and_float64_of_equal_values_give_the_same_bits(quick, connections):
    # So far from zero, against its spread, that it is shifted before it becomes float32
    y = np.array(connections.target)
    far = (1e6 + np.random.default_rng(0).normal(size=len(y))).astype(np.float32)
    frame = pd.DataFrame({"far": far, "near": far - np.float32(1e6) + (y == y[0])})
    single, double = (quick(n_nested=1).fit(frame.astype(kind), y) for kind in ("f4", "f8"))
    assert bits(single) == bits(double)


class TestMinusZero:
    """-0.0 equals 0.0, so nothing may depend on which of them a table has."""

    @pytest.fixture(scope="class")
    def tables(self):
        """The same values with 0.0 and with -0.0, and numbers to predict."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 120)
        signal = np.where(rng.random(120) < 0.4, 0.0, y + rng.normal(size=120))
        tiny = np.where(rng.random(120) < 0.5, 1e-60, rng.normal(size=120))  # 0.0 as float32
        plus = pd.DataFrame({"signal": signal, "tiny": tiny, "noise": rng.normal(size=120)})
        minus = plus.mask(plus == 0, -0.0).mask(plus == 1e-60, -1e-60)
        assert np.signbit(minus[plus == 0].to_numpy()).sum() > 20
        return plus, minus, y

    @pytest.mark.parametrize("given", [{}, {"max_rows": 60}, {"estimator": None}])
    def test_gives_the_same_bits(self, quick, tables, given):
        plus, minus, y = tables
        one, other = (quick(n_nested=2, cv=2, **given).fit(X, y) for X in (plus, minus))
        assert bits(one) == bits(other)

    def test_of_numbers_to_predict_and_of_weights_too(self, quick, tables):
        X, _, y = tables
        found = []
        for zero in (0.0, -0.0):
            selector = quick(estimator=None, n_nested=2, cv=2, task="regression")
            numbers = np.where(y == 1, X["noise"], zero)
            weights = np.where(X["noise"] > -1, 1.0, zero)
            found.append(bits(selector.fit(X, numbers, sample_weight=weights)))
        assert found[0] == found[1]

    def test_goes_on_with_the_same_journal(self, quick, tables, tmp_path):
        plus, minus, y = tables
        selector = quick(n_nested=2, journal=tmp_path / "journal")
        assert bits(selector.fit(plus, y)) == bits(selector.fit(minus, y))

    def test_is_a_copy_of_zero(self, quick, tables):
        plus, minus, y = tables
        X = plus.assign(other=minus["signal"])
        left_out = quick(n_nested=2).fit(X, y).left_out_
        assert len(left_out) == 1
        assert set(left_out) < {"signal", "other"}

    def test_leaves_transform_as_it_is(self, quick, tables):
        _, minus, y = tables
        selector = quick(n_nested=2).fit(minus, y)
        pd.testing.assert_frame_equal(selector.transform(minus), minus[selector.selected_features_])
        out = selector.selection_.transform(minus)
        assert np.array_equal(np.signbit(out), np.signbit(minus[out.columns]))

    def test_is_the_same_class(self, quick, tables):
        X, _, y = tables
        labels = np.where(y == 1, 1.0, 0.0)
        minus = np.where(y == 1, 1.0, -0.0)
        one, other = quick(n_nested=2).fit(X, labels), quick(n_nested=2).fit(X, minus)
        assert bits(one) == bits(other)
        assert not np.signbit(other.classes_).any()


def by_name(selector):
    """What a search found, whatever the order of the columns."""
    mi = dict(zip(selector.features_, selector.mi_.tolist(), strict=True))
    scores = selector.archive_fitness_.tobytes(), selector.fitness_
    return set(selector.selected_features_), scores, mi, selector.fingerprint_


@pytest.mark.parametrize(
    "given",
    [
        {"together": [["o", "noise_0", "noise_2"]]},
        {"together": [["b", "noise_3"], ["m", "noise_1"]], "unit": "column"},
        {"max_rows": 90},
    ],
    ids=["a group", "groups of columns", "rows beyond a sample"],
)
def test_the_order_of_the_columns_changes_no_bit(quick, frame, given):
    X, y = frame
    X = X.with_columns(pl.Series("m", np.where(np.arange(200) % 7 == 0, np.nan, X["m"])))
    first, *others = (by_name(quick(n_nested=2, **given).fit(X.select(n), y)) for n in orders(X))
    assert all(other == first for other in others)


def test_a_journal_goes_on_with_the_columns_in_another_order(quick, frame, tmp_path):
    X, y = frame
    given = {"journal": tmp_path / "journal", "together": [["o", "noise_0"]], "max_rows": 90}
    first = quick(n_nested=2, **given).fit(X, y)
    again = quick(n_nested=2, **given).fit(X.select(X.columns[::-1]), y)
    assert by_name(again) == by_name(first)


@pytest.mark.parametrize(("weight", "size"), [(1e154, "large"), (1e40, "large"), (1e-40, "small")])
def test_weights_beyond_what_can_be_computed_are_refused(quick, connections, weight, size):
    weights = np.full(len(connections.target), weight)
    with pytest.raises(InputError, match=rf"sample_weight: the largest .*, too {size} to compute"):
        quick().fit(connections.data, connections.target, sample_weight=weights)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_weights_of_any_usual_size_count_the_same(quick, connections, scale):
    weights = np.random.default_rng(0).uniform(1, 2, len(connections.target))
    one, other = (
        quick().fit(connections.data, connections.target, sample_weight=weights * by)
        for by in (1, scale)
    )
    assert np.allclose(one.mi_, other.mi_)
    assert one.selected_features_ == other.selected_features_


@pytest.mark.parametrize("weight", [0.0, 1e-300, 1e-20])
def test_weights_that_erase_a_class_are_refused(quick, connections, weight):
    weights = np.where(np.array(connections.target) == "attack", weight, 1.0)
    with pytest.raises(InputError, match=r"sample_weight: all rows of class\(es\) 'attack' have"):
        quick().fit(connections.data, connections.target, sample_weight=weights)


class TestTablesWithoutNames:
    """They cannot stand for a frame whose columns are not called x0, x1, ... in this order."""

    @pytest.fixture
    def swapped(self, quick):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 100)
        X = pd.DataFrame({"x1": y + rng.normal(size=100), "x0": y + rng.normal(size=100)})
        X["x2"] = rng.normal(size=100)
        return quick(n_nested=2, max_features=1).fit(X, y), X

    @pytest.mark.parametrize("without", [np.asarray, lambda X: X.set_axis(range(3), axis=1)])
    def test_are_refused(self, swapped, without):
        selector, X = swapped
        said = "X: has no column names, but .* called 'x1', 'x0', 'x2'; give a frame"
        with pytest.raises(InputError, match=said):
            selector.selection_.transform(without(X))

    def test_are_refused_by_the_selector_too(self, swapped):
        selector, X = swapped
        with pytest.raises(InputError, match="has no column names"):
            selector.transform(np.asarray(X))

    def test_frames_may_have_any_order(self, swapped):
        selector, X = swapped
        again = selector.selection_.transform(X[["x0", "x2", "x1"]])
        assert again.equals(X[selector.selected_features_])

    def test_an_array_does_where_an_array_was_fitted(self, quick, swapped):
        _, X = swapped
        y = np.arange(100) % 2
        selector = quick(n_nested=2).fit(X.to_numpy(), y)
        out = selector.selection_.transform(X.to_numpy())
        assert np.array_equal(out, selector.transform(X.to_numpy()))
