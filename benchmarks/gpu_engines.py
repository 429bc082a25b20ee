"""Whether the GPU's forest and the CPU's give the same scores: drawn subsets of NSL-KDD.

The first fifth of the training file is used for training, the whole test file for evaluation, with
30 trees per forest. Every subset is scored by the GPU's forest, by the CPU's with the same seeds,
and by the CPU's with other seeds, which shows how well the CPU's forest agrees with itself. Scores
are F-scores of the rarer class of these rows, normal connections.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import drawn_subset, parser, progress, save, table
from _forest import fifth_of_nsl_kdd
from agreement import DEPTHS, ours_by
from scipy.stats import spearmanr

from nffs.fitness import one_blas_thread


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    n_subsets, n_seeds = (8, 2) if options.quick else (60, 5)
    X, y, n = fifth_of_nsl_kdd()
    groups: list[dict[str, Any]] = [{"n_estimators": 30, "max_depth": d} for d in DEPTHS]
    gpu, cpu = (ours_by(engine, X, y, n, groups, options.threads) for engine in ("gpu", "fast"))
    found = []
    for i in progress(range(n_subsets), n_subsets, "subsets"):
        mask = drawn_subset(X.shape[1], 0.2 + 0.45 * (i % 10) / 9, i)
        seeds = np.arange(n_seeds) + 10_000 * i
        with one_blas_thread:
            found.append([gpu(mask, list(seeds)), cpu(mask, seeds), cpu(mask, seeds + 1000)])
    scores = np.array(found)  # subset, who, seed, group
    fitness = scores.mean(axis=(2, 3))
    rank = {
        "GPU and CPU": float(spearmanr(fitness[:, 0], fitness[:, 1])[0]),
        "GPU and CPU, other seeds": float(spearmanr(fitness[:, 0], fitness[:, 2])[0]),
        "CPU and itself": float(spearmanr(fitness[:, 1], fitness[:, 2])[0]),
    }
    print(f"{n_subsets} subsets, {n_seeds} seeds, 30 trees\n")
    print(table(["rank correlation of mean fitness", ""], [[k, v] for k, v in rank.items()]))
    rows = []
    for g, depth in enumerate(DEPTHS):
        part = scores[..., g].mean(axis=2)
        difference, itself = part[:, 0] - part[:, 2], part[:, 1] - part[:, 2]
        rows.append(
            {
                "group": f"depth {depth or 'any'}",
                "GPU": float(part[:, 0].mean()),
                "CPU": float(part[:, 2].mean()),
                "difference": float(difference.mean()),
                "standard error": float(difference.std(ddof=1) / np.sqrt(n_subsets)),
                "mean absolute": float(np.abs(difference).mean()),
                "CPU itself, mean absolute": float(np.abs(itself).mean()),
            }
        )
    print()
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    save(options.json, {"rank_correlation": rank, "groups": rows})


if __name__ == "__main__":
    main()
