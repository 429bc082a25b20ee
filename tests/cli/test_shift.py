"""`nffs shift`: which columns moved, from files."""

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("shift"), np.random.default_rng(0)

    def rows(n, age, services):
        return pl.DataFrame(
            {
                "id": np.arange(n),
                "age": rng.normal(age, 9, n),
                "[red]noise": rng.normal(size=n),
                "service": rng.choice(services, n),
                "label": rng.choice(["yes", "no"], n),
            }
        )

    old, new = folder / "old.csv", folder / "new.csv"
    rows(400, 40, ["http", "ftp", "1"]).write_csv(old)
    rows(300, 60, ["http", "ftp", "quic"]).drop("label").write_csv(new)
    return old, new


def test_the_columns_that_moved_come_first(nffs, files):
    done = nffs("shift", *files, "--target", "label", "--drop", "id")
    assert done.exit_code == 0
    assert done.stdout.startswith("2 of 3 columns moved between 400 old and 300 new rows.\n")
    assert "All columns together tell old rows from new ones with an AUC of " in done.stdout
    lines = done.stdout.splitlines()
    (age,) = (line for line in lines if line.startswith(" age"))
    assert "median " in age
    assert "\N{RIGHTWARDS ARROW}" in age or "->" in age
    assert "new: 'quic' (" in done.stdout
    assert "gone: '1' (" in done.stdout
    assert "[red]noise" in done.stdout
    assert "label" not in done.stdout
    assert max(map(len, lines)) <= 80


def test_json_is_all_of_it(nffs, files, tmp_path):
    out = tmp_path / "shift.json"
    options = ["--drop", "id", "--json", "--out", out]
    done = nffs("shift", *files, "--target", "label", *options)
    found = json.loads(done.stdout)
    assert found == json.loads(out.read_text())
    assert set(found["moved"]) == {"age", "service"}
    assert {column["name"] for column in found["columns"]} == {"age", "[red]noise", "service"}
    assert found["only_old"] == []  # a target in one of the tables is none of either
    whole = json.loads(nffs("shift", *files, "--json").stdout)
    assert whole["only_old"] == ["label"]


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_it_draws_a_picture(nffs, files, tmp_path, ending):
    picture = tmp_path / f"shift.{ending}"
    drawn = []
    for _ in range(2):
        done = nffs("shift", *files, "--drop", "id", "--plot", picture)
        assert done.exit_code == 0
        assert f"wrote {picture}" in done.stderr
        drawn.append(picture.read_bytes())
    assert drawn[0] == drawn[1]


def test_rows_that_are_alike_are_said_to_be(nffs, files):
    done = nffs("shift", files[0], files[0], "--drop", "id", "--most", 2)
    assert done.stdout.startswith("None of 4 columns moved between 400 old and 400 new rows.\n")
    assert "do not tell old rows from new ones" in done.stdout
    assert "and 2 more, which moved less" in done.stdout


def test_columns_of_one_table_are_named(nffs, files):
    done = nffs("shift", *files, "--drop", "id")
    assert "Only in the old table: label." in done.stdout


def test_it_writes_a_report(nffs, files, tmp_path):
    page = tmp_path / "shift.html"
    done = nffs("shift", *files, "--target", "label", "--drop", "id", "--report", page)
    assert f"wrote {page}" in done.stderr
    text = page.read_text(encoding="utf-8")
    assert "<h1>2 of 3 columns moved between 400 old and 300 new rows.</h1>" in text
    assert "<bdi>[red]noise</bdi>" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--target", "lable"],
            "--target: neither table has a column 'lable'; did you mean 'label",
        ),
        (["--drop", "ids"], "--drop: neither table has a column 'ids'; did you mean 'id'?"),
        (["--plot", "a.txt"], "--plot: a.txt must end in .svg, .png or .pdf"),
        (["--plot", "nowhere/a.svg"], "--plot: the folder nowhere does not exist"),
    ],
)
def test_mistakes_are_a_sentence(nffs, files, options, message):
    done = nffs("shift", *files, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_tables_without_a_common_column_are_refused_by_their_names(nffs, files, tmp_path):
    other = tmp_path / "other.csv"
    pl.DataFrame({"x": [1, 2, 3]}).write_csv(other)
    done = nffs("shift", files[0], other)
    assert done.exit_code == 2
    assert f"{other}: has none of the columns" in done.stderr
    same = nffs("shift", files[0], other, "--drop", "x")
    assert "no column is left to compare" in same.stderr
