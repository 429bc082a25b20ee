"""`nffs runs` and `nffs select --journal`."""

import csv
import io
import json

import numpy as np
import pytest

from nffs.fitness import Fitness
from nffs.search.journal.journal import Journal
from nffs.search.tasks import Result

SMALL = ("--subsets", "8", "--nested", "4", "--cv", "2", "--target", "label")


@pytest.fixture
def journal(nffs, table, tmp_path):
    path = tmp_path / "search.db"
    result = nffs("select", table, *SMALL, "--journal", path, "--json")
    assert result.exit_code == 0, result.stderr
    return path, json.loads(result.stdout)


def test_the_same_command_goes_on(nffs, table, journal):
    path, first = journal
    again = json.loads(nffs("select", table, *SMALL, "--journal", path, "--json").stdout)
    first.pop("seconds"), again.pop("seconds")
    assert again == first
    runs = json.loads(nffs("runs", "list", path, "--json").stdout)
    assert [run["status"] for run in runs] == ["finished", "finished"]
    assert [run["evaluations"] for run in runs] == [first["evaluations"], 0]
    assert "finished" in nffs("runs", "list", path).stdout


def test_another_search_is_refused_by_name(nffs, table, journal):
    result = nffs("select", table, *SMALL, "--journal", journal[0], "--seed", "3")
    assert result.exit_code == 2
    assert "belongs to another search" in result.stderr
    assert "seed was 0, is 3" in result.stderr


def test_show(nffs, journal):
    path, first = journal
    shown = json.loads(nffs("runs", "show", path, "--json").stdout)
    assert shown["evaluations"] == len(first["subset_fitness"]) + 1
    assert shown["identity"]["evaluated_on"].startswith(first["final"]["searched_on"])
    assert "2-fold stratified" in nffs("runs", "show", path).stdout


def test_best(nffs, journal):
    path, first = journal
    found = json.loads(nffs("runs", "best", path, "--top", "3", "--json").stdout)
    values = [subset["fitness"] for subset in found["subsets"]]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(max(first["subset_fitness"]))
    assert found["positive"] == "attack"
    text = nffs("runs", "best", path).stdout
    assert "evaluated on: 2-fold" in text
    assert "\npositive label: attack\n" in text


def test_export(nffs, journal, tmp_path):
    path, first = journal
    for name in ("all.csv", "all.json"):
        assert nffs("runs", "export", path, "--out", tmp_path / name).exit_code == 0
    rows = list(csv.DictReader((tmp_path / "all.csv").open()))
    assert len(rows) == len(first["subset_fitness"]) + 1
    plain = json.loads((tmp_path / "all.json").read_text())
    assert [json.loads(row["features"]) for row in rows] == [row["features"] for row in plain]
    assert nffs("runs", "export", path).stdout == (tmp_path / "all.csv").read_text()
    refused = nffs("runs", "export", path, "--out", tmp_path / "all.xlsx")
    assert refused.exit_code == 2
    assert "--out: must end in .csv or .json" in refused.stderr


def test_any_name_can_be_read_back_from_an_export(nffs, tmp_path):
    names = ["a b", '=cmd("x")', "new\nline", 'quo"te', "comma,", "\x1b[31m"]
    journal = Journal(tmp_path / "j", {"evaluated_on": "x"}, names, {})
    journal.record(Result(np.ones(len(names), dtype=bool), Fitness(np.ones((1, 1))), 0.1, "here"))
    journal.close()
    (row,) = csv.DictReader(io.StringIO(nffs("runs", "export", tmp_path / "j").stdout))
    assert json.loads(row["features"]) == names
    assert not any(value.startswith(tuple("=+-@\t\r")) for value in row.values())


def test_looking_writes_nothing(nffs, journal, tmp_path):
    path, _ = journal

    def state():
        return {f: f.read_bytes() for f in path.parent.iterdir() if f.name.startswith(path.name)}

    before = state()
    for command in ("list", "show", "best", "export"):
        assert nffs("runs", command, path).exit_code == 0
    assert nffs("report", path, "--out", tmp_path / "page.html").exit_code == 0
    assert state() == before


def test_a_journal_is_kept_if_the_answer_is_no(nffs, journal):
    path, _ = journal
    result = nffs("runs", "delete", path)
    assert result.exit_code == 1
    assert "bug in nffs" not in result.stderr
    assert path.exists()


def test_delete(nffs, journal):
    path, _ = journal
    assert nffs("runs", "delete", path, "--yes").exit_code == 0
    assert not list(path.parent.glob(path.name + "*"))


def test_a_journal_in_use_is_not_deleted(nffs, tmp_path):
    running = Journal(tmp_path / "j", {"evaluated_on": "x"}, ["a"], {})
    result = nffs("runs", "delete", tmp_path / "j", "--yes")
    running.close()
    assert result.exit_code == 2
    assert "is writing" in result.stderr


@pytest.mark.parametrize("command", ["list", "show", "best", "delete"])
def test_what_is_no_journal(nffs, tmp_path, command):
    missing = nffs("runs", command, tmp_path / "nothing")
    assert (missing.exit_code, "does not exist" in missing.stderr) == (2, True)
    (tmp_path / "text").write_text("just some words that are no journal at all\n" * 30)
    other = nffs("runs", command, tmp_path / "text")
    assert other.exit_code == 1
    assert "this is not a journal" in other.stderr
    assert "Traceback" not in other.stderr
