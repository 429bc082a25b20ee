"""The reference engine gives what a scikit-learn pipeline gives."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nffs.errors import InputError
from nffs.fitness.evaluator import Evaluator
from nffs.fitness.reference import ReferenceEngine
from nffs.fitness.scoring import resolve_scoring
from nffs.fitness.splits import SplitRows, cv_splits, eval_split
from nffs.table.target import Labels, read_target


def rows_of(X, y, weights=None, n_train=None, pos_label=None):
    labels = read_target(y, pos_label=pos_label)
    if n_train is None:
        splits, name = cv_splits(3, labels, None, seed=0)
    else:
        splits, name = eval_split(n_train, len(y) - n_train)
    return SplitRows(X.astype(np.float32), labels, weights, splits, name)


def evaluator(rows, estimator, groups=({},), scoring=None, pca=0.93, seed=0):
    engine = ReferenceEngine(estimator, groups, resolve_scoring(scoring, rows.target), pca)
    evaluator = Evaluator(rows, engine, np.arange(rows.matrix.shape[1]), seed)
    return lambda mask: evaluator(mask[None])[0]


@pytest.mark.parametrize("pca", [0.93, None])
def test_the_same_as_a_pipeline(pca):
    X, y = load_breast_cancer(return_X_y=True)
    rows = rows_of(X, y, pos_label=1)
    mask = np.arange(30) % 3 == 0
    tree = DecisionTreeClassifier(max_depth=4, random_state=5)
    found = evaluator(rows, tree, [{"random_state": 5}], pca=pca)(mask)

    steps = [StandardScaler(), *([] if pca is None else [PCA(pca)]), tree]
    expected = []
    for train, held_out in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        data = rows.matrix[:, mask].astype(np.float64)
        pipeline = make_pipeline(*steps).fit(data[train], y[train])
        expected.append(f1_score(y[held_out], pipeline.predict(data[held_out])))
    np.testing.assert_allclose(found.scores[:, 0], expected)
    assert found.value == pytest.approx(np.mean(expected))


def test_one_score_for_every_split_and_group():
    X, y = load_iris(return_X_y=True)
    groups = [{"max_depth": 1}, {"max_depth": 3}]
    scores = evaluator(rows_of(X, y), DecisionTreeClassifier(), groups)(np.ones(4, bool)).scores
    assert scores.shape == (3, 2)
    assert scores[:, 1].mean() > scores[:, 0].mean()


def test_the_same_mask_has_the_same_fitness_whenever_asked():
    X, y = load_iris(return_X_y=True)
    evaluate = evaluator(rows_of(X, y), RandomForestClassifier(n_estimators=5))
    one, other = np.array([1, 1, 0, 0], bool), np.array([0, 0, 1, 1], bool)
    first = evaluate(one).scores
    evaluate(other)
    np.testing.assert_array_equal(evaluate(one).scores, first)


def test_another_seed_gives_another_forest():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=3)
    scores = [evaluator(rows_of(X, y), forest, seed=s)(np.ones(30, bool)).value for s in (1, 2)]
    assert scores[0] != scores[1]


def test_a_constant_subset_can_be_evaluated():
    X, y = load_iris(return_X_y=True)
    X[:, 0] = 1.0
    assert evaluator(rows_of(X, y), GaussianNB())(np.array([1, 0, 0, 0], bool)).value < 0.5


class TestScoring:
    def test_f_score_of_two_classes_and_its_macro_mean_of_more(self):
        assert resolve_scoring(None, read_target([0, 1])).name == "f1"
        assert resolve_scoring(None, read_target([0, 1, 2])).name == "f1_macro"

    def test_any_name(self):
        X, y = load_breast_cancer(return_X_y=True)
        found = evaluator(rows_of(X, y), GaussianNB(), scoring="roc_auc")(np.ones(30, bool))
        assert 0.9 < found.value <= 1.0

    def test_a_scorer_of_the_users_gets_the_users_labels(self):
        X, y = load_breast_cancer(return_X_y=True)
        named = np.array(["malignant", "benign"])[y]
        scorer = make_scorer(f1_score, pos_label="malignant")
        found = evaluator(rows_of(X, named), GaussianNB(), scoring=scorer)(np.ones(30, bool))
        assert found.value > 0.8

    def test_a_plain_callable(self):
        X, y = load_iris(return_X_y=True)

        def always(estimator, X, y):
            return 0.25

        assert (
            evaluator(rows_of(X, y), GaussianNB(), scoring=always)(np.ones(4, bool)).value == 0.25
        )

    def test_an_unknown_name_is_refused_with_a_guess(self):
        with pytest.raises(InputError, match=r"scoring: 'roc_au' is not a scorer.*'roc_auc'"):
            resolve_scoring("roc_au", read_target([0, 1]))


class TestSampleWeights:
    def test_weights_reach_training_and_scoring(self):
        X, y = load_breast_cancer(return_X_y=True)
        weights = np.where(y == 1, 20.0, 1.0)
        given = {"n_train": 400, "pos_label": 1}
        plain = evaluator(rows_of(X, y, **given), LogisticRegression())
        weighted = evaluator(rows_of(X, y, weights, **given), LogisticRegression())
        mask = np.arange(30) < 2
        assert weighted(mask).value > plain(mask).value

        scaler = StandardScaler().fit(rows_of(X, y).matrix[:400, mask].astype(float))
        Z = scaler.transform(rows_of(X, y).matrix[:, mask].astype(float))
        pca = PCA(0.93, svd_solver="full").fit(Z[:400])
        model = LogisticRegression().fit(pca.transform(Z[:400]), y[:400], weights[:400])
        expected = f1_score(
            y[400:], model.predict(pca.transform(Z[400:])), sample_weight=weights[400:]
        )
        assert weighted(mask).value == pytest.approx(expected)


def test_an_unknown_parameter_in_a_group_is_refused():
    with pytest.raises(InputError, match=r"param_groups\[1\]: GaussianNB has no parameter 'depth'"):
        ReferenceEngine(
            GaussianNB(), [{}, {"depth": 3}], resolve_scoring(None, read_target([0, 1])), None
        )


def test_evaluation_rows_do_not_touch_training():
    # What is learned from a split (means, components, the tree) must not depend on them.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    wild = X.copy()
    wild[40:] *= 1e4
    seen = []

    def spy(estimator, Z, y_evaluation):
        seen.append(estimator.predict_proba(np.zeros((1, Z.shape[1]))).tolist())
        return roc_auc_score(y_evaluation, estimator.predict_proba(Z)[:, 1])

    for data in (X, wild):
        evaluator(rows_of(data, y, n_train=40), GaussianNB(), scoring=spy)(np.ones(3, bool))
    assert seen[0] == seen[1]


def test_labels_are_codes_for_named_scorers():
    labels = Labels(np.array([0, 1]), np.array(["a", "b"]))
    assert not resolve_scoring("accuracy", labels).wants_labels
