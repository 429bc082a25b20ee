"""What the panel costs, and how closely its models agree with scikit-learn's.

One thread evaluates subsets of half the columns on three folds: with each of the panel's models
alone, with the whole panel, and with scikit-learn's RandomForestClassifier and LogisticRegression
together (`engine="reference"`, one subset, 100 trees only: the others are nan).

Then random subsets of many sizes are scored by logistic regression and by boosting, ours and
scikit-learn's; scikit-learn's boosting has its default of 100 rounds, ours at most 15. Reported are
the rank correlation, the mean difference (ours minus scikit-learn's), the largest absolute
difference, the difference for all columns (where too few iterations would show first), and how many
times as long scikit-learn takes. Boosting for regression (reg_) is compared in the same way, by R2.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from _common import drawn_subset, nsl_kdd_frames, parser, progress, save, table
from _suite import ALL_TABLES, suite_table
from scipy.stats import spearmanr

from nffs import NFFS
from nffs.fitness import EVALUATORS

SPEED = ("nsl-kdd whole", "unsw", "dna", "semeion", "german", "connections", "golub")
AGREEMENT = (
    "attrition", "ozone_8h", "sick", "connections", "german", "vehicle", "dna", "soybean", "libras",
    "steel_plates", "sorlie", "semeion",
)  # fmt: skip
NUMBERS = ("reg_communities", "reg_cpu_act", "reg_tecator", "reg_fri_c4_1000_100")
ALONE = ("logistic", "boosting")  # models without parameter groups
SHARES = (0.05, 0.1, 0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9, 1.0)


def frames(name: str, most: int | None = None) -> tuple[Any, Any]:
    """Read a table, or the first rows of a shuffled one."""
    if name == "nsl-kdd whole":
        X, y, _, _ = nsl_kdd_frames()
    else:
        data = suite_table(name, least=1) if name in NUMBERS else ALL_TABLES[name]()
        X, y = data.X, np.asarray(data.y)
    if most is not None and len(y) > most:
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
        X, y = X[rows], y[rows]
    return X, y


def evaluator_of(X: Any, y: Any, trees: int | None, **given: Any) -> Any:
    """Make what scores masks, and give the number of features that vary."""
    groups = {} if trees is None else {"param_groups": [{"n_estimators": trees}]}
    groups = {} if given.get("evaluator") in ALONE else groups
    made = NFFS(random_state=0, **groups, **given).evaluation(X, y).ranked()
    return made.evaluator, len(made.features)


def seconds(evaluators: dict[str, Any], masks: np.ndarray) -> dict[str, float]:
    """Time every evaluator, mask by mask in turn."""
    for evaluate in evaluators.values():
        evaluate(masks[:1])
    spent = dict.fromkeys(evaluators, 0.0)
    for mask in masks:
        for name, evaluate in evaluators.items():
            started = time.perf_counter()
            evaluate(mask[None])
            spent[name] += time.perf_counter() - started
    return {name: total / len(masks) for name, total in spent.items()}


def speed(name: str, trees: int | None, n_masks: int, reference: bool) -> list[Any]:
    """Compare the costs on a table."""
    X, y = frames(name)
    made = {e: evaluator_of(X, y, trees, evaluator=e) for e in (*EVALUATORS["panel"], "panel")}
    d = made["panel"][1]
    masks = np.array([drawn_subset(d, 0.5, seed) for seed in range(n_masks)])
    found = seconds({e: evaluate for e, (evaluate, _) in made.items()}, masks)
    slow = float("nan")
    if reference:
        evaluate, _ = evaluator_of(X, y, trees, engine="reference")
        started = time.perf_counter()
        evaluate(masks[:1])
        slow = time.perf_counter() - started
    return [
        name, f"{len(y)} x {d}", trees or 30, *(round(found[e], 4) for e in found),
        round(found["panel"] / found["forest"], 2), round(slow, 1),
        round(slow / found["panel"], 1),
    ]  # fmt: skip


def agreement(name: str, model: str) -> list[Any]:
    """Compare a model of ours with scikit-learn's on a table."""
    X, y = frames(name, 2000)
    fast, d = evaluator_of(X, y, None, evaluator=model)
    slow, _ = evaluator_of(X, y, None, evaluator=model, engine="reference")
    masks = np.array([drawn_subset(d, share, seed) for seed, share in enumerate(SHARES)])
    masks[:, 0] = True
    fast(masks[:1])  # compiled
    scores, spent = [], []
    for evaluate in (fast, slow):
        started = time.process_time()
        scores.append([found.value for found in evaluate(masks)])
        spent.append(time.process_time() - started)
    apart = np.subtract(*scores)
    return [
        name, model, d, round(float(spearmanr(*scores)[0]), 3), round(float(apart.mean()), 4),
        round(float(np.abs(apart).max()), 4), round(float(apart[-1]), 4),
        round(spent[1] / spent[0], 1),
    ]  # fmt: skip


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--only", choices=["speed", "agreement"])
    options = made.parse_args()
    warnings.simplefilter("ignore")
    results: dict[str, Any] = {}
    if options.only != "agreement":
        names = ("german", "connections") if options.quick else SPEED
        jobs = [(name, trees) for name in names for trees in (None, 100)]
        rows = [
            speed(name, trees, 3 if options.quick else 6, reference=trees == 100)
            for name, trees in progress(jobs, len(jobs), "speed")
        ]
        header = [
            "table", "size", "trees", *(f"{model}, s" for model in EVALUATORS["panel"]), "panel, s",
            "panel / forest", "scikit-learn, s", "scikit-learn / panel",
        ]  # fmt: skip
        print(table(header, rows), "\n")
        results["speed"] = {"header": header, "rows": rows}
    if options.only != "speed":
        names = ("german", "vehicle") if options.quick else AGREEMENT
        pairs = [(name, model) for model in ALONE for name in names]
        pairs += [(name, "boosting") for name in (NUMBERS[2:3] if options.quick else NUMBERS)]
        rows = [agreement(*pair) for pair in progress(pairs, len(pairs), "agreement")]
        header = [
            "table", "model", "columns", "rank correlation", "mean difference", "largest",
            "all columns", "scikit-learn / ours",
        ]  # fmt: skip
        print(table(header, rows))
        results["agreement"] = {"header": header, "rows": rows}
    save(options.json, results)


if __name__ == "__main__":
    main()
