"""The runs of the comparison study: which there are, how they are made, where they are saved.

A run is one method on one table with one budget and one seed. Its result is a file of its own in
`table/budget/seed` in the folder of runs. If a method fails, a note is saved instead, and the run
is not tried again unless the note is deleted. A process locks the folder in which it makes runs;
other processes continue with the next folder.
"""

from __future__ import annotations

import fcntl
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _tables import Table

from nffs.atomic import write_text
from nffs.methods import METHODS
from nffs.validation import compare

#: Methods that are compared at every budget: ours, and those that a claim is about.
NAMED = (
    "guided", "nffs", "ga", "pso", "random", "sigmoid-pio", "cosine-pio", "gamifs", "mifs-u",
    "spsa", "all",
)  # fmt: skip

#: Budgets, and the methods that have them; the named ones first.
BUDGETS: dict[int, tuple[str, ...]] = {
    50: NAMED,
    250: (*NAMED, *(name for name in METHODS if name not in NAMED)),
    1000: NAMED,
}

#: Half a million subsets and more are evaluated: fewer trees than by default, and fewer rows.
EVALUATORS: dict[str, dict[str, Any]] = {
    "panel": {
        "evaluator": ["forest", "boosting", "logistic"],
        "param_groups": [{"n_estimators": 10}],
        "max_rows": 2000,
    },
    "paper": {
        "evaluator": "paper",
        "param_groups": [{"n_estimators": 10, "max_depth": depth} for depth in (2, 4, 8, None)],
        "max_rows": 2000,
    },
}

#: Says of a table how large it is.
_ABOUT = "about.json"

Run = dict[str, Any]
#: Runs by budget, table and method, in the order of their seeds.
Runs = dict[int, dict[str, dict[str, list[Run]]]]


@dataclass(frozen=True)
class Unit:
    """The runs that are made together: they share the rows of a table and a seed."""

    table: str
    budget: int
    seed: int
    methods: tuple[str, ...]

    def folder(self, runs: Path) -> Path:
        """Say where its runs are kept."""
        return runs / self.table / str(self.budget) / str(self.seed)

    def missing(self, runs: Path) -> list[str]:
        """Name the methods that have neither run nor failed."""
        folder = self.folder(runs)
        return [
            name
            for name in self.methods
            if not (folder / f"{name}-{self.seed}.json").exists()
            and not _note(folder, name).exists()
        ]


def units(
    tables: Sequence[str], methods: Mapping[int, Sequence[str]], seeds: Sequence[int]
) -> list[Unit]:
    """List what is to be run, seed by seed, so that what is stopped early is still a study."""
    return [
        Unit(table, budget, seed, tuple(methods[budget]))
        for seed in seeds
        for budget in sorted(methods)
        for table in tables
    ]


def make_runs(
    unit: Unit, runs: Path, load: Callable[[], Table], evaluation: Mapping[str, Any], threads: int
) -> None:
    """Make what is missing of a unit, unless another process is at it."""
    folder = unit.folder(runs)
    with _held(folder) as is_ours:
        missing = unit.missing(runs) if is_ours else []
        if not missing:
            return
        data = load()
        # The F-score, however rare the positive class: tables are compared by one score.
        scoring = "f1" if len(np.unique(np.asarray(data.y))) == 2 else "f1_macro"
        while missing:
            # On an error the method that was running is passed over, and the others go on.
            done: list[str] = []

            def show(run: Run, done: list[str] = done) -> None:
                done.append(run["method"])
                print(_line(unit, run), file=sys.stderr, flush=True)

            try:
                document = compare(
                    data.X,
                    data.y,
                    test=data.test,
                    methods=missing,
                    budget=unit.budget,
                    seeds=[unit.seed],
                    keep=folder,
                    n_jobs=threads,
                    on_run=show,
                    scoring=scoring,
                    **evaluation,
                    **data.evaluation,
                ).document
            except OSError:  # a full disk is no method's fault
                raise
            except Exception as error:
                if len(done) == len(missing):
                    raise
                failed = missing[len(done)]
                why = f"{type(error).__name__}: {error}"
                print(f"{unit.table}, {unit.budget}: {failed} failed: {why}", file=sys.stderr)
                write_text(_note(folder, failed), why + "\n")
                missing = missing[len(done) + 1 :]
                continue
            size = {name: document[name] for name in ("n_rows", "n_features")}
            write_text(runs / unit.table / _ABOUT, json.dumps(size) + "\n")
            return


def kept_runs(plan: Sequence[Unit], runs: Path) -> tuple[Runs, list[str]]:
    """Read what was kept of a plan; also say what failed and why."""
    found: Runs = {}
    failed = []
    for unit in sorted(plan, key=lambda unit: (unit.budget, unit.seed)):
        folder = unit.folder(runs)
        for method in unit.methods:
            file, note = folder / f"{method}-{unit.seed}.json", _note(folder, method)
            if file.exists():
                by_table = found.setdefault(unit.budget, {}).setdefault(unit.table, {})
                by_table.setdefault(method, []).append(json.loads(file.read_text("utf-8")))
            elif note.exists():
                where = f"{unit.table}, {unit.budget} evaluations, seed {unit.seed}"
                failed.append(f"{method} on {where}: {note.read_text('utf-8').strip()}")
    return found, failed


def n_columns(table: str, runs: Path, found: Runs) -> int:
    """Count the encoded columns of a table; where that was not kept, the most of any run."""
    file = runs / table / _ABOUT
    if file.exists():
        return int(json.loads(file.read_text("utf-8"))["n_features"])
    known = [by_table.get(table, {}) for by_table in found.values()]
    kept = [run for by_method in known for mine in by_method.values() for run in mine]
    return max((run["n_features"] for run in kept), default=0)


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder; say whether it could be had. A killed process lets go of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _note(folder: Path, method: str) -> Path:
    return folder / f".{method}.failed"


def _line(unit: Unit, run: Run) -> str:
    models = run["models"].values()
    mean = sum(score["selected"] for score in models) / len(models)
    return (
        f"{unit.table}, {unit.budget}: {run['method']} seed {unit.seed}: models {mean:.4f}, "
        f"unseen {run['unseen']:.4f}, {run['n_features']} columns in {run['seconds']:.1f} s"
    )
