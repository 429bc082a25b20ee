"""Regression: agreement with scikit-learn, speed, true columns found, methods compared.

Agreement: random subsets of two tables are scored by forests of 30 trees, of depths 2, 4, 8 and
unlimited, trained on three quarters of at most 2,400 rows. Every subset is scored three times by
R2: by our forest, by scikit-learn's RandomForestRegressor, and by the latter with other seeds,
which shows how well it agrees with itself; on components (the paper's evaluator) and on columns
(the forest of the default panel).

Speed: one subset of half of the columns, forests of 100 trees for each of the four depths, one
thread, in CPU seconds, because other work may share the machine. scikit-learn's loop is
StandardScaler, PCA and one RandomForestRegressor for every depth; where that takes hours, fewer
trees are grown ("of trees") and their time is scaled up. Our time is that of the engine for the
same work, including bins and components. Both are the least of five runs that take turns, and
"times" is the ratio of the two. In nsl_kdd one of the numeric columns is the target.

True columns: in reg_fri_c4_1000_100, 5 of 100 columns matter. How many of them a method keeps, and
how many others, over seeds that hold out different rows.

Methods: those that `--methods` names, on the regression tables of the suite that `--data` names, in
the way of the comparison study: every seed holds out another quarter of the rows; every method has
the same budget of evaluations on the same sample of at most 1,000 rows; the default panel with 10
trees evaluates; and models that took no part in the search score the selection on the held-out
rows. Missing values are filled first.

Every part and every run is saved in the folder that `--keep` names; run the same command again to
continue.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _common import drawn_subset, nsl_kdd, parser, save, table
from _suite import suite_table
from _tables import Table
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nffs.atomic import write_text
from nffs.fitness import MODELS, Split, SplitRows, one_blas_thread, resolve_scoring
from nffs.fitness.engines import Asked
from nffs.methods import METHODS
from nffs.table.encoding import fit_encoding
from nffs.table.reading import read_table
from nffs.table.target import read_target
from nffs.validation import compare

TABLES = ("reg_fri_c4_1000_100", "reg_ames", "reg_communities", "reg_cpu_act", "reg_tecator")
KNOWN = "reg_fri_c4_1000_100"
TRUE = {f"oz{i}" for i in range(1, 6)}
DEPTHS = (2, 4, 8, None)
VARIANCE = 0.93
#: The numeric column of NSL-KDD that stands for a target: connections to the same service.
NSL_TARGET = 32
METHODS_COMPARED = [n for n, m in METHODS.items() if "regression" in m.tasks]
PARTS = ("speed", "agreement", "methods")
QUICK_METHODS = ["nffs", "ig", "mrmr", "kbest", "from-model", "random", "all"]


def regression_table(name: str) -> Table:
    """Read a regression table of the suite, gaps filled; no class is too small here."""
    return suite_table(name, least=1)


def encoded(data: Table, most: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Give the encoded rows in random order, their target, and how many train."""
    frame = read_table(data.X)
    X = np.ascontiguousarray(fit_encoding(frame).matrix(frame), dtype=np.float32)
    order = np.random.default_rng(0).permutation(len(X))[:most]
    return X[order], np.asarray(data.y)[order], 3 * len(order) // 4


def scorer_of(X: np.ndarray, y: Any, n: int, model: str, groups: Any) -> Any:
    """Prepare our engine: the first n rows train, the others evaluate."""
    target, split = read_target(y, task="regression"), Split(np.arange(n), np.arange(n, len(X)))
    rows = SplitRows(X, target, None, [split], "the rows after those that train")
    asked = Asked(resolve_scoring(None, target), groups, VARIANCE, "regression")
    return MODELS[model].fast(asked).prepare(rows, split)


def agreement(name: str, model: str, n_subsets: int, seeds: int) -> dict[str, Any]:
    """Score drawn subsets by us, by scikit-learn, and by scikit-learn again."""
    X, y, n = encoded(regression_table(name), 2400)
    groups = [{"n_estimators": 30, "max_depth": depth} for depth in DEPTHS]
    scorer = scorer_of(X, y, n, model, groups)
    found = []
    for i in range(n_subsets):
        mask = drawn_subset(X.shape[1], 0.1 + 0.5 * (i % 10) / 9, i)
        numbers = np.arange(seeds) + 10_000 * i
        with one_blas_thread:
            subset = scorer.subset(mask)
            ours = [
                [r2_score(y[n:], p) for p in subset.predictions(groups, int(seed))]
                for seed in numbers
            ]
            prepare = make_pipeline(StandardScaler(), *_components(model)).fit(X[:n, mask])
            Z, E = (prepare.transform(part[:, mask]) for part in (X[:n], X[n:]))
            theirs, again = (
                [_cut_scores(Z, y[:n], E, y[n:], int(seed)) for seed in numbers + shift]
                for shift in (0, 1000)
            )
        found.append([np.mean(ours), np.mean(theirs), np.mean(again)])
        print(f"agreement, {name}, {model}: {i + 1} of {n_subsets}", file=sys.stderr, flush=True)
    means = np.array(found)
    difference = means[:, 0] - means[:, 1:].mean(axis=1)
    return {
        "table": name.removeprefix("reg_"),
        "on": model.replace("forest", "columns"),
        "subsets": n_subsets,
        "ours and scikit-learn": float(spearmanr(means[:, 0], means[:, 1])[0]),
        "ours, other seeds": float(spearmanr(means[:, 0], means[:, 2])[0]),
        "scikit-learn and itself": float(spearmanr(means[:, 1], means[:, 2])[0]),
        "difference": float(difference.mean()),
        "standard error": float(difference.std(ddof=1) / np.sqrt(n_subsets)),
    }


def _components(model: str) -> list[Any]:
    return [PCA(VARIANCE, svd_solver="full")] if model == "components" else []


def _cut_scores(Z: Any, y: Any, E: Any, truth: Any, seed: int) -> list[float]:
    """R2 of one forest, its trees cut at every depth: the forests of those depths."""
    forest = RandomForestRegressor(30, random_state=seed, n_jobs=1).fit(Z, y)
    return [
        r2_score(truth, np.mean([_cut(t.tree_, E, depth) for t in forest.estimators_], axis=0))
        for depth in DEPTHS
    ]


def _cut(tree: Any, Z: np.ndarray, depth: int | None) -> np.ndarray:
    """Give the means of the nodes that rows reach at some depth of a scikit-learn tree."""
    Z = Z.astype(np.float32)  # as its trees compare
    node, rows = np.zeros(len(Z), dtype=np.int64), np.arange(len(Z))
    for _ in range(tree.max_depth if depth is None else min(depth, tree.max_depth)):
        rows = rows[tree.children_left[node[rows]] >= 0]
        at = node[rows]
        goes_left = Z[rows, tree.feature[at]] <= tree.threshold[at]
        node[rows] = np.where(goes_left, tree.children_left[at], tree.children_right[at])
    return tree.value[node, 0, 0]


def speed(name: str, trees: int) -> dict[str, Any]:
    """Time one subset by us, and by the scikit-learn loop with some of the 100 trees."""
    if name == "nsl_kdd":
        X, _, n = nsl_kdd()
        y, X = X[:, NSL_TARGET].copy(), np.delete(X, NSL_TARGET, axis=1)
    else:
        X, y, n = encoded(regression_table(name), 10**6)
    mask = drawn_subset(X.shape[1], 0.5, 0)
    groups = [{"n_estimators": 100, "max_depth": depth} for depth in DEPTHS]
    scorer = scorer_of(X, y, n, "components", groups)
    with one_blas_thread:
        scorer.subset(mask).predictions([{"n_estimators": 1, "max_depth": 2}], 0)  # compiles
        ours, theirs = np.inf, np.inf
        prepare = make_pipeline(StandardScaler(), PCA(VARIANCE, svd_solver="full"))
        begin = _seconds(lambda: prepare.fit(X[:n, mask]).transform(X[:, mask]))
        Z, E = (prepare.transform(part[:, mask]) for part in (X[:n], X[n:]))
        for _ in range(5):
            ours = min(ours, _seconds(lambda: scorer.scores(mask[None], [0])))
            loop = (
                lambda d=d: RandomForestRegressor(trees, max_depth=d).fit(Z, y[:n]).predict(E)
                for d in DEPTHS
            )
            theirs = min(theirs, sum(map(_seconds, loop)))
    whole = begin + theirs * 100 / trees
    return {
        "table": name.removeprefix("reg_"),
        "rows that train": n,
        "components": Z.shape[1],
        "ours, s": ours,
        "scikit-learn, s": whole,
        "of trees": trees,
        "times": whole / ours,
    }


def _seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def compared(name: str, methods: list[str], seeds: int, budget: int, options: Any) -> Any:
    """Compare methods on one table."""

    def show(run: dict[str, Any]) -> None:
        print(
            f"{name}: {run['method']} seed {run['seed']}: {len(run['features'])} features in "
            f"{run['seconds']:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    data = regression_table(name)
    return compare(
        data.X,
        data.y,
        methods=methods,
        budget=budget,
        seeds=seeds,
        task="regression",
        param_groups=[{"n_estimators": 10}],
        max_rows=1000,
        n_jobs=options.threads,
        keep=options.keep / f"{name}-{budget}",
        on_run=show,
    ).document


def truth(document: Any, folder: Path) -> list[dict[str, Any]]:
    """Count the true columns and the others that every method kept, over its seeds."""
    rows = []
    for method in document["methods"]:
        runs = [
            json.loads(p.read_text())["features"] for p in folder.glob(f"{method['name']}-[0-9]*")
        ]
        rows.append(
            {
                "method": method["name"],
                "seeds": len(runs),
                "true columns of 5": float(np.mean([len(TRUE & set(run)) for run in runs])),
                "others of 95": float(np.mean([len(set(run) - TRUE) for run in runs])),
                "R2 of models": method["transfer"]["mean"],
            }
        )
    return sorted(rows, key=lambda row: (-row["true columns of 5"], row["others of 95"]))


def once(file: Path, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Give what a file keeps, or compute and keep it."""
    if not file.exists():
        write_text(file, json.dumps(compute()) + "\n")
    kept: dict[str, Any] = json.loads(file.read_text())
    return kept


def show(title: str, found: list[dict[str, Any]]) -> None:
    """Print a table of rows that have the same keys."""
    print(
        f"{title}\n\n{table(list(found[0]), [list(row.values()) for row in found])}\n", flush=True
    )


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--keep", type=Path, default=Path("bench/regression"))
    made.add_argument("--budget", type=int, default=60)
    made.add_argument("--seeds", type=int, default=2, help="of every table")
    made.add_argument("--truth-seeds", type=int, default=20, help=f"of {KNOWN}")
    made.add_argument("--data", nargs="*", default=TABLES, help="tables of the comparison")
    made.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS, help="all by default")
    made.add_argument("--methods", nargs="*", default=METHODS_COMPARED)
    options = made.parse_args()
    quick = options.quick
    options.keep = options.keep / ("quick" if quick else "full")
    options.keep.mkdir(parents=True, exist_ok=True)

    def part(what: str, name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        return once(options.keep / f"{what}-{name}.json", compute)

    figures: dict[str, Any] = {}
    if "speed" in options.parts:
        asked = (("reg_tecator", 20),)
        if not quick:
            asked = (("reg_cpu_act", 100), ("reg_communities", 100), ("nsl_kdd", 2))
        times = [part("speed", name, lambda n=name, t=trees: speed(n, t)) for name, trees in asked]
        show("One subset, 100 trees, four depths", times)
        figures["speed"] = times
    if "agreement" in options.parts:
        size = (5, 1) if quick else (20, 2)
        agreed = [
            part("agreement", f"{name}-{model}", lambda n=name, m=model: agreement(n, m, *size))
            for name in (("reg_tecator",) if quick else ("reg_communities", "reg_cpu_act"))
            for model in ("components", "forest")
        ]
        show("Rank correlation of mean R2", agreed)
        figures["agreement"] = agreed
    if "methods" in options.parts:
        figures |= compare_all(options)
    save(options.json, figures)


def compare_all(options: Any) -> dict[str, Any]:
    """Compare the methods on every table, and count the true columns where they are known."""
    quick = options.quick
    methods = QUICK_METHODS if quick else options.methods
    documents = {}
    for name in ("reg_tecator",) if quick else options.data:
        seeds = 1 if quick else options.truth_seeds if name == KNOWN else options.seeds
        budget = 10 if quick else options.budget
        documents[name] = compared(name, methods, seeds, budget, options)
    figures: dict[str, Any] = {}
    if KNOWN in documents:
        figures["truth"] = truth(documents[KNOWN], options.keep / f"{KNOWN}-{options.budget}")
        show("True columns kept", figures["truth"])
    found = []
    for method in methods:
        of = {
            name: next(row for row in document["methods"] if row["name"] == method)
            for name, document in documents.items()
        }
        gains = {_short(name): f"{row['gain']['mean']:+.3f}" for name, row in of.items()}
        rank = float(np.mean([row["rank"] for row in of.values()]))
        found.append({"method": method, "mean rank": rank, **gains})
    found.sort(key=lambda row: row["mean rank"])
    show("Mean rank over tables, and R2 of models minus that with all columns", found)
    print(how(documents, methods, 10 if quick else options.budget), flush=True)
    return {**figures, "methods": found}


def how(documents: dict[str, Any], methods: list[str], budget: int) -> str:
    """Say with how many evaluations and seeds the methods were compared, and which were not."""
    seeds = (f"{_short(name)} {len(found['seeds'])}" for name, found in documents.items())
    others = [name for name in METHODS_COMPARED if name not in methods]
    told = f"{budget} evaluations; seeds: {', '.join(seeds)}"
    return f"{told}; not compared: {', '.join(others)}" if others else told


def _short(name: str) -> str:
    return name.removeprefix("reg_").split("_")[0]


if __name__ == "__main__":
    main()
