"""Mutual information of NSL-KDD's 122 columns and of row numbers, compared with scikit-learn.

Ours uses one thread, and `mutual_info_classif` all threads that it is given. The row numbers stand
for an identifier column, which should not rank as a good feature.
"""

from __future__ import annotations

import time

import numpy as np
from _common import nsl_kdd, parser, progress, save, table
from sklearn.feature_selection import mutual_info_classif

from nffs.fitness import Split, SplitRows
from nffs.fitness.information import feature_information
from nffs.table.target import read_target


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    X, y, n = nsl_kdd()
    n = n // 10 if options.quick else n
    X, y = np.column_stack([X[:n], np.arange(n, dtype=np.float32)]), y[:n]
    everything = Split(np.arange(n), np.arange(0))
    rows = SplitRows(X, read_target(y), None, [everything], "no rows")
    columns = [np.array([j]) for j in range(X.shape[1])]
    feature_information(rows, columns[:1])  # compiled, or read from disk

    seconds = []
    for _ in progress(range(5), 5, "nffs"):
        start = time.perf_counter()
        found = feature_information(rows, columns)
        seconds.append(time.perf_counter() - start)
    for _ in progress(range(1), 1, "scikit-learn"):
        start = time.perf_counter()
        theirs = mutual_info_classif(X[:, :-1], y, n_jobs=options.threads, random_state=0)
        their_seconds = time.perf_counter() - start

    ours, identifier = found[:-1], float(found[-1])
    compared = np.maximum(ours, theirs) > 0.01
    difference = np.abs(ours - theirs)[compared]
    rank = int((ours > identifier).sum()) + 1
    print(f"NSL-KDD, {n} rows, {X.shape[1] - 1} columns\n")
    print(
        table(
            ["", "seconds", "times ours"],
            [
                ["nffs, 1 thread", min(seconds), 1.0],
                [
                    f"scikit-learn, n_jobs={options.threads}",
                    their_seconds,
                    their_seconds / min(seconds),
                ],
            ],
        )
    )
    print(
        f"\nlargest difference on {compared.sum()} columns above 0.01: {difference.max():.4f} nats"
    )
    print(f"columns above 0.05: {(ours > 0.05).sum()}")
    print(f"row numbers: {identifier:.4f} nats, rank {rank} of {len(found)}")
    save(
        options.json,
        {
            "seconds": {"nffs": min(seconds), "scikit-learn": their_seconds},
            "times_ours": their_seconds / min(seconds),
            "largest_difference": float(difference.max()),
            "columns_compared": int(compared.sum()),
            "columns_above_0.05": int((ours > 0.05).sum()),
            "row_numbers": {"information": identifier, "rank": rank, "of": len(found)},
        },
    )


if __name__ == "__main__":
    main()
