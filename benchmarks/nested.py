"""Nested scores of NFFS, RFECV and SelectKBest: the inner score, and the score on unseen rows.

On the embedded table, and on the same table with shuffled labels, where there is nothing to find
and an honest AUC is 0.5. The same forests evaluate all selectors; the intervals are 95 % intervals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import parser, progress, save, table
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV, SelectKBest

from nffs import NFFS, make_connections
from nffs.validation import Estimate, nested_score


def shown(estimate: Estimate) -> str:
    """Mean and interval."""
    return f"{estimate.mean:+.3f} [{estimate.low:+.3f}, {estimate.high:+.3f}]"


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    data = make_connections(400 if options.quick else 4000)
    shuffled = np.random.default_rng(0).permutation(np.asarray(data.target))
    sizes: dict[str, Any] = {"n_subsets": 20, "n_nested": 10} if options.quick else {}
    evaluator = NFFS(
        **sizes, scoring="roc_auc", pos_label="attack", n_jobs=options.threads, random_state=0
    )
    forest = RandomForestClassifier(30, random_state=0, n_jobs=options.threads)
    selectors = {
        "NFFS": evaluator,
        "RFECV": RFECV(forest, step=0.1, cv=3, scoring="roc_auc"),
        "SelectKBest": SelectKBest(k=10),
    }
    labels = {"the table": data.target, "labels shuffled": shuffled}
    jobs = [(which, name) for which in labels for name in selectors]
    rows = []
    for which, name in progress(jobs, len(jobs), "selectors"):
        score = nested_score(selectors[name], data.data, labels[which], cv=5, evaluator=evaluator)
        rows.append(
            [
                f"{which}, {name}",
                shown(score.inner),
                shown(score.outer),
                shown(score.optimism),
                shown(score.all_features),
                f"{score.stability.value:.2f}",
                f"{np.mean([len(fold.selected) for fold in score.folds]):.1f}",
            ]
        )
    print(f"{len(data.data)} rows, AUC over 5 outer folds\n")
    header = ["selector", "inner", "outer", "optimism", "all columns", "stability", "features"]
    print(table(header, rows))
    save(options.json, {"rows": rows})


if __name__ == "__main__":
    main()
