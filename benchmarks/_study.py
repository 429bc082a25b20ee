"""What the runs of the comparison study show: scores, ranks, and one method against its rivals.

A study may be unfinished. Ranks need a score of every method on every table, so methods that ran on
fewer than half of the tables are left out, and then the tables that lack one of the other methods.
Every table counts once, with the mean over the seeds that all methods have there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from _kept import Run
from _runs import Runs

from nffs.stability import nogueira
from nffs.validation.comparison.ranks import Margin, Ranks, compare_margins, compare_ranks

#: The method that the claims are about.
OURS = "guided"

ByTable = dict[str, dict[str, list[Run]]]


def models_score(run: Run) -> float:
    """Give the mean score of the deployed models on unseen rows; methods are ranked by it."""
    return float(np.mean([score["selected"] for score in run["models"].values()]))


def gain(run: Run) -> float:
    """Give what the selection adds to those models: their score minus that with all columns."""
    return float(np.mean([gain_of(run, model) for model in run["models"]]))


def gain_of(run: Run, model: str) -> float:
    """Give what the selection adds to one of those models."""
    score = run["models"][model]
    return float(score["selected"] - score["all_features"])


def unseen_score(run: Run) -> float:
    """Give the evaluator's own score on unseen rows."""
    return float(run["unseen"])


@dataclass(frozen=True)
class AtBudget:
    """All runs with one budget."""

    budget: int
    by_table: ByTable
    sizes: dict[str, int]  # encoded columns of every table

    @cached_property
    def methods(self) -> list[str]:
        """The methods that are ranked, from best to worst."""
        ran = self._often
        if not self.tables:
            return ran
        return [ran[i] for i in np.argsort(self._ranked.mean, kind="stable")]

    @cached_property
    def tables(self) -> list[str]:
        """The tables that are counted."""
        return [table for table in self.by_table if self._seeds(table, self._often)]

    @cached_property
    def left_out(self) -> dict[str, list[str]]:
        """What there are runs of that are not counted: methods and tables."""
        ever = {method for runs in self.by_table.values() for method in runs}
        return {
            "methods": sorted(ever - set(self._often)),
            "tables": [table for table in self.by_table if table not in self.tables],
        }

    @cached_property
    def n_seeds(self) -> tuple[int, int]:
        """The fewest and the most seeds of a table that is counted."""
        numbers = [len(self._seeds(table, self._often)) for table in self.tables]
        return min(numbers), max(numbers)

    @cached_property
    def models(self) -> list[str]:
        """The models that ranked the methods."""
        run = self.by_table[self.tables[0]][self.methods[0]][0]
        return list(run["models"])

    @cached_property
    def ranks(self) -> Ranks:
        """Mean ranks of `methods`, in their order, by the deployed models' score."""
        return compare_ranks(self.means(models_score))

    def means(self, measure: Callable[[Run], float]) -> np.ndarray:
        """Give a measure's mean over seeds: tables in rows, methods in columns."""
        return self._means(measure, self.methods)

    def shares(self) -> np.ndarray:
        """Give the share of the columns that is kept: tables in rows, methods in columns."""
        sizes = np.array([self.sizes[table] for table in self.tables])
        return self.means(lambda run: run["n_features"]) / sizes[:, None]

    def stability(self) -> np.ndarray:
        """Give Nogueira's measure over the seeds of a table; nan where a table has one seed."""
        return np.array(
            [
                [self._stability(table, method) for method in self.methods]
                for table in self.tables
            ]
        )  # fmt: skip

    def differences(self, measure: Callable[[Run], float], rival: str) -> dict[str, float]:
        """Give ours minus a rival's, on every table that has both, over the seeds of both."""
        found = {}
        for table, runs in self.by_table.items():
            seeds = self._seeds(table, [OURS, rival])
            if seeds:
                ours, theirs = (_mean(runs[name], seeds, measure) for name in (OURS, rival))
                found[table] = ours - theirs
        return found

    def margins(self, measure: Callable[[Run], float]) -> dict[str, Margin]:
        """Test ours against every rival."""
        rivals = [method for method in self.methods if method != OURS]
        differences = {rival: self.differences(measure, rival) for rival in rivals}
        return compare_margins({r: list(d.values()) for r, d in differences.items() if d})

    @cached_property
    def _often(self) -> list[str]:
        ever = dict.fromkeys(method for runs in self.by_table.values() for method in runs)
        half = len(self.by_table) / 2
        return [m for m in ever if sum(m in runs for runs in self.by_table.values()) >= half]

    @cached_property
    def _ranked(self) -> Ranks:
        return compare_ranks(self._means(models_score, self._often))

    def _means(self, measure: Callable[[Run], float], methods: Sequence[str]) -> np.ndarray:
        rows = []
        for table in self.tables:
            seeds, runs = self._seeds(table, self._often), self.by_table[table]
            rows.append([_mean(runs[method], seeds, measure) for method in methods])
        return np.array(rows)

    def _seeds(self, table: str, methods: Sequence[str]) -> set[int]:
        runs = self.by_table[table]
        return set.intersection(*({run["seed"] for run in runs.get(m, ())} for m in methods))

    def _stability(self, table: str, method: str) -> float:
        chosen = [set(run["features"]) for run in self.by_table[table][method]]
        if len(chosen) < 2:
            return float("nan")
        # Columns that were never selected count as well, whatever they are called.
        ever = sorted(set().union(*chosen))
        unnamed = [False] * max(0, self.sizes[table] - len(ever))
        return float(nogueira([[name in c for name in ever] + unnamed for c in chosen]).value)


def study_of(runs: Runs, sizes: dict[str, int]) -> list[AtBudget]:
    """Give the budgets that have something to compare, from small to large."""
    made = [AtBudget(budget, by_table, sizes) for budget, by_table in sorted(runs.items())]
    return [at for at in made if len(at.tables) > 0 and len(at.methods) > 1]


def score_by_budget(study: Sequence[AtBudget]) -> tuple[list[str], dict[str, list[float]]]:
    """Give the mean gain of the methods that have all budgets, over the tables that all have."""
    tables = [t for t in study[-1].tables if all(t in at.tables for at in study)]
    methods = [m for m in study[-1].methods if all(m in at.methods for at in study)]
    found: dict[str, list[float]] = {method: [] for method in methods}
    for at in study if tables else ():
        places = [at.tables.index(table) for table in tables]
        mean = at.means(gain)[places].mean(axis=0)
        for method in methods:
            found[method].append(float(mean[at.methods.index(method)]))
    return tables, found


def curves(at: AtBudget, points: np.ndarray) -> dict[str, np.ndarray]:
    """Give the best score so far minus that of all columns, after some evaluations, in the mean.

    It is the score that the searches see. Tables without a run of `all` are left out.
    """
    found: dict[str, list[np.ndarray]] = {method: [] for method in at.methods if method != "all"}
    for table in at.tables:
        runs = at.by_table[table]
        base = {run["seed"]: run["score"] for run in runs.get("all", ())}
        for method in found if base else ():
            mine = [run for run in runs[method] if run["seed"] in base]
            found[method].append(
                np.mean([_at(run["curve"], points) - base[run["seed"]] for run in mine], axis=0)
            )
    return {method: np.mean(values, axis=0) for method, values in found.items() if values}


def _at(curve: list[list[float]], points: np.ndarray) -> np.ndarray:
    rises, values = np.transpose(curve)
    found: np.ndarray = values[np.searchsorted(rises, points, side="right") - 1]
    return found


def _mean(runs: Sequence[Run], seeds: set[int], measure: Callable[[Run], Any]) -> float:
    return float(np.mean([measure(run) for run in runs if run["seed"] in seeds]))
