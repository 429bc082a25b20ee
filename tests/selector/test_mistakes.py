"""What is easily mistaken gets one sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer, roc_auc_score

from nffs import NFFS, InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.tile([0, 1], 20)
TIMES = RNG.exponential(size=40)


def refused(X=X, y=Y, **parameters):
    with pytest.raises(InputError) as caught:
        NFFS(random_state=0, **parameters).fit(X, y)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (np.column_stack([Y, 1 - Y, Y]), "y: found 3 columns (multi-label)"),
        (pd.DataFrame({"a": Y, "b": 1 - Y}), "y: found 2 columns (multi-label)"),
        (pd.DataFrame(np.column_stack([Y, 1 - Y])), "y: found 2 columns (multi-label)"),
        ([[0, 1]] * 20 + [[1, 1]] * 20, "y: found 2 columns (multi-label)"),
        ([["a"], ["a", "b"]] * 20, "y: every row holds several labels (multi-label)"),
        ([{"a"}, {"b"}] * 20, "y: every row holds several labels (multi-label)"),
        (RNG.normal(size=(40, 3)), "y: found 3 columns (multi-output)"),
        (np.column_stack([Y, TIMES]), "an event and a time, as a survival target has"),
        (pd.DataFrame({"dead": Y == 1, "days": TIMES}), "as a survival target has"),
        (
            np.array(list(zip(Y == 1, TIMES, strict=True)), dtype=[("event", "?"), ("time", "f8")]),
            "y: has fields 'event', 'time', as a survival target has",
        ),
        (Y + 1j, "y: Complex data not supported; give classes or real numbers"),
    ],
)
def test_targets(y, said):
    assert said in refused(y=y)


def test_one_column_of_two_dimensions_is_one_target():
    NFFS(n_subsets=4, n_top=1, n_bottom=1, n_nested=1, evaluator="logistic").fit(
        X, pd.DataFrame({"y": Y})
    )


@pytest.mark.parametrize(
    "table", [X + 1j, pd.DataFrame(X + 1j), pd.DataFrame(X + 1j).astype(object)]
)
def test_complex_numbers(table):
    assert "X: Complex data not supported; give real and imaginary parts" in refused(table)


@pytest.mark.parametrize("metric", [f1_score, roc_auc_score])
def test_a_metric_for_a_scorer(metric):
    told = refused(scoring=metric)
    assert f"scoring: {metric.__name__} is a metric" in told
    assert f"make_scorer({metric.__name__})" in told


@pytest.mark.parametrize("scoring", [make_scorer(f1_score), lambda model, X, y: 0.5])
def test_scorers_pass(scoring):
    selector = NFFS(scoring=scoring, estimator=LogisticRegression(), random_state=0)
    assert 0 <= selector.evaluation(X, Y).score(np.ones(3, dtype=bool)) <= 1


def test_a_class_for_an_estimator():
    told = refused(estimator=LogisticRegression)
    assert "found the class LogisticRegression; give an instance, LogisticRegression()." in told


def test_a_regressor_for_classes():
    told = refused(estimator=RandomForestRegressor())
    assert told == (
        "estimator: RandomForestRegressor is a regressor, and y holds classes; give a classifier, "
        "or treat y as numbers with task='regression'."
    )


@pytest.mark.parametrize("estimator", [KMeans(2), IsolationForest()])
@pytest.mark.parametrize(("y", "needed"), [(Y, "classifier"), (TIMES, "regressor")])
def test_an_estimator_that_predicts_something_else(estimator, y, needed):
    assert refused(y=y, estimator=estimator) == (
        f"estimator: {type(estimator).__name__} predicts neither classes nor numbers; give a "
        f"{needed}."
    )


def test_a_dict_for_a_table():
    told = refused({"a": [1, 2], "b": [3, 4]})
    assert told == "X: found a dict; make a frame of it, such as pandas.DataFrame(X)."
