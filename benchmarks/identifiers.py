"""A random identifier of 5,000 categories among informative columns, in four encodings.

The table has 10,000 rows, six columns of numbers (three of which the label depends on) and an
identifier that is drawn at random for every row, some identifiers often and most rarely, so it
tells nothing about other rows. A search selects from these rows; another 5,000 rows, of the same
identifiers, are unseen. "cluster" is `categories="cluster"`. "one-hot" is the default, which merges
all but 199 categories at most. "one-hot, all" is `max_categories=None`. It is so slow that it runs
last, with one seed, and that its search is ended after two processor minutes: a whole search would
take more than its "seconds". If it has no row, it has not been run yet. "target means" replaces
every identifier by the mean label of its training rows before the search, as is often done.

"Selected" counts the searches that select a column made from the identifier, "of it" is how many
such columns a selection has, and "score" is the score that the search reports. "Unseen" is the
F-score of logistic regression, trained with the selection, on the unseen rows; logistic regression
also evaluates the subsets. Every run is saved in the folder that `--keep` names; run the same
command again to continue.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _common import parser, progress, save, table

from nffs import NFFS, StopSearch
from nffs.atomic import write_text
from nffs.validation import score_models

TRAIN, UNSEEN, CATEGORIES, NUMBERS, SIGNALS = 10_000, 5_000, 5_000, 6, 3
WAYS: dict[str, dict[str, Any]] = {
    "cluster": {"categories": "cluster"},
    "one-hot": {},
    "one-hot, all": {"max_categories": None},
    "target means": {},
}
#: The way that is slow, its seeds, and the processor seconds after which its search ends.
SLOW, FEW, LIMIT = "one-hot, all", 1, 120.0
SEARCH: dict[str, Any] = {
    "n_subsets": 16, "n_nested": 5, "evaluator": "logistic", "scoring": "f1", "choose": "best",
}  # fmt: skip


def draw(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw training and unseen rows, one after the other."""
    rng = np.random.default_rng(seed)
    n = TRAIN + UNSEEN
    numbers = rng.normal(size=(n, NUMBERS))
    y = numbers[:, :SIGNALS].sum(axis=1) + rng.normal(scale=2.0, size=n) > 0
    X = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(NUMBERS)])
    often = 1.0 / (np.arange(CATEGORIES) + 100.0)
    drawn = rng.choice(CATEGORIES, size=n, p=often / often.sum())
    X["id"] = [f"user-{number}" for number in drawn]
    return X, y.astype(np.int64)


def with_target_means(X: pd.DataFrame, y: np.ndarray) -> pd.DataFrame:
    """Replace every identifier by the mean label of its training rows."""
    means = pd.Series(y[:TRAIN]).groupby(X["id"][:TRAIN].to_numpy()).mean()
    return X.assign(id=X["id"].map(means).fillna(y[:TRAIN].mean()))


class ProcessorBudget:
    """Ends a search after some processor seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    def __call__(self, progress: Any) -> None:
        """Look at the time."""
        if time.process_time() > self._end:
            raise StopSearch


def run(way: str, seed: int, threads: int) -> dict[str, Any]:
    """Search in one of the ways and score the models."""
    X, y = draw(seed)
    if way == "target means":
        X = with_target_means(X, y)
    train, unseen = slice(TRAIN), slice(TRAIN, None)
    limits = [ProcessorBudget(LIMIT)] if way == SLOW else []
    parameters = {**SEARCH, **WAYS[way], "callbacks": limits}
    selector = NFFS(**parameters, random_state=seed, n_jobs=threads)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X[train], y[train])
        seconds = time.perf_counter() - started
        rows = (X[train], y[train], X[unseen], y[unseen])
        found = score_models(selector, *rows, models=["logistic"], n_jobs=threads)
    made = [c.column == "id" for c in selector.encoding_.columns]
    return {
        "columns": len(made),
        "of_it": int(np.sum(selector.support_ & np.array(made))),
        "score": selector.fitness_,
        "unseen": float(np.mean([m.selected for m in found.models])),
        "all": float(np.mean([m.all_features for m in found.models])),
        "seconds": seconds,
    }


def line(way: str, found: list[dict[str, Any]]) -> list[str]:
    """Give a line of the table: means over the seeds."""
    mean = {key: float(np.mean([run[key] for run in found])) for key in found[0]}
    return [
        way,
        str(len(found)),
        str(sum(run["of_it"] > 0 for run in found)),
        f"{mean['of_it']:.1f}",
        f"{mean['columns']:.0f}",
        f"{mean['score']:.3f}",
        f"{mean['unseen']:.3f}",
        f"{mean['seconds']:.1f}",
    ]


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--seeds", type=int, default=20)
    made.add_argument("--keep", type=Path, default=Path("bench/identifiers"))
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    n_seeds = 1 if options.quick else options.seeds
    options.keep.mkdir(parents=True, exist_ok=True)
    asked = [(way, seed) for seed in range(n_seeds) for way in WAYS if way != SLOW]
    asked += [] if options.quick else [(SLOW, seed) for seed in range(FEW)]
    runs: dict[str, list[dict[str, Any]]] = {}
    for way, seed in progress(asked, len(asked), "identifiers"):
        file = options.keep / f"{way.replace(', ', '-').replace(' ', '-')}-{seed}.json"
        if not file.exists() and not options.kept:
            write_text(file, json.dumps(run(way, seed, options.threads)) + "\n")
        if file.exists():
            runs.setdefault(way, []).append(json.loads(file.read_text("utf-8")))
    rows = [line(way, runs[way]) for way in WAYS if way in runs]
    header = ["encoding", "seeds", "selected", "of it", "columns", "score", "unseen", "seconds"]
    print(f"{TRAIN:,} rows, an identifier of {CATEGORIES:,} categories; means over seeds\n")
    print(table(header, rows))
    save(options.json, {"rows": rows, "runs": runs})


if __name__ == "__main__":
    main()
