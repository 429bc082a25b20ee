"""NFFS and Selector for numbers: what a user sees."""

import json
import logging
import re

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.pipeline import make_pipeline

from nffs import NFFS, InputError, Selection, Selector
from nffs.methods import METHODS
from nffs.validation import (
    compare,
    evaluate_subset,
    nested_score,
    score_models,
    selection_stability,
)

QUICK = {"param_groups": [{"n_estimators": 5}], "random_state": 0}
DATA, Y = make_friedman1(240, 8, noise=0.5, random_state=0)  # the first five columns count
X = pl.DataFrame({f"x{i}": DATA[:, i] for i in range(8)}).with_columns(
    pl.Series("kind", np.where(DATA[:, 7] > 0.5, "a", "b"))
)


@pytest.fixture(scope="module")
def fitted():
    return NFFS(n_subsets=12, n_nested=6, **QUICK).fit(X, Y)


def test_the_task_and_its_defaults_are_told(fitted):
    assert (fitted.task_, fitted.scoring_) == ("regression", "r2")
    assert fitted.evaluated_on_ == "10-fold cross-validation of the training rows"
    assert [member.name for member in fitted.final_.members] == ["forest", "ridge"]
    assert fitted.positive_ is None
    assert {"x0", "x1", "x3"} <= set(fitted.selected_features_)


def test_the_constant_guess_scores_about_nothing(fitted):
    assert -0.2 < fitted.final_.guess <= 0.0


def test_a_selection_of_numbers_is_kept_and_shown(fitted, tmp_path):
    selection = fitted.selection_
    selection.save(tmp_path / "s.json")
    assert Selection.load(tmp_path / "s.json") == selection
    assert json.loads(selection.to_json())["classes"] == []
    fitted.write_report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "numbers (regression)" in page
    assert "Positive label" not in page


def test_the_log_says_it_first(caplog):
    with caplog.at_level(logging.INFO, "nffs"):
        Selector("ig", max_evaluations=2, **QUICK).fit(X, np.arange(240))
    assert caplog.messages[0] == (
        "task: regression, because the target holds 240 distinct whole numbers; set the task to "
        "classification to treat them as classes"
    )


def test_the_log_says_what_a_few_whole_numbers_are_taken_for(caplog):
    grades = np.digitize(Y, [10, 15, 20])
    with caplog.at_level(logging.INFO, "nffs"):
        Selector("ig", max_evaluations=2, **QUICK).fit(X, grades)
        Selector("ig", max_evaluations=2, task="regression", **QUICK).fit(X, grades)
        Selector("ig", max_evaluations=2, **QUICK).fit(X, np.array(list("abcd"))[grades])
    assert [said for said in caplog.messages if said.startswith("task")] == [
        "task: classification, because the target holds 4 distinct whole numbers; set the task to "
        "regression to predict them as numbers",
        "task: regression",
    ]


def test_whole_numbers_can_be_either():
    few = np.digitize(Y, [10, 15, 20])
    given = {"max_evaluations": 2, **QUICK}
    assert Selector("ig", **given).fit(X, few).scoring_ == "f1_macro"
    assert Selector("ig", task="regression", **given).fit(X, few).scoring_ == "r2"


OWN = make_scorer(mean_absolute_error, greater_is_better=False)


@pytest.mark.parametrize("scoring", ["neg_mean_absolute_error", OWN], ids=["named", "own"])
def test_any_scorer_for_numbers(scoring):
    found = Selector("ig", max_evaluations=3, scoring=scoring, evaluator="ridge", random_state=0)
    assert found.fit(X, Y).fitness_ < 0


@pytest.mark.parametrize("name", [n for n, m in METHODS.items() if "regression" in m.tasks])
def test_every_method_that_can(name):
    if name == "boruta":
        pytest.importorskip("boruta")
    given = {"max_evaluations": 6, "evaluator": "ridge", "random_state": 0}
    found = Selector(name, **given).fit(X, Y)
    assert found.task_ == "regression"
    assert found.fitness_ == found.archive_fitness_[found.chosen_]


def test_a_pipeline_predicts_numbers():
    selector = Selector("mrmr", max_evaluations=4, evaluator="ridge", random_state=0)
    model = make_pipeline(selector, Ridge()).fit(X, Y)
    assert model.score(X, Y) > 0.6


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": LogisticRegression()}, "estimator: LogisticRegression is a classifier, and"),
        ({"scoring": "f1"}, "scoring: 'f1' is for classes, and y holds numbers; choose 'r2'"),
        ({"scoring": "roc_auc"}, "scoring: 'roc_auc' is for classes"),
        ({"evaluator": "logistic"}, "evaluator: 'logistic' is not for regression; choose some of"),
        ({"method": "pso-rough"}, "method: 'pso-rough' is not for regression, and y holds numbers"),
        ({"method": "association-rules"}, "method: 'association-rules' is not for regression"),
        ({"task": "classification"}, "y: found a continuous target, but classes are needed"),
    ],
)
def test_what_cannot_be_says_so(parameters, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        Selector(**{"method": "ig", "max_evaluations": 2, **parameters}).fit(X, Y)


class TestValidation:
    selector = Selector("ig", max_evaluations=3, evaluator="ridge", random_state=0)

    def test_nested_scores_and_models(self):
        score = nested_score(self.selector, X, Y, cv=3, models="usual")
        assert (score.scoring, score.positive) == ("r2", None)
        assert list(score.models) == ["forest", "boosting", "linear"]
        assert 0.5 < score.outer.mean < 1.0

    def test_parts_of_the_rows_keep_the_task_of_all(self):
        whole = np.round(np.argsort(np.argsort(Y)) / 7.0)  # 35 values; a third of the rows has less
        score = nested_score(self.selector, X[:, :5], whole, cv=2)
        assert score.scoring == "r2"

    def test_stability(self):
        found = selection_stability(self.selector, X, Y, n_runs=2, over="subsamples")
        assert found.selections.shape[0] == 2

    def test_models_on_unseen_rows(self):
        fitted = Selector("ig", max_evaluations=3, evaluator="ridge", random_state=0)
        fitted.fit(X[:160], Y[:160])
        unseen = score_models(fitted, X[:160], Y[:160], X[160:], Y[160:])
        assert [model.name for model in unseen.models] == ["forest", "boosting", "linear"]

    def test_a_classifier_is_refused(self):
        with pytest.raises(
            InputError, match="models\\['mine'\\]: found an object of type Logistic"
        ):
            nested_score(self.selector, X, Y, cv=2, models={"mine": LogisticRegression()})
        with pytest.raises(InputError, match="models: 'logistic' is not a model for regression"):
            nested_score(self.selector, X, Y, cv=2, models=["logistic"])

    def test_methods_beside_one_another(self):
        given = {"budget": 3, "seeds": 1, "evaluator": "ridge", "models": ["linear"]}
        found = compare(X, Y, methods=["ig", "all"], **given).document
        assert [row["name"] for row in found["methods"]] == ["ig", "all"]
        assert found["scoring"] == "r2"
        with pytest.raises(InputError, match="methods: 'wwo-rough' is not for regression"):
            compare(X, Y, methods=["wwo-rough"], **given)

    @pytest.mark.parametrize("engine", ["forest", "reference"])
    def test_a_given_subset(self, engine):
        grid = {"seeds": [7, 8], "trees": (3,), "depths": (2, None), "engine": engine}
        found = evaluate_subset(X[:160], Y[:160], X[160:], Y[160:], ["x0", "x3"], **grid).to_dict()
        assert list(found["mean"]) == ["r2", "rmse", "mae", "median_error", "correlation"]
        assert found["mean"]["mae"] <= found["mean"]["rmse"]
        assert found["grid"][0]["r2"] <= 1.0
