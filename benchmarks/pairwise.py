"""Mutual information of all pairs of columns, compared with scikit-learn, pair by pair.

NSL-KDD's training rows, 122 encoded columns. Ours is timed on all pairs; scikit-learn's
`mutual_info_score` is timed on a random sample of the same pairs, with the same codes. Our values
are corrected for the bias of small samples, so they may differ by that correction; the last line
says by how much more they differ.
"""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
from _common import nsl_kdd, parser, progress, save, table
from sklearn.metrics import mutual_info_score

from nffs.fitness import feature_codes
from nffs.methods.pairwise import pairwise_information


def synthetic(n_rows: int, n_columns: int) -> list[np.ndarray]:
    """Continuous columns, every bin in use: nothing to skip."""
    rng = np.random.default_rng(0)
    common = rng.standard_normal((n_rows, 1))
    values = (common + rng.standard_normal((n_rows, n_columns))).astype(np.float32)
    return [feature_codes(values[:, [j]]) for j in range(n_columns)]


def main() -> None:
    arguments = parser(__doc__.splitlines()[0])
    arguments.add_argument("--sample", type=int, default=300, help="pairs given to scikit-learn")
    options = arguments.parse_args()
    matrix, _, n_train = nsl_kdd()
    matrix = matrix[:n_train]
    codes = [feature_codes(matrix[:, [j]]) for j in range(matrix.shape[1])]
    pairwise_information([column[:1000] for column in codes[:3]])  # compiled before it is timed

    begin = time.perf_counter()
    found = pairwise_information(codes, n_jobs=options.threads)
    ours = time.perf_counter() - begin

    pairs = list(combinations(range(len(codes)), 2))
    sample = 60 if options.quick else options.sample
    chosen = np.random.default_rng(0).choice(len(pairs), sample, replace=False)
    theirs, differs = 0.0, 0.0
    for number in progress(chosen, sample, "scikit-learn"):
        i, j = pairs[number]
        begin = time.perf_counter()
        value = mutual_info_score(codes[i], codes[j])
        theirs += time.perf_counter() - begin
        # Ours is corrected for its bias: by the spare cells over twice the rows, at most.
        spare = (codes[i].max() + 1) * (codes[j].max() + 1) / (2 * n_train)
        differs = max(differs, abs(value - found[i, j]) - spare)
    theirs *= len(pairs) / sample

    wide = synthetic(20_000 if options.quick else 126_000, 200)
    begin = time.perf_counter()
    pairwise_information(wide, n_jobs=options.threads)
    dense = time.perf_counter() - begin

    rows = [
        ["nffs, all pairs", len(pairs), ours],
        [f"scikit-learn, from {sample} pairs", len(pairs), theirs],
        [f"nffs, {len(wide)} continuous columns of {len(wide[0])} rows", 19_900, dense],
    ]
    print(table(["", "pairs", "seconds"], rows))
    print(f"\nratio: {theirs / ours:.0f} times quicker with {options.threads} thread(s)")
    print(f"largest difference of values beyond the bias correction: {max(0.0, differs):.1e}")
    save(
        options.json,
        {
            "rows": n_train,
            "columns": len(codes),
            "sample_of_pairs": sample,
            "seconds": ours,
            "sklearn_seconds": theirs,
            "ratio": theirs / ours,
            "dense_seconds": dense,
        },
    )


if __name__ == "__main__":
    main()
