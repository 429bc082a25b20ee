"""Journals that are truncated, overwritten or shuffled, and then read and resumed.

Every row that is read must have the scores it was written with; otherwise the file must be refused
with a sentence. A search that resumes such a file must end with the result of a new search, or be
refused.
"""

from __future__ import annotations

import json
import random
import shutil
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sklearn.naive_bayes import GaussianNB

from _faults.commands import fault_of, nffs
from _faults.record import Outcome
from nffs import NFFS, InputError, make_connections
from nffs.errors import JournalError
from nffs.search.journal import file as journal_file

_PAGE = 4096

#: One in so many is not only looked at but resumed.
_RESUMED = 10


class Journals:
    """A whole journal: as a search leaves it, and as one that is killed leaves it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._work = folder / "damaged"
        # by another process, which is dead when its claims are met again
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            self._expected = pool.submit(_fit, folder / "whole", keep_copy=True).result()
        self._truth = _read(folder / "whole")
        with journal_file.reading(folder / "whole") as connection:
            entries = list(journal_file.entries(connection))
        self._values = {e.fitness.value for e in entries}

    def attempt(self, number: int, rng: random.Random) -> Outcome:
        """Damage a copy, look at it in every way, and sometimes let a search go on with it."""
        killed = rng.random() < 0.5
        source = self._folder / ("whole-killed" if killed else "whole")
        for file in self._folder.glob("damaged*"):
            file.unlink()
        endings = ("", "-wal") if killed else ("",)
        for ending in endings:
            shutil.copyfile(f"{source}{ending}", f"{self._work}{ending}")
        victim = Path(f"{self._work}{rng.choice(endings)}")
        victim.write_bytes(_damaged(victim.read_bytes(), rng))
        outcome = Outcome()
        self._look(outcome)
        if number % _RESUMED == 0:
            self._resume(outcome)
        return outcome

    def _look(self, outcome: Outcome) -> None:
        content = self._work.read_bytes()
        try:
            found = _read(self._work)
        except (InputError, JournalError):
            outcome.counts["refused"] = 1
        except Exception as error:
            outcome.faults.append(f"reading: {error!r}")
        else:
            outcome.counts["read"] = 1
            if any(self._truth.get(key) != scores for key, scores in found.items()):
                outcome.faults.append("a row that was never written")
        page = self._folder / "page.html"
        for command in (
            ("runs", "list", self._work),
            ("runs", "show", self._work),
            ("runs", "best", self._work, "--top", 3, "--json"),
            ("runs", "export", self._work),
            ("report", self._work, "--out", page),
        ):
            done = nffs(*command)
            outcome.faults += [f"{' '.join(map(str, command[:2]))}: {f}" for f in fault_of(done)]
            if command[1] == "best" and done.exit_code == 0:
                shown = {subset["fitness"] for subset in json.loads(done.stdout)["subsets"]}
                if not shown <= self._values:
                    outcome.faults.append("runs best: a score that was never written")
        if self._work.read_bytes() != content:
            outcome.faults.append("looking has changed the file")

    def _resume(self, outcome: Outcome) -> None:
        try:
            found = _fit(self._work)
        except (InputError, JournalError):
            return
        except Exception as error:
            outcome.faults.append(f"resuming: {error!r}")
            return
        outcome.counts["resumed"] = 1
        if found != self._expected:
            outcome.faults.append("another result after resuming")


def _fit(path: Path, *, keep_copy: bool = False) -> dict[str, Any]:
    """Search on a journal; keep a copy of what a kill after the last evaluation would leave."""

    def copy(progress: Any) -> None:
        # the file, and beside it what was written lately
        for ending in ("", "-wal"):
            shutil.copyfile(f"{path}{ending}", f"{path}-killed{ending}")

    table = make_connections(200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = NFFS(
            estimator=GaussianNB(), n_subsets=20, n_nested=8, random_state=0, journal=path,
            callbacks=[copy] if keep_copy else [],
        ).fit(table.data, table.target)  # fmt: skip
    document: dict[str, Any] = json.loads(selector.selection_.to_json())
    document.pop("seconds")
    return document


def _read(path: Path) -> dict[bytes, bytes]:
    with journal_file.reading(path) as connection:
        found = journal_file.entries(connection)
        return {e.mask + e.stage: e.fitness.scores.tobytes() for e in found}


def _damaged(content: bytes, rng: random.Random) -> bytes:
    """Damage a file as crashes, disks and people do."""
    damaged, size = bytearray(content), max(1, len(content))
    kind = rng.choice(
        ["cut", "cut page", "bits", "bits", "zeros", "noise", "page", "longer", "row"]
    )
    place, page = rng.randrange(size), rng.randrange(-(-size // _PAGE)) * _PAGE
    if kind == "cut":
        del damaged[place:]
    elif kind == "cut page":
        del damaged[page:]
    elif kind == "bits":
        for _ in range(rng.choice([1, 1, 3, 30])):
            damaged[rng.randrange(size)] ^= 1 << rng.randrange(8)
    elif kind == "zeros":
        length = min(rng.choice([1, 16, 512, _PAGE]), size - place)
        damaged[place : place + length] = bytes(length)
    elif kind == "noise":
        length = min(rng.choice([1, 16, 512, _PAGE]), size - place)
        damaged[place : place + length] = rng.randbytes(length)
    elif kind == "page":
        other = rng.randrange(-(-size // _PAGE)) * _PAGE
        damaged[page : page + _PAGE] = content[other : other + _PAGE]
    elif kind == "longer":
        damaged += rng.randbytes(rng.randrange(1, 3 * _PAGE))
    else:  # a value: bytes that stand near one another change places
        near = min(size - 1, place + rng.randrange(1, 40))
        damaged[place], damaged[near] = damaged[near], damaged[place]
    return bytes(damaged)
