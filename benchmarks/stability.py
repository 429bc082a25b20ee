"""NSL-KDD: how stable selections are over seeds, and what more subsets or repeated searches gain.

Every search uses the first fifth of the training file, a quarter of it for evaluation. The rows are
the same every time, so only the randomness of the search is measured. With one seed, the subsets of
a small search are the first ones of a large search, and a journal lets the settings share them;
evaluations are counted as if each setting had run alone. Journals and selections are saved in the
folder that `--keep` names; run the same command again to continue.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _protocols import Data
from sklearn.model_selection import StratifiedShuffleSplit

from nffs import NFFS
from nffs.stability import Stability, jaccard, nogueira

#: Subsets drawn in a phase I, and phases pooled.
SETTINGS = ((180, 1), (180, 4), (720, 1), (720, 4))


def select(
    data: Data, n_subsets: int, n_searches: int, seed: int, threads: int, journal: Path
) -> dict[str, Any]:
    """Run one selection."""
    rows = len(data.y) // 5
    selector = NFFS(
        evaluator="paper",
        n_subsets=n_subsets,
        n_searches=n_searches,
        n_nested=70,
        cv=StratifiedShuffleSplit(1, test_size=0.25, random_state=0),
        journal=journal,
        n_jobs=threads,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(data.X[:rows], data.y[:rows])
    return {
        "names": list(selector.features_),
        "selected": list(selector.selected_features_),
        "one_se": list(selector.one_se_features_),
        "evaluations": selector.n_evaluations_,
    }


def _bought(
    n_subsets: int, n_searches: int, single: Stability, pooled: Stability, found: Any
) -> str:
    """Say what pooling buys, and what it costs."""
    difference = pooled.value - single.value
    reach = 1.96 * math.sqrt(single.variance + pooled.variance)
    cost = [np.mean([run["evaluations"] for run in found[n_subsets, k]]) for k in (n_searches, 1)]
    return (
        f"L = {n_subsets}: pooling {n_searches} searches changes stability by {difference:+.3f} "
        f"[{difference - reach:+.3f}, {difference + reach:+.3f}] for {cost[0] / cost[1]:.1f} times "
        "the evaluations."
    )


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--runs", type=int, help="selections of each setting (10)")
    arguments.add_argument("--keep", type=Path, default=Path("bench/stability"), help="folder")
    options = arguments.parse_args()
    settings = ((24, 1), (24, 4)) if options.quick else SETTINGS
    n = options.runs or (4 if options.quick else 10)
    options.keep.mkdir(parents=True, exist_ok=True)
    data = Data()
    jobs = [(seed, setting) for seed in range(n) for setting in settings]
    found: dict[tuple[int, int], list[dict[str, Any]]] = {setting: [] for setting in settings}
    for seed, setting in progress(jobs, len(jobs), "selections"):
        path = options.keep / f"{setting[0]}-{setting[1]}-{seed}.json"
        if not path.exists():
            journal = options.keep / f"{seed}.db"
            found_now = select(data, *setting, seed, options.threads, journal)
            path.write_text(json.dumps(found_now))
        found[setting].append(json.loads(path.read_text()))

    rows: list[list[Any]] = []
    measures: dict[tuple[int, int], Stability] = {}
    for (n_subsets, n_searches), runs in found.items():
        for which, name in (("selected", "best"), ("one_se", "one SE")):
            masks = np.array([[name in run[which] for name in run["names"]] for run in runs])
            measured = nogueira(masks)
            if which == "selected":
                measures[n_subsets, n_searches] = measured
            rows.append(
                [
                    f"L = {n_subsets}, "
                    + ("single" if n_searches == 1 else f"{n_searches} pooled"),
                    name,
                    f"{measured.value:.3f} [{measured.low:.3f}, {measured.high:.3f}]",
                    round(jaccard(masks), 3),
                    round(measured.mean_size, 1),
                    int(np.mean([run["evaluations"] for run in runs])),
                ]
            )
    header = ["search", "keeps", "stability (Nogueira)", "Jaccard", "features", "evaluations"]
    print(f"NSL-KDD, first fifth of the training file, {n} selections each\n")
    print(table(header, rows))
    print()
    for (n_subsets, n_searches), pooled in measures.items():
        if n_searches > 1:
            print(_bought(n_subsets, n_searches, measures[n_subsets, 1], pooled, found))
    save(options.json, {"rows": rows, "runs": n})


if __name__ == "__main__":
    main()
