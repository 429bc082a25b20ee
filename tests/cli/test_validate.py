"""`nffs validate` and `nffs stability`."""

import json

import numpy as np
import polars as pl
import pytest

SMALL = ("--subsets", "8", "--nested", "4", "--target", "label", "--positive", "attack")


@pytest.mark.parametrize("method", ["nffs", "kbest", "rfecv"])
def test_a_table_with_optimism(nffs, table, method):
    result = nffs("validate", table, *SMALL, "--folds", "2", "--selector", method)
    assert result.exit_code == 0, result.stderr
    for told in ("inner, what it believes", "outer, on rows never seen", "optimism", "all columns"):
        assert told in result.stdout
    assert "evaluated on: outer folds the selection never saw" in result.stdout
    assert "\npositive label: attack\n" in result.stdout


def test_json(nffs, table):
    result = nffs("validate", table, *SMALL, "--folds", "2", "--json", "--selector", "kbest",
                  "--features", "3")  # fmt: skip
    document = json.loads(result.stdout)
    assert [len(fold["selected"]) for fold in document["folds"]] == [3, 3]
    assert document["optimism"]["mean"] == pytest.approx(
        document["inner"]["mean"] - document["outer"]["mean"]
    )


@pytest.fixture
def grouped(connections, tmp_path):
    frame = connections.frame()
    rng = np.random.default_rng(0)
    path = tmp_path / "grouped.csv"
    frame.with_columns(pl.Series("host", rng.integers(0, 20, len(frame)))).write_csv(path)
    return path


def test_groups_are_no_feature(nffs, grouped):
    options = (*SMALL, "--group", "host", "--json")
    validated = json.loads(nffs("validate", grouped, *options, "--folds", "2").stdout)
    assert "StratifiedGroupKFold" in validated["evaluated_on"]
    selected = json.loads(nffs("select", grouped, *options).stdout)
    assert "host" not in selected["encoded_features"]
    assert "StratifiedGroupKFold" in selected["evaluated_on"]
    repeated = json.loads(nffs("stability", grouped, *options, "--runs", "2").stdout)
    assert "host" not in [feature["name"] for feature in repeated["features"]]


def test_stability(nffs, table):
    result = nffs("stability", table, *SMALL, "--runs", "2", "--over", "seeds")
    assert result.exit_code == 0, result.stderr
    assert "2 selections over seeds: stability" in result.stdout


def test_stability_as_json(nffs, table):
    result = nffs("stability", table, *SMALL, "--runs", "3", "--selector", "kbest", "--json")
    document = json.loads(result.stdout)
    assert len(document["selections"]) == 3
    assert document["kuncheva"] == pytest.approx(document["stability"]["value"])


def test_searches_and_choice_reach_the_selection(nffs, table):
    result = nffs("select", table, *SMALL, "--searches", "2", "--choose", "one_se", "--json")
    parameters = json.loads(result.stdout)["parameters"]
    assert (parameters["n_searches"], parameters["choose"]) == (2, "one_se")


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("validate", ("--group", "nobody"), "--group:"),
        ("select", ("--group", "nobody"), "--group:"),
        ("validate", ("--folds", "400"), "fewer than the 400 folds"),
        ("stability", ("--drop", "nothing"), "--drop:"),
        ("stability", ("--group", "nobody"), "--group:"),
    ],
)
def test_mistakes_get_a_sentence(nffs, table, command, options, message):
    result = nffs(command, table, *SMALL, *options)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.stderr
