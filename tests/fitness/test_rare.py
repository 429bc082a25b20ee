"""The default score where the positive class is rare, and that it is said."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

from nffs import NFFS
from nffs.cli.app import app
from nffs.fitness.scoring import resolve_scoring, settled_scoring
from nffs.table.target import read_target
from nffs.validation import compare, nested_score

SMALL = {"n_subsets": 4, "n_nested": 2, "evaluator": "logistic", "random_state": 0}


def labels(n_positive, n_rows=200, **given):
    return read_target(np.arange(n_rows) < n_positive, **given)


@pytest.fixture(scope="module")
def rare():
    """Twenty-three of three hundred rows are positive."""
    X, y = make_classification(300, 5, n_informative=3, weights=[0.925], random_state=0)
    assert y.sum() == 23
    return X, y


class TestWhich:
    def test_average_precision_below_a_tenth(self):
        names = [resolve_scoring(None, labels(n)).name for n in (10, 19, 20, 100)]
        assert names == ["average_precision", "average_precision", "f1", "f1"]

    def test_the_positive_class_decides_not_the_rarer_one(self):
        assert resolve_scoring(None, labels(10, pos_label=False)).name == "f1"

    def test_what_is_asked_for_is_given(self):
        found = resolve_scoring("f1", labels(10))
        assert (found.name, found.plain, found.said) == ("f1", "f_score", "")

    def test_more_than_two_classes_keep_the_macro_mean(self):
        assert resolve_scoring(None, read_target([0, 1, 2] + [1] * 97)).name == "f1_macro"

    def test_parts_of_a_table_are_scored_alike(self):
        assert settled_scoring(None, labels(19)) == "average_precision"
        assert settled_scoring(None, labels(20)) == "f1"
        assert settled_scoring("accuracy", labels(19)) == "accuracy"
        assert settled_scoring(None, read_target([0, 1, 2])) is None

    def test_rows_of_an_eval_set_do_not_decide(self, rare):
        X, y = rare
        evaluation = NFFS(**SMALL).evaluation(X, y, eval_set=(X[y == 1], y[y == 1]))
        assert evaluation.scoring.name == "average_precision"


class TestSaid:
    def test_a_search_says_which_and_why(self, rare, caplog):
        with caplog.at_level("INFO", "nffs"):
            fitted = NFFS(**SMALL).fit(*rare)
        assert caplog.messages[0] == (
            "score: average precision, because only 23 of 300 rows (7.7%) are '1', too few for the "
            "F-score to tell subsets apart; set scoring to f1 to use it nevertheless"
        )
        assert fitted.scoring_ == fitted.selection_.scoring == "average_precision"

    def test_it_is_the_first_line_of_the_command(self, rare, tmp_path):
        X, y = rare
        pl.DataFrame(X).with_columns(target=y).write_csv(tmp_path / "rare.csv")
        given = ("--subsets", "4", "--nested", "2", "--class-weight", "balanced", "--json")
        table = str(tmp_path / "rare.csv")
        done = CliRunner().invoke(app, ["select", table, "--target", "target", *given])
        assert done.exit_code == 0, done.stderr
        assert done.stderr.startswith("nffs: score: average precision, because only 23 of 300")
        document = json.loads(done.stdout)
        assert document["scoring"] == "average_precision"
        assert document["parameters"]["class_weight"] == "balanced"

    def test_a_class_that_is_not_rare_needs_no_word(self, rare):
        X, _ = rare
        evaluation = NFFS(**SMALL).evaluation(X, X[:, 0] > 0)
        assert (evaluation.scoring.name, evaluation.scoring.said) == ("f1", "")


@pytest.fixture(scope="module")
def near():
    """A table close to the limit, of which parts lie on either side of it."""
    y = np.arange(201) < 20  # just below a tenth
    return np.random.default_rng(0).normal(size=(201, 3)) + y[:, None], y


def test_outer_folds_are_scored_alike(near):
    folds = StratifiedKFold(4)
    shares = [near[1][train].mean() for train, _ in folds.split(*near)]
    assert min(shares) < 0.1 <= max(shares)
    found = nested_score(NFFS(**SMALL), *near, cv=folds)
    assert found.scoring == "average_precision"
    one = nested_score(NFFS(scoring="average_precision", **SMALL), *near, cv=folds)
    assert [fold.outer for fold in found.folds] == [fold.outer for fold in one.folds]


def test_the_rows_of_a_comparison_are_scored_alike(near):
    given = {"methods": ["ig"], "budget": 3, "seeds": 2, "models": (), "evaluator": "logistic"}
    found, asked = (
        compare(*near, **given, **more).document for more in ({}, {"scoring": "average_precision"})
    )
    assert found["scoring"] == "average_precision"
    assert found["methods"][0]["unseen"] == asked["methods"][0]["unseen"]
