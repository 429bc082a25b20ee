import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.classifier import BinnedForestClassifier
from nffs.fitness.forest.forest import BinnedForest, grow_and_predict
from nffs.fitness.forest.kernels import grow_packed
from nffs.fitness.forest.training import TrainingRows

EXPECTED_FAILURES = {
    # A bootstrap draws n rows of n: a row of weight 2 is drawn or not, a row that stands twice may
    # be drawn once. Every bootstrapping forest fails this one, scikit-learn's included.
    "check_sample_weight_equivalence_on_dense_data": "the bootstrap draws rows, not weights",
}


@parametrize_with_checks(
    [BinnedForestClassifier(n_estimators=10), BinnedForestClassifier(n_estimators=3, max_depth=2)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def table(n=1500, k=9, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, k)).astype(np.float32)
    Z[:, 1] = np.round(Z[:, 1])
    signal = Z[:, 0] + 0.7 * Z[:, 1] * Z[:, 2] + 0.8 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    return Z, y


def rows_of(Z, y, n_classes=2, **options):
    return TrainingRows(Z, find_bins(Z), y, n_classes, **options)


GROUPS = [
    {"n_estimators": 30, "max_depth": 5},
    {"n_estimators": 12, "max_depth": None},
    {"n_estimators": 30, "max_depth": None},
    {"n_estimators": 1, "max_depth": 2},
]

KINDS = pytest.mark.parametrize(("n_classes", "weighted"), [(2, False), (2, True), (3, False)])


def weights(weighted, n):
    return np.random.default_rng(1).uniform(0.2, 3.0, n) if weighted else None


@KINDS
def test_same_bits_for_any_number_of_threads(n_classes, weighted):
    Z, y = table(n_classes=n_classes)
    rows = rows_of(Z[:1000], y[:1000], n_classes, sample_weight=weights(weighted, 1000))
    one = grow_and_predict(rows, Z[1000:], GROUPS, seed=3)
    for n_threads in (2, 7):
        forest = BinnedForest.grow(rows, 30, seed=3, n_threads=n_threads)
        np.testing.assert_array_equal(forest.predict_groups(Z[1000:], GROUPS, n_threads), one)


@KINDS
def test_a_group_is_the_forest_grown_for_it(n_classes, weighted):
    Z, y = table(n_classes=n_classes)
    rows = rows_of(Z[:1000], y[:1000], n_classes, sample_weight=weights(weighted, 1000))
    together = grow_and_predict(rows, Z[1000:], GROUPS, seed=5)
    assert together.shape == (4, 500, n_classes)
    np.testing.assert_allclose(together.sum(axis=2), 1.0)
    for group, expected in zip(GROUPS, together, strict=True):
        forest = BinnedForest.grow(rows, group["n_estimators"], group["max_depth"], seed=5)
        np.testing.assert_array_equal(forest.predict_groups(Z[1000:], [group])[0], expected)


def test_seeds_give_other_forests():
    Z, y = table()
    rows = rows_of(Z[:1000], y[:1000])
    nodes = [BinnedForest.grow(rows, 3, seed=s).trees[t].nodes for s in range(3) for t in range(3)]
    assert len({n.tobytes() for n in nodes}) == 9


def test_merging_rows_changes_nothing():
    rng = np.random.default_rng(0)
    Z = rng.integers(0, 3, size=(3000, 4)).astype(np.float32)
    y = (Z.sum(axis=1) + rng.normal(size=3000) > 4).astype(int)
    merged, apart = rows_of(Z, y), rows_of(Z, y, merge=False)
    assert merged.n_rows <= 2 * 3**4
    assert apart.n_rows == 3000
    judged = [grow_and_predict(rows, Z, GROUPS, seed=1) for rows in (merged, apart)]
    np.testing.assert_array_equal(*judged)


def test_weights_of_one_grow_the_same_kind_of_forest():
    """Two paths of the code, one answer: they only break ties differently."""
    Z, y = table()
    group = [{"n_estimators": 30, "max_depth": None}]
    packed = grow_and_predict(rows_of(Z[:1000], y[:1000]), Z[1000:], group, seed=2)
    ones = rows_of(Z[:1000], y[:1000], sample_weight=np.ones(1000))
    weighted = grow_and_predict(ones, Z[1000:], group, seed=2)
    assert np.isclose(packed, weighted).mean() > 0.9
    assert np.abs(packed - weighted).mean() < 0.01


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("depth", [3, None])
def test_scores_agree_with_scikit_learns_forest(n_classes, depth):
    Z, y = table(4000, 9, n_classes)
    ours, theirs = [], []
    for seed in range(6):
        options = {"n_estimators": 40, "max_depth": depth, "random_state": seed}
        for scores, forest in (
            (ours, BinnedForestClassifier(**options)),
            (theirs, RandomForestClassifier(**options)),
        ):
            predicted = forest.fit(Z[:2500], y[:2500]).predict(Z[2500:])
            scores.append(f1_score(y[2500:], predicted, average="macro"))
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 6)
    assert abs(np.mean(ours) - np.mean(theirs)) < max(0.005, 4 * error)


def test_more_columns_than_a_cache_line():
    Z, y = table(400, 150)
    forest = BinnedForestClassifier(n_estimators=20, random_state=0).fit(Z, y)
    assert forest.score(Z, y) > 0.99


def test_an_integer_seed_is_the_forests_seed():
    Z, y = table()
    forest = BinnedForestClassifier(n_estimators=5, random_state=11, n_jobs=2).fit(Z, y)
    group = {"n_estimators": 5, "max_depth": None}
    searched = grow_and_predict(rows_of(Z, y), Z, [group], seed=11)[0]
    np.testing.assert_array_equal(forest.predict_proba(Z), searched)


def test_one_class_is_predicted_for_all():
    forest = BinnedForestClassifier(n_estimators=3).fit([[0.0], [1.0]], ["a", "a"])
    assert forest.predict([[5.0]]).tolist() == ["a"]
    assert forest.predict_proba([[5.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize(
    "groups", [[], [{"max_depth": 2}], [{"n_estimators": 0}], [{"n_estimators": 5, "max_depth": 0}]]
)
def test_refuses_groups_that_are_none(groups):
    Z, y = table(100)
    with pytest.raises(ValueError, match="group"):
        grow_and_predict(rows_of(Z, y), Z, groups)


def test_refuses_more_trees_than_were_grown():
    Z, y = table(100)
    forest = BinnedForest.grow(rows_of(Z, y), 2)
    with pytest.raises(ValueError, match="3 trees"):
        forest.predict_groups(Z, [{"n_estimators": 3}])


def test_refuses_negative_weights():
    with pytest.raises(ValueError, match="weight"):
        BinnedForestClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[1.0, -1.0])


def test_copying_nodes_together_changes_nothing(monkeypatch):
    Z, y = table(20_000, 5)
    rows = rows_of(Z, y)
    group = [{"n_estimators": 2, "max_depth": None}]
    scattered = grow_and_predict(rows, Z[:500], group)
    monkeypatch.setattr(grow_packed, "MIDDLE_ROWS", 4096)
    np.testing.assert_array_equal(grow_and_predict(rows, Z[:500], group), scattered)
