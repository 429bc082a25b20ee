"""Agreement of the binned forest with scikit-learn's: drawn subsets of NSL-KDD, several seeds.

The first fifth of the training file is used for training, the whole test file for evaluation, with
30 trees per forest. Every subset is scored three times: by our forest, by scikit-learn's, and by
scikit-learn's with other seeds, which shows how well scikit-learn agrees with itself.

scikit-learn's forest is fitted once per seed, and its trees are cut at the depth of each group.
This has the same distribution as fitting a forest with that `max_depth`, because the random draws
of a node do not depend on the limit; `--separate` fits every group separately instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from _common import drawn_subset, parser, progress, save, table
from _forest import VARIANCE, fifth_of_nsl_kdd, forest, scores_by_seed
from _gpu import gpu_forest
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nffs.fitness import one_blas_thread

DEPTHS = (2, 4, 8, 16, None)


def theirs(
    X: np.ndarray, y: np.ndarray, n: int, trees: int, seeds: Any, threads: int, separate: bool
) -> np.ndarray:
    """F-scores by seed and group of the scikit-learn pipeline."""
    prepare = make_pipeline(StandardScaler(), PCA(VARIANCE)).fit(X[:n])
    Z, Z_test = (prepare.transform(part).astype(np.float32) for part in (X[:n], X[n:]))
    scores = np.empty((len(seeds), len(DEPTHS)))
    for s, seed in enumerate(seeds):
        model = RandomForestClassifier(trees, n_jobs=threads, random_state=seed)
        if not separate:
            model.fit(Z, y[:n])
        for g, depth in enumerate(DEPTHS):
            if separate:
                model.set_params(max_depth=depth).fit(Z, y[:n])
            share = np.mean([cut(tree.tree_, Z_test, depth) for tree in model.estimators_], axis=0)
            scores[s, g] = f1_score(y[n:], share > 0.5)
    return scores


def cut(tree: Any, Z: np.ndarray, depth: int | None) -> np.ndarray:
    """Share of class 1 in the nodes that rows reach at some depth of a scikit-learn tree."""
    node, rows = np.zeros(len(Z), dtype=np.int64), np.arange(len(Z))
    for _ in range(tree.max_depth if depth is None else min(depth, tree.max_depth)):
        rows = rows[tree.children_left[node[rows]] >= 0]
        at = node[rows]
        goes_left = Z[rows, tree.feature[at]] <= tree.threshold[at]
        node[rows] = np.where(goes_left, tree.children_left[at], tree.children_right[at])
    value = tree.value[node, 0]
    return value[:, 1] / value.sum(axis=1)


def ours_by(
    engine: str,
    X: np.ndarray,
    y: np.ndarray,
    n: int,
    groups: Any,
    threads: int,
    positive: Any = None,
) -> Callable[[np.ndarray, Any], np.ndarray]:
    """Give what scores a subset under several seeds: seeds, groups."""
    if engine == "gpu":
        on_gpu = gpu_forest(X, y, n, groups, positive)
        return lambda mask, seeds: on_gpu.scores(np.tile(mask, (len(seeds), 1)), seeds)
    scorer, _ = forest(X, y, n, groups, positive)
    return lambda mask, seeds: scores_by_seed(scorer, mask, seeds, threads)


def main(engine: str = "fast") -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--subsets", type=int, help="number of subsets (default: 60; quick 8)")
    arguments.add_argument("--seeds", type=int, default=5, help="seeds of each (default: 5)")
    arguments.add_argument("--separate", action="store_true", help="fit every group on its own")
    options = arguments.parse_args()
    n_subsets = options.subsets or (8 if options.quick else 60)
    trees, threads = 30, options.threads
    X, y, n = fifth_of_nsl_kdd()
    groups = [{"n_estimators": trees, "max_depth": d} for d in DEPTHS]
    ours = ours_by(engine, X, y, n, groups, threads, positive=1)  # as `theirs`
    results: list[np.ndarray] = []
    for i in progress(range(n_subsets), n_subsets, "subsets"):
        # sizes from a fifth to two thirds of the columns, as eq. 2's weights give and beyond
        mask = drawn_subset(X.shape[1], 0.2 + 0.45 * (i % 10) / 9, i)
        chosen = X[:, mask]
        # No subset shares a bootstrap with another: their differences are independent.
        seeds = np.arange(options.seeds) + 10_000 * i
        with one_blas_thread:
            results.append(
                np.stack(
                    [
                        ours(mask, seeds),
                        theirs(chosen, y, n, trees, seeds, threads, options.separate),
                        theirs(chosen, y, n, trees, seeds + 1000, threads, options.separate),
                    ]
                )
            )
    scores = np.array(results)  # subset, who, seed, group
    report(scores, options)


def report(scores: np.ndarray, options: Any) -> None:
    n_subsets = len(scores)
    fitness = scores.mean(axis=(2, 3))  # subset, who
    both = fitness[:, 1:].mean(axis=1)
    rank = {
        "ours and scikit-learn": float(spearmanr(fitness[:, 0], fitness[:, 1])[0]),
        "ours and scikit-learn, other seeds": float(spearmanr(fitness[:, 0], fitness[:, 2])[0]),
        "scikit-learn and itself": float(spearmanr(fitness[:, 1], fitness[:, 2])[0]),
    }
    print(f"{n_subsets} subsets, {scores.shape[2]} seeds, 30 trees\n")
    print(table(["rank correlation of mean fitness", ""], [[k, v] for k, v in rank.items()]))
    rows, figures = [], []
    for g, depth in [*enumerate(DEPTHS), (None, "all groups")]:
        part = scores.mean(axis=3) if g is None else scores[..., g]
        difference = part[:, 0].mean(axis=1) - part[:, 1:].mean(axis=(1, 2))
        itself = part[:, 1].mean(axis=1) - part[:, 2].mean(axis=1)
        row = {
            "group": depth if g is None else f"depth {depth or 'any'}",
            "ours": float(part[:, 0].mean()),
            "scikit-learn": float(part[:, 1:].mean()),
            "difference": float(difference.mean()),
            "standard error": float(difference.std(ddof=1) / np.sqrt(n_subsets)),
            "mean absolute": float(np.abs(difference).mean()),
            "itself, mean absolute": float(np.abs(itself).mean()),
        }
        figures.append(row)
        rows.append(list(row.values()))
    print()
    print(table(list(figures[0]), rows))
    save(
        options.json,
        {
            "subsets": n_subsets,
            "seeds": scores.shape[2],
            "separate": options.separate,
            "rank_correlation": rank,
            "groups": figures,
            "mean_difference": float((fitness[:, 0] - both).mean()),
        },
    )


if __name__ == "__main__":
    main()
