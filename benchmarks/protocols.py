"""NSL-KDD, searches under several protocols: their own scores and those on the test file.

A protocol says which rows evaluate the subsets, and how. Searches have the paper's sizes and the
default parameter groups. The selection of a search is scored once on the test file with the same
groups, without choosing parameters. Optimism is the score of the search minus that on the test
file, by the same scorer: the F-score, or AUC if AUC was the fitness. The usual protocols search the
whole training file; further protocols, which try to allow for the shift between the two files,
search its first fifth. Every search is saved in the folder that `--keep` names; run the same
command again to continue. The searches of `nffs reproduce nsl-kdd` are the same as those of the
first two protocols, and are taken from its folder.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _protocols import Data, protocols

from nffs import NFFS
from nffs.paper.reproduction import PAPER_SIZES

REPRODUCED = {"paper": "test", "holdout": "train"}


@dataclass(frozen=True)
class Study:
    """Searches of one table under several protocols."""

    name: str
    description: str
    part: float
    protocols: tuple[str, ...]


WHOLE = Study("whole", "whole training file", 1.0, ("paper", "holdout", "folds", "family-out"))
FIFTH = Study(
    "fifth",
    "first fifth of the training file",
    0.2,
    ("paper", "holdout", "folds", "difficulty", "auc", "pooled"),
)


def renamed(found: dict[str, Any]) -> dict[str, Any]:
    """Give a kept result with today's name of its score; earlier runs had another."""
    return {("score" if name == "believed" else name): value for name, value in found.items()}


class Searches:
    """Runs searches and keeps each in a file."""

    def __init__(self, data: Data, sizes: dict[str, int], folder: Path, threads: int) -> None:
        self.data, self.sizes, self.folder, self.threads = data, sizes, folder, threads
        self.f_score, self.auc = data.on_test("f1"), data.on_test("roc_auc")
        self.names = list(self.f_score.features.names)
        folder.mkdir(parents=True, exist_ok=True)

    def result(self, name: str, seed: int, reproduced: Path | None) -> dict[str, Any]:
        """Look a search up, or run it."""
        path = self.folder / f"{name}-{seed}.json"
        if not path.exists():
            theirs = reproduced and reproduced / f"{REPRODUCED.get(name)}-{seed}.json"
            if theirs and theirs.exists():
                found = renamed(json.loads(theirs.read_text(encoding="utf-8")))
            else:
                found = self.search(name, seed)
            nested = found["nested_fitness"]
            result = {
                "protocol": name,
                "seed": seed,
                "seconds": found["seconds"],
                "kept": self._scored(found["selected"], found["score"]),
                "one_se": self._scored(found["one_se"], nested[len(found["one_se"]) - 1]),
            }
            partial = path.with_suffix(".part")
            partial.write_text(json.dumps(result), encoding="utf-8")
            partial.replace(path)
        result = dict(json.loads(path.read_text(encoding="utf-8")))
        return {**result, **{name: renamed(result[name]) for name in ("kept", "one_se")}}

    def search(self, name: str, seed: int) -> dict[str, Any]:
        """Run one search."""
        protocol = protocols(seed)[name]
        given = {"evaluator": "paper", **self.sizes, **protocol.parameters}
        selector = NFFS(**given, n_jobs=self.threads, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector.fit(self.data.X, self.data.y, **self.data.fit_options(protocol.rows))
        return {
            "score": selector.fitness_,
            "selected": selector.selected_features_,
            "one_se": selector.one_se_features_,
            "nested_fitness": selector.nested_fitness_.tolist(),
            "seconds": selector.seconds_,
        }

    def _scored(self, selected: Sequence[str], score: float) -> dict[str, Any]:
        mask = np.isin(self.names, list(selected))
        return {
            "score": score,
            "f_score": self.f_score.score(mask),
            "auc": self.auc.score(mask),
            "features": int(mask.sum()),
        }

    def all_columns(self) -> dict[str, Any]:
        """Score no selection at all."""
        mask = np.ones(len(self.names), dtype=bool)
        score = self.data.evaluation(protocols()["folds"]).score(mask)
        return self._scored(self.names, score)


def _row(name: str, mine: list[dict[str, Any]], scoring: str = "f_score") -> list[str]:
    def spread(values: Any, form: str = ".3f") -> str:
        array = np.array(values, dtype=float)
        mean = f"{array.mean():{form}}"
        return mean if len(array) < 2 else f"{mean} ± {array.std(ddof=1):{form.lstrip('+')}}"

    return [
        name,
        str(len(mine)) if len(mine) > 1 else "-",
        spread([r["score"] for r in mine]),
        spread([r["f_score"] for r in mine]),
        spread([r["auc"] for r in mine]),
        spread([r["score"] - r[scoring] for r in mine], "+.3f"),
        spread([r["features"] for r in mine], ".1f"),
    ]


def _exceeds(scores: list[float], everything: dict[str, Any]) -> bool:
    array = np.array(scores)
    error = array.std(ddof=1) / np.sqrt(len(array)) if len(array) > 1 else np.inf
    return bool(array.mean() - everything["f_score"] > 2 * error)


def study(which: Study, options: Any) -> dict[str, Any]:
    """Run one study and print its table."""
    sizes = {"n_subsets": 24, "n_nested": 12} if options.quick else PAPER_SIZES
    n = options.searches or (2 if options.quick else 10)
    folder = options.keep / ("quick" if options.quick else "full") / which.name
    searches = Searches(Data(which.part), sizes, folder, options.threads)
    reproduced = None if options.quick or which is not WHOLE else options.reproduced
    # By seed, then protocol: a stopped run has about as many of each.
    jobs = [(seed, name) for seed in range(n) for name in which.protocols]
    found = [
        searches.result(name, seed, reproduced)
        for seed, name in progress(jobs, len(jobs), f"searches, {which.name}")
    ]
    everything = searches.all_columns()
    rows = [_row("no selection: all columns, 3 folds", [everything])]
    better = []
    for name in which.protocols:
        mine = [r for r in found if r["protocol"] == name]
        description = protocols()[name].description
        rows.append(
            _row(description, [r["kept"] for r in mine], "auc" if name == "auc" else "f_score")
        )
        if name != "paper" and _exceeds([r["kept"]["f_score"] for r in mine], everything):
            better.append(description)
        if name == "folds":
            rows.append(_row(f"{description}, smallest within one SE", [r["one_se"] for r in mine]))
    header = ["evaluated by", "searches", "score", "test F", "test AUC", "optimism", "features"]
    print(f"NSL-KDD, {which.description}; mean and standard deviation over searches\n")
    print(table(header, rows), end="\n\n")
    print(
        "Protocols on training rows whose selections beat all columns in the test file's F-score, "
        f"by two standard errors of the searches: {'; '.join(better) or 'none'}.\n"
    )
    return {"rows": rows, "searches": found}


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--searches", type=int, help="searches under each protocol (10)")
    arguments.add_argument("--only", choices=("whole", "fifth"), help="only this study")
    arguments.add_argument("--keep", type=Path, default=Path("bench/protocols"), help="folder")
    arguments.add_argument(
        "--reproduced",
        type=Path,
        default=Path("reproduction/nsl-kdd/full/searches"),
        help="where `nffs reproduce nsl-kdd` keeps its searches",
    )
    options = arguments.parse_args()
    save(
        options.json,
        {s.name: study(s, options) for s in (WHOLE, FIFTH) if options.only in (None, s.name)},
    )


if __name__ == "__main__":
    main()
