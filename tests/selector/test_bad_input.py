"""What the estimator refuses, each with one sentence. The command line's list is in tests/cli."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from nffs import InputError


@pytest.fixture
def refused(quick, connections):
    def run(X=None, y=None, eval_set=None, **parameters):
        X = connections.data if X is None else X
        y = connections.target if y is None else y
        with pytest.raises(InputError) as caught:
            quick(**parameters).fit(X, y, eval_set=eval_set)
        return str(caught.value)

    return run


def test_missing_and_infinite_numbers(refused, connections):
    broken = connections.data.with_columns(pl.lit(None, dtype=pl.Float64).alias("duration"))
    told = refused(broken, missing="error")
    assert "missing values (NaN) in numeric column(s) 'duration'" in told
    broken = connections.data.with_columns(pl.lit(np.inf).alias("duration"))
    assert "infinite values (inf) in numeric column(s) 'duration'" in refused(broken)


def test_one_class_only(refused):
    assert "y: found one class only" in refused(y=["a"] * 400)


def test_a_class_with_fewer_rows_than_folds(refused, connections):
    assert "fewer than the 3 folds of cv" in refused(y=["rare", *connections.target[1:]])


def test_a_constant_table(refused):
    assert "all 2 feature(s) are constant" in refused(X=np.ones((400, 2)))


def test_the_target_among_the_features(refused, connections):
    frame = connections.frame()
    told = refused(X=frame, y=frame["label"])
    assert "the target 'label' is among the features; drop that column" in told


def test_unequal_lengths(refused, connections):
    told = refused(y=connections.target[:399])
    assert "y: has 399 labels but X has 400 rows" in told


def test_a_continuous_target(refused):
    y = np.linspace(0.1, 0.9, 400)
    assert "found a continuous target" in refused(y=y, task="classification")
    assert "estimator: GaussianNB is a classifier, and y holds numbers" in refused(y=y)


def test_a_boolean_object_mixture(refused):
    mixed = pd.DataFrame({"a": [True, "yes"] * 200, "b": range(400)})
    assert "column 'a' mixes types (bool, str)" in refused(X=mixed)


def test_an_unknown_parameter_in_a_group(refused):
    told = refused(estimator=GaussianNB(), param_groups=[{"n_estimators": 3}])
    assert "param_groups[0]: GaussianNB has no parameter 'n_estimators'; it has" in told


def test_an_eval_set_of_another_shape(refused, connections):
    assert "eval_set: give one pair" in refused(eval_set=connections.data)
    told = refused(eval_set=(connections.data, connections.target[:5]))
    assert "eval_set[1]: has 5 labels but eval_set[0] has 400 rows" in told


DATES = np.array(["2024-05-01", "2024-06-01"], dtype="datetime64[D]")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (np.array([b"a", b"b"]), "bytes"),
        (np.array([b"a", b"b"], dtype=object), "bytes"),
        (DATES, "datetime64"),
        (DATES.astype(object), "date"),
        (np.array([("a",), ("b",), None], dtype=object)[:2], "tuple"),
    ],
)
def test_labels_that_no_result_can_hold(refused, labels, kind):
    told = refused(y=labels[np.arange(400) % 2])
    assert told.startswith(f"y: holds labels of type {kind}")
    assert told.endswith("convert them to text, numbers or booleans.")


@pytest.mark.parametrize("series", [pd.Series, pl.Series])
def test_dates_in_a_series(refused, series):
    assert "y: holds labels of type" in refused(y=series(DATES[np.arange(400) % 2]))


def test_durations_as_labels(refused):
    spans = pl.Series([2**62] * 400).cast(pl.Duration("ms"))  # longer than Python's may be
    assert refused(y=spans).startswith("y: holds labels of type duration; convert them")


def test_dates_that_no_calendar_has(refused, connections):
    days = pl.Series([2 * 10**9] * 400).cast(pl.Int32).cast(pl.Date)
    assert refused(connections.data.with_columns(when=days)) == (
        "X: column 'when' holds dates outside the years 1 to 9999; correct them, or leave the "
        "column out."
    )
    assert refused(y=days).startswith("y: holds labels of type date; convert them")


@pytest.mark.parametrize("gap", [False, True])
def test_nullable_booleans_are_labels_and_features(quick, connections, gap):
    truth = pd.array(np.array(connections.target) == "attack", dtype="boolean")
    frame = pd.DataFrame({"flag": truth, "duration": connections.data["duration"].to_numpy()})
    if gap:
        frame.loc[3, "flag"] = pd.NA
    selector = quick(n_nested=1, estimator=DecisionTreeClassifier()).fit(frame, pd.Series(truth))
    assert "flag" in selector.selected_features_
    assert selector.selection_.classes == (False, True)


def test_a_backend_that_cannot_give_results_as_they_come(refused):
    with parallel_config(backend="multiprocessing"):
        told = refused(n_jobs=2)
    assert told.startswith("n_jobs: the chosen joblib backend cannot return results one by one")
    assert told.endswith("choose threading or loky in joblib.parallel_config.")
