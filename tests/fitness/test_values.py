"""Splits by values: where a table has more values than bins, trees still part all of them."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.forest import BinnedForest, grow_and_predict
from nffs.fitness.forest.kernels import common
from nffs.fitness.forest.training import TrainingRows

ANY_DEPTH = [{"n_estimators": 1, "max_depth": None}]

# without and with weights: two paths of the code
PATHS = pytest.mark.parametrize("weighted", [False, True])


def rows_of(Z, y, weighted=False, **options):
    weight = np.full(len(Z), 2.0) if weighted else None
    return TrainingRows(Z, find_bins(Z), np.asarray(y), 2, weight, **options)


def whole_tree(rows, n_features, **options):
    return BinnedForest.grow(rows, 1, bootstrap=False, max_features=n_features, **options)


def inner(tree):
    left = tree.nodes[:, common.LEFT]
    return np.flatnonzero(left != np.arange(len(left)))


@PATHS
def test_rows_of_one_bin_are_parted(weighted):
    """Labels at random: only a tree that tells all 20,000 values apart fits them."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(20_000, 1)).astype(np.float32)
    y = rng.integers(0, 2, len(Z))
    values, first = np.unique(Z[:, 0], return_index=True)
    forest = whole_tree(rows_of(Z[first], y[first], weighted), 1)
    shares = forest.predict_groups(values[:, None], ANY_DEPTH)[0]
    # scikit-learn does not part values that lie closer than 1e-7 either
    reference = DecisionTreeClassifier(random_state=0).fit(values[:, None], y[first])
    np.testing.assert_allclose(shares, reference.predict_proba(values[:, None]), atol=1e-8)


@PATHS
def test_the_split_is_the_best_of_all_values_not_of_the_bins_edges(weighted):
    rng = np.random.default_rng(1)
    Z = np.sort(rng.normal(size=(40_000, 1)).astype(np.float32), axis=0)
    for at in (1_234, 17_777, 38_000):
        y = np.arange(len(Z)) >= at
        tree = whole_tree(rows_of(Z, y, weighted), 1).trees[0]
        assert len(inner(tree)) == 1
        threshold = tree.nodes.view(np.float32)[0, common.THRESHOLD]
        assert Z[at - 1, 0] <= threshold < Z[at, 0]


@PATHS
def test_a_threshold_lies_halfway_between_values_of_the_node(weighted):
    """To the right of 0 in column 1, column 0 has a gap that other rows fill."""
    rng = np.random.default_rng(2)
    filled, gap = rng.uniform(0, 1, 20_000), rng.uniform(0, 1, 20_000)
    gap = np.where(gap < 0.1, 4 * gap, 0.8 + 0.2 * gap)
    Z = np.array([np.r_[filled, gap], np.r_[np.zeros(20_000), np.ones(20_000)]])
    Z = Z.T.astype(np.float32)
    y = np.r_[np.zeros(20_000), gap > 0.6].astype(int)
    tree = whole_tree(rows_of(Z, y, weighted), 2).trees[0]
    thresholds = tree.nodes.view(np.float32)[:, common.THRESHOLD]
    of_column_0 = [n for n in inner(tree) if tree.nodes[n, common.FEATURE] == 0]
    reference = DecisionTreeClassifier(random_state=0).fit(Z, y).tree_
    assert sorted(thresholds[of_column_0]) == pytest.approx(
        sorted(reference.threshold[reference.feature == 0]), abs=1e-7
    )
    assert 0.55 < thresholds[of_column_0].max() < 0.65


@PATHS
def test_values_too_close_to_part_end_in_a_leaf(weighted):
    """Each next to its neighbour, the first and the last far apart: scikit-learn stops as well."""
    Z = (1e-3 + 4e-8 * np.arange(2_000)).astype(np.float32)[:, None]
    assert np.ptp(Z) > 1e-5
    y = np.arange(len(Z)) % 2
    for few in (20, 200, 2_000):
        tree = whole_tree(rows_of(Z[:few], y[:few], weighted), 1).trees[0]
        reference = DecisionTreeClassifier(random_state=0).fit(Z[:few], y[:few])
        assert len(tree.nodes) == reference.tree_.node_count == 1


def test_merging_rows_with_many_values_changes_nothing():
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(3_000, 4)).astype(np.float32)[rng.integers(0, 3_000, 20_000)]
    y = (Z[:, 0] + Z[:, 1] > 0).astype(int) ^ (rng.random(len(Z)) < 0.1)
    merged, apart = rows_of(Z, y), rows_of(Z, y, merge=False)
    assert merged.n_rows < 6_000 < apart.n_rows
    groups = [{"n_estimators": 8, "max_depth": depth} for depth in (3, 9, None)]
    scored = [grow_and_predict(rows, Z[:2_000], groups, seed=1) for rows in (merged, apart)]
    np.testing.assert_array_equal(*scored)


def test_rows_that_differ_within_a_bin_are_not_merged():
    Z = np.linspace(0, 1, 5_000, dtype=np.float32)[:, None]
    assert rows_of(Z, np.zeros(5_000, dtype=int)).n_rows == 5_000


@PATHS
def test_a_single_deep_tree_scores_as_scikit_learns(weighted):
    """Few columns, many values, thin leaves: what bins alone got wrong."""
    rng = np.random.default_rng(4)
    Z = np.round(np.exp(rng.normal(size=(24_000, 3)) * 3), 2).astype(np.float32)
    y = (np.sin(4 * np.log(Z[:, 0] + 1)) + np.cos(3 * np.log(Z[:, 1] + 1)) > 0).astype(int)
    train, unseen = slice(0, 12_000), slice(12_000, None)
    rows = rows_of(Z[train], y[train], weighted)
    ours, theirs = [], []
    for seed in range(6):
        forest = BinnedForest.grow(rows, 1, seed=seed, max_features=1)
        shares = forest.predict_groups(Z[unseen], ANY_DEPTH)[0][:, 1]
        ours.append(np.mean((shares > 0.5) == y[unseen]))
        drawn = rng.integers(0, 12_000, 12_000)
        tree = DecisionTreeClassifier(max_features=1, random_state=seed)
        tree.fit(Z[train][drawn], y[train][drawn])
        theirs.append(tree.score(Z[unseen], y[unseen]))
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 6)
    assert abs(np.mean(ours) - np.mean(theirs)) < max(0.005, 3 * error)
