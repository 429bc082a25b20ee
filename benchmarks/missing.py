"""Missing values: the table as it is, an imputer first, or a model that accepts missing values.

The tables are those of the suite that have missing values. Each seed holds out a different quarter
of the rows, and at most 1,000 of the others are used for training. Three ways select from the same
rows with searches of the same size, 40 drawn and 24 nested subsets, and the usual final check.
"as it is": NFFS on the table with its missing values. "imputer": NFFS after an imputer (the means
of the training rows; a missing category becomes a category of its own). "LightGBM": NFFS on the
table as it is, evaluated by LightGBM, which accepts missing values (`pip install lightgbm`). In the
first two ways, forests, boosting and logistic regression evaluate the subsets.

Then models are trained with the selected columns and scored on the held-out rows by the F-score:
forests and boosting, which accept missing values, and logistic regression, for which they are
filled. After an imputer, all of them see filled columns. "Kept" is the number of selected features,
"of" the number of all features, and "of them missing" how many of the selected ones are missing
indicators. "All tables" is the mean over the tables that all three ways have run, with the seeds
that they have in common; its "runs" is the number of these tables.

The second table compares the ways in pairs, on the seeds that both have run: "as it is" minus the
other way, in the mean of the three models, with its standard error over seeds; "all columns" is the
same without a selection. Every run is saved in the folder that `--keep` names; run the same command
again to continue.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from _common import data_folder, parser, progress, save, table
from sklearn.model_selection import train_test_split

from nffs import NFFS
from nffs.atomic import write_text
from nffs.validation import MODELS, score_models

TABLES = (
    "cervical", "sick", "credit_data", "soybean", "mice_protein", "wa_churn", "ozone_8h",
    "arrhythmia",
)  # fmt: skip
WAYS = ("as it is", "imputer", "LightGBM")
TRAIN, LEAST = 1000, 8
SIZES: dict[str, Any] = {"n_subsets": 40, "n_nested": 24}
PANEL = ["forest", "boosting", "logistic"]

#: Runs of a table in a way, by seed.
Runs = dict[int, dict[str, Any]]


def read(name: str) -> tuple[pl.DataFrame, np.ndarray]:
    """Read a table with its gaps, without classes that cannot be in every fold."""
    frame = pl.read_parquet(data_folder() / "suite" / f"{name}.parquet")
    often = frame["target"].value_counts().filter(pl.col("count") >= LEAST)["target"].implode()
    frame = frame.filter(pl.col("target").is_in(often))
    return frame.drop("target"), np.array(frame["target"].cast(str).to_list())


def imputed(train: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Fill the gaps of a table: numbers by means of the training rows, categories by another."""
    filled = []
    for column in other:
        if not column.dtype.is_numeric():
            filled.append(column.cast(pl.String).fill_null("missing"))
            continue
        mean = train[column.name].cast(pl.Float64).fill_nan(None).mean()
        filled.append(column.cast(pl.Float64).fill_nan(None).fill_null(mean or 0.0))
    return pl.DataFrame(filled)


def run(name: str, way: str, seed: int, threads: int) -> dict[str, Any]:
    """Select in one of the ways, and score the models."""
    X, y = read(name)
    train, unseen = train_test_split(
        np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed
    )
    train = np.sort(train[:TRAIN])
    X_train, X_unseen = X[train], X[np.sort(unseen)]
    if way == "imputer":
        X_train, X_unseen = imputed(X_train, X_train), imputed(X_train, X_unseen)
    given: dict[str, Any] = {"scoring": "f1" if len(np.unique(y)) == 2 else "f1_macro"}
    if way == "LightGBM":
        from lightgbm import LGBMClassifier

        given["estimator"] = LGBMClassifier(n_estimators=30, n_jobs=1, verbose=-1)
    else:
        given["evaluator"] = PANEL
    selector = NFFS(random_state=seed, n_jobs=threads, **SIZES, **given)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X_train, y[train])
        seconds = time.perf_counter() - started
        found = score_models(
            selector, X_train, y[train], X_unseen, y[np.sort(unseen)], n_jobs=threads
        )
    columns = selector.encoding_.columns
    indicators = [c for c in columns if c.category == "missing" and c.kind != "categorical"]
    kept = set(selector.get_feature_names_out())
    return {
        "selected": found.n_selected,
        "columns": found.n_columns,
        "indicators": len(indicators),
        "indicators_selected": sum(column.name in kept for column in indicators),
        "seconds": round(seconds, 2),
        **{model.name: [model.selected, model.all_features] for model in found.models},
    }


def mean_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Give the means of some runs, as a run."""
    return {key: np.mean([run[key] for run in found], axis=0).tolist() for key in found[0]}


def line(name: str, way: str, found: list[dict[str, Any]]) -> list[Any]:
    """Give a line of the table."""
    mean = mean_of(found)
    return [
        name,
        way,
        len(found),
        *(f"{mean[m][0]:.4f}" for m in MODELS),
        f"{mean['selected']:.0f}",
        f"{mean['columns']:.0f}",
        f"{mean['indicators_selected']:.1f}",
        f"{mean['seconds']:.0f}",
    ]


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--data", nargs="*", default=TABLES, help="tables; all by default")
    made.add_argument("--ways", nargs="*", default=WAYS)
    made.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    made.add_argument("--keep", type=Path, default=Path("bench/missing"))
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    names = ("cervical", "sick") if options.quick else options.data
    seeds = options.seeds[:1] if options.quick else options.seeds
    options.keep.mkdir(parents=True, exist_ok=True)
    asked = [(n, w, s) for s in seeds for n in names for w in options.ways]
    runs: dict[str, dict[str, Runs]] = {}
    for name, way, seed in progress(asked, len(asked), "missing values"):
        file = options.keep / f"{name}-{way.replace(' ', '-')}-{seed}.json"
        if not file.exists() and not options.kept:
            write_text(file, json.dumps(run(name, way, seed, options.threads)) + "\n")
        if file.exists():
            runs.setdefault(name, {}).setdefault(way, {})[seed] = json.loads(file.read_text())
    header = ["table", "evaluated", "runs", *MODELS, "kept", "of", "of them missing", "s"]
    rows = [
        line(name, way, list(found.values()))
        for name, by in runs.items()
        for way, found in by.items()
    ]
    for way in options.ways:
        means = []
        for by in runs.values():
            shared = set.intersection(*(set(by.get(w, {})) for w in options.ways))
            means += [mean_of([by[way][seed] for seed in sorted(shared)])] if shared else []
        rows += [line("all tables", way, means)] if means else []
    print(table(header, rows))
    pairs = [pair(name, by, way) for way in options.ways[1:] for name, by in runs.items()]
    pairs = [found for found in pairs if found]
    if pairs:
        columns = ["table", "minus", "seeds", "selected", "±", "all columns", "±"]
        print(f"\n{table(columns, pairs)}")
    for told in fewer(runs, options.ways, names, len(seeds)):
        print(f"\n{told}")
    save(options.json, {"header": header, "rows": rows, "pairs": pairs, "runs": runs})


def fewer(
    runs: dict[str, dict[str, Runs]], ways: Sequence[str], names: Sequence[str], n_seeds: int
) -> list[str]:
    """Name the tables on which a way has fewer runs than there are seeds, one line for a way."""
    lines = []
    for way in ways:
        counts = {name: len(runs.get(name, {}).get(way, {})) for name in names}
        told = ", ".join(f"{name} {n}" for name, n in counts.items() if n < n_seeds)
        lines += [f"Fewer than {n_seeds} runs, {way}: {told}"] if told else []
    return lines


def pair(name: str, by: dict[str, Runs], way: str) -> list[Any]:
    """Compare the first way with another on the seeds that both have; nothing if there are none."""
    ours, other = by.get(WAYS[0], {}), by.get(way, {})
    seeds = sorted(set(ours) & set(other))
    if not seeds:
        return []
    cells: list[Any] = [name, way, len(seeds)]
    for place in (0, 1):  # selected, all columns
        gains = [
            np.mean([ours[seed][model][place] - other[seed][model][place] for model in MODELS])
            for seed in seeds
        ]
        error = np.std(gains, ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.nan
        cells += [f"{np.mean(gains):+.4f}", f"{error:.4f}"]
    return cells


if __name__ == "__main__":
    main()
