"""`nffs pick`: another subset of a finished selection."""

import json

import polars as pl
import pytest

from nffs import Selection

SMALL = ("--target", "label", "--method", "ig", "--budget", "12", "--cv", "2", "--holdout", "0")


@pytest.fixture(scope="module")
def selection(nffs, table, tmp_path_factory):
    path = tmp_path_factory.mktemp("pick") / "selection.json"
    result = nffs("select", table, *SMALL, "--out", path, "-q")
    assert result.exit_code == 0, result.stderr
    return path


def test_without_a_number_all_points_are_listed(nffs, selection):
    found = Selection.load(selection)
    result = nffs("pick", selection)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line.split() for line in lines[1 : len(found.front.points) + 1]] == [
        [str(point.size), f"{point.fitness:.4f}"] for point in found.front.points
    ]
    assert f"selected: {len(found.selected_features)} features" in result.stdout
    (point, *_) = json.loads(nffs("pick", selection, "--json").stdout)["front"]
    assert len(point["features"]) == point["size"]


def test_what_is_taken_is_a_selection_that_transforms(nffs, selection, table, tmp_path):
    most = Selection.load(selection).front.points[-2].size
    out, reduced, page = (tmp_path / n for n in ("small.json", "small.csv", "page.html"))
    result = nffs("pick", selection, "--at-most", most, "--out", out, "--report", page)
    assert result.exit_code == 0, result.stderr
    small = Selection.load(out)
    assert small == Selection.load(selection).at_most(most)
    assert f"{most} of {len(small.features)} features" in result.stdout
    assert f"picked: the best evaluated subset of at most {most} features" in result.stdout
    assert f"at most {most} features" in page.read_text(encoding="utf-8")
    result = nffs("transform", table, "--selection", out, "--out", reduced)
    assert result.exit_code == 0, result.stderr
    assert pl.read_csv(reduced).columns == small.feature_names_out


def test_one_that_is_small_enough_stays(nffs, selection, tmp_path):
    result = nffs("pick", selection, "--at-most", 46, "--out", tmp_path / "same.json")
    assert "it stays as it is" in result.stderr
    assert Selection.load(tmp_path / "same.json") == Selection.load(selection)


def test_a_larger_one(nffs, selection, tmp_path):
    first, *_, last = Selection.load(selection).front.points
    small, large = tmp_path / "small.json", tmp_path / "large.json"
    nffs("pick", selection, "--at-most", first.size, "--out", small)
    result = nffs("pick", small, "--size", last.size, "--out", large)
    assert result.exit_code == 0, result.stderr
    assert Selection.load(large).fitness == last.fitness
    result = nffs("pick", small, "--size", last.size, "--at-most", 3)
    assert (result.exit_code, "exclude each other" in result.stderr) == (2, True)


class TestRefused:
    @pytest.mark.parametrize("option", ["--out", "--report"])
    def test_an_output_without_a_number(self, nffs, selection, tmp_path, option):
        result = nffs("pick", selection, option, tmp_path / "x")
        assert (result.exit_code, f"{option}: needs --at-most" in result.stderr) == (2, True)

    def test_no_such_file(self, nffs, tmp_path):
        result = nffs("pick", tmp_path / "nothing.json")
        assert (result.exit_code, "no such file" in result.stderr) == (2, True)

    def test_fewer_than_any_subset_has(self, nffs, table, tmp_path):
        path = tmp_path / "s.json"
        nffs("select", table, *SMALL, "--min-features", 5, "--out", path, "-q")
        result = nffs("pick", path, "--at-most", 2)
        assert result.exit_code == 2
        assert "--at-most: no subset of at most 2 was evaluated" in result.stderr
        assert "--max-features" in result.stderr

    def test_a_file_of_before(self, nffs, selection, tmp_path):
        document = json.loads(selection.read_text())
        del document["front"]
        (tmp_path / "old.json").write_text(json.dumps(document))
        result = nffs("pick", tmp_path / "old.json", "--at-most", 2)
        assert (result.exit_code, "was saved by an earlier version" in result.stderr) == (2, True)
