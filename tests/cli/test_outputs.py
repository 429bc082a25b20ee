"""Outputs are checked before the work; a result is printed before it is written, and never lost."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nffs import Selection

SMALL = ("--target", "label", "--method", "kbest", "--budget", "2", "--cv", "2", "--holdout", "0")


@pytest.fixture
def train(table, tmp_path):
    """The table in a folder of its own, which a test may spoil."""
    return Path(shutil.copy(table, tmp_path / "train.csv"))


@pytest.fixture
def selection(nffs, train, tmp_path):
    path = tmp_path / "selection.json"
    assert nffs("select", train, *SMALL, "--out", path).exit_code == 0
    return path


def refused(result, *said):
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    told = " ".join(result.stderr.split())
    assert all(part in told for part in said), told


COMMANDS = [
    ("select", "--out"),
    ("select", "--report"),
    ("validate", "--out"),
    ("validate", "--report"),
    ("stability", "--out"),
    ("compare", "--out"),
    ("compare", "--report"),
]


class TestRefusedBeforeTheDataIsRead:
    @pytest.fixture
    def train(self, tmp_path):
        """No table: whoever read it would complain of that."""
        (tmp_path / "train.csv").write_bytes(b"")
        return tmp_path / "train.csv"

    @pytest.mark.parametrize(("command", "option"), COMMANDS)
    def test_the_table_itself(self, nffs, train, command, option):
        before = train.read_bytes()
        result = nffs(command, train, "--target", "label", option, train)
        refused(result, f"{option}: {train} is the same file as {train}, which is read")
        assert train.read_bytes() == before

    @pytest.mark.parametrize(("command", "option"), COMMANDS)
    def test_a_link_to_the_table(self, nffs, train, tmp_path, command, option):
        (tmp_path / "link").symlink_to(train)
        result = nffs(command, train, "--target", "label", option, tmp_path / "link")
        refused(result, f"{option}: ", "which is read")

    def test_the_journal(self, nffs, train, tmp_path):
        given = ("--journal", tmp_path / "j.db", "--out", tmp_path / "j.db")
        refused(nffs("select", train, "--target", "label", *given), "--out:", "which is read")

    @pytest.mark.parametrize("ending", ["-wal", "-shm"])
    def test_what_stands_next_to_the_journal(self, nffs, train, tmp_path, ending):
        given = ("--journal", tmp_path / "j.db", "--out", tmp_path / f"j.db{ending}")
        refused(nffs("select", train, "--target", "label", *given), "--out:", "of the journal")

    @pytest.mark.parametrize("out", ["/dev/stdout", "printed.txt"])
    def test_the_file_that_is_printed_to(self, train, tmp_path, out):
        """`nffs select ... --out x > x` would lose what is printed."""
        words = [sys.executable, "-m", "nffs", "select", str(train), "--target", "label"]
        with (tmp_path / "printed.txt").open("w") as printed:
            done = subprocess.run(
                [*words, "--out", out],
                cwd=tmp_path,
                stdout=printed,
                stderr=subprocess.PIPE,
                text=True,
            )
        assert done.returncode == 2
        assert f"--out: {out} is the file that is printed to" in " ".join(done.stderr.split())

    def test_the_test_table(self, nffs, train, tmp_path):
        given = ("--test", tmp_path / "test.csv", "--report", tmp_path / "test.csv")
        refused(nffs("select", train, "--target", "label", *given), "--report:", "which is read")

    def test_one_file_for_two_results(self, nffs, train, tmp_path):
        given = ("--out", tmp_path / "x", "--report", tmp_path / "x")
        said = "--report: ", "is the file of --out; name another file."
        refused(nffs("select", train, "--target", "label", *given), *said)

    @pytest.mark.parametrize(("command", "option"), COMMANDS)
    def test_a_pipe(self, nffs, train, tmp_path, command, option):
        os.mkfifo(tmp_path / "pipe")
        result = nffs(command, train, "--target", "label", option, tmp_path / "pipe")
        refused(result, f"{option}: {tmp_path / 'pipe'} is a pipe; name a file.")

    @pytest.mark.parametrize(
        "words",
        [
            "shift T T --out",
            "shift T T --plot",
            "pick T --at-most 1 --out",
            "pick T --at-most 1 --report",
            "evaluate T T --target label --features T --out",
            "transform T --selection T --out",
            "report T --out",
        ],
    )
    def test_other_commands(self, nffs, train, tmp_path, words):
        os.mkfifo(tmp_path / "pipe")
        given = [train if word == "T" else word for word in words.split()]
        for out, said in (
            (train, "which is read"),
            (tmp_path / "pipe", "is a pipe"),
            (Path("/dev/null"), "is a device"),
            (tmp_path / "nowhere" / "x.csv", "does not exist"),
        ):
            refused(nffs(*given, out), f"{given[-1]}: ", said)

    @pytest.mark.parametrize("link", [False, True])
    def test_a_device(self, nffs, train, tmp_path, link):
        device = Path("/dev/null")
        if link:
            device = tmp_path / "link"
            device.symlink_to("/dev/null")
        result = nffs("select", train, "--target", "label", "--out", device)
        refused(result, f"--out: {device} is a device or socket; name a file.")
        assert Path("/dev/null").is_char_device()

    def test_a_dash(self, nffs, train):
        result = nffs("select", train, "--target", "label", "--out", "-")
        refused(result, "--out: - is not a file; name one, or print the result with --json.")

    def test_a_folder_and_one_that_is_not_there(self, nffs, train, tmp_path):
        result = nffs("select", train, "--target", "label", "--out", tmp_path)
        refused(result, "is a folder; name a file")
        (tmp_path / "link").symlink_to(tmp_path / "none" / "file")
        for out in (tmp_path / "none" / "file", tmp_path / "link"):
            result = nffs("select", train, "--target", "label", "--out", out)
            refused(result, f"--out: the folder {tmp_path / 'none'} does not exist")

    def test_a_folder_that_takes_no_files(self, nffs, train):
        """Nobody, not even root, can make a file there."""
        result = nffs("select", train, "--target", "label", "--out", "/proc/selection.json")
        refused(result, "--out: /proc/selection.json cannot be written")

    def test_what_transform_reads(self, nffs, train, tmp_path):
        selection = Path(shutil.copy(train, tmp_path / "selection.json"))
        for out in (train, selection):
            result = nffs("transform", train, "--selection", selection, "--out", out)
            refused(result, f"--out: {out} is the same file as", "which is read")

    def test_the_subset_that_evaluate_reads(self, nffs, train, tmp_path):
        (tmp_path / "names").write_text("duration\n")
        given = ("--features", tmp_path / "names", "--out", tmp_path / "names")
        refused(nffs("evaluate", train, train, "--target", "label", *given), "which is read")


def test_what_report_and_export_read(nffs, selection, train, tmp_path):
    before = selection.read_bytes()
    refused(nffs("report", selection, "--out", selection), "which is read")
    assert selection.read_bytes() == before
    journal = tmp_path / "journal.json"
    nffs("select", train, *SMALL, "--journal", journal)
    refused(nffs("runs", "export", journal, "--out", journal), "which is read")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("report S", "page.html"),
        ("report J", "page.html"),
        ("runs export J", "all.csv"),
        ("runs export J", "all.json"),
        ("transform T --selection S", "reduced.csv"),
        ("transform T --selection S", "reduced.parquet"),
    ],
)
def test_an_interrupt_before_the_last_byte_leaves_the_old_file(
    nffs, train, tmp_path, monkeypatch, command, name
):
    """Not a part of the new one, and nothing beside it."""
    places = {"T": train, "S": tmp_path / "selection.json", "J": tmp_path / "journal.db"}
    nffs("select", train, *SMALL, "--out", places["S"], "--journal", places["J"])
    out = tmp_path / "outputs" / name
    out.parent.mkdir()
    out.write_text("old")

    def stop(descriptor):
        assert out.read_text() == "old"
        raise KeyboardInterrupt

    monkeypatch.setattr("nffs.atomic.os.fsync", stop)
    words = (places.get(word, word) for word in command.split())
    assert nffs(*words, "--out", out).exit_code == 130
    assert out.read_text() == "old"
    assert [path.name for path in out.parent.iterdir()] == [name]


class TestNothingIsLost:
    @pytest.fixture
    def full(self, monkeypatch, tmp_path):
        """Let every write to this folder fail, as on a disk that filled up meanwhile."""
        from nffs.cli import outputs

        write, folder = outputs.write_text, tmp_path / "full"
        folder.mkdir()

        def write_text(path, text):
            if Path(path).parent == folder:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
            write(path, text)

        monkeypatch.setattr(outputs, "write_text", write_text)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        return folder

    def test_it_is_printed_and_saved_elsewhere(self, nffs, train, full):
        given = ("--out", full / "selection.json", "--report", full / "page.html")
        result = nffs("select", train, *SMALL, *given)
        assert result.exit_code == 1
        assert "features score" in result.stdout
        told = " ".join(result.stderr.split())
        cannot = r"cannot be written \(No space left on device\); it was saved as (\S+) instead"
        saved, page = (
            Path(re.search(rf"{option}: \S+ {cannot}", told)[1]) for option in ("--out", "--report")
        )
        assert saved.name == "selection.json"
        assert Selection.load(saved).selected_features
        assert page.read_text().startswith("<!doctype html>")
        assert "bug in nffs" not in told

    def test_other_outputs_are_still_written(self, nffs, train, full, tmp_path):
        given = ("--out", full / "selection.json", "--report", tmp_path / "page.html")
        result = nffs("select", train, *SMALL, *given)
        assert result.exit_code == 1
        assert (tmp_path / "page.html").exists()
        assert f"nffs: wrote {tmp_path / 'page.html'}" in result.stderr

    def test_it_is_printed_before_it_is_written(self, nffs, train, monkeypatch, tmp_path):
        """A process that is killed while writing has shown what it found."""

        def stop(path, text):
            raise KeyboardInterrupt

        monkeypatch.setattr("nffs.cli.outputs.write_text", stop)
        result = nffs("select", train, *SMALL, "--out", tmp_path / "selection.json", "--json")
        assert result.exit_code == 130
        assert json.loads(result.stdout)["selected_features"]

    def test_a_reader_that_goes_does_not_keep_it_from_being_written(self, train, tmp_path):
        out = tmp_path / "selection.json"
        command = [sys.executable, "-m", "nffs", "select", train, *SMALL, "--out", out]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        stderr = process.stderr.read().decode()
        assert process.wait() == 1
        assert Selection.load(out).selected_features
        assert "Traceback" not in stderr
        assert "Broken pipe" not in stderr

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
    def test_a_result_that_cannot_be_printed_is_saved(self, train, tmp_path):
        command = [sys.executable, "-m", "nffs", "select", train, *SMALL, "--json"]
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                command,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                env={**os.environ, "TMPDIR": str(tmp_path)},
            )
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        told = " ".join(done.stderr.split())
        saved = re.search(r"cannot be printed; it was saved as (\S+) instead", told)[1]
        assert Selection.load(saved).selected_features
