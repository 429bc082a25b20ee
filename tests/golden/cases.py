"""What is computed for the golden results: every kind of search, each small enough for a test.

``python tests/golden/cases.py`` prints the results of the code it is run with as JSON. Numbers are
kept as digests of their bits; a few are also kept in clear, so that a difference can be read.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold
from sklearn.tree import DecisionTreeClassifier

from nffs import NFFS, BinnedForestClassifier, ParquetTable, make_connections
from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.number_rows import NumberRows, predict_numbers
from nffs.methods import METHODS
from nffs.methods.established import Boruta, ForestRFECV, FromModel
from nffs.selector import Selector
from nffs.validation import compare, evaluate_subset, nested_score, selection_stability

#: The kernels of BLAS decide last bits, and so do the vector units that NumPy picks.
ENVIRONMENT = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": (
        "AVX512F AVX512CD AVX512_KNL AVX512_KNM AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL "
        "AVX512_SPR"
    ),
}

TABLE = make_connections(400)
X, Y = TABLE.data, np.array(TABLE.target)
SMALL = {"n_subsets": 16, "n_nested": 8, "random_state": 0, "evaluator": "paper"}
QUICK = {"n_subsets": 12, "n_nested": 6, "random_state": 0}
# The class that the golden results are about; the rarer one would be the default.
POSITIVE = {"pos_label": "normal"}
WINE, WINE_Y = load_wine(return_X_y=True, as_frame=True)

# The selectors of other libraries take their time.
SHORT = {
    "rfecv": ForestRFECV(trees=2, step=0.5),
    "from-model": FromModel(trees=10),
    "boruta": Boruta(iterations=4, trees=10),
}


def bits(values: Any) -> str:
    """Give the digest of some numbers' bits."""
    array = np.ascontiguousarray(np.asarray(values, dtype=np.float64))
    return f"{array.shape} {hashlib.blake2b(array.tobytes(), digest_size=12).hexdigest()}"


def selected(selector: Any) -> dict[str, Any]:
    """Give what any selector found."""
    return {
        "selected": list(selector.selected_features_),
        "fitness": repr(float(selector.fitness_)),
        "support": bits(selector.support_),
    }


def whole(selector: Any) -> dict[str, Any]:
    """Give everything that the two phases of NFFS found."""
    return {
        **selected(selector),
        "evaluations": int(selector.n_evaluations_),
        "all_features": repr(float(selector.all_features_fitness_)),
        "threshold": repr(float(selector.threshold_)),
        "mi": bits(selector.mi_),
        "probabilities": bits(selector.probability_weights_),
        "drawn": bits(selector.drawn_),
        "drawn_scores": bits(selector.drawn_scores_),
        "top": bits(selector.top_counts_),
        "bottom": bits(selector.bottom_counts_),
        "weights": bits(selector.frequency_weights_),
        "ranking": bits(selector.ranking_),
        "nested": bits(selector.nested_),
        "nested_scores": bits(selector.nested_scores_),
        "standard_error": repr(float(selector.standard_error_)),
        "one_se": list(selector.one_se_features_),
    }


def nffs(X: Any = X, y: Any = Y, fit: dict[str, Any] | None = None, **parameters: Any) -> Any:
    """Fit NFFS with small sizes."""
    given = {**SMALL, **(POSITIVE if len(np.unique(y)) == 2 else {}), **parameters}
    return whole(NFFS(**given).fit(X, y, **(fit or {})))


def method(name: str, **parameters: Any) -> dict[str, Any]:
    """Fit another method with a small budget."""
    given = {
        "max_evaluations": 24, "param_groups": [{"n_estimators": 4, "max_depth": 5}],
        "random_state": 1, "evaluator": "paper", **POSITIVE, **parameters,
    }  # fmt: skip
    found = Selector(SHORT.get(name, name), **given).fit(X, Y)
    return {
        **selected(found),
        "masks": bits(found.archive_masks_),
        "values": bits(found.archive_fitness_),
        "starts": int(found.n_starts_),
        "evaluations": len(found.archive_fitness_),
    }


def parquet() -> dict[str, Any]:
    """Select from a file, read in parts."""
    with tempfile.TemporaryDirectory() as folder:
        TABLE.frame().write_parquet(f"{folder}/t.parquet")
        table = ParquetTable(f"{folder}/t.parquet", target="label")
        return nffs(table, table.labels(), max_rows=150)


def nested(selector: Any) -> dict[str, Any]:
    """Score a selector inside outer folds."""
    given = {"evaluator": "paper", "random_state": 0, **POSITIVE}
    evaluator = selector if isinstance(selector, NFFS) else NFFS(**given)
    score = nested_score(selector, X, Y, cv=3, evaluator=evaluator)
    return {
        "selected": [fold.selected for fold in score.folds],
        "inner": bits([fold.inner for fold in score.folds]),
        "outer": bits([fold.outer for fold in score.folds]),
        "all": bits([fold.all_features for fold in score.folds]),
        "optimism": repr(float(score.optimism.mean)),
        "stability": repr(float(score.stability.value)),
    }


def repeated(over: str) -> dict[str, Any]:
    """Repeat a selection."""
    found = selection_stability(NFFS(**SMALL, **POSITIVE), X, Y, over=over, n_runs=3)
    return {"selections": bits(found.selections), "value": repr(float(found.stability.value))}


def given_subset() -> dict[str, Any]:
    """Evaluate a given subset as the paper does."""
    found = evaluate_subset(
        X[:250], Y[:250], X[250:], Y[250:], ["duration", "flag", "src_bytes"],
        seeds=(7, 8, 9), trees=(1, 3), depths=(2, None), pos_label="attack",
    )  # fmt: skip
    return {"runs": bits(found.runs), "parameters": dict(found.parameters), "grid": bits(
        [cell["f_score"] for cell in found.grid])}  # fmt: skip


def compared() -> dict[str, Any]:
    """Compare two methods over two seeds."""
    found = compare(
        X, Y, methods=["nffs", "mrmr"], budget=12, seeds=2, param_groups=[{"n_estimators": 4}],
        scoring="accuracy", evaluator="paper", **POSITIVE,
    )  # fmt: skip
    runs = [run for row in found.document["methods"] for run in row["runs"]]
    return {
        "unseen": bits([run["unseen"] for run in runs]),
        "features": [run["features"] for run in runs],
        "curves": bits([point for run in runs for point in run["curve"]]),
    }


def forest(X: Any, y: Any, weight: Any = None, **parameters: Any) -> dict[str, Any]:
    """Grow a binned forest."""
    grown = BinnedForestClassifier(12, random_state=3, **parameters).fit(X, y, weight)
    return {"probabilities": bits(grown.predict_proba(X))}


def numbers(n: int, k: int, classes: int) -> tuple[Any, Any]:
    """Make a table of numbers with ties, duplicates and a few equal rows."""
    rng = np.random.default_rng(n + k + classes)
    table = rng.normal(size=(n, k)).round(2).astype(np.float32)
    table[:, : k // 3] = np.abs(table[:, : k // 3] * 3).astype(np.int32)
    table[n // 2 : n // 2 + n // 10] = table[: n // 10]
    score = table[:, 0] + table[:, k - 1] + rng.normal(size=n) * 0.5
    return table, np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))


def number_forest(n: int, k: int, weight: Any = None) -> dict[str, Any]:
    """Grow a forest for numbers, by bins and sorted."""
    table, classes = numbers(n, k, 7)
    y = classes + 3.0 * table[:, 1]
    rows = NumberRows(table, find_bins(table), y, weight)
    groups = [{"n_estimators": 6, "max_depth": 3}, {"n_estimators": 4, "max_depth": None}]
    return {"predicted": bits(predict_numbers(rows, table, groups, seed=3))}


#: Numbers to predict, with ties.
BYTES = np.log1p(X["dst_bytes"].to_numpy()).round(2) + 0.5 * (Y == "attack")
OTHERS = X.drop("dst_bytes")

WEIGHTS = np.random.default_rng(5).uniform(0, 3, 400).round(1)

CASES: dict[str, Callable[[], Any]] = {
    "default": lambda: nffs(),
    "default sizes": lambda: nffs(X[:, :7], n_subsets="auto", n_nested="auto"),
    "unit column": lambda: nffs(unit="column"),
    "weights": lambda: nffs(fit={"sample_weight": WEIGHTS}),
    "groups of parameters": lambda: nffs(
        param_groups=[{"n_estimators": 7}, {"n_estimators": 3, "max_depth": 2}]
    ),
    "eval_set": lambda: nffs(X[:250], Y[:250], {"eval_set": (X[250:], Y[250:])}),
    "eval_set, weights": lambda: nffs(
        X[:250], Y[:250], {"eval_set": (X[250:], Y[250:]), "sample_weight": WEIGHTS[:250]}
    ),
    "max_rows": lambda: nffs(max_rows=150),
    "max_rows, weights": lambda: nffs(max_rows=150, fit={"sample_weight": WEIGHTS}),
    "max_rows, eval_set": lambda: nffs(
        X[:300], Y[:300], {"eval_set": (X[300:], Y[300:])}, max_rows=150
    ),
    "parquet": parquet,
    "multiclass": lambda: nffs(WINE, WINE_Y),
    "multiclass, weights": lambda: nffs(WINE, WINE_Y, {"sample_weight": WEIGHTS[:178] + 0.1}),
    "multiclass, array": lambda: nffs(WINE.to_numpy(), WINE_Y.to_numpy(), n_nested=5),
    "reference": lambda: nffs(estimator=LogisticRegression(), n_subsets=8, n_nested=4),
    "reference, groups of parameters": lambda: nffs(
        estimator=DecisionTreeClassifier(),
        param_groups=[{"max_depth": 2}, {"max_depth": None}],
        fit={"sample_weight": WEIGHTS},
    ),
    "reference, multiclass": lambda: nffs(
        WINE, WINE_Y, estimator=RandomForestClassifier(5), n_nested=5, pca=None
    ),
    "no components": lambda: nffs(pca=None),
    "scorer": lambda: nffs(scoring="roc_auc"),
    "searches pooled": lambda: nffs(n_searches=2),
    "categories folded": lambda: nffs(min_frequency=20),
    "few categories": lambda: nffs(max_categories=3, unit="column"),
    "categories grouped": lambda: nffs(categories="cluster"),
    "categories grouped, regression": lambda: nffs(OTHERS, BYTES, categories="cluster"),
    "groups of rows": lambda: nffs(cv=GroupKFold(3), fit={"groups": np.arange(400) // 8}),
    "threshold and label": lambda: nffs(threshold=0.02, pos_label="attack", random_state=7),
    "two threads": lambda: nffs(n_jobs=2, random_state=11),
    **{f"method {name}": (lambda name=name: method(name)) for name in METHODS},
    "method ga, unit column": lambda: method("ga", unit="column"),
    "method pso, AUC": lambda: method("pso", scoring="roc_auc", max_rows=200),
    "nested score": lambda: nested(NFFS(**SMALL, **POSITIVE)),
    "nested score of another selector": lambda: nested(SelectKBest(k=6)),
    "stability over seeds": lambda: repeated("seeds"),
    "stability over rows": lambda: repeated("bootstrap"),
    "a given subset": given_subset,
    "comparison": compared,
    "forest of two classes": lambda: forest(*numbers(3000, 9, 2)),
    "forest of two classes, large": lambda: forest(*numbers(9000, 20, 2), max_depth=9),
    "forest of five classes": lambda: forest(*numbers(1500, 12, 5)),
    "forest with weights": lambda: forest(
        *numbers(2000, 7, 2), np.random.default_rng(1).uniform(0, 2, 2000)
    ),
    "regression": lambda: nffs(OTHERS, BYTES),
    "regression, weights": lambda: nffs(OTHERS, BYTES, {"sample_weight": WEIGHTS + 0.1}),
    "panel": lambda: selected(NFFS(**QUICK).fit(X, Y)),
    "panel, three classes": lambda: selected(NFFS(**QUICK).fit(WINE, WINE_Y)),
    "panel, guided": lambda: method("guided", evaluator="panel", param_groups=None),
    "regression, panel": lambda: selected(NFFS(**QUICK).fit(OTHERS, BYTES)),
    "regression, max_rows": lambda: nffs(OTHERS, BYTES, max_rows=150),
    "regression, reference": lambda: nffs(OTHERS, BYTES, estimator=Ridge(), n_subsets=8),
    "forest of numbers": lambda: number_forest(3000, 9),
    "forest of numbers, weights": lambda: number_forest(
        2000, 7, np.random.default_rng(1).uniform(0, 2, 2000)
    ),
    "forest of all rows": lambda: forest(*numbers(700, 5, 3), bootstrap=False, max_features=None),
}


def main() -> None:
    """Print all results."""
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:] or list(CASES)
    print(json.dumps({name: CASES[name]() for name in wanted}, indent=1))


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    main()
