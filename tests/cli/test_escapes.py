"""Nothing that comes from data can steer a terminal, or pass for a line of ours."""

import csv
import io
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import unicodedata
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from nffs.cli.printable import on_one_line, printable
from nffs.search.journal.checksum import COLUMNS, checksum_of

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\x00\u202e\x7f"
EVIL = f"=cmd|' /C calc'!A0 {HOSTILE}\nfitness: 1.0"
SMALL = ("--method", "kbest", "--budget", "2", "--cv", "2")


@pytest.fixture(scope="module")
def folder(nffs, tmp_path_factory):
    """A table whose names, categories and labels are hostile, and the journal of a search in it."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 120)
    frame = {
        EVIL: label + rng.normal(size=120) / 4,
        f"kind{HOSTILE}": [f"a{HOSTILE}" if i else f"b{HOSTILE}" for i in label],
        "noise": rng.normal(size=120),
        "label": [f"yes{HOSTILE}" if i else f"no{HOSTILE}" for i in label],
    }
    folder = tmp_path_factory.mktemp("hostile")
    pl.DataFrame(frame).write_parquet(folder / "t.parquet")
    done = nffs(
        "select", folder / "t.parquet", "--target", "label", *SMALL,
        "--journal", folder / "journal.db", "--out", folder / "selection.json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder


def steering(text):
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} - {"\n"}


@pytest.mark.parametrize(
    "command",
    [
        "select T --target label {small}",
        "select T --target label {small} --json",
        "select T --target label {small} --journal J --seed 1",  # refused: names what differs
        "select T --target lable",
        "stability T --target label {small} --runs 2 --over subsamples",
        "validate T --target label {small} --folds 2 --models none",
        "compare T --target label --methods kbest,all --budget 2 --cv 2 --runs 1 --models none "
        "--no-keep",
        "evaluate T T --target label --features noise --seeds 1",
        "shift T T --target label",
        "shift T T",
        "shift T T --json",
        "shift T T --drop lable",
        "pick S",
        "pick S --at-most 1",
        "transform T --selection S --out O --keep lable",
        "runs list J",
        "runs show J",
        "runs best J",
        "runs best J --json",
        "runs export J",
        "runs export J --json",
    ],
)
def test_what_a_terminal_gets(nffs, folder, command):
    places = {
        "T": folder / "t.parquet",
        "J": folder / "journal.db",
        "S": folder / "selection.json",
        "O": folder / "reduced.parquet",
    }
    words = command.format(small=" ".join(SMALL)).split()
    result = nffs(*(places.get(word, word) for word in words))
    assert "bug in nffs" not in result.stderr
    assert result.stdout or result.exit_code == 2
    assert not steering(result.stdout + result.stderr)
    assert not re.search(r"^fitness: 1\.0", result.stdout, re.M)


@pytest.mark.parametrize("ending", [".svg", ".png"])
def test_a_picture_of_hostile_names(folder, tmp_path, ending):
    """In a process of its own: what Python warns of goes past the command to stderr."""
    moved = pl.read_parquet(folder / "t.parquet").with_columns(pl.col(EVIL, "noise") + 9)
    moved.write_parquet(tmp_path / "new.parquet")
    words = ["shift", str(folder / "t.parquet"), "new.parquet", "--plot", f"moved{ending}"]
    done = subprocess.run(
        [sys.executable, "-m", "nffs", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not steering(done.stdout + done.stderr)
    assert "Warning" not in done.stderr
    if ending == ".svg":
        ElementTree.parse(tmp_path / "moved.svg")  # control characters are not allowed in it


def test_an_export_of_a_forged_journal(nffs, folder, tmp_path):
    """Whoever makes a journal can also make its checksums."""
    path = Path(shutil.copy(folder / "journal.db", tmp_path))
    with closing(sqlite3.connect(path)) as connection, connection:
        for *row, _ in connection.execute(f"SELECT {COLUMNS}, 0 FROM evaluation").fetchall():
            row[7] = EVIL
            connection.execute(
                "UPDATE evaluation SET worker = ?, checksum = ? WHERE mask = ?",
                (EVIL, checksum_of(*row), row[0]),
            )
    result = nffs("runs", "export", path)
    assert not steering(result.stdout + result.stderr)
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert rows
    assert not any(cell.startswith(tuple("=+-@")) for row in rows for cell in row.values())


@pytest.mark.parametrize("command", ["list", "show", "best", "list --json"])
def test_what_a_journal_says_of_its_runs(nffs, folder, tmp_path, command):
    """A journal may come from anywhere: host and status are text like any other."""
    path = Path(shutil.copy(folder / "journal.db", tmp_path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET host = ?, status = ?", (HOSTILE, f"died{HOSTILE}"))
    first, *more = command.split()
    result = nffs("runs", first, path, *more)
    assert result.exit_code == 0, result.output
    assert not steering(result.stdout + result.stderr)


@pytest.mark.parametrize("command", ["select F --target label", "report F", "runs best F"])
def test_names_of_files(nffs, tmp_path, command):
    named = {"F": tmp_path / f"{HOSTILE.replace(chr(0), '').replace('/', '')}.csv"}
    result = nffs(*(named.get(word, word) for word in command.split()))
    assert result.exit_code == 2
    assert "owned" in result.stderr
    assert not steering(result.stdout + result.stderr)


def test_the_selection_reads_back_what_was_escaped(folder):
    text = (folder / "selection.json").read_text()
    assert not {"\x9b", "\x7f", "\x1b"} & set(text)
    assert f"no{HOSTILE}" in json.loads(text)["classes"]


def test_an_export_can_be_parsed_and_is_no_formula(nffs, folder):
    out = folder / "all.csv"
    assert nffs("runs", "export", folder / "journal.db", "--out", out).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    named = [json.loads(row["features"]) for row in rows]
    assert EVIL in {name for names in named for name in names}
    assert not any(cell.startswith(tuple("=+-@\t\r")) for row in rows for cell in row.values())


def test_text_that_steers_nothing_stays_as_it_is():
    for text in ("größe, 日本語, 😀, a\\b", "[red]x[/red]"):
        assert printable(text) == on_one_line(text) == text
    assert printable("two\nlines") == "two\nlines"
    assert on_one_line("two\nlines") == r"two\x0alines"
