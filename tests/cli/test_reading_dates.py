"""Dates and truth values in files as people have them: what is read, and the note about it."""

import polars as pl
import pytest

from nffs.cli.reading import How, read_file

ISO = ["2024-01-31", "2024-02-01", "2024-03-05"]


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Read a column of cells from a CSV file; give it and the notes."""
    monkeypatch.chdir(tmp_path)

    def run(cells, **how):
        frame = pl.DataFrame({"when": cells, "n": range(len(cells))})
        frame.write_csv("t.csv")
        notes = []
        return read_file(tmp_path / "t.csv", How(**how), notes.append)["when"], notes

    return run


@pytest.mark.parametrize("mark", ["NA", "n/a", "?", "-", "null", "None", ""])
def test_a_date_may_be_missing(read, mark):
    found, notes = read([*ISO, mark])
    assert found.dtype == pl.Date
    assert found.null_count() == 1
    told = f"1 cell(s) {mark!r} in 'when' read as missing; --na '' keeps them"
    assert len(notes) == bool(mark)
    assert all(told in note for note in notes)


def test_marks_can_be_kept_as_text(read):
    assert read([*ISO, "NA"], missing=("",))[0].dtype == pl.String


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["2024-01-31 10:30", "2024-02-01 11:00", "NA"], pl.Datetime("us")),
        (["2024-01-31T10:30:00Z", "2024-02-01T11:00:00Z", "NA"], pl.Datetime("us", "UTC")),
        (["31.01.2024", "01.02.2024", "NA"], pl.Date),
        (["10:30", "11:00", "NA"], pl.Time),
    ],
)
def test_times_too(read, cells, dtype):
    found, notes = read(cells)
    assert (found.dtype, found.null_count(), len(notes)) == (dtype, 1, 1)


@pytest.mark.parametrize("cells", [["true", "false", "NA"], ["True", "FALSE", "?"]])
def test_truth_values_too(read, cells):
    found, notes = read(cells)
    assert (found.to_list(), len(notes)) == ([True, False, None], 1)


def test_days_that_could_be_months_are_told(read):
    found, notes = read(["01/02/2024", "03/04/2024"])
    assert found[0].month == 2
    assert notes[0].endswith(
        "dates such as '01/02/2024' in 'when' read as day, month, year; write dates as 2024-01-31 "
        "if that is wrong"
    )
    assert read(["31/01/2024", "03/04/2024"])[1] == []


@pytest.mark.parametrize(
    "cells",
    [["01/31/2024", "02/01/2024"], ["Jan 5, 2024", "Feb 6, 2024"], ["5-Jan-24", "6-Mar-24"]],
)
def test_dates_that_are_not_read_are_told(read, cells):
    found, notes = read(cells)
    assert found.to_list() == cells
    assert notes[0].endswith(
        f"text that looks like dates in 'when', such as {cells[0]!r}: each value is a category; "
        "write dates as 2024-01-31 instead"
    )


@pytest.mark.parametrize(
    "cells", [["a-1", "b-2"], ["1-2", "3-4"], ["3.5.1", "3.5.2"], ["Marble", "May"]]
)
def test_other_text_is_not(read, cells):
    found, notes = read(cells)
    assert (found.dtype, notes) == (pl.String, [])


def test_one_word_among_dates_is_told(read):
    cells = [f"2024-01-{day:02}" for day in range(1, 31)]
    found, notes = read([*cells, "unknown"])
    assert found.dtype == pl.String
    assert notes[0].endswith(
        "'when' is text because of 'unknown'; --na 'unknown' reads such cells as missing"
    )
    assert read([*cells, "unknown"], missing=("unknown",))[0].dtype == pl.Date


def test_a_second_file_may_have_no_date_at_all(read):
    assert read(["NA", "NA"], kinds={"when": "datetime"})[0].null_count() == 2


def test_json_lines_have_dates(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"when": "{day}", "n": 1}}\n' for day in ISO))
    assert read_file(path, How(), [].append)["when"].dtype == pl.Date
