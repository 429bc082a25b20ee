"""NSL-KDD, searches under several protocols: what they believe and what the test file says.

The whole training file is searched, with the paper's sizes and the default parameter groups. What
a search keeps is scored once on the test file by the same groups, with no choice of parameters.
Optimism is what was believed less what the test file gave. Every search is kept in a file of
`--keep`, so a long run can be stopped and resumed.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _protocols import Data, protocols
from threadpoolctl import threadpool_limits

from nffs import NFFS

SIZES = {"n_subsets": 180, "n_top": 45, "n_bottom": 45, "n_nested": 70}
NAMES = ("paper", "holdout", "folds", "one-se", "family-out")


def search(data: Data, name: str, seed: int, sizes: dict[str, int], threads: int) -> Any:
    """Run one search; return the fitted selector."""
    protocol = protocols(seed)[name]
    selector = NFFS(**sizes, **protocol.parameters, n_jobs=threads, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(data.X, data.y, **data.fit_options(protocol.rows))


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--searches", type=int, help="searches under each protocol (10)")
    arguments.add_argument("--protocol", action="append", choices=protocols(), help="only this one")
    arguments.add_argument("--keep", type=Path, default=Path("bench/protocols"), help="folder")
    options = arguments.parse_args()
    sizes = {"n_subsets": 24, "n_nested": 12} if options.quick else SIZES
    n = options.searches or (2 if options.quick else 10)
    folder = options.keep / ("quick" if options.quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    data = Data()
    names = options.protocol or NAMES
    f_score, auc = data.on_test("f1"), data.on_test("roc_auc")
    results = []
    # By seed, then protocol: a stopped run has about as many of each.
    jobs = [(seed, name) for seed in range(n) for name in names]
    for seed, name in progress(jobs, len(jobs), "searches"):
        path = folder / f"{name}-{seed}.json"
        if not path.exists():
            selector = search(data, name, seed, sizes, options.threads)
            with threadpool_limits(1):
                result = {
                    "protocol": name,
                    "seed": seed,
                    "believed": selector.fitness_,
                    "f_score": f_score(selector.support_).value,
                    "auc": auc(selector.support_).value,
                    "selected": selector.selected_features_,
                    "seconds": selector.seconds_,
                }
            path.write_text(json.dumps(result))
        results.append(json.loads(path.read_text()))

    everything = np.ones(len(data.evaluator(protocols()["folds"])[1]), dtype=bool)
    rows = [_all_columns(data, everything, f_score, auc)]
    rows += [_row(name, [r for r in results if r["protocol"] == name]) for name in names]
    header = ["protocol", "searches", "believed", "test F", "test AUC", "optimism", "features"]
    print("NSL-KDD, whole training file; mean and standard deviation over searches\n")
    print(table(header, rows))
    kept = [{k: v for k, v in r.items() if k != "selected"} for r in results]
    save(options.json, {"rows": rows, "searches": kept})


def _all_columns(data: Data, mask: Any, f_score: Any, auc: Any) -> list[str]:
    with threadpool_limits(1):
        believed = data.evaluator(protocols()["folds"])[0](mask).value
        test, area = f_score(mask).value, auc(mask).value
    return [
        "no selection: all columns, 3 folds", "-", f"{believed:.3f}", f"{test:.3f}",
        f"{area:.3f}", f"{believed - test:+.3f}", str(len(mask)),
    ]  # fmt: skip


def _row(name: str, mine: list[dict[str, Any]]) -> list[str]:
    def spread(values: Any, form: str = ".3f") -> str:
        array = np.array(values, dtype=float)
        deviation = array.std(ddof=1) if len(array) > 1 else 0.0
        return f"{array.mean():{form}} ± {deviation:.3f}"

    return [
        protocols()[name].told,
        str(len(mine)),
        spread([r["believed"] for r in mine]),
        spread([r["f_score"] for r in mine]),
        spread([r["auc"] for r in mine]),
        spread([r["believed"] - r["f_score"] for r in mine], "+.3f"),
        spread([len(r["selected"]) for r in mine], ".1f"),
    ]


if __name__ == "__main__":
    main()
