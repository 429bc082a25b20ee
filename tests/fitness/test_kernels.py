"""Trees against splits worked out by hand, and what must hold for every tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.forest import BinnedForest
from nffs.fitness.forest.kernels import common
from nffs.fitness.forest.training import TrainingRows


def grow(Z, y, n_classes=2, weight=None, **options):
    Z = np.asarray(Z, dtype=np.float32)
    options = {"n_trees": 1, "bootstrap": False, "max_features": Z.shape[1], **options}
    rows = TrainingRows(Z, find_bins(Z), np.asarray(y), n_classes, weight)
    return BinnedForest.grow(rows, **options)


def read(tree):
    """(feature, threshold, left, right) of every inner node, by number; leaves are left out."""
    thresholds = tree.nodes.view(np.float32)[:, common.THRESHOLD]
    left, feature = tree.nodes[:, common.LEFT], tree.nodes[:, common.FEATURE]
    return {
        n: (int(feature[n]), float(thresholds[n]), int(left[n]), int(left[n]) + 1)
        for n in range(len(tree.nodes))
        if left[n] != n
    }


# weights of 1 and 2: two paths of the code must grow the same tree
PATHS = pytest.mark.parametrize("weight", [None, 2.0])


def spread(weight, n):
    return None if weight is None else np.full(n, weight)


@PATHS
def test_one_split_halfway_between_the_classes(weight):
    forest = grow([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1], weight=spread(weight, 4))
    assert read(forest.trees[0]) == {0: (0, 3.0, 1, 2)}


@PATHS
def test_the_better_feature_is_chosen(weight):
    Z = [[1, 1], [2, 3], [3, 2], [4, 4], [5, 6], [6, 5]]
    y = [0, 1, 0, 1, 1, 1]
    # column 1 separates at 2.5, column 0 needs two splits
    forest = grow(Z, y, weight=spread(weight, 6))
    assert read(forest.trees[0]) == {0: (1, 2.5, 1, 2)}


@PATHS
def test_thresholds_lie_between_the_values_in_the_node(weight):
    # Column 1 decides first (0 | 10); to its right column 0 holds 1 and 9 only, 5 lies elsewhere.
    Z = [[5, 0], [5, 0], [5, 0], [1, 10], [9, 10], [9, 10]]
    y = [0, 0, 0, 0, 1, 1]
    tree = read(grow(Z, y, weight=spread(weight, 6)).trees[0])
    # best first split: column 0 at (5 + 9) / 2 leaves both sides pure
    assert tree == {0: (0, 7.0, 1, 2)}
    y = [1, 1, 1, 0, 1, 1]
    tree = read(grow(Z, y, weight=spread(weight, 6)).trees[0])
    assert tree == {0: (0, 3.0, 1, 2)}


@PATHS
def test_an_impure_node_is_split_even_without_gain(weight):
    Z = [[0, 0], [0, 1], [1, 0], [1, 1]]
    y = [0, 1, 1, 0]
    forest = grow(Z, y, weight=spread(weight, 4))
    assert len(forest.trees[0].nodes) == 7
    shares = forest.predict_groups(np.array(Z, dtype=np.float32), [group(1)])[0]
    np.testing.assert_array_equal(shares[:, 1], y)


@PATHS
def test_equal_rows_of_both_classes_share_a_leaf(weight):
    Z = np.ones((4, 3), dtype=np.float32)
    forest = grow(Z, [0, 1, 1, 1], weight=spread(weight, 4))
    assert len(forest.trees[0].nodes) == 1
    np.testing.assert_allclose(forest.predict_groups(Z[:1], [group(1)])[0], [[0.25, 0.75]])


def test_constant_features_are_drawn_past():
    Z = np.zeros((50, 40), dtype=np.float32)
    Z[:, 23] = np.arange(50)
    y = np.arange(50) >= 20
    forest = grow(Z, y, max_features=1, n_trees=20)
    assert all(read(tree) == {0: (23, 19.5, 1, 2)} for tree in forest.trees)


def test_features_are_drawn_evenly():
    rng = np.random.default_rng(0)
    Z = np.repeat(rng.normal(size=(60, 1)), 5, axis=1).astype(np.float32)
    forest = grow(Z, Z[:, 0] > 0, max_features=1, n_trees=2000)
    roots = np.bincount([read(tree)[0][0] for tree in forest.trees], minlength=5)
    assert (np.abs(roots - 400) < 5 * np.sqrt(400)).all()


def group(trees, depth=None):
    return {"n_estimators": trees, "max_depth": depth}


def test_weights_move_the_split():
    Z = np.array([[0.0], [1.0], [2.0], [3.0]], dtype=np.float32)
    y = [0, 1, 0, 1]
    heavy_first = grow(Z, y, weight=np.array([5.0, 1.0, 1.0, 1.0]), max_depth=1)
    heavy_last = grow(Z, y, weight=np.array([1.0, 1.0, 1.0, 5.0]), max_depth=1)
    assert read(heavy_first.trees[0]) == {0: (0, 0.5, 1, 2)}
    assert read(heavy_last.trees[0]) == {0: (0, 2.5, 1, 2)}


def test_rows_of_weight_zero_are_left_out():
    Z = np.array([[0.0], [1.0], [2.0], [9.0]], dtype=np.float32)
    tree = grow(Z, [0, 0, 1, 1], weight=np.array([1.0, 0.0, 0.0, 1.0])).trees[0]
    assert read(tree) == {0: (0, 4.5, 1, 2)}


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans())
def test_a_deep_tree_fits_its_rows_as_scikit_learns_does(seed, n_classes, weighted):
    rng = np.random.default_rng(seed)
    Z = rng.integers(0, 12, size=(rng.integers(2, 300), 3)).astype(np.float32)
    y = rng.integers(0, n_classes, len(Z))
    weight = rng.uniform(0.5, 2.0, len(Z)) if weighted else None
    forest = grow(Z, y, n_classes, weight)
    reference = DecisionTreeClassifier(random_state=0).fit(Z, y, sample_weight=weight)
    ours = forest.predict_groups(Z, [group(1)])[0]
    np.testing.assert_allclose(ours[:, reference.classes_], reference.predict_proba(Z), atol=1e-8)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_a_tree_chooses_the_splits_scikit_learn_chooses(seed, depth, weighted):
    """Without randomness (all features, all rows) and without ties nothing is left to chance."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(200, 3)).astype(np.float32)
    y = (Z[:, 0] + 0.3 * rng.normal(size=200) > 0).astype(int)
    weight = rng.uniform(0.5, 2.0, 200)
    forest = grow(Z, y, weight=weight, max_depth=depth)
    reference = DecisionTreeClassifier(max_depth=depth, random_state=0)
    reference.fit(Z, y, sample_weight=weight)
    ours = forest.predict_groups(Z, [group(1)])[0]
    agree = np.isclose(ours, reference.predict_proba(Z), atol=1e-8).all(axis=1)
    assert agree.mean() > 0.9  # small nodes do tie


def test_the_bootstrap_draws_n_rows_evenly():
    counts = np.empty(1000, dtype=np.uint32)
    total = np.zeros(1000)
    for seed in range(300):
        common.bootstrap(np.uint64(seed), 1000, np.arange(1000, dtype=np.uint32), counts)
        assert counts.sum() == 1000
        total += counts
    assert abs((counts == 0).mean() - np.exp(-1)) < 0.06
    assert np.abs(total - 300).max() < 6 * np.sqrt(300)
