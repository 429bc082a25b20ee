"""Rare classes: which score still tells subsets apart.

The positive class of tables with two classes is made rarer: positive training rows are removed
until there is one for every 5, 20, 100 or 500 others, provided that at least 12 are left. Half of
each table is held out. Drawn subsets of all sizes are scored on three folds of the training rows by
forests, boosting and logistic regression, by every score, with and without
`class_weight="balanced"`. Then scikit-learn's RandomForestClassifier(100),
HistGradientBoostingClassifier and standardised LogisticRegression are trained on the same rows and
scored on the unseen rows: by average precision, by the F-score at its best threshold and by ROC
AUC, each as the mean over the three models. All positive unseen rows are used, with weights that
make them as rare as in training.

Each line says how well a score ranks subsets: Spearman's rank correlation with each of the three
scores on unseen rows, as the mean over tables (each table counts once, with the mean of its seeds)
with its standard error. "Worst" is the lowest correlation with average precision on any table.
"Best subset reaches" is the average precision of the subset that the score ranks first, divided by
that of the truly best subset. "Best F" is the F-score at the threshold that suits the evaluation
rows best. "Mean score" is the mean of the score itself over all subsets. Every run is saved in the
folder that `--keep` names; run the same command again to continue.
"""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _suite import ALL_TABLES
from _tables import connections
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    precision_recall_curve,
    roc_auc_score,
)
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from nffs import NFFS
from nffs.atomic import write_text
from nffs.fitness import Evaluator, Scoring
from nffs.fitness.engines import engine_of
from nffs.table.reading import read_table
from nffs.validation import MODELS

PANEL = ["forest", "boosting", "logistic"]
TABLES = (
    "coil2000", "sick", "wa_churn", "nsl-kdd", "unsw", "connections", "credit_data", "phishing",
    "malgenome", "ozone_8h", "attrition",
)  # fmt: skip
#: Others for every positive row, and how many of these train at most.
RARITIES = {5: 1500, 20: 1500, 100: 2500, 500: 8000}
LEAST = 12  # positive rows that train
UNSEEN = 8000
SUBSETS = 40
YARDSTICKS = ("average precision", "best F", "ROC AUC")


def scores_of(truth: Any, probability: Any, weights: Any = None) -> dict[str, float]:
    """Give every score of the positive class's probabilities."""
    given = {"sample_weight": weights}
    precision, recall, _ = precision_recall_curve(truth, probability, **given)
    predicted = probability > 0.5
    return {
        "F": f1_score(truth, predicted, zero_division=0.0, **given),
        "balanced accuracy": balanced_accuracy_score(truth, predicted, **given),
        "average precision": average_precision_score(truth, probability, **given),
        "ROC AUC": roc_auc_score(truth, probability, **given),
        "best F": float(np.max(2 * precision * recall / np.maximum(precision + recall, 1e-12))),
    }


@dataclass(frozen=True)
class Several(Scoring):
    """Keeps every score of whatever the engines predict."""

    found: list[dict[str, float]] = field(default_factory=list)

    def of_probabilities(self, probabilities: Any, labels: Any, weights: Any) -> float:
        """Keep the scores."""
        self.found.append(scores_of(labels.codes, probabilities[:, 1], weights))
        return 0.0


def parts(name: str, rarity: int, seed: int) -> tuple[Any, Any, Any, Any] | None:
    """Give training rows with a rare class and unseen ones; None if too few would be left."""
    data = connections(20_000) if name == "connections" else ALL_TABLES[name]()
    labels = np.asarray(data.y)
    values, counts = np.unique(labels, return_counts=True)
    y = (labels == data.evaluation.get("pos_label", values[counts.argmin()])).astype(np.int64)
    train, unseen = train_test_split(
        np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed
    )
    others = train[y[train] == 0][: RARITIES[rarity]]
    positive = train[y[train] == 1]
    n = len(others) // rarity
    if not LEAST <= n <= len(positive):
        return None
    rows = np.sort(np.concatenate([others, positive[:n]]))
    unseen = np.sort(unseen[:UNSEEN])
    return data.X[rows], y[rows], data.X[unseen], y[unseen]


def drawn(n: int, seed: int) -> np.ndarray:
    """Draw subsets of all sizes, at equal ratios, from 1 to n."""
    rng = np.random.default_rng(seed)
    masks = np.zeros((SUBSETS, n), dtype=np.bool_)
    for mask, size in zip(masks, np.geomspace(1, n, SUBSETS).round().astype(int), strict=True):
        mask[rng.choice(n, size, replace=False)] = True
    return masks


def run(name: str, rarity: int, seed: int) -> dict[str, Any] | None:
    """Score subsets of a table that was made rarer, on folds and on unseen rows."""
    found = parts(name, rarity, seed)
    if found is None:
        return None
    X, y, X_unseen, y_unseen = found
    fitness: dict[str, list[float]] = {}
    for weight in (None, "balanced"):
        selector = NFFS(evaluator=PANEL, class_weight=weight, pos_label=1, random_state=seed)
        evaluation = selector.evaluation(X, y).ranked()
        several = Several("several", lambda *_: 0.0)
        engine = engine_of(selector, several, evaluation.rows).engine
        evaluate = Evaluator(evaluation.rows, engine, evaluation.features.membership, seed)
        masks = drawn(len(evaluation.features), seed)
        for mask in masks:
            several.found.clear()
            evaluate(mask[None])
            for score in several.found[0]:
                key = score if weight is None else f"{score}, balanced"
                mean = float(np.mean([each[score] for each in several.found]))
                fitness.setdefault(key, []).append(mean)
    columns = np.concatenate(evaluation.features.columns)
    train = evaluation.encoding.matrix(read_table(X))[:, columns]
    unseen = evaluation.encoding.matrix(read_table(X_unseen))[:, columns]
    share = (y_unseen == 0).sum() / rarity / y_unseen.sum()
    weights = np.where(y_unseen == 1, share, 1.0)
    reached: dict[str, list[float]] = {name: [] for name in YARDSTICKS}
    for mask in masks[:, evaluation.features.membership]:
        each = []
        for model in MODELS.values():
            fitted = clone(model).fit(train[:, mask], y)
            each.append(scores_of(y_unseen, fitted.predict_proba(unseen[:, mask])[:, 1], weights))
        for yardstick, values in reached.items():
            values.append(float(np.mean([scores[yardstick] for scores in each])))
    counts = {"rows": len(y), "positive": int(y.sum()), "unseen_positive": int(y_unseen.sum())}
    return {**counts, "sizes": masks.sum(axis=1).tolist(), "fitness": fitness, "reached": reached}


def agreement(found: dict[str, Any], score: str) -> list[float]:
    """Give the rank correlations of a run with the yardsticks, and what the best subset reaches."""
    fitness = np.array(found["fitness"][score])
    ranks = [0.0] * len(YARDSTICKS)
    if np.ptp(fitness) > 0:
        ranks = [float(spearmanr(fitness, found["reached"][y])[0]) for y in YARDSTICKS]
    truth = np.array(found["reached"]["average precision"])
    return [*ranks, float(truth[fitness == fitness.max()].mean() / truth.max()), fitness.mean()]


def summarized(runs: dict[int, dict[str, list[dict[str, Any]]]]) -> list[list[Any]]:
    """Give a line for every rarity and score."""
    rows = []
    for rarity, by_table in runs.items():
        for score in next(iter(by_table.values()))[0]["fitness"]:
            by_run = [[agreement(r, score) for r in found] for found in by_table.values()]
            means = np.array([np.mean(found, axis=0) for found in by_run])
            errors = means.std(axis=0) / np.sqrt(max(1, len(means) - 1))
            rows.append(
                [
                    f"1:{rarity}", len(means), score,
                    *(f"{means[:, i].mean():.3f} ± {errors[i]:.3f}" for i in range(3)),
                    f"{means[:, 0].min():.2f}", f"{means[:, 3].mean():.3f}",
                    f"{means[:, 4].mean():.3f}",
                ]
            )  # fmt: skip
    return rows


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--data", nargs="*", default=TABLES, help="tables; all by default")
    made.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    made.add_argument("--keep", type=Path, default=Path("bench/imbalance"))
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    warnings.simplefilter("ignore")
    names, seeds, rarities = options.data, options.seeds, list(RARITIES)
    if options.quick:
        names, seeds, rarities = ("sick", "attrition"), seeds[:1], [20]
    options.keep.mkdir(parents=True, exist_ok=True)
    asked = [(n, r, s) for s in seeds for r in reversed(rarities) for n in names]
    runs: dict[int, dict[str, list[dict[str, Any]]]] = {}
    for name, rarity, seed in progress(asked, len(asked), "rare classes"):
        file = options.keep / f"{name}-{rarity}-{seed}.json"
        if not file.exists() and not options.kept:
            started = time.perf_counter()
            with threadpool_limits(1):
                found = run(name, rarity, seed)
            if found is not None:
                found["seconds"] = round(time.perf_counter() - started, 1)
            write_text(file, json.dumps(found) + "\n")
        kept = json.loads(file.read_text()) if file.exists() else None
        if kept is not None:
            runs.setdefault(rarity, {}).setdefault(name, []).append(kept)
    runs = {rarity: runs[rarity] for rarity in sorted(runs)}
    header = [
        "rarity", "tables", "score", *YARDSTICKS, "worst", "best subset reaches", "mean score",
    ]  # fmt: skip
    rows = summarized(runs)
    print(table(header, rows))
    seeds_there = {len(found) for by_table in runs.values() for found in by_table.values()}
    fewest, most = min(seeds_there), max(seeds_there)
    many = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    print(f"\nruns of every table and rarity: {many}")
    save(options.json, {"header": header, "rows": rows})


if __name__ == "__main__":
    main()
