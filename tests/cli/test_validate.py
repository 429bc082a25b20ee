"""`nffs validate` and `nffs stability`."""

import json
import re

import numpy as np
import polars as pl
import pytest

from nffs.validation import MODELS

LABEL = ("--target", "label", "--positive", "attack")
SMALL = ("--subsets", "8", "--nested", "4", *LABEL)


@pytest.mark.parametrize("method", ["nffs", "kbest", "rfecv"])
def test_a_table_with_optimism(nffs, table, method):
    result = nffs("validate", table, *LABEL, "--folds", "2", "--method", method, "--budget", "6")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Expect 0.")
    assert "\nOptimism " in result.stdout
    for name in (
        "inner, on rows used to choose",
        "outer, on unseen rows",
        "inner minus outer",
        "all columns",
    ):
        assert name in result.stdout
    assert "evaluated on: outer folds that the selection never saw" in result.stdout
    assert "\npositive label: attack\n" in result.stdout


def test_json(nffs, table):
    result = nffs("validate", table, *SMALL, "--folds", "2", "--json")
    document = json.loads(result.stdout)
    assert len(document["folds"]) == 2
    assert list(document["models"]) == list(MODELS)  # by default all of them
    assert document["optimism"]["mean"] == pytest.approx(
        document["inner"]["mean"] - document["outer"]["mean"]
    )


class TestModels:
    """What other models score with the selection, and with all columns."""

    ALL = (*LABEL, "--method", "all", "--folds", "2")

    def test_a_line_for_each(self, nffs, table):
        result = nffs("validate", table, *self.ALL, "--models", "logistic, forest")
        assert result.exit_code == 0, result.stderr
        said = " ".join(result.stdout.split())
        assert "Models on rows that the selection never saw: f1 with the selected" in said
        for name in ("logistic", "forest"):
            (line,) = [li for li in result.stdout.splitlines() if li.startswith(f"  {name} ")]
            number = r"[+-]\d\.\d{4}"
            found = re.search(rf" {number}  \[{number}, {number}\]  (does as well|\w+s)$", line)
            # Only constant columns are left out, which say nothing.
            assert found[1] == "does as well"
            assert len(line) < 80
        assert "\n  boosting" not in result.stdout

    def test_none(self, nffs, table):
        result = nffs("validate", table, *self.ALL, "--models", "none", "--json")
        assert json.loads(result.stdout)["models"] == {}
        assert "Your kind" not in nffs("validate", table, *self.ALL, "--models", "none").stdout

    def test_a_name_that_does_not_exist(self, nffs, table):
        result = nffs("validate", table, *self.ALL, "--models", "forest,bosting")
        assert result.exit_code == 2
        assert result.stderr.endswith(
            "--models: 'bosting' is not a model; did you mean 'boosting'? There are 'forest', "
            "'boosting', 'logistic'.\n"
        )

    def test_they_are_in_the_report(self, nffs, table, tmp_path):
        page, data, selection = (tmp_path / name for name in ("page.html", "v.json", "s.json"))
        options = (*SMALL, "--folds", "2", "--models", "forest")
        result = nffs("validate", table, *options, "--report", page, "--out", data)
        assert result.exit_code == 0, result.stderr
        assert f"wrote {page}" in result.stderr
        forest = json.loads(data.read_text(encoding="utf-8"))["models"]["forest"]
        nffs("select", table, *SMALL, "--out", selection)
        again = tmp_path / "again.html"
        nffs("report", selection, "--validation", data, "--out", again)
        for written in (page, again):
            text = written.read_text(encoding="utf-8")
            assert "What does your kind of model make of it?" in text
            assert f"<td>{forest['difference']['mean']:+.4f}</td>" in text

    def test_a_report_that_cannot_be_written_is_refused_before_the_work(self, nffs, table):
        result = nffs("validate", table, *self.ALL, "--report", "nowhere/page.html")
        assert result.exit_code == 2
        assert "--report: the folder nowhere does not exist" in result.stderr


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
    outer = ("--folds", "2", "--evaluator", "forest", "--models", "none", "--json")
    validated = nffs("validate", grouped, *options, *outer)
    assert "StratifiedGroupKFold" in json.loads(validated.stdout)["evaluated_on"]
    # All categories of a raw column or none.
    for fold in json.loads(validated.stdout)["folds"]:
        n_protocols = sum(name.startswith("protocol_") for name in fold["selected"])
        assert n_protocols in (0, 3, 4)  # a fold may lack the rarest
    repeated = nffs("stability", grouped, *options, "--runs", "2", "--engine", "fast", "--json")
    assert len(json.loads(repeated.stdout)["selections"]) == 2


def test_groups_are_no_feature(nffs, grouped):
    options = (*SMALL, "--group", "host", "--json")
    outer = ("--folds", "2", "--models", "forest")
    validated = json.loads(nffs("validate", grouped, *options, *outer).stdout)
    assert "StratifiedGroupKFold" in validated["evaluated_on"]
    selected = json.loads(nffs("select", grouped, *options).stdout)
    assert "host" not in selected["encoded_features"]
    assert "StratifiedGroupKFold" in selected["evaluated_on"]
    repeated = json.loads(nffs("stability", grouped, *options, "--runs", "2").stdout)
    assert "host" not in [feature["name"] for feature in repeated["features"]]


def test_stability(nffs, table):
    result = nffs("stability", table, *SMALL, "--runs", "2", "--over", "seeds")
    assert result.exit_code == 0, result.stderr
    assert re.match(r"Stability -?\d\.\d\d: (low|fair|high); another seed would ", result.stdout)
    assert "\n2 selections over seeds; " in result.stdout
    assert "\n  Nogueira  " in result.stdout
    # Both searches are of the same size; one note is enough.
    assert result.stderr.count("searching ") == 1


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
