"""`-` is standard input and standard output, and messages stay off the latter."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from nffs.cli.app import app

SMALL = ("--subsets", "6", "--nested", "4", "--cv", "2")


@pytest.fixture
def piped():
    """Run `nffs` with something on standard input."""

    def run(content, *arguments):
        return CliRunner().invoke(app, [str(a) for a in arguments], input=content)

    return run


@pytest.fixture(scope="module")
def selection(nffs, table, tmp_path_factory):
    path = tmp_path_factory.mktemp("selection") / "selection.json"
    assert nffs("select", table, "--target", "label", "--out", path, *SMALL).exit_code == 0
    return path


def test_select_from_standard_input(piped, table, selection):
    found = piped(table.read_bytes(), "select", "-", "--target", "label", "--json", *SMALL)
    assert found.exit_code == 0, found.stderr
    expected = json.loads(selection.read_text())["selected_features"]
    assert json.loads(found.stdout)["selected_features"] == expected


@pytest.mark.parametrize("form", ["csv", "gzip", "parquet", "arrow", "jsonl"])
def test_transform_from_one_to_the_other(piped, connections, selection, form):
    frame, content = connections.frame(), io.BytesIO()
    if form == "parquet":
        frame.write_parquet(content)
    elif form == "arrow":
        frame.write_ipc(content)
    elif form == "jsonl":
        frame.write_ndjson(content)
    else:
        text = frame.write_csv().encode()
        content.write(gzip.compress(text) if form == "gzip" else text)
    arguments = ("transform", "-", "--selection", selection, "--out", "-", "--keep", "label")
    result = piped(content.getvalue(), *arguments)
    assert result.exit_code == 0, result.stderr
    names = json.loads(selection.read_text())["selected_features"]
    reduced = pl.read_csv(result.stdout.encode())
    assert reduced.columns == [*names, "label"]
    assert len(reduced) == len(frame)


def test_it_can_be_read_once(piped, table):
    told = piped(table.read_bytes(), "select", "-", "--target", "label", "--test", "-", *SMALL)
    assert told.exit_code == 2
    assert "-: standard input is empty; it can be read only once." in told.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["select", "--help"], ["--version"]])
def test_what_cannot_be_printed_is_told(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nffs", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("nffs: No space left on device")
