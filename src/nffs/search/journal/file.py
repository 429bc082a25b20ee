"""A journal's file: how it is opened and read, and what is said when it cannot be."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nffs.errors import InputError, JournalError
from nffs.fitness import Fitness
from nffs.search.journal.schema import SCHEMA, check_schema, schema_of

#: Seconds to wait for another process that is writing.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Run:
    """One run of a search on a journal."""

    number: int  # counted from 1
    # Seconds since 1970; ``finished`` is None for a run that goes on or died
    started: float
    finished: float | None
    status: str  # "running", "finished", "stopped", or "died" for one that ended without a word
    # Where it ran
    host: str
    pid: int
    evaluations: int  # how many it did
    # What it was asked, and of which programs
    parameters: dict[str, Any]
    versions: dict[str, str]


#: What follows the mask in the key of a row: a mask itself is of zeros and ones. FINAL
#: and ELIMINATED are changed when a final check changes, so that no journal mixes the two.
SEARCH, FINAL, ELIMINATED = b"", b"+1", b"-1"


@dataclass(frozen=True)
class Entry:
    """One evaluation as the journal keeps it."""

    mask: bytes  # one byte for every feature, in the order of the journal's ``features``
    stage: bytes  # nothing for the search itself, FINAL or ELIMINATED for its final check
    fitness: Fitness  # its scores
    seconds: float  # how long it took
    worker: str  # who did it
    finished: float  # when, in seconds since 1970
    run: int  # the run that asked for it


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    """Open a journal to look at it, also while a search writes it."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"journal: {path} does not exist.")
    with sentences(path), closing(connect(path)) as connection:
        check_schema(connection, path)
        yield connection


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Read the evaluations whose rows are intact, the first to be finished first.

    The key of a row is its mask, followed by FINAL or ELIMINATED if it belongs to a final check.
    """
    columns = "mask, scores, splits, checksum, seconds, worker, finished, run"
    for key, scores, splits, checksum, *rest in connection.execute(
        f"SELECT {columns} FROM evaluation ORDER BY finished, mask"
    ):
        fitness = fitness_of(key, scores, splits, checksum)
        if fitness is not None:
            stage = next((s for s in (FINAL, ELIMINATED) if key.endswith(s)), SEARCH)
            yield Entry(key.removesuffix(stage), stage, fitness, *rest)


def failures(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    """Read the subsets that could not be evaluated: the run and the reason, the first first."""
    if (schema_of(connection) or SCHEMA) < 2:
        return []  # an earlier journal that is only looked at stays as it is
    return list(connection.execute("SELECT run, reason FROM failure ORDER BY id"))


def runs(connection: sqlite3.Connection) -> list[Run]:
    """Read the runs of a journal, the first first."""
    counts = dict(connection.execute("SELECT run, count(*) FROM evaluation GROUP BY run"))
    found = []
    for number, started, finished, status, host, pid, parameters, versions in connection.execute(
        "SELECT id, started, finished, status, host, pid, parameters, versions FROM run ORDER BY id"
    ):
        if status == "running" and host == socket.gethostname() and not is_running(pid):
            status = "died"
        found.append(
            Run(
                number=number,
                started=started,
                finished=finished,
                status=status,
                host=host,
                pid=pid,
                evaluations=counts.get(number, 0),
                parameters=json.loads(parameters),
                versions=json.loads(versions),
            )
        )
    return found


def fitness_of(mask: Any, scores: Any, splits: Any, checksum: Any) -> Fitness | None:
    """Give the scores of a row, or None if the row is damaged."""
    try:
        if checksum != checksum_of(mask, scores):
            return None
        table = np.frombuffer(scores, dtype="<f8").reshape(splits, -1)
    except (TypeError, ValueError):
        return None
    return Fitness(table.astype(np.float64))


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a journal into a sentence with a remedy."""
    try:
        yield
    except InputError:
        raise
    except sqlite3.Error as error:
        raise JournalError(f"journal: {path}: {_remedy(str(error))}") from error
    except (KeyError, ValueError) as error:
        raise JournalError(
            f"journal: {path} is damaged ({error}); move it away and start anew."
        ) from error


def _remedy(said: str) -> str:
    known: dict[str, str] = {
        "is full": "the disk is full; free some space and run the same command again, it goes on.",
        "readonly": "the file or its folder cannot be written; make it writable, or choose another "
        "place.",
        "locked": f"another process held it for more than {_PATIENCE:.0f} s; wait for it or stop "
        "it, then run the same command again.",
        "not a database": "this is no journal; choose another file.",
        "malformed": "the file is damaged; move it away and start anew.",
        "unable to open": "it cannot be opened; does its folder exist, and may you write there?",
    }
    remedy = next((sentence for words, sentence in known.items() if words in said), None)
    return remedy or f"{said}; move the file away and start anew."


def check_folder(path: Path) -> None:
    """Refuse a path that no file can stand at."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"journal: the folder {folder} does not exist; make it first.")
    if path.is_dir():
        raise InputError(f"journal: {path} is a folder; name a file in it.")


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, making it if it does not exist."""
    # autocommit off: `with connection` is one transaction
    connection = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # A process may die at any moment without harm; a machine that loses power may lose the
        # last few evaluations, never the file.
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def checksum_of(mask: bytes, scores: bytes) -> bytes:
    """Give the checksum of a row."""
    return hashlib.blake2b(mask + b"\0" + scores, digest_size=16).digest()


def is_running(pid: int) -> bool:
    """Tell whether a process of this machine is alive."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
