"""The journal: every evaluation on disk the moment it is done, so that no search is ever lost.

A journal is an SQLite file in WAL mode. It belongs to one evaluation: the same data, evaluated in
the same way, with the same seed. Whatever search uses it next, with more subsets or after a crash,
finds what was evaluated before. Every row carries a checksum; a damaged row is evaluated again.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from nffs._version import __version__
from nffs.errors import JournalError
from nffs.fitness import Fitness, Mask
from nffs.search.journal.checksum import COLUMNS, checksum_of
from nffs.search.journal.file import SEARCH, entries, fitness_of
from nffs.search.journal.opening import check_folder, connect, sentences
from nffs.search.journal.process import is_running, this_process
from nffs.search.journal.schema import prepare
from nffs.search.tasks import Result, this_worker

Claim = Literal["mine", "done", "taken"]

#: Seconds after which another process may take over what one has claimed and not finished.
_LEASE = 3600.0

#: Seconds by which the clocks of two machines may differ.
_SKEW = 300.0


class Journal:
    """A journal opened for a search.

    Parameters
    ----------
    path : path
        The file; made if it does not exist.
    identity : mapping of str to str
        What decides the fitness of a mask, item by item. A journal made for other items is refused.
    features : sequence of str
        The names of the features, in the order of the masks.
    parameters : mapping
        Of this run, for people to read.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        identity: Mapping[str, str],
        features: list[str],
        parameters: Mapping[str, Any],
    ) -> None:
        self.path = Path(path)
        #: How the run ends if nothing is raised: a search that an interrupt stopped says so.
        self.ended = "finished"
        self._lock = threading.Lock()
        self._host = socket.gethostname()
        self._owner = f"{this_worker()}:{uuid.uuid4().hex}"
        check_folder(self.path)
        with sentences(self.path):
            self._connection = connect(self.path)
            try:
                prepare(self._connection, self.path, identity, features)
                self.run = self._begin(parameters)
            except BaseException:
                self._connection.close()
                raise

    def stage(self, stage: bytes) -> Stage:
        """Give the part for the evaluations of a search, or of its final check."""
        return Stage(self, stage)

    def known(self, stage: bytes = SEARCH) -> dict[bytes, Fitness]:
        """Read all evaluations of a stage whose rows are intact, by their masks."""
        with self._lock, sentences(self.path):
            found = entries(self._connection)
            return {entry.mask: entry.fitness for entry in found if entry.stage == stage}

    def claim(self, mask: Mask, stage: bytes = SEARCH) -> Claim:
        """Ask to evaluate a mask: it may be done already, or another process may be at it.

        A claim ends with its evaluation, with its process where that can be seen, or with time.
        """
        key = mask.tobytes() + stage
        with self._lock, sentences(self.path), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            now = time.time()  # not before: others may have claimed while this one waited
            if self._result(key) is not None:
                return "done"
            row = self._connection.execute(
                "SELECT owner, host, pid, process, expires FROM claim WHERE mask = ?", (key,)
            ).fetchone()
            if row is not None and self._holds(row, now):
                return "taken"
            self._connection.execute(
                "INSERT OR REPLACE INTO claim (mask, owner, host, pid, process, expires)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (key, self._owner, self._host, os.getpid(), this_process(), now + _LEASE),
            )
        return "mine"

    def _holds(self, claim: tuple[str, str, int, str, float], now: float) -> bool:
        """Tell whether a claim is another's and still holds."""
        owner, host, pid, process, expires = claim
        # A clock that went backwards must not make a claim last for ever.
        if owner == self._owner or not now < expires <= now + _LEASE + _SKEW:
            return False
        return host != self._host or is_running(pid, process)

    def holder(self, mask: Mask, stage: bytes = SEARCH) -> str:
        """Name the process that evaluates a mask, for messages; empty if there is none."""
        with self._lock, sentences(self.path):
            row = self._connection.execute(
                "SELECT host, pid, expires FROM claim WHERE mask = ?", (mask.tobytes() + stage,)
            ).fetchone()
        if row is None:
            return ""
        host, pid, expires = row
        since = max(0.0, time.time() + _LEASE - expires) / 60
        return f"process {pid} on {host} (since {since:.0f} min)"

    def result(self, mask: Mask, stage: bytes = SEARCH) -> Fitness | None:
        """Look an evaluation up."""
        with self._lock, sentences(self.path):
            return self._result(mask.tobytes() + stage)

    def _result(self, key: bytes) -> Fitness | None:
        row = self._connection.execute(
            f"SELECT {COLUMNS}, checksum FROM evaluation WHERE mask = ?", (key,)
        ).fetchone()
        return None if row is None else fitness_of(row[:-1], row[-1])

    def record(self, result: Result, stage: bytes = SEARCH) -> None:
        """Write the result of a subset and commit it."""
        if not self.path.exists():
            raise JournalError(
                f"journal: {self.path} was deleted while the search was running; what it held is "
                "lost. Run the search again."
            )
        mask, found = result.mask, result.found
        key = mask.tobytes() + stage
        with self._lock, sentences(self.path), self._connection:
            if isinstance(found, Fitness):
                scores = np.ascontiguousarray(found.scores, dtype="<f8")
                row = (
                    key, self.run, int(mask.sum()), found.value, len(scores), scores.tobytes(),
                    float(result.seconds), result.worker, time.time(),
                )  # fmt: skip
                # a row that is there already is damaged, or the same
                self._connection.execute(
                    f"INSERT OR REPLACE INTO evaluation ({COLUMNS}, checksum)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*row, checksum_of(*row)),
                )
            else:
                self._connection.execute(
                    "INSERT INTO failure (mask, run, n_features, reason, worker, failed)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (key, self.run, int(mask.sum()), found.reason, result.worker, time.time()),
                )
            self._connection.execute("DELETE FROM claim WHERE mask = ?", (key,))

    def close(self, status: str = "finished") -> None:
        """Say how the run ended and let go of the file."""
        with self._lock:
            try:
                with self._connection:
                    self._connection.execute("DELETE FROM claim WHERE owner = ?", (self._owner,))
                    self._connection.execute(
                        "UPDATE run SET finished = ?, status = ? WHERE id = ?",
                        (time.time(), status, self.run),
                    )
            except sqlite3.Error:
                pass  # what matters was committed evaluation by evaluation
            finally:
                self._connection.close()

    def _begin(self, parameters: Mapping[str, Any]) -> int:
        with self._connection:
            cursor = self._connection.execute(
                "INSERT INTO run (started, status, host, pid, process, parameters, versions)"
                " VALUES (?, 'running', ?, ?, ?, ?, ?)",
                (
                    time.time(),
                    socket.gethostname(),
                    os.getpid(),
                    this_process(),
                    json.dumps(parameters),
                    json.dumps({"nffs": __version__, "numpy": np.__version__}),
                ),
            )
        return int(cursor.lastrowid or 0)


@dataclass(frozen=True)
class Stage:
    """The part of a journal that holds the evaluations of one stage."""

    journal: Journal
    stage: bytes

    def known(self) -> dict[bytes, Fitness]:
        """Read its evaluations whose rows are intact, by their masks."""
        return self.journal.known(self.stage)

    def claim(self, mask: Mask) -> Claim:
        """Ask to evaluate a mask."""
        return self.journal.claim(mask, self.stage)

    def holder(self, mask: Mask) -> str:
        """Name the process that evaluates a mask, for messages; empty if there is none."""
        return self.journal.holder(mask, self.stage)

    def result(self, mask: Mask) -> Fitness | None:
        """Look an evaluation up."""
        return self.journal.result(mask, self.stage)

    def record(self, result: Result) -> None:
        """Write the result of a subset and commit it."""
        self.journal.record(result, self.stage)

    def stop(self) -> None:
        """Note that the search was stopped."""
        self.journal.ended = "stopped"


@contextmanager
def kept_in(
    path: str | os.PathLike[str],
    identity: Mapping[str, str],
    features: list[str],
    parameters: Mapping[str, Any],
) -> Iterator[Journal]:
    """Open a journal for a search and note how the search ended."""
    journal = Journal(path, identity, features, parameters)
    try:
        yield journal
    except BaseException:
        journal.close("stopped")
        raise
    journal.close(journal.ended)
