"""The binned forest on one split, for benchmarks that measure it outside a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from _common import nsl_kdd

from nffs.fitness import (
    MODELS,
    Engine,
    ForestScorer,
    Group,
    Split,
    SplitRows,
    one_blas_thread,
    resolve_scoring,
)
from nffs.fitness.engines import Asked
from nffs.table.target import read_target
from nffs.validation.given import each_seed

#: Share of the variance that components keep: the paper's.
VARIANCE = 0.93


def fifth_of_nsl_kdd() -> tuple[np.ndarray, np.ndarray, int]:
    """Give the first fifth of the training rows, then all test rows; labels; number of the former.

    The whole training file would take a day where scikit-learn grows hundreds of forests.
    """
    X, y, n_train = nsl_kdd()
    n = n_train // 5
    return np.vstack([X[:n], X[n_train:]]), np.r_[y[:n], y[n_train:]], n


def forest(
    X: np.ndarray, y: Any, n: int, groups: Sequence[Group] | None = None, positive: Any = None
) -> tuple[ForestScorer, Engine]:
    """Prepare the forest: the first ``n`` rows train, the others are the evaluation rows.

    Parameters
    ----------
    X : (n_rows, n_columns) float32
        It is not copied.
    y : (n_rows,)
        Labels.
    n : int
        Number of training rows.
    groups : sequence of dict, optional
        Parameter groups; those of `evaluator="paper"` by default.
    positive : label, optional
        The class of which the F-score is; the rarer one by default.

    Returns
    -------
    scorer, engine
        The scorer does for a subset what it does in a search.
    """
    target = read_target(y, pos_label=positive)
    split = Split(np.arange(n), np.arange(n, len(X)))
    rows = SplitRows(X, target, None, [split], "the rows after those that train")
    engine = MODELS["components"].fast(Asked(resolve_scoring(None, target), groups, VARIANCE))
    scorer = engine.prepare(rows, split)
    assert isinstance(scorer, ForestScorer)
    return scorer, engine


def scores_by_seed(
    scorer: ForestScorer, mask: np.ndarray, seeds: Sequence[int], threads: int
) -> np.ndarray:
    """Score one subset under several seeds, some at a time in threads: seeds, groups."""
    with one_blas_thread:
        subset = scorer.subset(mask)

    def scores(seed: int) -> np.ndarray:
        predicted = subset.probabilities(scorer.groups, seed)
        return np.array(
            [scorer.scoring.of_probabilities(p, scorer.evaluation, None) for p in predicted]
        )

    return each_seed(scores, seeds, threads)
