"""Rows without labels, on tables of the suite: a column divides the rows into old and new ones.

Real data rarely comes with labels for rows from after a shift, so shifts are made here: a column
divides the rows of a table into old and new ones (customers with one kind of contract and with
others, small molecules and large ones) and is left out. Every protocol of `unlabelled.py` selects
from the old rows, by 24 drawn and up to 70 nested subsets, the default panel and 3 folds, without a
final check, and may use the new rows without their labels. Forests, boosting and logistic
regression are trained on the old rows with the selection and score the new ones; the score is the
area under the ROC curve, the mean of the three.

"Apart" is how well a classifier tells old rows from new ones (AUC). "All" is the score with all
columns; the columns after it are the scores of the selections minus that one, as means over
searches. A "part" is one line of the first table, that is, one way to divide a table. The last
lines are means over all parts, with 95 % intervals over parts, also against "folds alone". Every
search is saved in the folder that `--keep` names; run the same command again to continue.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from _common import data_folder, parser, progress, save, table
from _new_rows import PROTOCOLS, Search
from scipy.stats import t as student

import nffs
from nffs.atomic import write_text
from nffs.validation import score_models

KEPT = Path(__file__).parent / "kept" / "unlabelled" / "other-rows.json"
SEARCH: dict[str, Any] = {"n_subsets": 24, "choose": "method", "scoring": "roc_auc"}


@dataclass(frozen=True)
class Part:
    """A table whose rows a column parts into old and new ones."""

    table: str
    column: str
    is_old: Callable[[pl.Series], pl.Series]
    said: str

    @property
    def name(self) -> str:
        """The table and the column."""
        return f"{self.table}, {self.column}"

    def rows(self) -> tuple[pl.DataFrame, Any, pl.DataFrame, Any]:
        """Read old rows and labels, and new ones."""
        frame = pl.read_parquet(data_folder() / "suite" / f"{self.table}.parquet")
        frame = frame.drop_nulls(self.column)
        old = self.is_old(frame[self.column])
        parts = []
        for part in (frame.filter(old), frame.filter(~old)):
            X = part.drop("target", self.column).with_columns(
                pl.col(pl.String).fill_null("missing")
            )
            parts += [X, np.array(part["target"].cast(str).to_list())]
        return tuple(parts)  # type: ignore[return-value]


def at_most(value: float) -> Callable[[pl.Series], pl.Series]:
    """Take rows up to a value."""
    return lambda column: column <= value


def one_of(*values: Any) -> Callable[[pl.Series], pl.Series]:
    """Take rows of some values."""
    return lambda column: column.is_in(list(values))


PARTS = (
    Part("attrition", "Department", one_of("Research_Development"), "research, or others"),
    Part("attrition", "Age", at_most(36), "younger, or older"),
    Part("biodeg", "C%", at_most(37), "less carbon, or more"),
    Part("credit_data", "Home", one_of("owner"), "owners, or others"),
    Part("credit_data", "Job", one_of("fixed"), "fixed work, or other"),
    Part("credit_data", "Age", at_most(36), "younger, or older"),
    Part("wa_churn", "contract", one_of("Month-to-month"), "by month, or longer"),
    Part("wa_churn", "internet_service", one_of("DSL"), "DSL, or others"),
    Part("wa_churn", "tenure", at_most(29), "newer, or older customers"),
    Part("sick", "referral source", one_of("other"), "other, or known sources"),
    Part("coil2000", "MOSHOOFD", at_most(6), "types to 6, or above"),
    Part("phishing", "f26", one_of(1), "much traffic, or less"),
)


def run(part: Part, protocol: str, seed: int, threads: int) -> dict[str, Any]:
    """Search under a protocol and score the models on the new rows."""
    X, y, new, labels = part.rows()
    made = Search.under(protocol, **SEARCH, random_state=seed, n_jobs=threads).select(X, y, new)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = score_models(made, X, y, new, labels, n_jobs=threads)
    return {
        "score": made.fitness_,
        "columns": len(made.features_),
        "selected": len(made.selected_features_),
        "models": {m.name: [m.selected, m.all_features] for m in found.models},
        "told": made.told,
        "seconds": made.seconds_,
    }


def gain(found: dict[str, Any]) -> float:
    """Give the mean over models of the score with the selection minus that with all columns."""
    return float(np.mean([selected - whole for selected, whole in found["models"].values()]))


def interval(values: Any) -> str:
    """Write a mean and its 95 % interval."""
    array = np.asarray(values)
    wide = student.ppf(0.975, len(array) - 1) * array.std(ddof=1) / len(array) ** 0.5
    return f"{array.mean():+.4f} [{array.mean() - wide:+.4f}, {array.mean() + wide:+.4f}]"


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--searches", type=int, default=5, help="searches of each part (5)")
    made.add_argument("--keep", type=Path, default=KEPT, help="the JSON file of all runs")
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    file = options.keep.with_suffix(".quick.json") if options.quick else options.keep
    file.parent.mkdir(parents=True, exist_ok=True)
    runs = json.loads(file.read_text("utf-8")) if file.exists() else {}
    parts, n = (PARTS[:3], 1) if options.quick else (PARTS, options.searches)
    # By seed: a stopped run has about as many of each.
    asked = [(p, name, seed) for seed in range(n) for p in parts for name in PROTOCOLS]
    for part, name, seed in progress(asked, len(asked), "searches"):
        key = f"{part.name} {name} {seed}"
        if key in runs or options.kept:
            continue
        runs[key] = run(part, name, seed, options.threads)
        apart = f"{part.name} apart"
        if apart not in runs:
            X, _, new, _ = part.rows()
            runs[apart] = {"auc": nffs.shift(X, new).auc, "old": len(X), "new": len(new)}
        write_text(file, json.dumps(runs, indent=1) + "\n")
    rows, means = [], {name: [] for name in PROTOCOLS}
    for part in parts:
        found = {
            name: [runs[k] for s in range(n) if (k := f"{part.name} {name} {s}") in runs]
            for name in PROTOCOLS
        }
        if not all(found.values()):
            continue
        about, first = runs[f"{part.name} apart"], found["folds"][0]
        whole = np.mean([score for _, score in first["models"].values()])
        cells = []
        for name, its in found.items():
            means[name].append(np.mean([gain(r) for r in its]))
            cells.append(f"{means[name][-1]:+.4f}")
        rows.append(
            [
                f"{part.name}: {part.said}",
                f"{about['old']:,}, {about['new']:,}",
                f"{about['auc']:.3f}",
                str(len(found["folds"])),
                f"{whole:.3f}",
                *cells,
            ]
        )
    said = [PROTOCOLS[name][0] for name in PROTOCOLS]
    print(f"{len(rows)} parts; score on new rows minus that of all columns\n")
    header = ["table, column: old, or new", "old, new rows", "apart", "searches", "all", *said]
    print(table(header, rows))
    print()
    summary = []
    for name, values in means.items():
        if len(values) > 1:
            over = "-" if name == "folds" else interval(np.subtract(values, means["folds"]))
            summary.append([PROTOCOLS[name][0], interval(values), over])
    print(table(["mean over parts", "minus all columns", "minus folds alone"], summary))
    save(options.json, {"rows": rows, "summary": summary, "runs": runs})


if __name__ == "__main__":
    main()
