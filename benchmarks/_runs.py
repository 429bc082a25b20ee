"""The runs of the comparison study: which there are, how they are made, where they are saved.

A run is one method on one table with one budget and one seed. If a method fails, the reason is
saved instead, and the run is not tried again by the same code. A process locks the table on which
it makes runs; other processes continue with the next table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from _kept import KeptRuns, Run
from _tables import Table

from nffs import Selector
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

#: Runs by budget, table and method, in the order of their seeds.
Runs = dict[int, dict[str, dict[str, list[Run]]]]


@dataclass(frozen=True)
class Unit:
    """The runs that are made together: they share the rows of a table and a seed."""

    table: str
    budget: int
    seed: int
    methods: tuple[str, ...]

    def missing(self, kept: KeptRuns) -> list[str]:
        """Name the methods that have neither run nor failed with the code of today."""
        mine = {run["method"] for run in kept.todays(self.table) if self.has(run)}
        return [name for name in self.methods if name not in mine]

    def has(self, run: Run) -> bool:
        """Say whether a run on its table is one of its own."""
        is_here = (run["budget"], run["seed"]) == (self.budget, self.seed)
        return is_here and run["method"] in self.methods


@dataclass(frozen=True)
class Covered:
    """How much there is of a budget and a seed."""

    budget: int
    seed: int
    runs: int
    planned: int
    tables: int  # on which every method has run
    planned_tables: int


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


def make_runs(unit: Unit, kept: KeptRuns, load: Callable[[], Table], threads: int) -> None:
    """Make what is missing of a unit, unless another process is at its table."""
    with kept.held(unit.table) as is_ours:
        missing = unit.missing(kept) if is_ours else []
        if not missing:
            return
        data = load()
        # The F-score, however rare the positive class: tables are compared by one score.
        scoring = "f1" if len(np.unique(np.asarray(data.y))) == 2 else "f1_macro"
        n_columns = kept.n_columns(unit.table) or _count_columns(data, kept.evaluation)
        while missing:
            # On an error the method that was running is passed over, and the others go on.
            done: list[str] = []

            def keep(run: Run, done: list[str] = done) -> None:
                done.append(run["method"])
                kept.add(unit.table, unit.budget, n_columns, run)
                print(_line(unit, run), file=sys.stderr, flush=True)

            try:
                compare(
                    data.X,
                    data.y,
                    test=data.test,
                    methods=missing,
                    budget=unit.budget,
                    seeds=[unit.seed],
                    n_jobs=threads,
                    on_run=keep,
                    scoring=scoring,
                    **kept.evaluation,
                    **data.evaluation,
                )
            except OSError:  # a full disk is no method's fault
                raise
            except Exception as error:
                if len(done) == len(missing):
                    raise
                failed = missing[len(done)]
                why = f"{type(error).__name__}: {error}"
                print(f"{unit.table}, {unit.budget}: {failed} failed: {why}", file=sys.stderr)
                kept.add_failed(unit.table, unit.budget, unit.seed, failed, why)
                missing = missing[len(done) + 1 :]
                continue
            return


def kept_runs(plan: Sequence[Unit], kept: KeptRuns) -> tuple[Runs, list[str]]:
    """Read what was kept of a plan; also say what failed and why."""
    found: Runs = {}
    failed = []
    todays = {unit.table: kept.todays(unit.table) for unit in plan}
    for unit in sorted(plan, key=lambda unit: (unit.budget, unit.seed)):
        mine = {run["method"]: run for run in todays[unit.table] if unit.has(run)}
        for method in unit.methods:
            run = mine.get(method, {})
            if "score" in run:
                by_table = found.setdefault(unit.budget, {}).setdefault(unit.table, {})
                by_table.setdefault(method, []).append(run)
            elif run:
                where = f"{unit.table}, {unit.budget} evaluations, seed {unit.seed}"
                failed.append(f"{method} on {where}: {run['failed']}")
    return found, failed


def coverage(plan: Sequence[Unit], kept: KeptRuns) -> list[Covered]:
    """Count the runs of a plan that there are, budget by budget and seed by seed."""
    todays = {unit.table: kept.todays(unit.table) for unit in plan}
    found = []
    for budget, seed in sorted({(unit.budget, unit.seed) for unit in plan}):
        mine = [unit for unit in plan if (unit.budget, unit.seed) == (budget, seed)]
        made = [sum(unit.has(run) for run in todays[unit.table]) for unit in mine]
        whole = sum(n == len(unit.methods) for n, unit in zip(made, mine, strict=True))
        planned = sum(len(unit.methods) for unit in mine)
        found.append(Covered(budget, seed, sum(made), planned, whole, len(mine)))
    return found


def of_other_code(plan: Sequence[Unit], kept: KeptRuns) -> Counter[str]:
    """Count the kept runs of a plan that were made by other code, by method."""
    runs = {unit.table: kept.runs(unit.table) for unit in plan}
    return Counter(
        run["method"]
        for unit in plan
        for run in runs[unit.table]
        if unit.has(run) and not kept.is_todays(run)
    )


def _count_columns(data: Table, evaluation: Mapping[str, Any]) -> int:
    """Count the encoded columns of a table, all its rows taken together."""
    selector = Selector("all", unit="category", **evaluation, **data.evaluation)
    return len(selector.evaluation(data.X, data.y, eval_set=data.test).encoding.names)


def _line(unit: Unit, run: Run) -> str:
    models = run["models"].values()
    mean = sum(score["selected"] for score in models) / len(models)
    return (
        f"{unit.table}, {unit.budget}: {run['method']} seed {unit.seed}: models {mean:.4f}, "
        f"unseen {run['unseen']:.4f}, {run['n_features']} columns in {run['seconds']:.1f} s"
    )
