"""`nffs select --check`: nested scores and stability after the search, in the same result."""

import json
import os
import re
import signal
import sys

import pytest

from nffs import Selection
from nffs.cli import check
from nffs.validation import nested_score, selection_stability

QUICK = ("--target", "label", "--evaluator", "logistic", "--method", "kbest", "--budget", "4",
         "--cv", "2", "--holdout", "0")  # fmt: skip


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(check, "FOLDS", 2)
    monkeypatch.setattr(check, "RUNS", 2)


def test_it_is_what_the_two_commands_say(nffs, table, tmp_path):
    out, page = tmp_path / "s.json", tmp_path / "page.html"
    given = ("--check", "--out", out, "--report", page)
    result = nffs("select", table, *QUICK, *given)
    assert result.exit_code == 0, result.stderr
    evidence = Selection.load(out).evidence
    validated = nffs("validate", table, *QUICK[:-2], "--folds", 2, "--json")
    repeated = nffs("stability", table, *QUICK[:-2], "--runs", 2, "--json")
    unread = {"reading": []}  # nothing had to be decided about the file
    assert {**evidence.nested, **unread} == json.loads(validated.stdout)
    assert {**evidence.stability, **unread} == json.loads(repeated.stdout)
    said = " ".join(result.stdout.split())
    assert re.search(r"Expect -?\d\.\d{3} on new rows", said)
    assert re.search(r"Optimism [+-]\d\.\d{3}: ", said)
    assert re.search(r"Stability -?\d\.\d\d: ", said)
    text = page.read_text(encoding="utf-8")
    assert '<h2 id="evidence">' in text
    assert "selected again</th>" in text


def test_its_cost_is_told_before(nffs, table):
    result = nffs("select", table, *QUICK, "--check", "--time-limit", "30")
    told = [line for line in result.stderr.splitlines() if line.startswith("nffs: ")]
    assert told[0].startswith("nffs: --check: the search is followed by 4 more, each within 30 s")
    assert "about 5 times as long" in told[0]
    assert [line.split()[1] for line in told[1:]] == [
        "--time-limit:", "searching", "evaluated", "checking:", "took",
    ]  # fmt: skip


def test_without_it_there_is_none(nffs, table, tmp_path):
    nffs("select", table, *QUICK, "--out", tmp_path / "s.json")
    assert Selection.load(tmp_path / "s.json").evidence is None


def test_a_test_file_does_not_go_with_it(nffs, table):
    result = nffs("select", table, *QUICK, "--check", "--test", table)
    assert (result.exit_code, "--check, --test: " in result.stderr) == (2, True)


def test_what_cannot_be_checked_is_said_and_the_selection_kept(nffs, connections, tmp_path):
    path, out = tmp_path / "few.csv", tmp_path / "s.json"
    frame = connections.frame()
    attacks, others = (frame.filter(frame["label"] == label) for label in ("attack", "normal"))
    attacks.head(2).vstack(others.head(40)).write_csv(path)
    result = nffs("select", path, *QUICK, "--check", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert "The check gave no scores on rows that no selection saw: " in result.stdout
    assert Selection.load(out).evidence.nested is None


class TestJournal:
    def test_the_same_command_goes_on(self, nffs, table, tmp_path, monkeypatch):
        """Interrupted in the second of the samples: nothing before it is searched again."""
        out, journal = tmp_path / "s.json", tmp_path / "search.db"
        given = ("--check", "--out", out, "--journal", journal)

        def interrupted(*arguments, on_run, **options):
            def stop(chosen):
                on_run(chosen)
                raise KeyboardInterrupt

            return selection_stability(*arguments, on_run=stop, **options)

        with monkeypatch.context() as patched:
            patched.setattr("nffs.validation.selection_stability", interrupted)
            stopped = nffs("select", table, *QUICK, *given)
        assert stopped.exit_code == 130
        assert "The check was interrupted: no stability." in stopped.stdout
        kept = Selection.load(out)
        assert not kept.partial
        assert kept.evidence.nested is not None
        assert kept.evidence.stability is None
        names = sorted(path.name for path in tmp_path.glob("search.db*"))
        assert names == ["search.db", "search.db.bootstrap-1", "search.db.fold-1",
                         "search.db.fold-2"]  # fmt: skip
        result = nffs("select", table, *QUICK, *given)
        assert result.exit_code == 0, result.stderr
        whole = Selection.load(out).evidence
        assert whole.nested == kept.evidence.nested
        assert whole.stability is not None
        runs = json.loads(nffs("runs", "list", f"{journal}.fold-1", "--json").stdout)
        assert [run["evaluations"] for run in runs][1:] == [0]

    def test_of_other_rows_it_is_refused(self, quick, connections, tmp_path):
        X, y = connections.data, connections.target
        selector = quick(journal=tmp_path / "search.db")
        first = nested_score(selector, X, y, cv=2)
        assert nested_score(selector, X, y, cv=2) == first
        with pytest.raises(ValueError, match="journal"):
            nested_score(selector, X[:300], y[:300], cv=2)


def test_an_interrupt_ends_nested_scores(quick, connections):
    """Of a fold's search it keeps the best so far, which is not what it would have chosen."""

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nested_score(quick(callbacks=[stop]), connections.data, connections.target, cv=2)


@pytest.mark.skipif(os.name == "nt", reason="signals and terminals as on POSIX")
def test_one_bar_over_all_of_it(watch, table):
    seen = watch([sys.executable, "-m", "nffs", "select", str(table), *QUICK, "--check"])
    assert seen.code == 0
    counts = [
        tuple(map(int, found.groups()))
        for frame in seen.frames
        if (found := re.search(r"^\S.* (\d+)/(\d+) best ", frame, re.M))
    ]
    assert len({total for _, total in counts}) == 1
    done = [count for count, _ in counts]
    assert done == sorted(done)
    assert any(re.search(r"^fold \d/5: ", frame, re.M) for frame in seen.frames)
    assert any(re.search(r"^sample \d+/10: ", frame, re.M) for frame in seen.frames)
    assert max(len(line) for frame in seen.frames for line in frame.splitlines()) <= 80


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_a_signal_in_the_check_keeps_the_selection(nffs, table, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            pass

    monkeypatch.setattr("nffs.validation.nested_score", interrupted)
    result = nffs("select", table, *QUICK, "--check", "--out", tmp_path / "s.json")
    assert result.exit_code == 130
    kept = Selection.load(tmp_path / "s.json")
    assert kept.selected_features
    assert kept.evidence.missing.startswith("The check was interrupted")
