"""What the estimator refuses, each with one sentence. The command line's list is in tests/cli."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

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
    assert "missing values (NaN) in numeric columns 'duration'" in told
    broken = connections.data.with_columns(pl.lit(np.inf).alias("duration"))
    assert "infinite values (inf) in numeric columns 'duration'" in refused(broken)


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
