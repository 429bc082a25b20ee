"""Every method on the command line: `--method`, `--budget`, `nffs methods`."""

import json
from functools import partial

import pytest

from nffs.cli.completion import method_names
from nffs.methods import METHODS

QUICK = ("--target", "label", "--cv", "2", "--budget", "8", "--quiet")


@pytest.fixture(scope="module")
def small(connections, tmp_path_factory):
    """Few rows and columns: what a method computes before its search stays short."""
    path = tmp_path_factory.mktemp("small") / "small.csv"
    names = ["duration", "protocol", "flag", "src_bytes", "root_shell", "error_rate", "label"]
    connections.frame()[:120].select(names).write_csv(path)
    return path


@pytest.mark.parametrize("name", METHODS)
def test_every_method_selects(nffs, small, name, monkeypatch):
    if name == "boruta":
        pytest.importorskip("boruta")
        monkeypatch.setitem(METHODS, name, partial(METHODS[name], iterations=4, trees=10))
    result = nffs("select", small, *QUICK, "--method", name, "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["selected_features"]
    assert document["evaluations"] <= 9  # all features are evaluated beside the budget
    shown = nffs("select", small, *QUICK, "--method", name)
    assert "features score" in shown.stdout
    assert "evaluated on: 2-fold" in shown.stdout


def test_a_search_of_any_method_goes_on(nffs, small, tmp_path):
    journal, out, page = (tmp_path / name for name in ("search.db", "selection.json", "page.html"))
    command = ("select", small, *QUICK, "--method", "ga", "--journal", journal)
    first = json.loads(nffs(*command, "--json", "--out", out).stdout)
    again = json.loads(nffs(*command, "--json", "--report", page).stdout)
    assert {**again, "seconds": 0} == {**first, "seconds": 0} == {
        **json.loads(out.read_text(encoding="utf-8")), "seconds": 0,
    }  # fmt: skip
    assert "<html" in page.read_text(encoding="utf-8")
    runs = json.loads(nffs("runs", "list", journal, "--json").stdout)
    assert [run["evaluations"] for run in runs] == [first["evaluations"], 0]
    assert nffs("report", out, "--out", tmp_path / "again.html").exit_code == 0


def test_options_reach_any_method(nffs, small):
    options = ("--method", "random", "--unit", "column", "--drop", "flag", "--scoring", "accuracy",
               "--positive", "attack", "--time-limit", "60", "--max-rows", "80",
               "--engine", "reference", "--evaluator", "logistic", "--choose", "all",
               "--seed", "5")  # fmt: skip
    document = json.loads(nffs("select", small, *QUICK, *options, "--json").stdout)
    assert (document["unit"], document["scoring"], document["seed"]) == ("column", "accuracy", 5)
    assert document["parameters"]["engine"] == "reference"
    assert document["parameters"]["evaluator"] == "logistic"
    assert document["final"]["choose"] == "all"
    assert document["parameters"]["max_evaluations"] == 8
    assert document["classes"] == ["normal", "attack"]
    assert "sample of 80 of the 120" in document["evaluated_on"]


def test_the_paper_s_method_may_have_a_budget(nffs, small):
    document = json.loads(nffs("select", small, *QUICK, "--method", "nffs", "--json").stdout)
    assert document["parameters"]["max_evaluations"] == 8
    assert document["evaluations"] <= 9


def test_a_method_of_the_user(nffs, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_method.py").write_text(
        "from nffs.methods.baselines import RandomSearch\n"
        "class Own(RandomSearch):\n"
        "    name = 'own'\n"
    )
    (tmp_path / "own_fault.py").write_text("1 / 0\n")
    result = nffs("select", small, *QUICK, "--method", "own_method:Own")
    assert result.exit_code == 0, result.stderr
    for name, why in (("own_fault:Own", "ZeroDivisionError"), ("own_method:Other", "Other")):
        result = nffs("select", small, *QUICK, "--method", name)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"nffs: --method: {name!r} cannot be ")
        assert why in result.stderr


@pytest.mark.parametrize("command", ["select", "validate", "stability"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--method", "ga", "--subsets", "5"), "--subsets: belongs to --method nffs; --method ga"),
        (("--evaluator", "tree"), "--evaluator: 'tree' is unknown"),
        (("--budget", "9", "--nested", "5"), "--nested, --budget: cannot be used together"),
        (("--method", "rfevc"), "--method: 'rfevc' is not a method; did you mean 'rfecv'?"),
    ],
)
def test_what_does_not_go_together(nffs, small, command, options, said):
    result = nffs(command, small, "--target", "label", *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_the_methods_are_listed(nffs):
    listed = nffs("methods").stdout
    assert "cosine-pio" in listed
    assert "Alazzam" in listed
    assert max(len(line) for line in listed.splitlines()) <= 80
    rows = json.loads(nffs("methods", "--json").stdout)
    assert [row["name"] for row in rows] == list(METHODS)
    assert all(row["description"] and row["source"] for row in rows)


def test_completion_knows_every_method():
    assert method_names() == sorted(METHODS)
