"""The forest for numbers: its trees are scikit-learn's, and its forest agrees."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeRegressor

from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.groups import Plan
from nffs.fitness.forest.importance import add_variance_importance
from nffs.fitness.forest.number_rows import NumberGrower, NumberRows, numbers_of, predict_numbers

X, Y = make_friedman1(1500, 8, noise=1.0, random_state=0)
X = X.astype(np.float32)
Z, TEST = X[:1000], X[1000:]


def rows_of(Z, y, weights=None):
    return NumberRows(Z, find_bins(Z), np.asarray(y, dtype=np.float64), weights)


def one_tree(rows, test, depth):
    """Predict by a single tree grown on all rows."""
    plan = Plan([{"n_estimators": 1, "max_depth": depth}])
    totals = plan.zeros(len(test), 2)
    grower = NumberGrower(rows, rows.n_features, plan.max_depth, bootstrap=False)
    tree = grower.grow(np.uint64(3))
    plan.add(0, tree, test, totals)
    return numbers_of(plan, totals, rows)[0], tree


@pytest.mark.parametrize(
    ("n", "depth"), [(1000, 1), (1000, 3), (1000, 6), (100, 1), (100, 3)], ids=str
)
def test_a_tree_on_all_rows_is_scikit_learns(n, depth):
    """Of at most 128 rows the kernel sorts; of more it goes by bins, until a node has fewer."""
    found, _ = one_tree(rows_of(Z[:n], Y[:n]), TEST, depth)
    tree = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(Z[:n], Y[:n])
    # Equally good splits of a few rows may fall to another feature.
    assert np.isclose(found, tree.predict(TEST), atol=1e-6).mean() > 0.95


def test_a_tree_without_limit_knows_every_row():
    found, _ = one_tree(rows_of(Z, Y[:1000]), Z, None)
    np.testing.assert_allclose(found, Y[:1000], atol=1e-6)


@pytest.mark.parametrize("n", range(2, 9))
def test_a_few_rows_are_split_at_their_best_place(n):
    """Up to five rows the kernel scores sets of rows, of more the places in sorted lists."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows, y = rng.integers(0, 4, (n, 3)).astype(np.float32), rng.normal(size=n)
        rows[:, 2] = rng.normal(size=n)
        found, _ = one_tree(rows_of(rows, y), rows, 1)
        splits = [x <= at for x in rows.T for at in np.unique(x)[:-1]]
        best = min(sum(y[side].var() * side.sum() for side in (left, ~left)) for left in splits)
        assert ((found - y) ** 2).sum() == pytest.approx(best, abs=1e-6)


def test_the_forest_agrees_with_scikit_learns():
    groups = [{"n_estimators": 60, "max_depth": d} for d in (2, 6, None)]
    found = predict_numbers(rows_of(Z, Y[:1000]), TEST, groups, seed=0)
    for predicted, group in zip(found, groups, strict=True):
        theirs = RandomForestRegressor(**group, random_state=0).fit(Z, Y[:1000]).predict(TEST)
        assert r2_score(Y[1000:], predicted) == pytest.approx(r2_score(Y[1000:], theirs), abs=0.03)


def test_one_forest_holds_the_smaller_ones():
    rows = rows_of(Z, Y[:1000])
    groups = [{"n_estimators": 3, "max_depth": 4}, {"n_estimators": 6, "max_depth": None}]
    together = predict_numbers(rows, TEST, groups, seed=5)
    for group, predicted in zip(groups, together, strict=True):
        assert (predict_numbers(rows, TEST, [group], seed=5)[0] == predicted).all()


def test_rows_of_no_weight_are_never_drawn():
    weights = np.where(Z[:, 0] < 0.5, 1.0, 0.0)
    y = np.where(Z[:, 0] < 0.5, Y[:1000], 1e3)
    found = predict_numbers(rows_of(Z, y, weights), TEST, [{"n_estimators": 5}], seed=0)
    assert found.max() <= Y[:1000].max()


def test_equal_rows_and_equal_numbers_end_a_tree():
    same = np.zeros((50, 2), dtype=np.float32)
    found, tree = one_tree(rows_of(same, np.arange(50)), same, None)
    assert len(tree.nodes) == 1
    assert found == pytest.approx(24.5, abs=1e-6)
    two = np.repeat([[0.0], [1.0]], 200, axis=0).astype(np.float32)
    found, tree = one_tree(rows_of(two, np.repeat([3.0, 5.0], 200)), two, None)
    assert len(tree.nodes) == 3
    assert sorted(set(found.round(6))) == [3.0, 5.0]


@pytest.mark.parametrize("times", [10, 100])
def test_a_split_that_explains_nothing_is_taken_if_there_is_no_better_one(times):
    """Whether one of two columns is 1 and not the other: no single split says anything of it."""
    exclusive = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32).repeat(times, axis=0)
    y = exclusive.sum(axis=1) % 2
    found, tree = one_tree(rows_of(exclusive, y), exclusive, None)
    assert len(tree.nodes) == 7
    np.testing.assert_allclose(found, y, atol=1e-6)


def test_values_too_close_to_part_hide_no_split():
    """The best place of the first column is between two values that count as one."""
    close = np.array([0.0, 0.4, 0.5, 0.5 + 6e-8, 0.6, 1.0], dtype=np.float32)
    both = np.column_stack([close, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]).astype(np.float32)
    _, tree = one_tree(rows_of(both, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), both, 1)
    assert len(tree.nodes) == 3
    assert tree.nodes[0, 2:3].view(np.float32)[0] == pytest.approx(0.45)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_the_scale_of_numbers_does_not_matter(scale):
    groups = [{"n_estimators": 4, "max_depth": None}]
    plain = predict_numbers(rows_of(Z, Y[:1000]), TEST, groups)
    scaled = predict_numbers(rows_of(Z, Y[:1000] * scale + 7 * scale), TEST, groups)
    np.testing.assert_allclose(scaled / scale - 7, plain, rtol=1e-4)


def test_columns_weigh_what_their_splits_explain():
    tree = one_tree(rows_of(Z, Y[:1000]), TEST, 5)[1]
    found = np.zeros(8)
    add_variance_importance(tree, Z, Y[:1000], np.ones(1000), found)
    theirs = DecisionTreeRegressor(max_depth=5, random_state=0).fit(Z, Y[:1000])
    np.testing.assert_allclose(found / found.sum(), theirs.feature_importances_, atol=1e-6)
