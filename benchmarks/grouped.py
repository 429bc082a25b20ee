"""NSL-KDD: one feature for each category, or one for each group of categories.

Searches of 60 drawn and 24 nested subsets with the default panel and folds of the training rows, on
the first fifth of the training file and on all of it; `service` has some 70 categories, most of
them rare. The test file only scores the selections: forests, boosting and logistic regression are
trained with them. "Forest", "boosting" and "logistic" are their F-scores on the test file; "all
columns" is the mean of the three without a selection. Every search is saved in the folder that
`--keep` names; run the same command again to continue.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import data_folder, parser, progress, save, table

from nffs import NFFS, InputError
from nffs.atomic import write_text
from nffs.datasets import fetch_nsl_kdd
from nffs.validation import MODELS, score_models

#: A third of the paper's sizes: the searches of two encodings on two tables take long.
SIZES = {"n_subsets": 60, "n_nested": 24}
PARTS = {"fifth": 0.2, "whole": 1.0}
WAYS = ("onehot", "cluster")


def run(part: float, way: str, seed: int, sizes: dict[str, Any], threads: int) -> dict[str, Any]:
    """Search with one of the encodings, and score the models on the test file."""
    try:
        bunch = fetch_nsl_kdd(data_home=data_folder(), download_if_missing=False)
    except InputError as error:
        sys.exit(str(error))
    n = int(len(bunch.train.target) * part)
    X, y = bunch.train.data[:n], bunch.train.target[:n]
    selector = NFFS(categories=way, scoring="f1", n_jobs=threads, random_state=seed, **sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X, y)
        found = score_models(selector, X, y, bunch.test.data, bunch.test.target, n_jobs=threads)
    return {
        "columns": len(selector.encoded_feature_names_),
        "selected": selector.selected_features_,
        "score": selector.fitness_,
        "seconds": selector.seconds_,
        "models": {m.name: [m.selected, m.all_features] for m in found.models},
    }


def line(part: str, way: str, found: list[dict[str, Any]]) -> list[str]:
    """Give a line of the table: means and standard deviations over the searches."""

    def spread(values: Any, form: str = ".3f") -> str:
        array = np.asarray(values, dtype=np.float64)
        error = f" ± {array.std(ddof=1):{form}}" if len(array) > 1 else ""
        return f"{array.mean():{form}}{error}"

    return [
        f"{part}, {way}",
        str(len(found)),
        f"{np.mean([run['columns'] for run in found]):.0f}",
        spread([len(run["selected"]) for run in found], ".1f"),
        spread([run["score"] for run in found]),
        *(spread([run["models"][name][0] for run in found]) for name in MODELS),
        spread([np.mean([run["models"][name][1] for name in MODELS]) for run in found]),
        spread([run["seconds"] for run in found], ".0f"),
    ]


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--searches", type=int, default=10)
    made.add_argument("--only", choices=PARTS, help="only this part of the training file")
    made.add_argument("--keep", type=Path, default=Path("bench/grouped"))
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    sizes = {"n_subsets": 24, "n_nested": 12} if options.quick else SIZES
    folder = options.keep / ("quick" if options.quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    # A stopped run has as many of each encoding.
    asked = [
        (part, way, seed)
        for part in PARTS
        if options.only in (None, part) and not (options.quick and part == "whole")
        for seed in range(1 if options.quick else options.searches)
        for way in WAYS
    ]
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for part, way, seed in progress(asked, len(asked), "searches"):
        file = folder / f"{part}-{way}-{seed}.json"
        if not file.exists() and not options.kept:
            found = run(PARTS[part], way, seed, sizes, options.threads)
            write_text(file, json.dumps(found) + "\n")
        if file.exists():
            runs.setdefault((part, way), []).append(json.loads(file.read_text("utf-8")))
    rows = [line(*key, found) for key, found in runs.items()]
    header = [
        "rows, encoding", "searches", "columns", "kept", "score", *MODELS, "all columns", "seconds",
    ]  # fmt: skip
    print("NSL-KDD; mean and standard deviation over searches\n")
    print(table(header, rows))
    lacking = sorted({part for part, *_ in asked} - {part for part, _ in runs})
    if lacking:
        print(f"\nNot run yet: the {' and the '.join(lacking)} of the training file.")
    save(options.json, {"rows": rows, "runs": {" ".join(key): runs[key] for key in runs}})


if __name__ == "__main__":
    main()
