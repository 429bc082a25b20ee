"""What goes wrong around a journal: disks, other processes, restarts, damage, scores of nothing."""

import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.svm import LinearSVC

from nffs import NFFS, InputError
from nffs.errors import EvaluationError, FailedWarning, JournalError, WaitingWarning
from nffs.fitness.evaluator import Fitness
from nffs.search import subsets as subsets_module
from nffs.search.journal import file as journal_file
from nffs.search.journal import opening, process
from nffs.search.journal.file import SEARCH
from nffs.search.journal.journal import Journal
from nffs.search.subsets import Subsets
from nffs.search.tasks import Result
from nffs.search.workers import InlineWorkers

MASK = np.array([True, False])


def open_journal(path):
    return Journal(path, {"seed": "0", "evaluated_on": "x"}, ["a", "b"], {})


def result(mask=MASK, score=0.5):
    return Result(mask, Fitness(np.array([[score, score], [score, score]])), 0.1, "here")


class TestErrorsOfSQLite:
    def test_a_quota_costs_nothing(self, tmp_path):
        """The limit on a file's size is what a quota is: writing fails, though not for good."""
        journal = open_journal(tmp_path / "j")
        masks = (np.arange(2000)[:, None] >> np.arange(11) & 1).astype(bool)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(JournalError) as raised:
                list(map(journal.record, map(result, masks)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert "quota" in str(raised.value)
        assert "SQLITE_IOERR_WRITE" in str(raised.value)  # which of some thirty kinds it was
        assert "Run the same command again" in str(raised.value)
        assert "start again" not in str(raised.value)
        kept = len(journal.known())
        journal.close()
        with journal_file.reading(tmp_path / "j") as connection:
            assert len(list(journal_file.entries(connection))) == kept > 4

    @pytest.mark.parametrize("code", range(1, 29))
    def test_only_damage_ends_a_journal(self, tmp_path, code):
        error = sqlite3.OperationalError("something that nobody has heard of")
        error.sqlite_errorcode = code | 7 << 8
        with pytest.raises(JournalError) as raised, opening.sentences(tmp_path / "j"):
            raise error
        damaged = code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT)
        told = str(raised.value)
        assert ("damaged" in told) == damaged
        assert any(advice in told for advice in ("away", "start again", "anew")) == damaged


class TestClaimsAfterARestart:
    def claimed(self, path, **changes):
        """Claim a subset as a process that was killed, with some of its claim changed."""
        first = open_journal(path)
        assert first.claim(MASK) == "mine"
        with first._connection as connection:
            for column, value in changes.items():
                connection.execute(f"UPDATE claim SET {column} = ?", (value,))
        first._connection.close()
        return open_journal(path)

    def test_the_same_number_is_another_process(self, tmp_path):
        """A container's first process is number 1, whatever was there before."""
        boot = process.this_process().split()[0]
        journal = self.claimed(tmp_path / "j", process=f"{boot} 1", pid=os.getpid())
        assert journal.claim(MASK) == "mine"

    def test_another_start_of_the_machine(self, tmp_path):
        ticks = process.this_process().split()[1]
        journal = self.claimed(tmp_path / "j", process=f"another-boot {ticks}")
        assert journal.claim(MASK) == "mine"

    def test_the_process_itself(self, tmp_path):
        assert self.claimed(tmp_path / "j").claim(MASK) == "taken"

    def test_a_claim_of_an_earlier_nffs(self, tmp_path):
        assert self.claimed(tmp_path / "j", process="").claim(MASK) == "taken"

    def test_a_process_that_ended_and_was_not_waited_for(self):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        name = f"{process._boot()} {process._started(child.pid)}"
        assert process.is_running(child.pid, name)
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, and still in the list
        assert not process.is_running(child.pid, name)
        child.wait()
        assert not process.is_running(child.pid, "")

    def test_a_run_that_died_before_a_restart_is_not_running(self, tmp_path):
        journal = open_journal(tmp_path / "j")
        with journal._connection as connection:
            connection.execute("UPDATE run SET process = 'another-boot 1'")
        with journal_file.reading(tmp_path / "j") as connection:
            assert [run.status for run in journal_file.runs(connection)] == ["died"]
        journal.close()


def test_the_user_hears_for_whom_a_search_waits(tmp_path, monkeypatch):
    other, own = open_journal(tmp_path / "j"), open_journal(tmp_path / "j")
    other.claim(MASK)
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        if len(waited) == subsets_module._LOOKS + 3:
            other.record(result())

    monkeypatch.setattr(subsets_module.time, "sleep", sleep)
    search = Subsets(lambda: InlineWorkers(None), {"drawn": 1}, journal=own.stage(SEARCH))
    with pytest.warns(WaitingWarning) as told:
        (found,) = search.evaluate(MASK[None], "drawn")
    assert found.value == 0.5
    (message,) = (str(warning.message) for warning in told)
    assert (
        f"waiting for 1 subset(s) that other processes evaluate: process {os.getpid()}" in message
    )
    other.close(), own.close()


class TestDamage:
    @pytest.mark.parametrize(
        "change",
        ["splits = 1", "splits = 0", "splits = 'x'", "run = 7", "seconds = 1e9", "finished = 1e30",
         "worker = CAST(x'ff00ff' AS TEXT)", "value = 1.0", "n_features = 2", "checksum = x'00'"],
    )  # fmt: skip
    def test_a_row_is_believed_as_a_whole_or_not_at_all(self, tmp_path, change):
        journal = open_journal(tmp_path / "j")
        journal.record(result())
        journal.record(result(~MASK, 0.7))
        journal.close()
        with closing(sqlite3.connect(tmp_path / "j")) as connection, connection:
            connection.execute(f"UPDATE evaluation SET {change} WHERE mask = ?", (MASK.tobytes(),))
        with journal_file.reading(tmp_path / "j") as connection:
            (entry,) = journal_file.entries(connection)
        assert entry.fitness.value == 0.7
        journal = open_journal(tmp_path / "j")
        assert list(journal.known()) == [(~MASK).tobytes()]
        assert journal.claim(MASK) == "mine"
        journal.close()

    @pytest.mark.parametrize("key", ["identity", "features"])
    def test_what_it_belongs_to_is_believed_only_as_written(self, tmp_path, key):
        open_journal(tmp_path / "j").close()
        with closing(sqlite3.connect(tmp_path / "j")) as connection, connection:
            connection.execute(
                "UPDATE about SET value = replace(value, 'a', 'c') WHERE key = ?", (key,)
            )
        with pytest.raises(JournalError, match="is damaged"):
            open_journal(tmp_path / "j")

    def test_old_rows_are_believed_and_sealed_by_the_next_search(self, tmp_path):
        journal = open_journal(tmp_path / "j")
        journal.record(result())
        journal.close()
        _make_schema_2(tmp_path / "j")
        with journal_file.reading(tmp_path / "j") as connection:
            assert [e.fitness.value for e in journal_file.entries(connection)] == [0.5]
            assert [run.status for run in journal_file.runs(connection)] == ["finished"]
        identity = {"seed": "0", "evaluated_on": "x", "scipy": "1.2.3"}  # not named before
        journal = Journal(tmp_path / "j", identity, ["a", "b"], {})
        assert [found.value for found in journal.known().values()] == [0.5]
        journal.close()
        with pytest.raises(InputError, match=r"scipy was 1\.2\.3, is 2"):
            Journal(tmp_path / "j", {**identity, "scipy": "2"}, ["a", "b"], {})
        with closing(sqlite3.connect(tmp_path / "j")) as connection, connection:
            connection.execute("UPDATE evaluation SET splits = 1")
        with journal_file.reading(tmp_path / "j") as connection:
            assert not list(journal_file.entries(connection))


def _make_schema_2(path):
    """Make a journal what an earlier nffs would have written."""
    import hashlib

    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE about SET value = '2' WHERE key = 'schema'")
        connection.execute("DELETE FROM about WHERE key = 'checksum'")
        for table in ("run", "claim"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN process")
        for mask, scores in connection.execute("SELECT mask, scores FROM evaluation").fetchall():
            first = hashlib.blake2b(mask + b"\0" + scores, digest_size=16).digest()
            connection.execute("UPDATE evaluation SET checksum = ? WHERE mask = ?", (first, mask))


def undefined(estimator, X, y):
    """Score nothing where a subset has more than a few columns."""
    return float("nan") if X.shape[1] == 7 else float(estimator.score(X, y))


def infinite(y, predicted):
    return np.inf


class TestScoresOfNothing:
    def test_a_few_are_failures_with_a_reason(self, quick, connections, tmp_path):
        selector = quick(
            n_subsets=30, n_nested=12, choose="method", scoring=undefined, journal=tmp_path / "j"
        )
        with pytest.warns(FailedWarning, match="the scorer gave nan for 3 of 3 scores"):
            selector.fit(connections.data, connections.target)
        assert np.isfinite(selector.fitness_)
        with journal_file.reading(tmp_path / "j") as connection:
            (failure,) = journal_file.failures(connection)
            assert all(np.isfinite(e.fitness.value) for e in journal_file.entries(connection))
        assert failure == (1, "the scorer gave nan for 3 of 3 scores")

    def test_many_end_the_search_at_once_and_say_why(self, quick, connections):
        scoring = lambda estimator, X, y: float("nan")  # noqa: E731
        with pytest.raises(EvaluationError, match="the scorer gave nan"):
            quick(scoring=scoring).fit(connections.data, connections.target)

    @pytest.mark.parametrize("scoring", ["roc_auc", make_scorer(infinite)])
    def test_a_scorer_that_cannot_work_is_refused_before(self, connections, scoring):
        begun = []
        selector = NFFS(scoring=scoring, callbacks=[begun.append], random_state=0)
        X, y = connections.data, connections.target
        attacks = np.flatnonzero(y == "attack")
        with pytest.raises(InputError, match=r"scoring: .* cannot score the evaluation rows of"):
            selector.fit(X, y, eval_set=(X[attacks], y[attacks]))
        assert not begun

    def test_a_scorer_that_asks_an_estimator_for_more_is_not_refused(self, quick, connections):
        scoring = make_scorer(roc_auc_score, response_method="decision_function")
        selector = quick(scoring=scoring, estimator=LinearSVC(), n_subsets=4, n_nested=2)
        assert selector.fit(connections.data, connections.target).fitness_ > 0.5

    def test_a_journal_that_holds_some_is_mended(self, tmp_path):
        journal = open_journal(tmp_path / "j")
        journal.record(result(score=float("inf")))
        assert not journal.known()
        assert journal.claim(MASK) == "mine"
        journal.close()


class TestLooking:
    """Looking at a journal writes nothing, to it or beside it."""

    def state(self, folder):
        return {
            path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()
        }

    def looked_at(self, path):
        with journal_file.reading(path) as connection:
            journal_file.runs(connection)
            return len(list(journal_file.entries(connection)))

    def test_a_journal_that_nobody_writes(self, tmp_path):
        journal = open_journal(tmp_path / "j")
        journal.record(result())
        journal.close()
        before = self.state(tmp_path)
        assert self.looked_at(tmp_path / "j") == 1
        assert self.state(tmp_path) == before

    def test_a_search_that_goes_on(self, tmp_path):
        journal = open_journal(tmp_path / "j")
        journal.record(result())
        assert self.looked_at(tmp_path / "j") == 1
        journal.record(result(~MASK))
        assert self.looked_at(tmp_path / "j") == 2
        journal.close()

    @pytest.mark.parametrize("endings", [("", "-wal", "-shm"), ("", "-wal")])
    def test_what_a_killed_search_left(self, tmp_path, endings):
        journal = open_journal(tmp_path / "j")
        journal.record(result())
        place = tmp_path / "killed"
        place.mkdir()
        for ending in endings:
            (place / f"j{ending}").write_bytes((tmp_path / f"j{ending}").read_bytes())
        before = self.state(place)
        assert self.looked_at(place / "j") == 1
        after = self.state(place)
        assert after.keys() == before.keys()
        assert [after[name] for name in ("j", "j-wal")] == [before[name] for name in ("j", "j-wal")]
        journal.close()

    def test_files_that_sqlite_cannot_use(self, tmp_path):
        journal = open_journal(tmp_path / "j")
        journal.record(result())
        for ending in ("", "-wal"):
            (tmp_path / f"k{ending}").write_bytes((tmp_path / f"j{ending}").read_bytes())
        (tmp_path / "k-shm").mkdir()  # stands where SQLite would make a file
        assert self.looked_at(tmp_path / "k") == 1
        journal.close()

    @pytest.mark.parametrize("endings", [("",), ("", "-wal", "-shm"), ("", "-wal")])
    def test_what_this_user_may_not_write(self, endings):
        """A read-only file in a read-only folder; root may write everything, so as nobody."""
        user = os.geteuid()
        with TemporaryDirectory() as name:  # where nobody gets to, other than in `tmp_path`
            folder = Path(name)
            journal = open_journal(folder / "j")
            journal.record(result())
            kept = {ending: (folder / f"j{ending}").read_bytes() for ending in endings}
            journal.close()
            if endings != ("",):  # killed, else closed
                for ending, content in kept.items():
                    (folder / f"j{ending}").write_bytes(content)
            for file in folder.iterdir():
                file.chmod(0o444)
            folder.chmod(0o555)
            try:
                if user == 0:
                    os.seteuid(65534)
                assert self.looked_at(folder / "j") == 1
            finally:
                os.seteuid(user)
                folder.chmod(0o755)

    def test_a_search_that_begins_meanwhile_is_no_damage(self, tmp_path):
        open_journal(tmp_path / "j").close()

        def look():
            with journal_file.reading(tmp_path / "j"):
                begun.append(open_journal(tmp_path / "j"))
                raise sqlite3.DatabaseError("database disk image is malformed")

        begun = []
        with pytest.raises(JournalError, match="try again"):
            look()
        begun[0].close()

    @pytest.mark.parametrize("search", [False, True])
    def test_a_database_of_someone_else_stays_as_it_is(self, tmp_path, search):
        path = tmp_path / "other"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE things (x)")
        before = self.state(tmp_path)
        with pytest.raises(InputError, match="not a journal"):
            open_journal(path) if search else self.looked_at(path)
        assert self.state(tmp_path) == before
