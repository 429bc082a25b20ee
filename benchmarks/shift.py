"""Whether evaluating on training rows, in any way, predicts the fitness on the test file.

NSL-KDD's test file has attacks that its training file lacks. Each protocol scores the same drawn
subsets; they are also scored on the test file. Spearman's rank correlation between the two sets of
scores, with a bootstrap interval over the subsets, says how much a protocol knows about the test
file. The first line scores the subsets on the test file a second time, with other forests: no
protocol can be expected to correlate more than that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _protocols import Data, protocols
from joblib import Parallel, delayed
from scipy.stats import rankdata, spearmanr

from nffs.fitness import Evaluation, one_blas_thread
from nffs.methods.weights import draw_subsets

AGAIN = "the test file again, other forests"
SIZE = "number of columns (no evaluation at all)"
NAMES = ("holdout", "folds", "family-out", "difficulty", "auc")


def scores(evaluation: Evaluation, masks: Any, threads: int, what: str) -> Any:
    """Fitness of all masks."""
    evaluator = evaluation.evaluator
    with one_blas_thread:
        found = Parallel(n_jobs=threads, prefer="threads", return_as="generator")(
            delayed(evaluator)(mask[None]) for mask in masks
        )
        return np.array([f.value for (f,) in progress(found, len(masks), what)])


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
    again = data.evaluation(known["paper"], seed=1)
    masks = draw_subsets(np.full(len(again.features), 0.5), n, seed=0)
    truth = {
        s: scores(data.on_test(s), masks, options.threads, f"test, {s}") for s in ("f1", "roc_auc")
    }
    found = {AGAIN: scores(again, masks, options.threads, "again")}
    for name in NAMES:
        evaluation = data.evaluation(known[name])
        found[known[name].description] = scores(evaluation, masks, options.threads, name)
    found[SIZE] = masks.sum(axis=1).astype(float)
    rows: list[list[Any]] = []
    knowing: dict[str, list[str]] = {name: [] for name in truth}
    for evaluated_by, values in found.items():
        cells = []
        for scoring, fitness in truth.items():
            low, high = interval(values, fitness)
            if low > 0 and evaluated_by not in (AGAIN, SIZE):
                knowing[scoring].append(evaluated_by)
            cells.append(f"{spearmanr(values, fitness).statistic:+.2f} [{low:+.2f}, {high:+.2f}]")
        rows.append([evaluated_by, *cells])
    print(f"NSL-KDD, {n} subsets of half the columns; rank correlation with the test file\n")
    print(table(["evaluated by", "with test F-score", "with test AUC"], rows))
    print()
    for scoring, name in (("f1", "F-score"), ("roc_auc", "AUC")):
        print(
            f"Protocols on training rows that predict the test file's {name} better than chance: "
            f"{'; '.join(knowing[scoring]) or 'none'}."
        )
    save(options.json, {"rows": rows, "subsets": n})


if __name__ == "__main__":
    main()
