"""`nffs report`, and `nffs select --report`."""

import json

import pytest

SMALL = ("--subsets", "8", "--nested", "4", "--cv", "2", "--target", "label")


@pytest.fixture(scope="module")
def search(nffs, table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    result = nffs(
        "select", table, *SMALL, "--out", folder / "selection.json", "--journal", folder / "s.db",
        "--report", folder / "select.html",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    return folder


def test_of_a_selection(nffs, search, tmp_path):
    out = tmp_path / "report.html"
    result = nffs("report", search / "selection.json", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{out}\n"
    # the very page that `nffs select --report` wrote
    assert out.read_text(encoding="utf-8") == (search / "select.html").read_text(encoding="utf-8")


def test_of_a_journal(nffs, search, tmp_path):
    result = nffs("report", search / "s.db", "--out", tmp_path / "journal.html")
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "journal.html").read_text(encoding="utf-8")
    assert "made from the journal <bdi>s.db</bdi>" in page
    assert "2-fold stratified" in page


def test_with_optimism_and_stability(nffs, table, search, tmp_path):
    small = ("--target", "label", "--subsets", "4", "--nested", "3", "--cv", "2", "--json", "-q")
    for command, more in (("validate", ("--folds", "2")), ("stability", ("--runs", "2"))):
        result = nffs(command, table, *small, *more)
        (tmp_path / f"{command}.json").write_text(result.stdout)
    result = nffs(
        "report", search / "selection.json", "--validation", tmp_path / "validate.json",
        "--stability", tmp_path / "stability.json", "--out", tmp_path / "report.html",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    measured = json.loads((tmp_path / "stability.json").read_text())
    assert "<dt>Optimism" in page
    assert f"{measured['stability']['value']:.2f}</dd>" in page


class TestRefused:
    def test_no_such_file(self, nffs, tmp_path):
        result = nffs("report", tmp_path / "nothing.json")
        assert (result.exit_code, "no such file" in result.stderr) == (2, True)

    def test_neither_selection_nor_journal(self, nffs, tmp_path):
        (tmp_path / "text").write_text("some words")
        result = nffs("report", tmp_path / "text")
        assert (result.exit_code, "is neither a selection" in result.stderr) == (2, True)

    def test_a_selection_that_lacks_its_parts(self, nffs, tmp_path):
        (tmp_path / "s.json").write_text('{"format": 1}')
        result = nffs("report", tmp_path / "s.json")
        assert (result.exit_code, " lacks 'nffs_version'" in result.stderr) == (2, True)

    def test_another_sqlite_file(self, nffs, tmp_path):
        import sqlite3

        with sqlite3.connect(tmp_path / "x.db") as connection:
            connection.execute("CREATE TABLE t (a)")
        connection.close()
        result = nffs("report", tmp_path / "x.db")
        assert (result.exit_code, "not a journal" in result.stderr) == (2, True)

    def test_another_json_as_validation(self, nffs, search):
        chosen = search / "selection.json"
        result = nffs("report", chosen, "--validation", chosen, "--out", search / "x.html")
        assert (result.exit_code, "is not a nested score" in result.stderr) == (2, True)

    def test_a_journal_has_no_optimism(self, nffs, search):
        result = nffs("report", search / "s.db", "--stability", search / "selection.json")
        assert (result.exit_code, "belong to a selection" in result.stderr) == (2, True)


def test_a_table_is_told_what_to_do_first(nffs, table, tmp_path):
    result = nffs("report", table, "--out", tmp_path / "page.html")
    assert result.exit_code == 2
    told = " ".join(result.stderr.split())
    assert "is neither a selection, the JSON file of `nffs select --out`, nor the journal" in told
    assert f"nffs select {table} --target COLUMN --report {tmp_path / 'page.html'}" in told
    assert not (tmp_path / "page.html").exists()
