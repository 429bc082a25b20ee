"""Ctrl-C and SIGTERM at any moment of a command, from its import to its exit.

The command must end with 130, unless its result was already written. It must print no traceback.
Its output files must be completely old or completely new, and no other files may be left next to
them.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import nffs
from _faults.record import Outcome
from nffs import InputError, make_connections
from nffs.errors import JournalError
from nffs.search.journal.file import entries, reading

#: What is written before, and must be found afterwards unless a whole result is.
_OLD = '{"old": true}\n'

#: Evaluations that threads may have written to the journal and the search not heard of yet.
_IN_FLIGHT = 2 * (os.cpu_count() or 1)

_SMALL = ("--target", "label", "--cv", "2", "--quiet")
COMMANDS = {
    "select": ("select", "table.csv", *_SMALL, "--subsets", "20", "--nested", "6", "--journal",
               "journal", "--out", "out.json", "--report", "page.html"),
    "validate": ("validate", "table.csv", *_SMALL, "--subsets", "6", "--nested", "3", "--folds",
                 "2", "--models", "logistic", "--out", "out.json"),
    "compare": ("compare", "table.csv", *_SMALL, "--methods", "random,mrmr", "--budget", "6",
                "--runs", "1", "--models", "none", "--keep", "runs", "--out", "out.json"),
    "report": ("report", "selection.json", "--out", "page.html"),
    "shift": ("shift", "table.csv", "table.csv", "--target", "label", "--quiet", "--out",
              "out.json"),
    "pick": ("pick", "selection.json", "--at-most", "5", "--quiet", "--out", "out.json",
             "--report", "page.html"),
}  # fmt: skip


class Commands:
    """The commands, a table for them, and how long each takes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # What a shell starts in the background ignores Ctrl-C, and so would all that it starts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        folder.mkdir(parents=True, exist_ok=True)
        make_connections(300).frame().write_csv(folder / "table.csv")
        self._seconds: dict[str, float] = {}
        for name in COMMANDS:
            for _ in range(2):  # the first one may compile kernels, which takes much longer
                place = self._place(name)
                started = time.perf_counter()
                done = self._start(name, place).communicate()
                self._seconds[name] = time.perf_counter() - started
            if name == "select":
                written = (place / "out.json").read_text(encoding="utf-8")
                (folder / "selection.json").write_text(written, encoding="utf-8")
            assert not (place / "out.json").exists() or "old" not in _json(place), done

    def _place(self, name: str) -> Path:
        """Make a folder with what a command reads, and something where it writes."""
        place = self._folder / name
        place.mkdir(exist_ok=True)
        for file in sorted(place.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        for given in ("table.csv", "selection.json"):
            if (self._folder / given).exists():
                (place / given).write_bytes((self._folder / given).read_bytes())
        for option, out in pairwise(COMMANDS[name]):
            if option in ("--out", "--report"):
                (place / out).write_text(_OLD)
        return place

    def _start(self, name: str, place: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "nffs", *COMMANDS[name]],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def attempt(self, number: int, rng: random.Random) -> Outcome:
        """Interrupt a command once: again and earlier, where it had ended before the signal."""
        name = list(COMMANDS)[number % len(COMMANDS)]
        which = rng.choice([signal.SIGINT, signal.SIGTERM])
        latest = 1.1 * self._seconds[name]
        while True:
            place = self._place(name)
            process = self._start(name, place)
            after = rng.uniform(0.0, latest)
            time.sleep(after)
            if process.poll() is None:
                break
            process.communicate()
            latest = after
        process.send_signal(which)
        before = _written(place)
        _, said = process.communicate(timeout=3000)
        last = said.strip().splitlines()[-1:]
        faults = []
        # a process that has not come to the program's first line yet ends by the signal itself, or
        # as Python's own start does
        if _ended_before(said, process.returncode):
            return Outcome(faults=_left(place), counts={"before the first line": 1})
        if process.returncode not in (0, 130, -which):
            faults.append(f"exit code {process.returncode}: {last}")
        if "Traceback" in said or "bug in nffs" in said:
            where = re.findall(r'File ".*?([^/]+", line \d+)', said)[-3:]
            faults.append(f"a traceback that ends in {last}, at {where}")
        if process.returncode == 0 and not before and _written(place):
            faults.append("the interrupt was lost: the result was written after it")
        evaluated = _evaluated(place / "journal") if name == "select" else 0
        if evaluated > _IN_FLIGHT and process.returncode == 130 and not _written(place):
            faults.append(f"{evaluated} evaluations and no result")
        faults += _left(place)
        ended = "after all was done" if process.returncode == 0 else "interrupted"
        return Outcome(faults=[f"{name}, {which.name}: {fault}" for fault in faults],
                       counts={ended: 1})  # fmt: skip


def _ended_before(said: str, code: int) -> bool:
    """Tell whether Python was still looking for the program: the traceback does not enter it."""
    own = str(Path(nffs.__file__).parent / "cli")
    return code in (1, -signal.SIGINT) and "KeyboardInterrupt" in said and own not in said


def _evaluated(journal: Path) -> int:
    """Count what a search has evaluated; a search that has just begun may have no journal yet."""
    try:
        with reading(journal) as connection:
            return len(list(entries(connection)))
    except (InputError, JournalError):
        return 0


def _written(place: Path) -> bool:
    """Tell whether the command has begun to write what it was asked for."""
    outputs = [path for path in (place / "out.json", place / "page.html") if path.exists()]
    return any(path.read_text(encoding="utf-8") != _OLD for path in outputs)


def _json(place: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((place / "out.json").read_text(encoding="utf-8"))
    return found


def _left(place: Path) -> list[str]:
    """Say what an interrupt has left that is no result."""
    faults = []
    out, page = place / "out.json", place / "page.html"
    if out.exists():
        try:
            _json(place)
        except ValueError:
            faults.append("half a result")
    if page.exists() and page.read_text() != _OLD and "</html>" not in page.read_text():
        faults.append("half a page")
    hidden = [path.name for path in place.rglob(".*") if path.is_file()]
    if hidden:
        faults.append(f"left {hidden}")
    return faults
