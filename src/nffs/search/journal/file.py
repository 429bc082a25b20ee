"""What a journal's file holds: evaluations, failures and runs, as they are read from it."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nffs.errors import InputError
from nffs.fitness import Fitness
from nffs.search.journal.checksum import COLUMNS, is_intact
from nffs.search.journal.opening import looking, sentences
from nffs.search.journal.process import is_running
from nffs.search.journal.schema import SCHEMA, check_schema, schema_of

#: The first second of the year 10000: no later time can be shown.
_END_OF_TIME = 253_402_300_800.0


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
#: and ELIMINATED are changed when a final check changes, so that no journal mixes the two. What
#: decides its scores beside the identity of the journal is named behind them.
SEARCH, FINAL, ELIMINATED = b"", b"+2", b"-2"

_MASK = b"\0\1"


@dataclass(frozen=True)
class Entry:
    """One evaluation as the journal keeps it."""

    mask: bytes  # one byte for every feature, in the order of the journal's ``features``
    # Nothing for the search itself; for its final check FINAL or ELIMINATED, and what decides it
    stage: bytes
    fitness: Fitness  # its scores
    seconds: float  # how long it took
    worker: str  # who did it
    finished: float  # when, in seconds since 1970
    run: int  # the run that asked for it


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    """Open a journal to look at it, also while a search writes it. Nothing is written."""
    path = Path(path)
    if not path.is_file():
        raise InputError(
            f"journal: {path} {'is not a file' if path.exists() else 'does not exist'}."
        )
    with sentences(path), looking(path) as connection:
        check_schema(connection, path)
        yield connection


def entries(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Read the evaluations whose rows are intact, the first to be finished first.

    The key of a row is its mask, followed by the stage it belongs to.
    """
    schema = schema_of(connection) or SCHEMA
    for *row, checksum in connection.execute(
        f"SELECT {COLUMNS}, checksum FROM evaluation ORDER BY finished, mask"
    ):
        fitness = fitness_of(row, checksum, schema)
        if fitness is not None:
            key, run, _, _, _, _, seconds, worker, finished = row
            stage = key.lstrip(_MASK)
            mask = key.removesuffix(stage)
            yield Entry(mask, stage, fitness, float(seconds), str(worker), _time(finished), run)


def failures(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    """Read the subsets that could not be evaluated: the run and the reason, the first first."""
    if (schema_of(connection) or SCHEMA) < 2:
        return []  # an earlier journal that is only looked at stays as it is
    return list(connection.execute("SELECT run, reason FROM failure ORDER BY id"))


def runs(connection: sqlite3.Connection) -> list[Run]:
    """Read the runs of a journal, the first first."""
    counts = dict(connection.execute("SELECT run, count(*) FROM evaluation GROUP BY run"))
    process = "process" if (schema_of(connection) or SCHEMA) >= 3 else "''"
    found = []
    for (
        number,
        started,
        finished,
        status,
        host,
        pid,
        who,
        parameters,
        versions,
    ) in connection.execute(
        f"SELECT id, started, finished, status, host, pid, {process}, parameters, versions"
        " FROM run ORDER BY id"
    ):
        if status == "running" and host == socket.gethostname() and not is_running(pid, who):
            status = "died"
        found.append(
            Run(
                number=number,
                started=_time(started),
                finished=None if finished is None else _time(finished),
                status=str(status),
                host=str(host),
                pid=pid,
                evaluations=counts.get(number, 0),
                parameters=dict(json.loads(parameters)),
                versions=dict(json.loads(versions)),
            )
        )
    return found


def _time(seconds: Any) -> float:
    """Check a time that is going to be shown."""
    if not 0 <= seconds < _END_OF_TIME:
        raise ValueError(f"{seconds!r} is no time")
    return float(seconds)


def fitness_of(row: Sequence[Any], checksum: Any, schema: int = SCHEMA) -> Fitness | None:
    """Give the scores of a row, or None if the row is damaged or no score at all."""
    if not is_intact(row, checksum, schema):
        return None
    splits, scores = row[4:6]
    try:
        table = np.frombuffer(scores, dtype="<f8").reshape(splits, -1)
    except (TypeError, ValueError):
        return None
    # an earlier nffs kept what a scorer gave, whatever it was
    return Fitness(table.astype(np.float64)) if np.isfinite(table).all() else None
