"""How well deployed models score with a selection, minus how well they score with all columns.

The tables are the classification tables of the suite (`benchmarks/_suite.py`) and those of earlier
comparisons (`benchmarks/_tables.py`). Each seed holds out a different quarter of the rows; for a
table with its own test rows, each seed takes different training rows. NFFS selects from at most
4,000 training rows. Then scikit-learn's RandomForestClassifier(100), HistGradientBoostingClassifier
and LogisticRegression on standardised columns are trained on the same rows, with the selected
columns and with all columns, and scored by the F-score on at most 10,000 unseen rows.

Differences are averaged over the seeds of a table, and each table counts once; brackets give 95 %
intervals of the t distribution over tables. "Own gain" is the gain of the evaluator itself on the
rows it selected with. "Share kept" is the mean share of columns kept over tables, and "kept of" the
mean number kept and the mean number of columns.

Every run is saved in the folder that `--keep` names; run the same command again to continue.
Several processes may share the work by `--data`, `--evaluators` and `--seeds`.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, save, table
from _suite import ALL_TABLES
from _tables import Table
from scipy.stats import t
from sklearn.model_selection import train_test_split

from nffs import NFFS
from nffs.atomic import write_text
from nffs.validation import MODELS
from nffs.validation.transfer import Transfer

TRAIN, UNSEEN = 4000, 10_000
EVALUATORS: dict[str, dict[str, Any]] = {
    "panel": {},
    "paper": {"evaluator": "paper"},
    "forest": {"evaluator": "forest"},
    "logistic": {"evaluator": "logistic"},
    "panel, one_se": {"choose": "one_se"},
    "panel, method": {"choose": "method"},
    "panel with components": {"evaluator": ["forest", "logistic", "components"]},
}
QUICK = ("wine", "crx", "sorlie")


def parts(data: Table, seed: int) -> tuple[Any, Any, Any, Any]:
    """Give training and unseen rows."""
    X, y = data.X, np.asarray(data.y)
    if data.test is None:
        train, unseen = train_test_split(
            np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed
        )
        X_unseen, y_unseen = X, y
    else:
        X_unseen, y_unseen = data.test[0], np.asarray(data.test[1])
        train, unseen = np.arange(len(y)), np.arange(len(y_unseen))
    rng = np.random.default_rng(seed)
    train = np.sort(rng.permutation(train)[:TRAIN])
    unseen = np.sort(rng.permutation(unseen)[:UNSEEN])
    return X[train], y[train], X_unseen[unseen], y_unseen[unseen]


def run(data: Table, seed: int, evaluator: str, threads: int, quick: bool) -> dict[str, Any]:
    """Select, and score the models."""
    X, y, X_unseen, y_unseen = parts(data, seed)
    small = {"n_subsets": 20, "n_nested": 8} if quick else {}
    given = {**small, **EVALUATORS[evaluator], **data.evaluation}
    selector = NFFS(random_state=seed, n_jobs=threads, **given)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X, y)
        seconds = time.perf_counter() - started
        scoring = "f1" if len(np.unique(y)) == 2 else "f1_macro"
        plain = NFFS(random_state=seed, pos_label=selector.positive_, scoring=scoring)
        evaluation = plain.evaluation(X, y, eval_set=(X_unseen, y_unseen), unit="category")
        scores = Transfer(MODELS, evaluation, threads).scores(selector.support_)
    varying = int((~selector.constant_).sum())
    return {
        "selected": int(selector.support_.sum()),
        "columns": varying,
        "seconds": round(seconds, 2),
        "fitness": selector.fitness_,
        "all_features": selector.all_features_fitness_,
        **{name: [score.selected, score.all_features] for name, score in scores.items()},
    }


def interval(values: np.ndarray) -> str:
    """Mean, and a 95 % interval over tables."""
    half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():+.4f} [{values.mean() - half:+.4f}, {values.mean() + half:+.4f}]"


def summarized(runs: dict[str, dict[str, list[dict[str, Any]]]]) -> list[list[Any]]:
    """Give a row for every evaluator: its runs by table."""
    rows = []
    for evaluator, by_table in runs.items():
        if len(by_table) < 2:
            continue

        def means(value: Any, tables: Any = by_table) -> np.ndarray:
            return np.array([np.mean([value(r) for r in rs]) for rs in tables.values()])

        seconds = np.mean([r["seconds"] for rs in by_table.values() for r in rs])
        rows.append(
            [
                evaluator,
                len(by_table),
                sum(map(len, by_table.values())),
                f"{means(lambda r: r['fitness'] - r['all_features']).mean():+.4f}",
                *(interval(means(lambda r, m=m: r[m][0] - r[m][1])) for m in MODELS),
                f"{means(lambda r: r['selected'] / r['columns']).mean():.0%}",
                f"{means(lambda r: r['selected']).mean():.0f} of "
                f"{means(lambda r: r['columns']).mean():.0f}",
                f"{seconds:.0f}",
            ]
        )  # fmt: skip
    return rows


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--data", nargs="*", help="tables; all by default")
    made.add_argument("--evaluators", nargs="*", default=["panel", "paper"])
    made.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    made.add_argument("--keep", type=Path, default=Path("bench/transfer"))
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    names = options.data or (QUICK if options.quick else ALL_TABLES)
    folder = options.keep / ("quick" if options.quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {e: {} for e in options.evaluators}
    for seed in options.seeds:
        for name in names:
            data: Table | None = None
            for evaluator in options.evaluators:
                file = folder / f"{name}-{seed}-{evaluator.replace(' ', '-').replace(',', '')}.json"
                if not file.exists() and options.kept:
                    continue
                if not file.exists():
                    try:
                        data = data or ALL_TABLES[name]()
                    except LookupError as error:
                        print(f"{name}: left out, {error}", flush=True)
                        break
                    found = run(data, seed, evaluator, options.threads, options.quick)
                    write_text(file, json.dumps(found) + "\n")
                    differences = [f"{m} {found[m][0] - found[m][1]:+.3f}" for m in MODELS]
                    print(
                        f"{name} {seed} {evaluator}: {found['selected']} of {found['columns']}, "
                        f"{', '.join(differences)}, {found['seconds']:.0f} s",
                        flush=True,
                    )
                runs[evaluator].setdefault(name, []).append(json.loads(file.read_text()))
    header = [
        "evaluator", "tables", "runs", "own gain", *MODELS, "share kept", "kept of", "s",
    ]  # fmt: skip
    rows = summarized(runs)
    print(table(header, rows))
    save(options.json, {"header": header, "rows": rows, "runs": runs})


if __name__ == "__main__":
    main()
