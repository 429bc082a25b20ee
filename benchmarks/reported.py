"""Agreement with scikit-learn on the paper's own subsets, for two extreme parameter groups.

The subsets are those that the paper lists: its own and seven that others published, named after the
methods that found them. The whole training file is used for training and the test file for
evaluation. "Components" is the number of principal components of the subset. A single tree of
unlimited depth is the hardest case for bins: nothing is averaged, and the test file has values that
the training file lacks, so the score depends on where a threshold falls between distant values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from _common import nsl_kdd_frames, parser, progress, save, table
from _gpu import gpu_forest

from nffs.fitness import SplitRows
from nffs.fitness.indicators import indicators_of
from nffs.paper.reported import NSL_KDD
from nffs.validation.given import F_SCORE, NAMES, TestBench, each_seed, expand_features

GROUPS: dict[str, Any] = {
    "1 tree, any depth": {"n_estimators": 1, "max_depth": None},
    "100 trees, depth 2": {"n_estimators": 100, "max_depth": 2},
}


class OnGpu:
    """The GPU's forests on the rows of a bench."""

    def __init__(self, bench: TestBench, rows: SplitRows) -> None:
        (split,) = rows.splits
        order = np.concatenate([split.train, split.evaluation])
        self.encoding, self.truth = bench.encoding, rows.target.values[split.evaluation]
        self.scorers = {
            name: gpu_forest(
                rows.matrix[order], rows.target.values[order], len(split.train), [group]
            )
            for name, group in GROUPS.items()
        }

    def runs(self, features: Sequence[str], name: str, seeds: Sequence[int]) -> np.ndarray:
        """Give the indicators of some runs: seeds, indicators."""
        mask = expand_features(features, self.encoding)
        found = self.scorers[name].probabilities(np.tile(mask, (len(seeds), 1)), seeds)
        each = [indicators_of(self.truth, probabilities[0]) for probabilities in found]
        return np.array([[getattr(one, indicator) for indicator in NAMES] for one in each])


def main(engine: str = "fast") -> None:
    options = parser(__doc__ or "").parse_args()
    seeds = range(7, 9) if options.quick else range(7, 17)
    chosen = NSL_KDD[:2] if options.quick else NSL_KDD
    frames = nsl_kdd_frames()
    bench = TestBench(*frames)
    on_gpu = OnGpu(bench, bench.rows) if engine == "gpu" else None
    figures = []
    for reported in progress(chosen, len(chosen), "subsets"):
        subset = bench.subset(reported.features)
        for name, group in GROUPS.items():
            if on_gpu is None:
                ours = each_seed(partial(subset.run, group=group), seeds, options.threads)
            else:
                ours = on_gpu.runs(reported.features, name, seeds)
            theirs = each_seed(partial(subset.run_sklearn, group=group), seeds, options.threads)
            error = np.sqrt((ours.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)) / len(seeds))
            difference = ours.mean(axis=0) - theirs.mean(axis=0)
            auc = NAMES.index("auc")
            figures.append(
                {
                    "subset": reported.method,
                    "components": subset.prepared.rows.n_features,
                    "group": name,
                    "F ours": float(ours[:, F_SCORE].mean()),
                    "F scikit-learn": float(theirs[:, F_SCORE].mean()),
                    "difference": float(difference[F_SCORE]),
                    "standard error": float(error[F_SCORE]),
                    "AUC difference": float(difference[auc]),
                }
            )
    print(f"NSL-KDD, {len(seeds)} seeds\n")
    print(table(list(figures[0]), [list(row.values()) for row in figures]))
    save(options.json, {"seeds": list(seeds), "rows": figures})


if __name__ == "__main__":
    main()
