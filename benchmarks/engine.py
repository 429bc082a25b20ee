"""One subset of NSL-KDD, four forests of 100 trees: our time and that of two other libraries.

The other libraries are scikit-learn and scikit-learn-intelex, Intel's faster scikit-learn.

The four forests differ in depth: they are the parameter groups under which a subset is scored. All
libraries get the same rows, columns, groups and threads, in one run. scikit-learn and
scikit-learn-intelex give all threads to one model and fit the pipeline (standardise, PCA, forest)
group by group, as a loop over scikit-learn does. We evaluate as many subsets at a time as there are
threads, one thread each, as a search does; our time is the total divided by the number of subsets.
`nffs` is timed several times, before and after the others, and its best time counts; the others,
which take minutes, are timed once. Times by stage are those of one subset alone, on one thread.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from _common import drawn_subset, nsl_kdd, parser, progress, save, table
from _forest import VARIANCE, forest
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nffs.fitness import ForestScorer, one_blas_thread
from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.forest import BinnedForest
from nffs.fitness.forest.kernels import common
from nffs.fitness.forest.training import TrainingRows
from nffs.fitness.forest.tree import Tree, tree_seeds

STAGES = ["project", "bin", "code and merge", "grow", "predict"]


def at_a_time(scorer: ForestScorer, mask: np.ndarray, threads: int) -> tuple[float, np.ndarray]:
    """Evaluate the subset in every thread, with another seed in each, as a search would.

    Gives the time divided by the number of threads, and the F-scores of seed 0.
    """
    with one_blas_thread, ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        found = list(pool.map(lambda seed: scorer.scores(mask[None], [seed]), range(threads)))
        seconds = time.perf_counter() - start
    return seconds / threads, found[0][0]


def by_stage(scorer: ForestScorer, mask: np.ndarray, n_trees: int) -> dict[str, float]:
    """Evaluate the subset stage by stage on one thread."""
    clock, labels = time.perf_counter, scorer.train
    with one_blas_thread:
        times = [clock()]
        Z, Z_evaluation = scorer.presenter.projection.project(mask)
        times.append(clock())
        bins = find_bins(Z)
        times.append(clock())
        rows = TrainingRows(Z, bins, labels.codes, labels.n_classes)
        times.append(clock())
        grown = BinnedForest.grow(rows, n_trees, seed=0)
        times.append(clock())
        grown.predict_groups(Z_evaluation, scorer.groups)
        times.append(clock())
    return dict(zip(STAGES, np.diff(times).tolist(), strict=True))


def theirs(
    model: type, X: np.ndarray, y: np.ndarray, n: int, group: dict[str, Any], threads: int
) -> tuple[float, float]:
    """Fit the pipeline for one group and predict the test rows; give the time and the F-score."""
    start = time.perf_counter()
    pipeline = make_pipeline(
        StandardScaler(), PCA(VARIANCE), model(**group, n_jobs=threads, random_state=0)
    )
    predicted = pipeline.fit(X[:n], y[:n]).predict(X[n:])
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
    scorer, _ = forest(X, y, n, groups)
    once = time.perf_counter() - start

    def measure() -> list[tuple[float, np.ndarray, dict[str, float]]]:
        return [
            (*at_a_time(scorer, mask, options.threads), by_stage(scorer, mask, n_trees))
            for _ in progress(range(6), 6, f"nffs, {options.threads} at a time")
        ]

    # Before and after the others: a short run is easily disturbed, a long one evens it out.
    runs = measure()
    times, scores = {"nffs": 0.0}, {"nffs": runs[0][1].tolist()}
    chosen = np.ascontiguousarray(X[:, mask])
    for name, model in rivals.items():
        results = [
            theirs(model, chosen, y, n, group, options.threads)
            for group in progress(groups, len(groups), name)
        ]
        times[name] = sum(seconds for seconds, _ in results)
        scores[name] = [score for _, score in results]

    runs += measure() if rivals else []
    ours = times["nffs"] = min(seconds for seconds, *_ in runs)
    stages = {stage: min(found[stage] for *_, found in runs) for stage in STAGES}
    with one_blas_thread:
        subset = scorer.subset(mask)
    rows = subset.rows
    sample = BinnedForest.grow(rows, min(10, n_trees), seed=0)
    _, updates = unavoidable(rows, subset.train, sample.trees, 0)
    updates = updates * n_trees // len(sample.trees)

    print(f"NSL-KDD, {n} rows, {mask.sum()} columns, {rows.n_features} components,", end=" ")
    print(f"{len(groups)} groups of {n_trees} trees, {options.threads} threads\n")
    depths = [f"F, depth {group['max_depth'] or 'any'}" for group in groups]
    print(
        table(
            ["", "seconds", "times ours", *depths],
            [[name, t, t / ours, *scores[name]] for name, t in times.items()],
        )
    )
    print("\nour time by stage, one subset alone on one thread", end=" ")
    print(f"(statistics of the table, once for all subsets: {once:.3f} s)\n")
    alone = sum(stages.values())
    print(table(["stage", "seconds", "share"], [[s, t, t / alone] for s, t in stages.items()]))
    nanoseconds = stages["grow"] / updates * 1e9
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
            "times_ours": {name: t / ours for name, t in times.items()},
            "stages": stages,
            "statistics_once": once,
            "bin_updates": updates,
            "ns_per_update": nanoseconds,
            "f_scores": scores,
        },
    )


if __name__ == "__main__":
    main()
