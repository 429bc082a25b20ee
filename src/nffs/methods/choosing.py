"""Which of the nested subsets to keep: the best, or the smallest that is about as good."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks
from nffs.search.loop import rank_subsets


def standard_error(scores: NDArray[np.float64], subset: int) -> float:
    """Estimate the standard error of one subset's fitness from its folds and parameter groups.

    Some folds are harder and some groups better for every subset alike. What fold and group
    explain, the mean over all subsets, is taken off first; what is left is the subset's noise.

    Examples
    --------
    >>> round(standard_error(np.array([[[0.5, 0.9]], [[0.7, 0.9]]]), 1), 6)
    0.05
    """
    left = scores[subset] - scores.mean(axis=0)
    return float(left.std(ddof=1) / np.sqrt(left.size)) if left.size > 1 else 0.0


def choose_nested(masks: Masks, scores: NDArray[np.float64], how: Literal["best", "one_se"]) -> int:
    """Choose the nested subset of the highest fitness, or the smallest within its error."""
    fitness = scores.mean(axis=(1, 2))
    best = int(rank_subsets(masks, fitness)[0])
    if how == "best":
        return best
    good = np.flatnonzero(fitness >= fitness[best] - standard_error(scores, best))
    return int(good[masks[good].sum(axis=1).argmin()])
