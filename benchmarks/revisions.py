"""Is this revision as fast as another one? One subset and one search of NSL-KDD, in turns.

`--base` names another checkout. Both revisions run in processes of their own that take turns, so
that other work on the machine slows both alike. Every process compiles its kernels, or reads them
from disk, before its clock starts. One subset: half of the columns, four groups of 100 trees, one
thread. The search: the paper's size, evaluated on the test file. Ratios are this revision's time
over the other's, for the minima and the medians, in elapsed and in processor seconds. Processes of
the very same code differ by some per cent. The last column shows by how much: it is the ratio of
the minima of every other process of the base to those of the rest. A ratio that is no further from
1 than this one says nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from _common import drawn_subset, nsl_kdd, nsl_kdd_frames, parser, progress, save, table
from threadpoolctl import threadpool_limits

import nffs
from nffs import NFFS

HERE = Path(__file__).resolve().parents[1]
DEPTHS = (2, 8, 16, None)
#: How much slower this revision may be.
ALLOWED = 0.03
#: Processes of each checkout: with --quick, and without.
TURNS = {"one subset": (4, 12), "search": (4, 5)}
CLOCKS = {"seconds": time.perf_counter, "processor seconds": time.process_time}


def groups(n_trees: int) -> list[dict[str, Any]]:
    """Give the parameter groups."""
    return [{"n_estimators": n_trees, "max_depth": depth} for depth in DEPTHS]


def first_of(*places: str) -> Any:
    """Import from the first place of `nffs.fitness` that exists: modules move between revisions."""
    for place in places:
        module, name = place.split(":")
        try:
            return getattr(import_module(f"nffs.fitness.{module}"), name)
        except (ImportError, AttributeError):
            continue
    sys.exit(f"{nffs.__file__}: nffs.fitness has none of {', '.join(places)}")


def one_subset() -> Callable[[], Any]:
    """Prepare the evaluation of one subset; what is given back does it, stage by stage."""
    projection_of = first_of("forest.projection:Projection", "projection:Projection")
    find_bins = first_of("forest.binning:find_bins", "binning:find_bins")
    training_rows = first_of("forest.training:TrainingRows", "training:TrainingRows")
    grow_and_predict = first_of("forest.forest:grow_and_predict", "forest:judge_groups")
    X, y, n = nsl_kdd()
    mask = drawn_subset(X.shape[1], 0.5, 0)
    projection = projection_of(X, np.arange(n), np.arange(n, len(X)), 0.93)

    def evaluate() -> Any:
        with threadpool_limits(1, user_api="blas"):
            train, evaluation = projection.project(mask)
            rows = training_rows(train, find_bins(train), y[:n], 2)
            return grow_and_predict(rows, evaluation, groups(100), seed=0).sum(axis=1).tolist()

    return evaluate


def search(quick: bool, threads: int) -> Callable[[], Any]:
    """Prepare a search; what is given back runs it."""
    n_trees, n_subsets, n_nested = (20, 24, 12) if quick else (100, 180, 70)
    X, y, X_test, y_test = nsl_kdd_frames()

    def selector(n_subsets: int, n_nested: int, n_trees: int) -> NFFS:
        # Before there were evaluators, it was what the paper's is now.
        paper = {"evaluator": "paper"} if "evaluator" in NFFS().get_params() else {}
        return NFFS(
            **paper,
            n_subsets=n_subsets,
            n_nested=n_nested,
            param_groups=groups(n_trees),
            n_jobs=threads,
            random_state=0,
        )

    def run() -> Any:
        found = selector(n_subsets, n_nested, n_trees).fit(X, y, eval_set=(X_test, y_test))
        return [found.fitness_, found.selected_features_]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector(3, 1, 1).fit(X[:2000], y[:2000])
    return run


def measure(what: str, options: Any) -> dict[str, Any]:
    """Measure in this process, with the nffs that it imports."""
    if what == "one subset":
        run, repeats = one_subset(), 3
        run()  # compiled, or read from disk
    else:
        run, repeats = search(options.quick, options.threads), 1
    times: dict[str, list[float]] = {clock: [] for clock in CLOCKS}
    for _ in range(repeats):
        before = {name: clock() for name, clock in CLOCKS.items()}
        answer = run()
        for name, clock in CLOCKS.items():
            times[name].append(clock() - before[name])
    return {"imported": nffs.__file__, "answer": answer, **times}


def measured(checkout: Path, what: str, options: Any) -> dict[str, Any]:
    """Measure a checkout in a process of its own."""
    command = [sys.executable, str(Path(__file__)), "--one", what]
    command += ["--threads", str(options.threads)] + (["--quick"] if options.quick else [])
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    output = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout
    found: dict[str, Any] = json.loads(output.splitlines()[-1])
    if not Path(found["imported"]).is_relative_to(checkout):
        sys.exit(f"{checkout}: its process imported {found['imported']}; has it a src/nffs?")
    return found


def compared(what: str, options: Any) -> dict[str, Any]:
    """Let both checkouts take turns.

    Gives the times of every process, by clock and checkout, and whether all answers are equal.
    """
    checkouts = {"this": HERE, "base": options.base.resolve()}
    turns = options.turns or TURNS[what][0 if options.quick else 1]
    times: dict[str, Any] = {clock: {name: [] for name in checkouts} for clock in CLOCKS}
    answers = []
    # base, this, this, base, ...: neither is always the first
    order = [name for i in range(turns) for name in sorted(checkouts, reverse=bool(i % 2))]
    for name in progress(order, len(order), what):
        found = measured(checkouts[name], what, options)
        answers.append(found["answer"])
        for clock in CLOCKS:
            times[clock][name].append(found[clock])
    return {"times": times, "same": all(answer == answers[0] for answer in answers)}


@dataclass(frozen=True)
class Ratios:
    """The times of both checkouts by one clock, a list for every process."""

    this: list[list[float]]
    base: list[list[float]]

    @property
    def minima(self) -> float:
        """Least time of this checkout over that of the base."""
        return least(self.this) / least(self.base)

    @property
    def itself(self) -> float:
        """The same of two halves of the base's processes."""
        return least(self.base[::2]) / least(self.base[1::2])

    def row(self) -> list[Any]:
        """Give a row of the table."""
        this, base = (list(chain(*times)) for times in (self.this, self.base))
        return [
            len(this), min(base), min(this), self.minima,
            median(base), median(this), median(this) / median(base), self.itself,
        ]  # fmt: skip

    def verdict(self) -> str:
        """Say whether this checkout is slower, give or take what the base differs from itself."""
        noise = abs(self.itself - 1)
        low, high = self.minima / (1 + noise), self.minima * (1 + noise)
        answer = "cannot say whether slower"
        if high <= 1 + ALLOWED or low > 1 + ALLOWED:
            answer = "not slower" if high <= 1 + ALLOWED else "SLOWER"
        return (
            f"{answer} than before by more than {ALLOWED:.0%} (ratio of the minima "
            f"{self.minima:.3f}; the base differs from itself by {noise:.1%})"
        )


def least(times: list[list[float]]) -> float:
    """Give the least time of all processes."""
    return min(chain(*times))


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--base", type=Path, metavar="FOLDER", help="the other checkout")
    arguments.add_argument("--turns", type=int, help="processes of each checkout, at least 2")
    arguments.add_argument("--one", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options)))
        return
    if options.base is None:
        arguments.error("--base FOLDER: name another checkout")
    if options.turns is not None and options.turns < 2:
        arguments.error("--turns: two at least, to set the base against itself")
    rows, figures, sentences = [], {}, []
    for what in TURNS:
        figures[what] = found = compared(what, options)
        ratios = {clock: Ratios(**times) for clock, times in found["times"].items()}
        rows += [[f"{what}, {clock}", *ratio.row()] for clock, ratio in ratios.items()]
        same = "the same" if found["same"] else "OTHER"
        sentences.append(f"{what}: {ratios['seconds'].verdict()}; {same} answers.")
    size = "24 and 12 subsets of 20 trees" if options.quick else "180 and 70 subsets of 100 trees"
    print(f"NSL-KDD; the search has {size}, {options.threads} threads\n")
    header = [
        "", "times each", "base min", "this min", "ratio", "base median", "this median", "ratio",
        "base itself",
    ]  # fmt: skip
    print(table(header, rows))
    print("\n" + "\n".join(sentences))
    save(options.json, figures)


if __name__ == "__main__":
    main()
