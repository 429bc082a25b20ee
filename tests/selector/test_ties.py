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


def test_of_identical_columns_the_same_names_whatever_the_order(frame):
    X, y = frame
    found = set()
    for names in orders(X):
        selector = NFFS(
            estimator=GaussianNB(), n_subsets=12, n_nested=4, choose="method", random_state=0
        )
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


def test_weights_that_erase_a_class_are_refused(quick, connections):
    weights = np.array([float(label != "attack") for label in connections.target])
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
