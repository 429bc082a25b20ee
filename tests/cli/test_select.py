"""`nffs select` and `nffs transform`."""

import gzip
import json
import shlex
import shutil
from pathlib import Path

import polars as pl
import pytest

from nffs import NFFS

SMALL = ("--subsets", "6", "--nested", "4", "--cv", "2")


def test_a_table_on_stdout(nffs, table):
    result = nffs("select", table, "--target", "label", *SMALL)
    assert result.exit_code == 0, result.stderr
    assert "feature" in result.stdout
    assert (
        "evaluated on: 10-fold stratified cross-validation of the training rows\n"
        "positive label: attack\n"
    ) in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    assert "\x1b" not in result.stdout + result.stderr


def test_json_is_the_estimators(nffs, table, connections):
    result = nffs("select", table, "--target", "label", "--json", "--seed", "3", *SMALL)
    selector = NFFS(n_subsets=6, n_nested=4, cv=2, random_state=3)
    expected = selector.fit(connections.data, connections.target).selection_
    assert {**json.loads(result.stdout), "seconds": 0} == {
        **json.loads(expected.to_json()),
        "seconds": 0,
    }


def test_threads_do_not_change_the_json(nffs, table):
    documents = []
    for n_jobs in (1, 2):
        result = nffs("select", table, "--target", "label", "--json", "--n-jobs", n_jobs, *SMALL)
        documents.append({**json.loads(result.stdout), "seconds": 0})
    assert documents[0] == documents[1]


@pytest.fixture(params=["train.csv", "train.csv.gz", "train.parquet", "bom.csv"])
def any_file(request, table, tmp_path):
    path = tmp_path / request.param
    frame = pl.read_csv(table)
    if request.param.endswith("gz"):
        path.write_bytes(gzip.compress(table.read_bytes()))
    elif request.param.endswith("parquet"):
        frame.write_parquet(path)
    elif request.param.startswith("bom"):
        path.write_bytes(b"\xef\xbb\xbf" + table.read_bytes().replace(b"\n", b"\r\n"))
    else:
        shutil.copy(table, path)
    return path


def test_files_of_every_kind(nffs, any_file, table):
    expected = nffs("select", table, "--target", "label", "--json", *SMALL).stdout
    found = nffs("select", any_file, "--target", "label", "--json", *SMALL).stdout
    assert json.loads(found)["selected_features"] == json.loads(expected)["selected_features"]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_select_then_transform(nffs, table, tmp_path, ending):
    selection, out = tmp_path / "selection.json", tmp_path / f"reduced.{ending}"
    nffs("select", table, "--target", "label", "--out", selection, *SMALL)
    result = nffs("transform", table, "--selection", selection, "--out", out, "--keep", "label")
    assert result.exit_code == 0, result.stderr
    reduced = pl.read_parquet(out) if ending == "parquet" else pl.read_csv(out)
    names = json.loads(selection.read_text())["selected_features"]
    assert reduced.columns == [*names, "label"]
    assert len(reduced) == 400


def test_a_test_file_scores_the_subsets(nffs, table):
    result = nffs("select", table, "--target", "label", "--test", table, "--json", *SMALL)
    assert json.loads(result.stdout)["evaluated_on"] == "eval_set (400 rows given to fit)"


def test_options_reach_the_selector(nffs, table):
    arguments = ["--unit", "column", "--positive", "attack", "--threshold", "0.1", "--drop", "flag"]
    arguments += ["--scoring", "accuracy", "--evaluator", "forest,components", "--engine", "fast"]
    arguments += ["--choose", "one_se", "--top", "1", "--bottom", "2"]
    result = nffs("select", table, "--target", "label", "--json", *SMALL, *arguments)
    document = json.loads(result.stdout)
    assert document["unit"] == "column"
    assert document["classes"] == ["normal", "attack"]
    assert document["phases"]["threshold"] == 0.1
    assert document["scoring"] == "accuracy"
    assert document["parameters"]["evaluator"] == ["forest", "components"]
    assert document["parameters"]["engine"] == "fast"
    assert document["final"]["choose"] == "one_se"
    assert [member["name"] for member in document["final"]["members"]] == ["forest", "components"]
    assert (document["parameters"]["n_top"], document["parameters"]["n_bottom"]) == (1, 2)
    assert "flag" not in [f["name"] for f in document["features"]]


def test_files_without_a_header(nffs, table, tmp_path):
    path = tmp_path / "plain.txt"
    path.write_text("".join(table.read_text().splitlines(keepends=True)[1:]))
    result = nffs("select", path, "--no-header", "--target", "f30", "--json", *SMALL)
    assert json.loads(result.stdout)["encoded_features"][0] == "f1"


def test_other_separators(nffs, table, tmp_path):
    path = tmp_path / "semicolons.csv"
    path.write_text(table.read_text().replace(",", ";"))
    result = nffs("select", path, "--separator", ";", "--target", "label", *SMALL)
    assert result.exit_code == 0, result.stderr


def test_size_and_memory_are_told_before_the_search(nffs, table):
    options = ("--n-jobs", "2", "--choose", "method")
    result = nffs("select", table, "--target", "label", *options, *SMALL)
    assert "of 400 rows, 11 subsets, 2 at a time, in about" in result.stderr


def test_a_default_run_warns_of_nothing(nffs, table):
    few = ("--subsets", "6", "--cv", "2", "--drop", "service")
    result = nffs("select", table, "--target", "label", *few)
    told = [line for line in result.stderr.split("next:")[0].splitlines() if line]
    assert [line.split()[1] for line in told] == ["searching", "evaluated"]


class TestWhatNext:
    """The last lines are commands to copy."""

    def steps(self, result):
        assert result.exit_code == 0, result.stderr
        lines = result.stderr.replace("\\\n", "").splitlines()
        shown = lines[lines.index("next:") + 1 :]
        return [shlex.split(line) for line in shown if line.startswith("    ")]

    def test_with_files(self, nffs, table, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        out, page = tmp_path / "my selection.json", tmp_path / "page.html"
        given = ("--out", out, f"--report={page}", "--holdout", "0", "--drop", "service")
        result = nffs("select", table, "--target", "label", *given, *SMALL)
        opened, validate, transform = self.steps(result)
        assert opened[1:] == ["-m", "webbrowser", str(page)]
        assert shutil.which(opened[0])
        assert validate[1:] == ["validate", str(table), "--target", "label", "--drop", "service",
                                *SMALL]  # fmt: skip
        assert transform == ["nffs", "transform", str(table), "--selection", str(out), "--out",
                             "reduced.csv"]  # fmt: skip
        for words in (validate, transform):
            assert nffs(*words[1:]).exit_code == 0
        assert pl.read_csv("reduced.csv").columns
        told = result.stderr  # of which paths may be of any length
        for folder in (tmp_path, table.parent):
            told = told.replace(str(folder), "")
        assert max(len(line) for line in told.splitlines()) <= 120

    def test_without_files_it_tells_how_to_get_them(self, nffs, table, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        again, validate = self.steps(nffs("select", table, "--target", "label", *SMALL))
        assert again[-4:] == ["--out", "selection.json", "--report", "report.html"]
        assert nffs(*again[1:]).exit_code == 0
        assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "selection.json"]
        assert validate[1] == "validate"

    def test_with_one_file_it_tells_how_to_get_the_other(self, nffs, table, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        given = ("select", table, "--target", "label", *SMALL)
        first, *_ = self.steps(nffs(*given, "--out", "a.json"))
        assert first == ["nffs", "report", "a.json", "--out", "report.html"]
        assert nffs(*first[1:]).exit_code == 0  # without another search
        result = nffs(*given, "--report", "b.html")
        assert "\n  save this selection\n" in result.stderr
        assert self.steps(result)[0][-4:] == ["--out", "selection.json", "--report", "b.html"]

    def test_a_file_without_a_header_is_read_as_before(self, nffs, table, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        rows = table.read_text().split("\n", 1)[1].replace(",", ";")
        Path("rows.csv").write_text(rows)
        n_columns = rows.split("\n")[0].count(";") + 1
        given = ("--target", f"f{n_columns}", "--no-header", "--separator", ";", "--out", "s.json")
        *_, transform = self.steps(nffs("select", "rows.csv", *given, *SMALL))
        assert nffs(*transform[1:]).exit_code == 0
        assert len(pl.read_csv("reduced.csv")) == 400

    @pytest.mark.parametrize("option", ["--quiet", "--json"])
    def test_not_where_nobody_reads_it(self, nffs, table, option):
        result = nffs("select", table, "--target", "label", option, *SMALL)
        assert "next:" not in result.stderr


def test_names_with_brackets_are_not_markup(nffs, connections, tmp_path):
    path = tmp_path / "odd.csv"
    frame = connections.frame().rename({"error_rate": "[red]error[/]"})
    # The only feature, so it is the one that is printed.
    frame.select("[red]error[/]", "label").write_csv(path)
    result = nffs("select", path, "--target", "label", "--subsets", "3")
    assert result.exit_code == 0, result.stderr
    assert "[red]error[/]" in result.stdout


def test_a_table_as_people_have_them(nffs, connections, tmp_path):
    rows = pl.int_range(400, eager=True)
    start = pl.datetime(2026, 1, 1)
    table = connections.frame().select(
        pl.when(rows % 5 > 0).then("duration").alias("duration"),
        "flag",
        "label",
        id=pl.format("record{}", rows),
        when=start + pl.duration(hours=rows),
    )
    path, selection, out = (tmp_path / name for name in ("t.parquet", "s.json", "out.csv"))
    table.write_parquet(path)
    quick = ("--evaluator", "logistic", "--choose", "method", "--include", "duration", *SMALL)
    done = nffs("select", path, "--target", "label", "--out", selection, *quick)
    assert done.exit_code == 0, done.stderr
    assert f"nffs: {path}: left out: identifiers 'id'. Set --keep-all" in done.stderr
    encoded = json.loads(selection.read_text(encoding="utf-8"))["encoded_features"]
    assert {"duration", "duration_missing", "when_weekday"} <= set(encoded)
    assert nffs("transform", path, "--selection", selection, "--out", out).exit_code == 0
    reduced = pl.read_csv(out)
    assert reduced["duration"].null_count() == 80
    assert reduced["duration_missing"].sum() == 80


def test_groups_of_categories(nffs, table, tmp_path):
    out, page = tmp_path / "s.json", tmp_path / "r.html"
    options = ("--target", "label", "--categories", "cluster", "--unit", "column", *SMALL)
    result = nffs("select", table, *options, "--out", out, "--report", page)
    assert result.exit_code == 0, result.stderr
    columns = {column["name"]: column for column in json.loads(out.read_text())["columns"]}
    named = [group["name"] for group in columns["service"]["groups"]]
    assert named
    assert all(name.startswith("service in {") for name in named)
    assert "Groups of categories" in page.read_text()
    if any(len(column.get("groups", ())) > 1 for column in columns.values()):
        assert "groups of categories:" in result.stdout
    reduced = tmp_path / "reduced.csv"
    result = nffs("transform", table, "--selection", out, "--out", reduced)
    assert result.exit_code == 0, result.stderr


def test_a_threshold_that_groups_have_no_use_for(nffs, table):
    options = ("--target", "label", "--categories", "cluster", "--min-frequency", "5")
    result = nffs("select", table, *options, *SMALL)
    assert result.exit_code == 2 or result.exit_code == 1
    assert "--min-frequency: 5 merges the rare categories" in result.stderr
