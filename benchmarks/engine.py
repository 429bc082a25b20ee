"""One subset of NSL-KDD, four groups of 100 trees: our time against scikit-learn's and intelex's.

Everyone gets the same rows, columns, groups and threads, in one run. The others fit the pipeline
(standardise, PCA, forest) group by group, as a loop over scikit-learn does. Our times are the best
of several repetitions before and after the others' single one, which takes minutes.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from _common import drawn_subset, nsl_kdd, parser, progress, save, table
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.forest import BinnedForest, grow_and_predict
from nffs.fitness.forest.kernels import common
from nffs.fitness.forest.projection import Projection
from nffs.fitness.forest.training import TrainingRows
from nffs.fitness.forest.tree import Tree, tree_seeds

VARIANCE = 0.93
STAGES = ["project", "bin", "code and merge", "grow", "judge"]


def ours(
    projection: Projection, y: np.ndarray, n: int, mask: np.ndarray, groups: list[Any], threads: int
) -> tuple[dict[str, float], np.ndarray, TrainingRows, np.ndarray]:
    """Evaluate the subset: once as the search does (its time counts), once stage by stage."""
    clock = time.perf_counter
    start = clock()
    Z, judged = projection.project(mask, threads)
    projected = clock()
    bins = find_bins(Z, threads)
    binned = clock()
    rows = TrainingRows(Z, bins, y[:n], 2, n_threads=threads)
    coded = clock()
    shares = grow_and_predict(rows, judged, groups, seed=0, n_threads=threads)
    end = clock()
    trees = max(group["n_estimators"] for group in groups)
    forest = BinnedForest.grow(rows, trees, seed=0, n_threads=threads)
    grown = clock()
    forest.predict_groups(judged, groups, threads)
    walked = clock()
    times = dict(
        zip(
            STAGES,
            [projected - start, binned - projected, coded - binned, grown - end, walked - grown],
            strict=True,
        )
    )
    return {"total": end - start, **times}, shares, rows, Z


def theirs(
    forest: type, X: np.ndarray, y: np.ndarray, n: int, group: dict[str, Any], threads: int
) -> tuple[float, float]:
    """Fit the pipeline for one group and judge the test rows; return the time and the F-score."""
    start = time.perf_counter()
    model = make_pipeline(
        StandardScaler(), PCA(VARIANCE), forest(**group, n_jobs=threads, random_state=0)
    )
    predicted = model.fit(X[:n], y[:n]).predict(X[n:])
    return time.perf_counter() - start, float(f1_score(y[n:], predicted))


def unavoidable(rows: TrainingRows, Z: np.ndarray, trees: list[Tree], seed: int) -> tuple[int, int]:
    """Count row visits (drawn rows in inner nodes) and bin updates of some trees."""
    counts = np.empty(rows.n_rows, dtype=np.uint32)
    first = np.zeros(rows.n_rows, dtype=np.int64)
    first[rows.slot[::-1]] = np.arange(len(rows.slot))[::-1]
    visits = 0
    for tree, tree_seed in zip(trees, tree_seeds(seed, len(trees)), strict=True):
        common.bootstrap(tree_seed, rows.n_drawn, rows.slot, counts)
        drawn = Z[first[counts > 0]]
        left, feature = tree.nodes[:, common.LEFT], tree.nodes[:, common.FEATURE]
        threshold = tree.nodes.view(np.float32)[:, common.THRESHOLD]
        here = np.zeros(len(drawn), dtype=np.int64)
        while True:
            inner = left[here] != here
            if not inner.any():
                break
            visits += int(inner.sum())
            here, drawn = here[inner], drawn[inner]
            goes_right = drawn[np.arange(len(drawn)), feature[here]] > threshold[here]
            here = left[here] + goes_right
    return visits, visits * max(1, int(rows.n_features**0.5))


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--share", type=float, default=0.5, help="share of the columns drawn")
    arguments.add_argument("--seed", type=int, default=0, help="which subset")
    arguments.add_argument("--ours-only", action="store_true", help="skip the other two")
    options = arguments.parse_args()
    n_trees = 20 if options.quick else 100
    groups: list[dict[str, Any]] = [
        {"n_estimators": n_trees, "max_depth": depth} for depth in (2, 8, 16, None)
    ]
    X, y, n = nsl_kdd()
    mask = drawn_subset(X.shape[1], options.share, options.seed)

    rivals: dict[str, type] = {}
    if not options.ours_only:
        rivals["scikit-learn"] = RandomForestClassifier
        try:
            from sklearnex.ensemble import RandomForestClassifier as Accelerated

            rivals["scikit-learn-intelex"] = Accelerated
        except ImportError:
            print("scikit-learn-intelex is not installed: left out")

    start = time.perf_counter()
    projection = Projection(X, slice(0, n), slice(n, None), VARIANCE)
    once = time.perf_counter() - start

    def measure() -> list[Any]:
        # Only the last run's rows are kept: a search frees a subset's memory before the next.
        runs: list[Any] = []
        with threadpool_limits(1, user_api="blas"):
            for _ in progress(range(6), 6, "nffs"):
                runs = [(run[0],) for run in runs]
                runs.append(ours(projection, y, n, mask, groups, options.threads))
        return runs

    # Before and after the others: a short run is easily disturbed, a long one evens it out.
    runs = measure()
    times, scores = {"nffs": 0.0}, {"nffs": []}
    chosen = np.ascontiguousarray(X[:, mask])
    for name, forest in rivals.items():
        results = [
            theirs(forest, chosen, y, n, group, options.threads)
            for group in progress(groups, len(groups), name)
        ]
        times[name] = sum(seconds for seconds, _ in results)
        scores[name] = [score for _, score in results]

    runs += measure() if rivals else []
    best = {key: min(run[0][key] for run in runs) for key in runs[0][0]}
    times["nffs"] = best["total"]
    _, shares, rows, Z = runs[-1]
    scores["nffs"] = [float(f1_score(y[n:], s[:, 1] > 0.5)) for s in shares]
    sample = BinnedForest.grow(rows, min(10, n_trees), seed=0)
    _, updates = unavoidable(rows, Z, sample.trees, 0)
    updates = updates * n_trees // len(sample.trees)

    print(f"NSL-KDD, {n} rows, {mask.sum()} columns, {rows.n_features} components,", end=" ")
    print(f"{len(groups)} groups of {n_trees} trees, {options.threads} threads\n")
    depths = [f"F, depth {group['max_depth'] or 'any'}" for group in groups]
    print(
        table(
            ["", "seconds", "times ours", *depths],
            [[name, t, t / best["total"], *scores[name]] for name, t in times.items()],
        )
    )
    print(f"\nour time by stage (statistics of the table, once for all subsets: {once:.3f} s)\n")
    stage_sum = sum(best[stage] for stage in STAGES)
    print(table(["stage", "seconds", "share"], [[s, best[s], best[s] / stage_sum] for s in STAGES]))
    nanoseconds = best["grow"] * options.threads / updates * 1e9
    print(
        f"\n{rows.n_drawn} rows merge into {rows.n_rows}; growing takes {updates:.4g} bin updates,"
        f" {nanoseconds:.3g} ns of one core each"
    )
    save(
        options.json,
        {
            "columns": int(mask.sum()),
            "components": rows.n_features,
            "rows": rows.n_drawn,
            "merged_rows": rows.n_rows,
            "groups": groups,
            "threads": options.threads,
            "seconds": times,
            "times_ours": {name: t / best["total"] for name, t in times.items()},
            "stages": {stage: best[stage] for stage in STAGES},
            "statistics_once": once,
            "bin_updates": updates,
            "ns_per_update": nanoseconds,
            "f_scores": scores,
        },
    )


if __name__ == "__main__":
    main()
