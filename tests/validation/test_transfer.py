"""Transfer: what models that people deploy score with a selection, beside all columns."""

import json
import warnings
from dataclasses import asdict

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from nffs import NFFS, InputError
from nffs.randomness import derive_seed
from nffs.validation import MODELS, ModelEstimate, nested_score
from nffs.validation.models import models_of
from nffs.validation.transfer import Transfer

QUICK = {"param_groups": [{"n_estimators": 3, "max_depth": 3}], "random_state": 0}


class Given(SelectorMixin, BaseEstimator):
    """Selects the columns that it is given."""

    def __init__(self, columns=(0,)):
        self.columns = columns

    def fit(self, X, y):
        self.mask_ = np.isin(np.arange(X.shape[1]), self.columns)
        return self

    def _get_support_mask(self):
        return self.mask_


@pytest.fixture(scope="module")
def parity():
    """Two bits, their parity, and noise; the parity is the label."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (300, 2))
    y = bits[:, 0] ^ bits[:, 1]
    return np.column_stack([bits, y, rng.normal(size=300)]).astype(float), y


def scored(X, y, columns, models=tuple(MODELS), **more):
    evaluator = NFFS(**QUICK, scoring=more.pop("scoring", "accuracy"), n_jobs=more.pop("n_jobs", 1))
    more = {"cv": 3, **more}
    return nested_score(Given(columns), X, y, evaluator=evaluator, models=models, **more)


class TestKinds:
    """The same selection suits one kind of model and not another."""

    def test_parity_of_two_bits_is_learned_by_trees_alone(self, parity):
        found = scored(*parity, (0, 1)).models
        for name in ("forest", "boosting"):
            assert found[name].selected.mean == found[name].all_features.mean == 1.0
            assert found[name].difference.low == found[name].difference.high == 0.0
        assert found["logistic"].all_features.mean == 1.0
        assert found["logistic"].selected.mean < 0.6
        assert found["logistic"].difference.high < 0

    def test_without_the_label_in_them_all_lose(self, parity):
        for found in scored(*parity, (3,)).models.values():
            assert found.difference.high < 0

    def test_a_linear_model_gains_where_noise_is_left_out(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(150, 120))
        y = (X[:, 0] > 0).astype(int)
        found = scored(X, y, (0,), models=["logistic"], cv=5).models["logistic"]
        assert found.difference.low > 0

    def test_all_columns_make_no_difference(self, connections):
        X, y = connections.data, connections.target
        score = nested_score(SelectKBest(k="all"), X, y, cv=2, models=MODELS)
        for fold in score.folds:
            assert [found.difference for found in fold.models.values()] == [0.0, 0.0, 0.0]


def test_a_fold_says_what_scikit_learn_says(connections):
    X, y = connections.data, np.array(connections.target)
    selector = NFFS(n_subsets=8, n_nested=4, **QUICK, pos_label="attack")
    # A scorer of the user's own is given labels, not codes.
    own = make_scorer(f1_score, pos_label="attack")
    half = np.arange(len(y)) < 200
    folds = [(np.flatnonzero(half), np.flatnonzero(~half)), (np.flatnonzero(~half), [0, 1, 2, 3])]
    for scoring in ("f1", own):
        selector.set_params(scoring=scoring)
        fold = nested_score(selector, X, y, cv=folds, models=["forest"]).folds[0]
        evaluation = selector.evaluation(X[:200], y[:200], eval_set=(X[200:], y[200:]))
        matrix = evaluation.rows.matrix.astype(float)
        kept = [name in fold.selected for name in evaluation.encoding.names]
        seed = derive_seed(derive_seed(0, "transfer", "forest"), "random_state")
        varying = np.ptp(matrix[:200], axis=0) > 0
        assert not varying.all()  # a constant column says nothing, and is left out
        for columns, found in (
            (kept, fold.models["forest"].selected),
            (varying, fold.models["forest"].all_features),
        ):
            forest = RandomForestClassifier(random_state=seed)
            forest.fit(matrix[:200, columns], y[:200] if scoring is own else y[:200] == "attack")
            predicted = forest.predict(matrix[200:, columns])
            truth = y[200:] if scoring is own else y[200:] == "attack"
            label = "attack" if scoring is own else True
            assert found == f1_score(truth, predicted, pos_label=label)


def test_the_estimate_is_that_of_the_folds(parity):
    score = scored(*parity, (0, 3), models=["forest"])
    found = score.models["forest"]
    assert isinstance(found, ModelEstimate)
    differences = [f.models["forest"].selected - f.models["forest"].all_features
                   for f in score.folds]  # fmt: skip
    assert found.difference.mean == pytest.approx(np.mean(differences))
    assert found.difference.deviation == pytest.approx(np.std(differences, ddof=1))
    assert (found.n_selected, found.n_columns) == (2, 4)


def test_it_is_plain_data(parity):
    score = scored(*parity, (0, 1))
    document = json.loads(json.dumps(score.to_dict()))
    assert list(document["models"]) == ["forest", "boosting", "logistic"]
    assert document["models"]["logistic"]["difference"]["high"] < 0
    assert document["models"]["forest"] == asdict(score.models["forest"])
    assert document["folds"][0]["models"]["forest"] == {"selected": 1.0, "all_features": 1.0}
    none = scored(*parity, (0, 1), models=None)
    assert none.models == none.folds[0].models == {}
    assert none.outer == score.outer


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_the_same_bits_for_any_number_of_threads(connections, scoring):
    X, y = connections.data, connections.target
    found = [
        nested_score(
            SelectKBest(k=6), X, y, cv=2, models=list(MODELS),
            evaluator=NFFS(**QUICK, scoring=scoring, n_jobs=n_jobs),
        ).models
        for n_jobs in (1, 3)
    ]  # fmt: skip
    assert found[0] == found[1]


def test_more_than_two_classes(connections):
    y = np.array(connections.target) == "attack"
    y = y + (np.arange(len(y)) % 2)
    for scoring in (None, "roc_auc_ovr"):
        found = scored(connections.data, y, (0, 1, 2), scoring=scoring, cv=2).models
        assert all(0 <= model.selected.mean <= 1 for model in found.values())


class TestOwnModels:
    def test_by_a_name_of_ones_own(self, parity):
        tree = DecisionTreeClassifier()
        found = scored(*parity, (0, 1), models={**MODELS, "mine": tree}).models
        assert list(found) == ["forest", "boosting", "logistic", "mine"]
        assert found["mine"].selected.mean == 1.0
        assert tree.random_state is None
        assert not hasattr(tree, "tree_")  # copies are trained

    def test_a_seed_of_ones_own_is_kept(self, parity):
        seeds = []

        class Seen(DecisionTreeClassifier):
            def fit(self, X, y):
                seeds.append(self.random_state)
                return super().fit(X, y)

        scored(*parity, (0, 3), models={"a": Seen(random_state=7), "b": Seen()})
        assert seeds.count(7) == 6
        assert len(set(seeds)) == 2
        assert None not in seeds

    @pytest.mark.parametrize(
        "model", [GaussianNB(), make_pipeline(FunctionTransformer(), GaussianNB())]
    )
    def test_weights_count_where_fit_takes_them(self, model):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
        y[:50] = X[:50, 0] > 0
        test = {"eval_set": (X[150:], y[150:]), "unit": "category"}
        selector = NFFS(**QUICK, scoring="accuracy")
        weights = np.repeat([1.0, 0.0], [50, 100])
        mask = np.array([True, False, False])
        weighted, plain, fewer = (
            Transfer({"mine": model}, selector.evaluation(X[:n], y[:n], **test, **more)).scores(
                mask
            )
            for n, more in ((150, {"sample_weight": weights}), (150, {}), (50, {}))
        )
        assert weighted == fewer
        assert weighted != plain

    def test_a_model_that_does_not_converge_says_nothing(self, connections):
        X, y = connections.data, connections.target
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            hasty = {"mine": LogisticRegression(max_iter=1)}
            nested_score(SelectKBest(k=3), X, y, cv=2, models=hasty)


class TestMistakes:
    @pytest.mark.parametrize(
        ("models", "message"),
        [
            (["forrest"], r"models: 'forrest' is not a model; did you mean 'forest'\? There are "
             r"'forest', 'boosting', 'logistic'\."),
            ("svm", r"models: 'svm' is not a model; there are 'forest'"),
            ([LogisticRegression()], r"models: found LogisticRegression; give names \('forest', "
             r"'boosting', 'logistic'\), or models of your own as a dict"),
            (LogisticRegression(), r"models: found LogisticRegression; give names"),
            ({"mine": LogisticRegression}, r"models\['mine'\]: found the class LogisticRegression"),
            ({"mine": "forest"}, r"models\['mine'\]: found an object of type str; give a class"),
        ],
    )  # fmt: skip
    def test_they_are_named(self, parity, models, message):
        with pytest.raises(InputError, match=message):
            scored(*parity, (0,), models=models)

    def test_before_any_work(self, parity):
        folds = []
        with pytest.raises(InputError, match="models"):
            scored(*parity, (0,), models=["x"], on_fold=folds.append)
        assert not folds

    def test_a_model_that_cannot_be_scored_so(self, parity):
        with pytest.raises(InputError, match=r"models: 'mine' cannot be trained .* neg_log_loss"):
            scored(*parity, (0, 1), models={"mine": LinearSVC()}, scoring="neg_log_loss")


def test_one_name_and_none():
    assert list(models_of("logistic")) == ["logistic"]
    assert models_of(None) == models_of(()) == {}
