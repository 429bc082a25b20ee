"""Three processes search with one journal, and one of them is killed again and again.

SIGKILL comes while a process starts, evaluates or writes; another process takes its place. When all
three have ended by themselves, their results must be those of an undisturbed search; then they
start with a new file. After every kill the journal must hold everything it held before, and no row
that an undisturbed search does not have. A kill may cost only the one subset being evaluated.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from _faults.record import Outcome
from nffs.errors import InputError, JournalError
from nffs.search.journal import file as journal_file

#: The searches, one for every journal.
SEARCHES = (
    "NFFS(n_subsets=60, n_nested=20, **how)",
    "NFFS(evaluator='paper', n_subsets=60, n_nested=20, **how)",
    "Selector('ga', max_evaluations=60, **how)",
    "Selector('guided', max_evaluations=50, **how)",
    "NFFS(estimator=GaussianNB(), n_subsets=150, n_nested=40, **how)",
    "NFFS(scoring=make_scorer(fbeta_score, beta=2, pos_label='attack'), n_subsets=50, **how)",
    "NFFS(max_rows=300, n_subsets=60, n_nested=20, **how)",
    "NFFS(unit='column', choose='one_se', n_subsets=60, **how)",
)

# Every evaluation leaves a line the moment it begins: what comes twice was begun in vain.
PROGRAM = """
import os, sys, warnings
warnings.simplefilter("ignore")
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from nffs import NFFS, Selector, make_connections
from nffs.search import workers
real = workers.evaluate
def noted(evaluator, masks, record):
    with open(sys.argv[2], "a") as file:
        kind = f"{type(evaluator._scorers[0]).__name__}{len(evaluator._scorers)}"
        for mask in masks:
            file.write(f"{os.getpid()} {kind}:{mask.tobytes().hex()}\\n")
    return real(evaluator, masks, record)
workers.evaluate = noted
how = dict(n_jobs=1, random_state=0, journal=sys.argv[1])
table = make_connections(600)
selector = eval(sys.argv[3]).fit(table.data, table.target)
print(selector.selection_.to_json())
"""

#: How many kills of one search are one case.
_AT_A_TIME = 8

#: Of four kills, so many come while the process is evaluating; the others at any time.
_IN_FOUR = 3


class Round:
    """Three processes on a new journal, until all of them have ended by themselves."""

    def __init__(self, folder: Path, search: str) -> None:
        folder.mkdir(parents=True)
        self._folder, self._search = folder, search
        self.journal = folder / "journal"
        self.processes: list[subprocess.Popen[str]] = []
        self.results: list[dict[str, Any] | str] = []

    def start(self) -> None:
        """Start one more process."""
        files = [str(self.journal), str(self._folder / "begun")]
        self.processes.append(
            subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *files, self._search],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )

    def reap(self) -> None:
        """Take the results of those that have ended by themselves."""
        for process in [p for p in self.processes if p.poll() is not None]:
            self.processes.remove(process)
            self.results.append(_result(process))

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kill a process, whatever it is doing."""
        process.kill()
        process.communicate()
        self.processes.remove(process)

    def begun(self) -> list[tuple[int, str]]:
        """Give the evaluations that were begun: by which process, and what."""
        path = self._folder / "begun"
        lines = path.read_text().splitlines() if path.exists() else []
        # a process may have been killed in the middle of a line
        parts = (line.split(" ") for line in lines if line.count(" ") == 1)
        return [(int(pid), what) for pid, what in parts if pid.isdigit()]

    def rows(self) -> dict[bytes, bytes]:
        """Give what the journal holds; nothing before it exists."""
        if not self.journal.exists():
            return {}
        try:
            with journal_file.reading(self.journal) as connection:
                found = journal_file.entries(connection)
                return {e.mask + e.stage: e.fitness.scores.tobytes() for e in found}
        except InputError:
            return {}  # its tables are not there yet


def _result(process: subprocess.Popen[str]) -> dict[str, Any] | str:
    printed, said = process.communicate()
    if process.returncode:
        return f"exit code {process.returncode}: {said[-300:]}"
    document: dict[str, Any] = json.loads(printed)
    document.pop("seconds")
    return document


def cases(journals: int, kills: int) -> list[str]:
    """Share kills among journals, some at a time: a run that is stopped loses no more than those.

    >>> cases(2, 20)
    ['0, 0 to 8', '1, 0 to 8', '0, 8 to 10', '1, 8 to 10']
    """
    each = -(-kills // max(1, journals))
    return [
        f"{number}, {start} to {min(start + _AT_A_TIME, each)}"
        for start in range(0, each, _AT_A_TIME)
        for number in range(journals)
    ]


@cache
def _undisturbed(folder: Path, search: str) -> tuple[dict[str, Any] | str, dict[bytes, bytes]]:
    """Give the result of a search that nobody kills, and the rows of its journal."""
    quiet = Round(folder / f"quiet-{SEARCHES.index(search)}", search)
    quiet.start()
    return _result(quiet.processes.pop()), quiet.rows()


def attack(folder: Path, case: str, rng: random.Random) -> Outcome:
    """Kill processes on the journals of one search, as often as a case says."""
    number, first, last = map(int, re.findall(r"\d+", case))
    kills, search = last - first, SEARCHES[number % len(SEARCHES)]
    expected, truth = _undisturbed(folder, search)
    if isinstance(expected, str):
        return Outcome(kills, [f"a search that nobody killed: {expected}"])
    outcome = Outcome(kills)
    counts: Counter[str] = Counter()
    rounds = 0
    while counts["kills"] < kills:
        rounds += 1
        this = Round(folder / f"killed-{number}-{first}-{rounds}", search)
        outcome.faults += _round(this, kills - counts["kills"], truth, rng, counts)
        wrong = [found for found in this.results if found != expected]
        outcome.faults += [found if isinstance(found, str) else "another result" for found in wrong]
    outcome.counts = dict(counts)
    return outcome


def _round(
    this: Round, kills: int, truth: dict[bytes, bytes], rng: random.Random, counts: Counter[str]
) -> list[str]:
    """Kill until all three have ended, or the kills are used up; say what did not hold."""
    faults: list[str] = []
    before: dict[bytes, bytes] = {}
    killed = 0
    for _ in range(3):
        this.start()
    while killed < kills and len(this.results) < 3:
        victim = _victim(this, rng)
        if victim is None:
            continue
        working = victim.pid in {pid for pid, _ in this.begun()}
        this.kill(victim)
        killed += 1
        counts["while evaluating"] += working
        faults += _look(this, before, truth)
        this.start()
    while this.processes:
        this.reap()
        time.sleep(0.02)
    faults += _look(this, before, truth)
    if this.results and before.keys() != truth.keys():
        faults.append(f"{len(before)} evaluations in the end instead of {len(truth)}")
    begun = [what for _, what in this.begun()]
    twice = len(begun) - len(set(begun))
    if twice > killed:
        faults.append(f"{twice} evaluations begun again after {killed} kills")
    counts.update({"kills": killed, "evaluations": len(set(begun)), "begun again": twice})
    return faults


def _victim(this: Round, rng: random.Random) -> subprocess.Popen[str] | None:
    """Wait, then choose one; None if one has ended meanwhile."""
    while_working = rng.randrange(4) < _IN_FOUR
    time.sleep(rng.uniform(0.0, 0.3 if while_working else 3.0))
    count = len(this.results)
    while True:
        this.reap()
        if len(this.results) > count:
            return None
        working = {pid for pid, _ in this.begun()}
        ready = [p for p in this.processes if not while_working or p.pid in working]
        if ready:
            return rng.choice(ready)
        time.sleep(0.02)


def _look(this: Round, before: dict[bytes, bytes], truth: dict[bytes, bytes]) -> list[str]:
    """Compare the journal with what it held and with what it may hold."""
    try:
        now = this.rows()
    except JournalError as error:
        return [str(error)]
    faults = []
    if before.keys() - now.keys():
        faults.append(f"{len(before.keys() - now.keys())} evaluations were lost")
    if any(truth.get(key) != scores for key, scores in now.items()):
        faults.append("a row that a quiet search does not have")
    before.update(now)
    return faults
