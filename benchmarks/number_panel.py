"""Which panel for regression: models on unseen rows with the selection minus with all columns.

The tables are the regression tables of the suite, with missing values filled. Each seed holds out a
different quarter of the rows, and at most 2,000 of the others are used for training. NFFS selects
twice: with the panel of forests and ridge regression, and with a panel that also has boosting. Then
scikit-learn's RandomForestRegressor(100), HistGradientBoostingRegressor and Ridge on standardised
columns are trained on the same rows, with the selected columns and with all columns, and scored by
R2 on the unseen rows. Every run is saved in the folder that `--keep` names; run the same command
again to continue.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _suite import suite_table
from sklearn.model_selection import train_test_split

from nffs import NFFS
from nffs.atomic import write_text
from nffs.validation import NUMBER_MODELS, score_models

TABLES = ("reg_tecator", "reg_fri_c4_1000_100", "reg_communities", "reg_cpu_act", "reg_ames")
PANELS = {"two": ["forest", "ridge"], "three": ["forest", "boosting", "ridge"]}
TRAIN = 2000


def run(name: str, panel: str, seed: int, threads: int, quick: bool) -> dict[str, Any]:
    """Select by a panel, and score the models."""
    data = suite_table(name, least=1)
    X, y = data.X, np.asarray(data.y)
    train, unseen = train_test_split(np.arange(len(y)), test_size=0.25, random_state=seed)
    train, unseen = np.sort(train[:TRAIN]), np.sort(unseen)
    small = {"n_subsets": 20, "n_nested": 8} if quick else {}
    given = {"evaluator": PANELS[panel], "task": "regression", "n_jobs": threads}
    selector = NFFS(random_state=seed, **given, **small)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(X[train], y[train])
        seconds = time.process_time() - started
        rows = X[train], y[train], X[unseen], y[unseen]
        found = score_models(selector, *rows, n_jobs=threads)
    return {
        "selected": found.n_selected,
        "columns": found.n_columns,
        "cpu_seconds": round(seconds, 2),
        **{model.name: [model.selected, model.all_features] for model in found.models},
    }


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--data", nargs="*", default=TABLES, help="tables; all by default")
    made.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    made.add_argument("--keep", type=Path, default=Path("bench/number-panel"))
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    names, seeds = options.data, options.seeds
    if options.quick:
        names, seeds = names[:1], seeds[:1]
    options.keep = options.keep / ("quick" if options.quick else "full")
    options.keep.mkdir(parents=True, exist_ok=True)
    asked = [(n, s, p) for s in seeds for n in names for p in PANELS]
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name, seed, panel in progress(asked, len(asked), "panels"):
        file = options.keep / f"{name}-{panel}-{seed}.json"
        if not file.exists() and not options.kept:
            found = run(name, panel, seed, options.threads, options.quick)
            write_text(file, json.dumps(found) + "\n")
        if file.exists():
            runs.setdefault(name, {}).setdefault(panel, []).append(json.loads(file.read_text()))
    header = ["table", "panel", "runs", *NUMBER_MODELS, "kept", "of", "processor s"]
    rows = [line(name, panel, found) for name, by in runs.items() for panel, found in by.items()]
    for panel in PANELS:
        whole = [found for by in runs.values() for found in by.get(panel, [])]
        rows += [line("all tables", panel, whole)] if whole else []
    print(table(header, rows))
    save(options.json, {"header": header, "rows": rows, "runs": runs})


def line(name: str, panel: str, found: list[dict[str, Any]]) -> list[Any]:
    """Give the means of some runs."""

    def mean(of: Any) -> float:
        return float(np.mean([of(run) for run in found]))

    return [
        name,
        panel,
        len(found),
        *(f"{mean(lambda run, m=m: run[m][0] - run[m][1]):+.4f}" for m in NUMBER_MODELS),
        f"{mean(lambda run: run['selected']):.0f}",
        f"{mean(lambda run: run['columns']):.0f}",
        f"{mean(lambda run: run['cpu_seconds']):.0f}",
    ]


if __name__ == "__main__":
    main()
