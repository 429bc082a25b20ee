"""Whether a selection that may see the new rows, without their labels, does better on them.

NSL-KDD's test file has attacks that its training file lacks. Every protocol searches the first
fifth of the training file (60 drawn and 70 nested subsets, the paper's evaluator, 3 folds) and may
use the rows of the test file, but none of its labels; the labels score each selection once, at the
end. "Folds alone" uses nothing of the test file. The others add: means, scales and components from
both files; self-training; training and evaluation rows weighted by how much they look like the test
file; and "all three". "Minus new" is another idea, which is not in the library: the fitness of a
subset is its score in the folds minus the AUC of a classifier that tells old rows from new ones by
the same columns.

"Test F" and "test AUC" score the selections by plain forests, trained on the training rows alone.
"Adapted F" is the F-score of forests that also use the test rows, as the search did. In the lines
"all columns" nothing is selected. "Gain" is test F minus that of all columns and "over folds" minus
that of folds alone with the same seed, with 95 % intervals of the mean over searches; these are not
corrected for the number of protocols tried. "Seconds" are by the clock of a busy machine, on which
some searches were paused. Every search is saved in the folder that `--keep` names; run the same
command again to continue.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _new_rows import PROTOCOLS, Search
from _protocols import Data
from scipy.stats import t as student

from nffs.atomic import write_text

KEPT = Path(__file__).parent / "kept" / "unlabelled" / "nsl-kdd.json"

#: A third of the paper's drawn subsets, and all of its nested ones.
SIZES = {"n_subsets": 60, "n_nested": 70}

#: Without a search: the columns of every protocol are all columns.
ALL = "all"


class Study:
    """Runs searches and scores what they select."""

    def __init__(self, sizes: dict[str, int], threads: int) -> None:
        self.data, self.sizes, self.threads = Data(0.2), sizes, threads
        self.plain = {s: self.data.on_test(s) for s in ("f1", "roc_auc")}
        self.names = list(self.plain["f1"].features.names)
        self._adapted: dict[str, Any] = {}

    def search(self, protocol: str, seed: int) -> Search:
        """Make a search under a protocol."""
        return Search.under(
            protocol, evaluator="paper", cv=3, random_state=seed, n_jobs=self.threads, **self.sizes
        )

    def run(self, protocol: str, seed: int) -> dict[str, Any]:
        """Search, and score the selection."""
        made = self.search(protocol, seed).select(self.data.X, self.data.y, self.data.test[0])
        mask = np.isin(self.names, made.selected_features_)
        return {
            "score": made.fitness_,
            "seconds": made.seconds_,
            "told": made.told,
            **self.scored(protocol, mask),
        }

    def scored(self, protocol: str, mask: np.ndarray) -> dict[str, Any]:
        """Score columns on the test file, by plain models and by those of a protocol."""
        if protocol not in self._adapted:
            asked = self.search(protocol, 0)
            rows = (self.data.X, self.data.y, *self.data.test)
            self._adapted[protocol] = asked.on_new(*rows, "f1")
        return {
            "f_score": self.plain["f1"].score(mask),
            "auc": self.plain["roc_auc"].score(mask),
            "adapted": self._adapted[protocol].score(mask),
            "features": int(mask.sum()),
            "selected": np.packbits(mask).tobytes().hex(),
        }

    def everything(self, protocol: str) -> dict[str, Any]:
        """Score all columns."""
        mask = np.ones(len(self.names), dtype=bool)
        score = self.search(protocol, 0).evaluation(self.data.X, self.data.y).score(mask)
        return {"score": score, "seconds": 0.0, **self.scored(protocol, mask)}


def interval(values: np.ndarray) -> str:
    """Write a mean and its 95 % interval; nothing of fewer than three values."""
    if len(values) < 3:
        return "-"
    wide = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
    return f"{values.mean():+.3f} [{values.mean() - wide:+.3f}, {values.mean() + wide:+.3f}]"


def line(
    name: str, found: list[dict[str, Any]], whole: float, folds: Sequence[float] = ()
) -> list[str]:
    """Give a line of the table: means and standard deviations over the searches."""

    def spread(key: str, form: str = ".3f") -> str:
        array = np.array([run[key] for run in found])
        error = f" ± {array.std(ddof=1):{form}}" if len(array) > 1 else ""
        return f"{array.mean():{form}}{error}"

    test = np.array([run["f_score"] for run in found])
    over = test[: len(folds)] - np.array(folds[: len(test)])
    return [
        name,
        str(len(found)) if len(found) > 1 else "-",
        spread("score"),
        spread("f_score"),
        spread("auc"),
        spread("adapted"),
        interval(test - whole),
        interval(over) if over.any() else "-",
        spread("features", ".1f"),
        spread("seconds", ".0f") if len(found) > 1 else "-",
    ]


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--searches", type=int, default=10, help="searches under each protocol")
    made.add_argument("--keep", type=Path, default=KEPT, help="the JSON file of all runs")
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    sizes = {"n_subsets": 12, "n_nested": 6} if options.quick else SIZES
    n = 2 if options.quick else options.searches
    file = options.keep.with_suffix(".quick.json") if options.quick else options.keep
    file.parent.mkdir(parents=True, exist_ok=True)
    runs = json.loads(file.read_text("utf-8")) if file.exists() else {}
    # By seed, then protocol: a stopped run has about as many of each.
    asked = [(ALL, name, 0) for name in PROTOCOLS]
    asked += [("search", name, seed) for seed in range(n) for name in PROTOCOLS]
    study: Study | None = None
    for what, name, seed in progress(asked, len(asked), "searches"):
        key = f"{what} {name} {seed}"
        if key in runs or options.kept:
            continue
        study = study or Study(sizes, options.threads)
        runs[key] = study.everything(name) if what == ALL else study.run(name, seed)
        write_text(file, json.dumps(runs, indent=1) + "\n")
    whole = runs[f"{ALL} folds 0"]["f_score"]
    rows = [
        line(f"all columns, {said.removeprefix('+ ')}", [runs[f"{ALL} {name} 0"]], whole)
        for name, (said, uses) in PROTOCOLS.items()
        if uses or name == "folds"
    ]
    folds = [runs[k]["f_score"] for s in range(n) if (k := f"search folds {s}") in runs]
    for name, (said, _) in PROTOCOLS.items():
        found = [runs[k] for s in range(n) if (k := f"search {name} {s}") in runs]
        rows += [line(said, found, whole, folds)] if found else []
    header = [
        "evaluated by", "searches", "score", "test F", "test AUC", "adapted F", "gain",
        "over folds", "features", "seconds",
    ]  # fmt: skip
    print("NSL-KDD, first fifth of the training file; mean and standard deviation over searches\n")
    print(table(header, rows))
    if any(f"search {name} {seed}" not in runs for name in PROTOCOLS for seed in range(n)):
        print(f"\nOf the {n} searches of each protocol only those counted here were run so far.")
    save(options.json, {"rows": rows, "runs": runs})


if __name__ == "__main__":
    main()
