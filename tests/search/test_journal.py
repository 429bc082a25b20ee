"""The journal: nothing that was committed is lost, nothing that is damaged is believed."""

import json
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from nffs import NFFS, InputError
from nffs.errors import FailedWarning, JournalError
from nffs.fitness.elimination import Elimination
from nffs.fitness.evaluator import Fitness
from nffs.search.journal import file as journal_file
from nffs.search.journal import journal as journals
from nffs.search.journal import opening
from nffs.search.journal import schema as journal_schema
from nffs.search.journal.file import ELIMINATED, FINAL, SEARCH
from nffs.search.journal.journal import Journal
from nffs.search.tasks import Failure, Result

SMALL = {
    "n_subsets": 12,
    "n_nested": 6,
    "param_groups": [{"n_estimators": 4, "max_depth": 3}],
    "cv": 2,
    "random_state": 0,
}


def fit(connections, **parameters):
    return NFFS(**{**SMALL, **parameters}).fit(connections.data, connections.target)


def same(a, b):
    """Equal to the bit in everything that was computed, whatever it took."""
    left, right = (replace(s.selection_, seconds=0.0) for s in (a, b))
    return left == right and np.array_equal(a.nested_scores_, b.nested_scores_)


@pytest.fixture
def count(monkeypatch):
    """Count the evaluations that are really computed, by the journal's keys."""
    from nffs.search import workers

    done = []
    real = workers.evaluate

    def counted(evaluator, masks, record):
        first = evaluator._scorers[0]
        stage = SEARCH if len(evaluator._scorers) == SMALL["cv"] else FINAL
        stage = ELIMINATED if isinstance(first, Elimination) else stage
        done.extend(mask.tobytes() + stage for mask in masks)
        return real(evaluator, masks, record)

    monkeypatch.setattr(workers, "evaluate", counted)
    return done


class TestResume:
    def test_a_journal_changes_nothing(self, connections, tmp_path):
        assert same(fit(connections), fit(connections, journal=tmp_path / "j"))

    def test_what_is_done_is_never_done_again(self, connections, tmp_path, count):
        first = fit(connections, journal=tmp_path / "j")
        evaluated = len(count)
        assert evaluated == len(set(count)) == first.n_evaluations_
        again = fit(connections, journal=tmp_path / "j", n_jobs=2)
        assert len(count) == evaluated
        assert same(first, again)

    def test_a_stopped_search_goes_on(self, connections, tmp_path, count):
        class StopError(Exception):
            pass

        def stop(progress):
            if progress.done == 7:
                raise StopError

        with pytest.raises(StopError):
            fit(connections, journal=tmp_path / "j", callbacks=[stop])
        assert len(count) >= 7
        resumed = fit(connections, journal=tmp_path / "j")
        assert len(count) == len(set(count)) == resumed.n_evaluations_
        assert same(resumed, fit(connections))

    def test_a_larger_search_finds_the_smaller_one(self, connections, tmp_path, count):
        fit(connections, journal=tmp_path / "j")
        before = set(count)
        larger = fit(connections, n_subsets=20, n_nested=9, journal=tmp_path / "j")
        assert not before & set(count[len(before) :])
        assert same(larger, fit(connections, n_subsets=20, n_nested=9))

    def test_the_order_of_the_columns_does_not_matter(self, connections, tmp_path, count):
        first = fit(connections, journal=tmp_path / "j")
        evaluated = len(count)
        turned = connections.data.select(connections.data.columns[::-1])
        again = NFFS(**SMALL, journal=tmp_path / "j").fit(turned, connections.target)
        assert len(count) == evaluated
        assert set(again.selected_features_) == set(first.selected_features_)


class TestFinalChecks:
    """What decides a final check alone is no reason to refuse a journal, and is not mixed."""

    @pytest.mark.parametrize(
        "given",
        [{"include": "noise_12"}, {"include": ["noise_12", "noise_01"]}, {"max_features": 5}],
        ids=["one", "two", "at most five"],
    )
    def test_constraints_decide_what_may_be_eliminated(self, connections, tmp_path, given):
        fit(connections, journal=tmp_path / "j")
        shared = fit(connections, journal=tmp_path / "j", **given)
        assert same(shared, fit(connections, **given))

    def test_splitters_may_be_alike_in_the_search_alone(self, connections, tmp_path):
        """One draws from a stream, so that it parts the rows otherwise when it is asked again."""

        def cv(seed):
            return StratifiedKFold(2, shuffle=True, random_state=seed)

        first = fit(connections, cv=cv(0), journal=tmp_path / "j")
        shared = fit(connections, cv=cv(np.random.RandomState(0)), journal=tmp_path / "j")
        alone = fit(connections, cv=cv(np.random.RandomState(0)))
        assert shared.final_.fitness == alone.final_.fitness != first.final_.fitness


class TestAnotherSearch:
    """A journal of something else is refused, and what differs is named."""

    @pytest.fixture
    def path(self, connections, tmp_path):
        fit(connections, journal=tmp_path / "j")
        return tmp_path / "j"

    @pytest.mark.parametrize(
        ("changes", "item"),
        [
            ({"random_state": 1}, "seed was 0, is 1"),
            ({"evaluator": "forest"}, "engine was panel of forest, logistic, is forest"),
            ({"cv": 3}, "evaluated_on was 2-fold"),
            ({"param_groups": [{"n_estimators": 5}]}, "param_groups was"),
            ({"scoring": "accuracy"}, "scoring was"),
            ({"pos_label": "normal"}, ", positive normal"),
        ],
    )
    def test_other_parameters(self, connections, path, changes, item):
        with pytest.raises(InputError, match="belongs to another search") as error:
            fit(connections, **changes, journal=path)
        assert item in str(error.value)
        assert "Choose another file" in str(error.value)

    def test_other_components(self, connections, tmp_path):
        fit(connections, evaluator="paper", journal=tmp_path / "j")
        with pytest.raises(InputError, match=r"pca was 0\.93, is None"):
            fit(connections, evaluator="paper", pca=None, journal=tmp_path / "j")

    def test_what_decides_in_the_end_is_no_other_search(self, connections, path, count):
        before = fit(connections, journal=path)
        by_method = fit(connections, choose="method", journal=path)
        assert not count
        assert by_method.final_ is None
        assert by_method.nested_fitness_.tolist() == before.nested_fitness_.tolist()

    def test_the_positive_class_by_default_or_by_name_is_the_same(self, connections, path):
        with pytest.raises(InputError, match=r"target was [^;]*, positive attack, is"):
            fit(connections, pos_label="normal", journal=path)
        fit(connections, pos_label="attack", journal=path)

    def test_other_data(self, connections, path):
        with pytest.raises(InputError, match="values was"):
            NFFS(**SMALL, journal=path).fit(connections.data[::-1], connections.target)

    def test_no_seed(self, connections, path):
        with pytest.raises(InputError, match="random_state: a search with a journal needs"):
            fit(connections, random_state=None, journal=path)

    def test_a_later_schema(self, connections, path):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE about SET value = '99' WHERE key = 'schema'")
        connection.close()
        with pytest.raises(InputError, match="written by a later nffs"):
            fit(connections, journal=path)


class TestNoJournal:
    def test_another_database(self, connections, tmp_path):
        with sqlite3.connect(tmp_path / "other") as connection:
            connection.execute("CREATE TABLE things (x)")
        connection.close()
        with pytest.raises(InputError, match="not a journal"):
            fit(connections, journal=tmp_path / "other")

    def test_another_kind_of_file(self, connections, tmp_path):
        (tmp_path / "j").write_text("not a journal at all, just some text that someone wrote\n" * 9)
        with pytest.raises(JournalError, match="not a journal"):
            fit(connections, journal=tmp_path / "j")

    def test_a_folder_that_does_not_exist(self, connections, tmp_path):
        with pytest.raises(InputError, match="does not exist; make it"):
            fit(connections, journal=tmp_path / "nowhere" / "j")

    def test_a_pipe(self, connections, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(InputError, match="is a pipe, device or socket; name a file"):
            fit(connections, journal=tmp_path / "pipe")

    def test_a_folder(self, connections, tmp_path):
        with pytest.raises(InputError, match="is a folder"):
            fit(connections, journal=tmp_path)

    def test_deleted_under_a_running_search(self, connections, tmp_path):
        def delete(progress):
            if progress.done == 3:
                for file in tmp_path.glob("j*"):
                    file.unlink()

        with pytest.raises(JournalError, match="was deleted while the search was running"):
            fit(connections, journal=tmp_path / "j", callbacks=[delete])

    def test_locked_by_another_process(self, connections, tmp_path, monkeypatch):
        monkeypatch.setattr(opening, "_PATIENCE", 0.2)
        fit(connections, journal=tmp_path / "j")
        other = sqlite3.connect(tmp_path / "j")
        other.execute("BEGIN EXCLUSIVE")
        try:
            with pytest.raises(JournalError, match="another process held it"):
                fit(connections, journal=tmp_path / "j")
        finally:
            other.close()


def test_a_file_that_cannot_be_written(connections, tmp_path, monkeypatch):
    fit(connections, journal=tmp_path / "j")
    monkeypatch.setattr(
        journals,
        "connect",
        lambda path: sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False),
    )
    with pytest.raises(JournalError, match="cannot be written; make it writable"):
        fit(connections, journal=tmp_path / "j")


def test_a_full_disk_stops_the_search_and_loses_nothing(connections, tmp_path, count):
    """SQLite's own limit on the size of the file says what a full disk says."""
    path = tmp_path / "j"
    real = journals.connect

    def limited(path):
        connection = real(path)
        connection.execute("PRAGMA max_page_count = 12")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journals, "connect", limited)
        with pytest.raises(JournalError, match="the disk is full; free some space"):
            fit(connections, n_subsets=400, n_top=5, n_bottom=5, journal=path)
    with journal_file.reading(path) as connection:
        kept = {entry.mask + entry.stage for entry in journal_file.entries(connection)}
    assert kept
    del count[:]
    fit(connections, journal=path)
    assert not kept & set(count)


def test_damage_is_never_believed(connections, tmp_path):
    """Cut off anywhere, or with bytes flipped: what is intact, or a message."""
    whole = tmp_path / "whole"
    expected = fit(connections, journal=whole)
    truth = dict(_open(whole).items())
    content = whole.read_bytes()
    rng = random.Random(0)
    outcomes = {"opened": 0, "refused": 0}
    for case in range(240):
        damaged = bytearray(content)
        if case % 2:
            del damaged[rng.randrange(len(damaged)) :]
        else:
            for _ in range(rng.choice([1, 3, 30])):
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path = tmp_path / "damaged"
        for file in tmp_path.glob("damaged*"):
            file.unlink()
        path.write_bytes(damaged)
        try:
            found = _open(path)
        except (InputError, JournalError):
            outcomes["refused"] += 1
            continue
        outcomes["opened"] += 1
        for mask, scores in found.items():
            assert np.array_equal(truth[mask], scores)
    assert outcomes["opened"] > 20
    assert outcomes["refused"] > 20
    # one of those that open, resumed: the same result
    shutil.copy(whole, tmp_path / "lossy")
    with sqlite3.connect(tmp_path / "lossy") as connection:
        connection.execute(
            "UPDATE evaluation SET scores = zeroblob(length(scores)) WHERE n_features % 2"
        )
    connection.close()
    assert same(fit(connections, journal=tmp_path / "lossy"), expected)


def _open(path):
    with journal_file.reading(path) as connection:
        journal_schema.about(connection)
        return {e.mask + e.stage: e.fitness.scores for e in journal_file.entries(connection)}


SCRIPT = """
import sys
from nffs import NFFS, make_connections
table = make_connections(400)
selector = NFFS(n_subsets=60, n_nested=20, cv=2, param_groups=[{"n_estimators": 4, "max_depth": 3}],
                n_jobs=2, random_state=0, journal=sys.argv[1]).fit(table.data, table.target)
print(selector.selection_.to_json())
"""

# every round of the guided search depends on the scores of all rounds before
GUIDED = """
import sys
from nffs import Selector, make_connections
table = make_connections(400)
selector = Selector("guided", max_evaluations=80, cv=2, random_state=0, journal=sys.argv[1],
                    param_groups=[{"n_estimators": 4, "max_depth": 3}], n_jobs=2)
print(selector.fit(table.data, table.target).selection_.to_json())
"""


def _search(path, script=SCRIPT):
    return subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def _result(process):
    document = json.loads(process.communicate(timeout=600)[0])
    document.pop("seconds")
    return document


@pytest.mark.parametrize("script", [SCRIPT, GUIDED], ids=["nffs", "guided"])
def test_killed_at_any_moment_and_resumed(tmp_path, script):
    """SIGKILL, again and again; `benchmarks/faults.py` does it five hundred times."""
    expected = _result(_search(tmp_path / "whole", script))
    path, rng = tmp_path / "killed", random.Random(1)
    for _ in range(4):
        process = _search(path, script)
        # start-up takes a second or two; then there are about two seconds of search
        seen, deadline = _rows(path), time.monotonic() + 600
        while _rows(path) < seen + rng.randrange(1, 12) and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    assert _result(_search(path, script)) == expected


def _rows(path):
    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5) as connection:
            return connection.execute("SELECT count(*) FROM evaluation").fetchone()[0]
    except sqlite3.Error:
        return 0
    finally:
        if "connection" in locals():
            connection.close()


TOGETHER = """
import pathlib, sys, time
from nffs.search import workers
real = workers.evaluate
def noted(evaluator, masks, record):
    with open(sys.argv[1] + ".begun", "a") as file:
        kind = type(evaluator._scorers[0]).__name__
        file.write(f"{kind}:{len(evaluator._scorers)}:{masks.tobytes().hex()}\\n")
    return real(evaluator, masks, record)
workers.evaluate = noted
pathlib.Path(sys.argv[1] + "." + sys.argv[2]).touch()
while not pathlib.Path(sys.argv[1] + ".go").exists():
    time.sleep(0.01)
"""


def test_two_processes_share_the_work(tmp_path):
    """Both start at the same moment; every mask is begun once, by whichever."""
    path = tmp_path / "shared"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", TOGETHER + SCRIPT, str(path), name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for name in ("a", "b")
    ]
    deadline = time.monotonic() + 600
    while not all((tmp_path / f"shared.{name}").exists() for name in ("a", "b")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    (tmp_path / "shared.go").touch()
    documents = [_result(process) for process in both]
    assert documents[0] == documents[1]
    begun = (tmp_path / "shared.begun").read_text().split()
    assert len(begun) == len(set(begun)) == documents[0]["evaluations"]
    with journal_file.reading(path) as connection:
        assert len(list(journal_file.entries(connection))) == len(begun)
        assert len(journal_file.runs(connection)) == 2


class TestClaims:
    def open(self, path):
        return Journal(path, {"seed": "0"}, ["a", "b"], {})

    def test_one_takes_what_the_other_leaves(self, tmp_path):
        first, second = self.open(tmp_path / "j"), self.open(tmp_path / "j")
        mask = np.array([True, False])
        assert first.claim(mask) == "mine"
        assert first.claim(mask) == "mine"
        # the same process is running: its claim holds
        assert second.claim(mask) == "taken"
        first.record(Result(mask, Fitness(np.array([[0.5]])), 0.1, "here"))
        assert second.claim(mask) == "done"
        assert second.result(mask).value == 0.5

    @pytest.mark.parametrize("shift", [-1.0, 10 * 3600.0])
    def test_a_claim_ends_with_time_even_if_clocks_go_backwards(self, tmp_path, shift):
        first, second = self.open(tmp_path / "j"), self.open(tmp_path / "j")
        mask = np.array([True, False])
        first.claim(mask)
        with second._connection as connection:
            connection.execute("UPDATE claim SET expires = ?", (time.time() + shift,))
        assert second.claim(mask) == "mine"

    def test_a_claim_ends_with_its_process(self, tmp_path):
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=os.getpid)
        process.start()
        process.join()
        first, second = self.open(tmp_path / "j"), self.open(tmp_path / "j")
        mask = np.array([True, False])
        first.claim(mask)
        with second._connection as connection:
            connection.execute("UPDATE claim SET pid = ?", (process.pid,))
        assert second.claim(mask) == "mine"


class TestFailures:
    def test_reasons_are_kept_and_the_next_run_tries_again(self, tmp_path):
        path, mask = tmp_path / "j", np.array([True, False])
        journal = Journal(path, {"seed": "0"}, ["a", "b"], {})
        assert journal.claim(mask) == "mine"
        journal.record(Result(mask, Failure("MemoryError", "..."), 0.1, "here"))
        assert journal.known() == {}
        assert journal.claim(mask) == "mine"
        journal.close()
        with journal_file.reading(path) as connection:
            assert journal_file.failures(connection) == [(1, "MemoryError")]

    def test_a_search_goes_on_without_the_few_that_fail(self, connections, tmp_path):
        path = tmp_path / "j"
        with pytest.warns(FailedWarning, match=r"1 of \d+ subsets .* ValueError: not this one"):
            selector = NFFS(
                **{**SMALL, "n_subsets": 30, "n_nested": 12},
                estimator=Picky(n_estimators=3),
                choose="method",
                journal=path,
            ).fit(connections.data, connections.target)
        assert selector.failures_ == ["ValueError: not this one"]
        assert len(selector.nested_fitness_) == 11
        with journal_file.reading(path) as connection:
            assert len(journal_file.failures(connection)) == 1


class Picky(RandomForestClassifier):
    """Refuses subsets of seven columns."""

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] == 7:
            raise ValueError("not this one")
        return super().fit(X, y, sample_weight)


class TestFirstSchema:
    """A journal of the first version, stored as text."""

    @pytest.fixture
    def old(self, tmp_path):
        path = tmp_path / "old"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(Path(__file__).with_name("journal-v1.sql").read_text())
        return path

    def test_is_read_and_left_as_it_is(self, old):
        before = old.read_bytes()
        with journal_file.reading(old) as connection:
            assert len(list(journal_file.entries(connection))) == 11
            assert journal_file.failures(connection) == []
            assert [run.status for run in journal_file.runs(connection)] == ["finished"]
            identity = journal_schema.about(connection)["identity"]
        assert identity["engine"] == "2"
        assert before == old.read_bytes()

    def test_is_brought_up_to_date_by_a_search(self, old):
        with journal_file.reading(old) as connection:
            about = journal_schema.about(connection)
            entries = {e.mask: e.fitness.value for e in journal_file.entries(connection)}
        journal = Journal(old, about["identity"], about["features"], {})
        assert {mask: f.value for mask, f in journal.known().items()} == entries
        mask = np.ones(len(about["features"]), dtype=bool)
        journal.record(Result(mask, Failure("MemoryError", ""), 0.1, "here"))
        journal.close()
        with journal_file.reading(old) as connection:
            assert journal_file.failures(connection) == [(2, "MemoryError")]
            schema = connection.execute("SELECT value FROM about WHERE key = 'schema'").fetchone()
        assert schema == (str(journal_schema.SCHEMA),)

    def test_another_search_is_refused_before_anything_is_changed(self, old):
        with pytest.raises(InputError, match="belongs to another search"):
            Journal(old, {"seed": "1"}, ["a"], {})
        with closing(sqlite3.connect(old)) as connection:
            schema = connection.execute("SELECT value FROM about WHERE key = 'schema'").fetchone()
        assert schema == ("1",)
