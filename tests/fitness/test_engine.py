"""The fast engine answers what the reference engine answers."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score, log_loss, make_scorer, roc_auc_score

from nffs.errors import InputError
from nffs.fitness.evaluator import Evaluator
from nffs.fitness.forest.engine import ColumnForests, ComponentForests
from nffs.fitness.reference import ReferenceEngine
from nffs.fitness.scoring import resolve_scoring
from nffs.fitness.splits import SplitRows, cv_splits, eval_split
from nffs.table.target import read_target

GROUPS = [{"n_estimators": 40, "max_depth": depth} for depth in (2, 5, None)]


def rows_of(X, y, weights=None, n_train=None, pos_label=None):
    labels = read_target(y, pos_label=pos_label)
    if n_train is None:
        splits, name = cv_splits(3, labels, None, seed=0)
    else:
        splits, name = eval_split(n_train, len(y) - n_train)
    return SplitRows(np.asarray(X, dtype=np.float32), labels, weights, splits, name)


def fast(rows, groups=GROUPS, scoring=None, pca=0.93, seed=0):
    scorer = resolve_scoring(scoring, rows.target)
    plain = pca is None
    engine = ColumnForests(groups, scorer) if plain else ComponentForests(groups, scorer, pca)
    evaluator = Evaluator(rows, engine, np.arange(rows.matrix.shape[1]), seed)
    return lambda mask: evaluator(mask[None])[0]


def reference(rows, groups=GROUPS, scoring=None, pca=0.93, seed=0):
    scorer = resolve_scoring(scoring, rows.target)
    engine = ReferenceEngine(RandomForestClassifier(), groups, scorer, pca)
    evaluator = Evaluator(rows, engine, np.arange(rows.matrix.shape[1]), seed)
    return lambda mask: evaluator(mask[None])[0]


def mean_over_seeds(make, rows, mask, **options):
    scores = [make(rows, seed=s, **options)(mask).scores.mean(axis=0) for s in range(6)]
    return np.mean(scores, axis=0), np.std(scores, axis=0) / np.sqrt(len(scores))


@pytest.mark.parametrize("pca", [0.93, None])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine], ids=["two", "three classes"])
def test_agrees_with_scikit_learn_for_every_group(load, pca):
    X, y = load(return_X_y=True)
    rows = rows_of(X, y)
    mask = np.arange(X.shape[1]) % 2 == 0
    ours, our_error = mean_over_seeds(fast, rows, mask, pca=pca)
    theirs, their_error = mean_over_seeds(reference, rows, mask, pca=pca)
    # Four standard errors of the difference, and no less than a third of a percent.
    tolerance = np.maximum(4 * np.hypot(our_error, their_error), 0.0033)
    assert (np.abs(ours - theirs) <= tolerance).all(), (ours, theirs, tolerance)


def test_one_score_for_every_split_and_group():
    X, y = load_wine(return_X_y=True)
    assert fast(rows_of(X, y))(np.ones(13, bool)).scores.shape == (3, 3)


def test_a_group_does_not_depend_on_the_others():
    X, y = load_breast_cancer(return_X_y=True)
    rows, mask = rows_of(X, y), np.ones(30, bool)
    together = fast(rows)(mask).scores
    for number, group in enumerate(GROUPS):
        alone = fast(rows, [group])(mask).scores
        np.testing.assert_array_equal(alone[:, 0], together[:, number])


def test_what_a_group_leaves_out_is_100_trees_and_no_limit():
    X, y = load_wine(return_X_y=True)
    rows, mask = rows_of(X, y), np.ones(13, bool)
    full = [{"n_estimators": 100, "max_depth": None}]
    np.testing.assert_array_equal(fast(rows, [{}])(mask).scores, fast(rows, full)(mask).scores)


class TestScoring:
    def test_f_score_is_scikit_learns(self):
        X, y = load_breast_cancer(return_X_y=True)
        rows = rows_of(X, y, n_train=400, pos_label=1)
        scorer = make_scorer(f1_score)
        counted = fast(rows)(np.ones(30, bool)).scores
        asked = fast(rows, scoring=scorer)(np.ones(30, bool)).scores
        np.testing.assert_allclose(counted, asked)

    def test_macro_f_score_is_scikit_learns(self):
        X, y = load_wine(return_X_y=True)
        rows = rows_of(X, y)
        counted = fast(rows)(np.arange(13) < 2).scores
        asked = fast(rows, scoring=make_scorer(f1_score, average="macro"))(np.arange(13) < 2).scores
        np.testing.assert_allclose(counted, asked)

    @pytest.mark.parametrize(
        "scoring", ["roc_auc", "neg_log_loss", "average_precision", "accuracy"]
    )
    def test_scorers_by_name(self, scoring):
        X, y = load_breast_cancer(return_X_y=True)
        assert np.isfinite(fast(rows_of(X, y), scoring=scoring)(np.ones(30, bool)).scores).all()

    def test_scorers_that_name_classes(self):
        X, y = load_breast_cancer(return_X_y=True)
        named = np.array(["malignant", "benign"])[y]
        scorer = make_scorer(f1_score, pos_label="malignant")
        assert fast(rows_of(X, named), scoring=scorer)(np.ones(30, bool)).value > 0.85

    @pytest.mark.parametrize("pos_label", [None, "benign", "malignant"])
    def test_scorers_of_probabilities_whatever_the_positive_class(self, pos_label):
        X, y = load_breast_cancer(return_X_y=True)
        named = np.array(["malignant", "benign"])[y]
        scorer = make_scorer(roc_auc_score, response_method="predict_proba")
        rows = rows_of(X, named, pos_label=pos_label)
        mask = np.ones(30, bool)
        np.testing.assert_allclose(
            fast(rows, scoring=scorer)(mask).scores, fast(rows, scoring="roc_auc")(mask).scores
        )

    def test_probabilities_come_in_the_classes_order(self):
        X, y = load_wine(return_X_y=True)
        names = np.array(["c", "a", "b"])[y]
        scorer = make_scorer(log_loss, response_method="predict_proba", greater_is_better=False)
        assert fast(rows_of(X, names), scoring=scorer)(np.ones(13, bool)).value > -0.6


class TestSampleWeights:
    def test_they_reach_training(self):
        X, y = load_breast_cancer(return_X_y=True)
        weights = np.where(y == 1, 30.0, 1.0)
        plain = fast(rows_of(X, y, n_train=400, pos_label=1), scoring="recall")
        weighted = fast(rows_of(X, y, weights, n_train=400, pos_label=1), scoring="recall")
        mask = np.arange(30) < 2
        assert weighted(mask).value > plain(mask).value

    def test_they_reach_scoring(self):
        X, y = load_breast_cancer(return_X_y=True)
        weights = np.ones(len(y))
        weights[400:] = np.where(y[400:] == 1, 30.0, 1.0)
        mask = np.ones(30, bool)
        plain = fast(rows_of(X, y, np.ones(len(y)), n_train=400, pos_label=1))(mask).scores
        weighted = fast(rows_of(X, y, weights, n_train=400, pos_label=1))(mask).scores
        assert (weighted > plain).all()


def test_a_constant_subset_can_be_evaluated():
    X, y = load_wine(return_X_y=True)
    X[:, 0] = 1.0
    assert 0.0 <= fast(rows_of(X, y))(np.arange(13) == 0).value < 0.5


class TestRefused:
    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            ([], "param_groups: is empty"),
            ([{}, {"min_samples_leaf": 3}], r"param_groups\[1\]: the binned forest has no"),
            ([{"n_estimators": 0}], r"param_groups\[0\]: n_estimators must be a whole number"),
            ([{"n_estimators": None}], r"param_groups\[0\]: n_estimators must be a whole number"),
            ([{"max_depth": 2.5}], r"param_groups\[0\]: max_depth must be a whole number"),
        ],
    )
    def test_groups_it_cannot_read(self, groups, message):
        with pytest.raises(InputError, match=message):
            ComponentForests(groups, resolve_scoring(None, read_target([0, 1])), 0.93)
