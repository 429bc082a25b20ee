"""A whole search of the paper's size on NSL-KDD: ours measured, the scikit-learn loop extrapolated.

The search evaluates 180 drawn and 70 nested subsets and the set of all features, with four
parameter groups of 100 trees, on the test file as in the paper. The scikit-learn pipeline evaluates
some of the same subsets, group by group; the time of the loop is their mean time multiplied by the
number of subsets.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from _common import nsl_kdd_frames, parser, progress, save, table
from engine import theirs
from sklearn.ensemble import RandomForestClassifier

from nffs import NFFS

DEPTHS = (2, 8, 16, None)


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--sampled", type=int, help="subsets for scikit-learn (10; quick 2)")
    options = arguments.parse_args()
    n_trees, n_drawn, n_nested = (20, 24, 12) if options.quick else (100, 180, 70)
    sampled = options.sampled or (2 if options.quick else 10)
    groups: list[dict[str, Any]] = [{"n_estimators": n_trees, "max_depth": d} for d in DEPTHS]
    X, y, X_test, y_test = nsl_kdd_frames()

    counter = progress(range(n_drawn + n_nested + 1), n_drawn + n_nested + 1, "our search")
    selector = NFFS(
        evaluator="paper",
        n_subsets=n_drawn,
        n_nested=n_nested,
        param_groups=groups,
        n_jobs=options.threads,
        random_state=0,
        callbacks=[lambda _: next(counter, None)],
    )
    # Numba's kernels are compiled, or read from disk, before the clock starts.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        NFFS(
            evaluator="paper", n_subsets=3, param_groups=[{"n_estimators": 1}], random_state=0
        ).fit(X[:2000], y[:2000])
    start = time.perf_counter()
    selector.fit(X, y, eval_set=(X_test, y_test))
    searching = time.perf_counter() - start

    masks = np.concatenate([selector.drawn_, selector.nested_])
    chosen = masks[np.linspace(0, len(masks) - 1, sampled).astype(int)]
    rows = selector.evaluation(X, y, eval_set=(X_test, y_test)).rows
    label = rows.target.codes
    loop = []
    for mask in progress(chosen, len(chosen), "scikit-learn"):
        part = np.ascontiguousarray(rows.matrix[:, mask])
        times = [
            theirs(RandomForestClassifier, part, label, len(y), group, options.threads)[0]
            for group in groups
        ]
        loop.append(sum(times))
    extrapolated = float(np.mean(loop)) * selector.n_evaluations_
    spread = float(np.std(loop, ddof=1)) if len(loop) > 1 else 0.0

    print(f"NSL-KDD, {len(y)} rows, {selector.n_evaluations_} subsets, 4 groups of {n_trees} trees")
    print(
        table(
            ["", "seconds", "times ours"],
            [
                ["nffs, the whole of fit", searching, 1.0],
                ["scikit-learn, extrapolated", extrapolated, extrapolated / searching],
            ],
        )
    )
    print(
        f"\nscikit-learn: {len(loop)} of the subsets, {np.mean(loop):.4g} s each "
        f"(standard deviation {spread:.3g})"
    )
    print(f"score on the test file: {selector.fitness_:.4f}, {selector.support_.sum()} features")
    save(
        options.json,
        {
            "subsets": selector.n_evaluations_,
            "groups": groups,
            "threads": options.threads,
            "seconds": searching,
            "scikit_learn_sampled": loop,
            "scikit_learn_extrapolated": extrapolated,
            "times_ours": extrapolated / searching,
            "fitness": selector.fitness_,
            "evaluated_on": selector.evaluated_on_,
        },
    )


if __name__ == "__main__":
    main()
