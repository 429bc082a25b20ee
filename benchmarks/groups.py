"""Which parameter groups predict how good a subset is? Rank correlations on NSL-KDD.

The paper uses the best forest parameters found for each subset, so how good a subset is means here
its score in the best cell of its grid of trees and depths, each cell being the mean over seeds. A
candidate set of groups scores the subset once, with its own seed, and takes the mean over its
groups. The first fifth of the training file is used for training and the whole test file for
evaluation, as in the paper.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _forest import fifth_of_nsl_kdd, forest, scores_by_seed
from scipy.stats import spearmanr

from nffs.methods.weights import draw_subsets

TREES = (1, 3, 10, 30, 100)
DEPTHS = (2, 3, 4, 6, 8, 12, 16, None)
GRID = [(t, d) for t in TREES for d in DEPTHS]

CANDIDATES: dict[str, list[tuple[int, int | None]]] = {
    "1 tree, any depth": [(1, None)],
    "100 trees, depth 2": [(100, 2)],
    "100 trees, any depth": [(100, None)],
    "10 trees, depths 2 4 8 any": [(10, d) for d in (2, 4, 8, None)],
    "30 trees, depths 2 4 8 any": [(30, d) for d in (2, 4, 8, None)],
    "100 trees, depths 2 4 8 any": [(100, d) for d in (2, 4, 8, None)],
    "30 trees, depths 2 3 4 8": [(30, d) for d in (2, 3, 4, 8)],
    "30 trees, depths 2 8 16 any": [(30, d) for d in (2, 8, 16, None)],
    "30 trees, depths 2 4, and 1 and 3 trees, any": [(30, 2), (30, 4), (1, None), (3, None)],
    "the whole grid": GRID,
}


def main() -> None:
    arguments = parser(__doc__ or "")
    options = arguments.parse_args()
    n_subsets, n_seeds = (12, 3) if options.quick else (100, 6)
    X, y, n = fifth_of_nsl_kdd()
    groups: list[Any] = [{"n_estimators": t, "max_depth": d} for t, d in GRID]
    scorer, _ = forest(X, y, n, groups)
    masks = draw_subsets(np.full(X.shape[1], 0.5), n_subsets, seed=0)
    # subset, seed, cell
    scores = np.empty((n_subsets, n_seeds, len(GRID)))
    for i, mask in enumerate(progress(masks, n_subsets, "subsets")):
        seeds = range(1000 * i, 1000 * i + n_seeds)
        scores[i] = scores_by_seed(scorer, mask, seeds, options.threads)

    figures = []
    for name, cells in CANDIDATES.items():
        at = [GRID.index(cell) for cell in cells]
        found = []
        for seed in range(n_seeds):
            others = np.delete(scores, seed, axis=1).mean(axis=1).max(axis=1)
            found.append(spearmanr(scores[:, seed, at].mean(axis=1), others)[0])
        figures.append(
            {
                "groups": name,
                "rank correlation": float(np.mean(found)),
                "sd over seeds": float(np.std(found, ddof=1)),
                "trees to grow": max(t for t, _ in cells),
            }
        )
    best = [GRID[c] for c in scores.mean(axis=1).argmax(axis=1)]
    print(f"NSL-KDD, {n_subsets} subsets, {n_seeds} seeds\n")
    print(table(list(figures[0]), [list(f.values()) for f in figures]))
    often = sorted({cell: best.count(cell) for cell in best}.items(), key=lambda item: -item[1])[:6]
    cells_found = ", ".join(
        f"{t} tree{'s' if t > 1 else ''} depth {d or 'any'} ({times}x)" for (t, d), times in often
    )
    print(f"\nbest cells of the grid: {cells_found}")
    save(options.json, {"subsets": n_subsets, "seeds": n_seeds, "candidates": figures})


if __name__ == "__main__":
    main()
