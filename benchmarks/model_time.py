"""How much of a guided search is spent in its model: the method's own share of the whole time.

The method's own time is what it takes to decide on the next round from the scores of the last one,
without the time to evaluate subsets. The rankings of features that it computes before its first
round are counted separately. The whole search is all of `fit`: reading, encoding, mutual
information, evaluations and the model. The evaluator is the default one, on one thread. Times are
processor seconds of the whole process, which other programs on the machine affect little; with
more threads the evaluations take less time by the clock, and the model about as long.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from _common import nsl_kdd_frames, parser, progress, save, table
from _suite import ALL_TABLES
from sklearn.datasets import make_classification

from nffs import Selector
from nffs.atomic import write_text
from nffs.methods import METHODS, Method, SearchSpace
from nffs.search.method import Proposals

BUDGETS = (250, 1000)


@dataclass(frozen=True)
class Timed(Method):
    """A method that notes the seconds it takes to decide on each of its rounds."""

    method: Method
    spent: list[float] = field(default_factory=list, compare=False)

    # its random numbers are those of the method by this name
    name: ClassVar[str] = "guided"
    description: ClassVar[str] = "the guided search, timed"
    source: ClassVar[str] = "this benchmark"

    def phases(self, n_features: int, budget: int) -> dict[str, int]:
        """Give those of the method."""
        return self.method.phases(n_features, budget)

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Pass on what the method proposes."""
        proposals, found = self.method.propose(space, rng, budget), None
        while True:
            started = time.process_time()
            try:
                round_ = next(proposals) if found is None else proposals.send(found)
            except StopIteration as stop:
                return stop.value
            finally:
                self.spent.append(time.process_time() - started)
            found = yield round_


def of_suite(name: str) -> tuple[Any, Any]:
    """Read one of the comparison's tables."""
    data = ALL_TABLES[name]()
    return data.X, np.asarray(data.y)


def spambase_sized(n_rows: int = 4601) -> tuple[Any, Any]:
    """Make a table of spambase's size."""
    return make_classification(
        n_rows, 57, n_informative=20, n_redundant=15, flip_y=0.05, random_state=0
    )


TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "wine": lambda: of_suite("wine"),
    "spambase-sized": spambase_sized,
    "nsl-kdd": lambda: nsl_kdd_frames()[:2],
    "golub": lambda: of_suite("golub"),
}
QUICK_TABLES = {"wine": TABLES["wine"], "spambase-sized": lambda: spambase_sized(400)}


def measure(X: Any, y: Any, budget: int, threads: int) -> dict[str, Any]:
    """Search once, and say where the time went."""
    method = Timed(METHODS["guided"]())
    selector = Selector(method, max_evaluations=budget, random_state=0, n_jobs=threads)
    started = time.process_time()
    selector.fit(X, y)
    seconds = time.process_time() - started
    first, *rounds = method.spent
    return {
        "rows": len(y),
        "columns": len(selector.features_),
        "evaluations": len(selector.archive_fitness_),
        "seconds": seconds,
        "before": first,
        "model": sum(rounds),
        "share": sum(rounds) / seconds,
        "rounds": len(rounds),
        "longest": max(rounds),
    }


def kept_or_measured(name: str, budget: int, options: Any) -> dict[str, Any] | None:
    """Give what was measured before, or measure it and keep it."""
    folder = options.keep / ("quick" if options.quick else "full")
    file = folder / f"{name}-{budget}.json"
    if not file.exists():
        if options.kept:
            return None
        load = (QUICK_TABLES if options.quick else TABLES)[name]
        folder.mkdir(parents=True, exist_ok=True)
        found = {"table": name, **measure(*load(), budget, options.threads)}
        write_text(file, json.dumps(found) + "\n")
    kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return kept


def main() -> None:
    made = parser(__doc__ or "")
    made.set_defaults(threads=1)
    made.add_argument("--data", nargs="+", choices=list(TABLES), metavar="NAME", help="only these")
    made.add_argument("--budgets", nargs="+", type=int, metavar="N", help="evaluations")
    made.add_argument("--keep", type=Path, default=Path("bench/model_time"), help="folder of runs")
    made.add_argument("--kept", action="store_true", help="run nothing, summarize what was kept")
    options = made.parse_args()
    tables = QUICK_TABLES if options.quick else TABLES
    budgets = options.budgets or ((20, 40) if options.quick else BUDGETS)
    jobs = [(name, budget) for name in options.data or tables for budget in budgets]
    if not options.kept:
        measure(*QUICK_TABLES["wine"](), 20, 1)  # kernels are compiled
    runs = [
        (*job, kept_or_measured(*job, options)) for job in progress(jobs, len(jobs), "searches")
    ]
    found = [run for *_, run in runs if run is not None]
    for name, budget, run in runs:
        if run is None:
            print(f"Not measured yet: {name} with {budget} evaluations.")
    header = [
        "table", "size", "evaluations", "search, s", "before, s", "model, s", "share",
        "a round, s", "longest, s",
    ]  # fmt: skip
    rows = [
        [
            row["table"],
            f"{row['rows']} x {row['columns']}",
            row["evaluations"],
            f"{row['seconds']:.1f}",
            f"{row['before']:.2f}",
            f"{row['model']:.2f}",
            f"{row['share']:.1%}",
            f"{row['model'] / row['rounds']:.3f}",
            f"{row['longest']:.3f}",
        ]
        for row in found
    ]
    print(table(header, rows))
    save(options.json, {"searches": found})


if __name__ == "__main__":
    main()
