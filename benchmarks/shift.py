"""Whether any way of judging on training rows predicts the test file's fitness of a subset.

NSL-KDD's test file has attacks that its training file lacks. The same drawn subsets are judged by
every protocol and by the test file; Spearman's rank correlation between the two, with a bootstrap
interval over the subsets, tells how much a protocol knows. The test file judged twice, with other
forests, bounds what can be reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _protocols import Data, protocols
from joblib import Parallel, delayed
from scipy.stats import rankdata, spearmanr
from threadpoolctl import threadpool_limits

from nffs.fitness.evaluator import Evaluator
from nffs.methods.weights import draw_subsets

AGAIN = "the test file again, other forests"
SIZE = "number of columns (no judging at all)"
NAMES = ("holdout", "folds", "family-out", "difficulty", "auc")


def judged(evaluator: Evaluator, masks: Any, threads: int, what: str) -> Any:
    """Fitness of all masks."""
    with threadpool_limits(1):
        values = Parallel(n_jobs=threads, prefer="threads", return_as="generator")(
            delayed(evaluator)(mask) for mask in masks
        )
        return np.array([f.value for f in progress(values, len(masks), what)])


def interval(a: Any, b: Any, n: int = 2000) -> tuple[float, float]:
    """Bootstrap interval of Spearman's correlation over subsets."""
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, len(a), len(a)) for _ in range(n)]
    values = [np.corrcoef(rankdata(a[d]), rankdata(b[d]))[0, 1] for d in drawn]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    data, n = Data(), 20 if options.quick else 120
    known = protocols()
    evaluator, names = data.evaluator(known["folds"])
    masks = draw_subsets(np.full(len(names), 0.5), n, seed=0)
    truth = {
        s: judged(data.on_test(s), masks, options.threads, f"test, {s}") for s in ("f1", "roc_auc")
    }
    again = data.evaluator(known["paper"], seed=1)[0]
    found = {AGAIN: judged(again, masks, options.threads, "again")}
    for name in NAMES:
        judge = evaluator if name == "folds" else data.evaluator(known[name])[0]
        found[known[name].told] = judged(judge, masks, options.threads, name)
    found[SIZE] = masks.sum(axis=1).astype(float)
    rows: list[list[Any]] = []
    knowing: dict[str, list[str]] = {name: [] for name in truth}
    for told, values in found.items():
        cells = []
        for scoring, fitness in truth.items():
            low, high = interval(values, fitness)
            if low > 0 and told not in (AGAIN, SIZE):
                knowing[scoring].append(told)
            cells.append(f"{spearmanr(values, fitness).statistic:+.2f} [{low:+.2f}, {high:+.2f}]")
        rows.append([told, *cells])
    print(f"NSL-KDD, {n} subsets of half the columns; rank correlation with the test file\n")
    print(table(["judged by", "with test F-score", "with test AUC"], rows))
    print()
    for scoring, told in (("f1", "F-score"), ("roc_auc", "AUC")):
        print(
            f"Judged on training rows, better than chance in the test file's {told}: "
            f"{', '.join(knowing[scoring]) or 'none'}."
        )
    save(options.json, {"rows": rows, "subsets": n})


if __name__ == "__main__":
    main()
