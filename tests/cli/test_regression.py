"""The command line with numbers to predict."""

import json

import polars as pl
import pytest
from sklearn.datasets import make_friedman1

from nffs import Selection

QUICK = ("--evaluator", "ridge", "--subsets", "6", "--nested", "3")


@pytest.fixture
def table(tmp_path):
    X, y = make_friedman1(120, 6, noise=0.5, random_state=0)
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(6)]).with_columns(pl.Series("price", y))
    frame.write_csv(tmp_path / "houses.csv")
    return tmp_path / "houses.csv"


def test_numbers_are_told_and_said_first(nffs, table, tmp_path):
    done = nffs("select", table, "--target", "price", "--out", tmp_path / "s.json", *QUICK)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.startswith("nffs: task: regression, because the target holds 120 distinct")
    selection = Selection.load(tmp_path / "s.json")
    assert (selection.scoring, selection.classes, selection.positive) == ("r2", (), None)
    assert "positive label" not in done.stdout


def test_the_task_can_be_set(nffs, table, tmp_path):
    graded = tmp_path / "graded.csv"
    pl.read_csv(table).with_columns((pl.col("price") > 14).cast(int)).write_csv(graded)
    scores = []
    for more in ((), ("--task", "regression")):
        done = nffs("select", graded, "--target", "price", "--json", "--evaluator", "forest",
                    "--method", "ig", "--budget", "2", "--cv", "2", *more)  # fmt: skip
        assert done.exit_code == 0, done.stderr
        scores.append(json.loads(done.stdout)["scoring"])
    assert scores == ["f1", "r2"]


def test_validate_compare_and_evaluate(nffs, table):
    done = nffs("validate", table, "--target", "price", "--folds", "2", "--json", *QUICK,
                "--models", "linear")  # fmt: skip
    assert list(json.loads(done.stdout)["models"]) == ["linear"]
    done = nffs("compare", table, "--target", "price", "--methods", "ig,all", "--runs", "1",
                "--budget", "2", "--evaluator", "ridge", "--no-keep", "--json",
                "--models", "none")  # fmt: skip
    assert json.loads(done.stdout)["scoring"] == "r2"
    done = nffs("evaluate", table, table, "--target", "price", "--features", "x0,x3", "--seeds",
                "1,2", "--json")  # fmt: skip
    assert 0 < json.loads(done.stdout)["mean"]["r2"] <= 1


def test_what_cannot_be_says_so(nffs, table):
    done = nffs("select", table, "--target", "price", "--method", "pso-rough", *QUICK[:2])
    assert done.exit_code == 2
    assert "--method: 'pso-rough' is not for regression, and y holds numbers" in done.stderr
