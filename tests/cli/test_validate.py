"""`nffs validate` and `nffs stability`."""

import json

import numpy as np
import polars as pl
import pytest

LABEL = ("--target", "label", "--positive", "attack")
SMALL = ("--subsets", "8", "--nested", "4", *LABEL)


@pytest.mark.parametrize("method", ["nffs", "kbest", "rfecv"])
def test_a_table_with_optimism(nffs, table, method):
    result = nffs("validate", table, *LABEL, "--folds", "2", "--method", method, "--budget", "6")
    assert result.exit_code == 0, result.stderr
    for name in ("inner, which chose", "outer, on unseen rows", "inner minus outer", "all columns"):
        assert name in result.stdout
    assert "evaluated on: outer folds the selection never saw" in result.stdout
    assert "\npositive label: attack\n" in result.stdout


def test_json(nffs, table):
    result = nffs("validate", table, *SMALL, "--folds", "2", "--json")
    document = json.loads(result.stdout)
    assert len(document["folds"]) == 2
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


@pytest.mark.parametrize("method", ["nffs", "ga"])
def test_a_method_with_a_budget_gets_groups_and_unit(nffs, grouped, method):
    options = (*LABEL, "--method", method, "--budget", "5", "--group", "host", "--unit", "column")
    validated = nffs("validate", grouped, *options, "--folds", "2", "--engine", "forest", "--json")
    assert "StratifiedGroupKFold" in json.loads(validated.stdout)["evaluated_on"]
    # All categories of a raw column or none.
    for fold in json.loads(validated.stdout)["folds"]:
        n_protocols = sum(name.startswith("protocol_") for name in fold["selected"])
        assert n_protocols in (0, 3, 4)  # a fold may lack the rarest
    repeated = nffs("stability", grouped, *options, "--runs", "2", "--no-pca", "--json")
    assert len(json.loads(repeated.stdout)["selections"]) == 2


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
    result = nffs("stability", table, *LABEL, "--runs", "3", "--method", "all", "--json")
    document = json.loads(result.stdout)
    assert len(document["selections"]) == 3
    assert {feature["share"] for feature in document["features"]} >= {1.0}


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
