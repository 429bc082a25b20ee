"""Do methods differ over several runs? Mean ranks, Friedman's test, Nemenyi's critical difference.

After Demsar (JMLR 7, 2006). His blocks are data sets; where they are seeds of one table, as in
`nffs compare`, the answer is about that table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range


@dataclass(frozen=True)
class Ranks:
    """Mean ranks, 1 for the best and ties shared, and Friedman's test that no method differs.

    The test is None for fewer than three methods, fewer than two blocks, or scores that are all the
    same. Methods whose mean ranks differ by more than the critical difference (Nemenyi) differ at
    the level alpha.
    """

    mean: NDArray[np.float64]
    statistic: float | None
    pvalue: float | None
    critical_difference: float | None
    alpha: float


def compare_ranks(scores: NDArray[np.float64], alpha: float = 0.05) -> Ranks:
    """Rank methods, the columns, over blocks, the rows, and test whether they differ.

    >>> compare_ranks(np.array([[0.9, 0.8, 0.7], [0.8, 0.8, 0.1]])).mean
    array([1.25, 1.75, 3.  ])
    """
    n_blocks, n_methods = scores.shape
    mean = rankdata(-scores, axis=1).mean(axis=0)
    if n_methods < 3 or n_blocks < 2 or (scores == scores[:, :1]).all():
        return Ranks(mean, None, None, None, alpha)
    test = friedmanchisquare(*scores.T)
    difference = critical_difference(n_methods, n_blocks, alpha)
    return Ranks(mean, float(test.statistic), float(test.pvalue), difference, alpha)


def critical_difference(n_methods: int, n_blocks: int, alpha: float = 0.05) -> float:
    """Give Nemenyi's critical difference of mean ranks.

    ``q * sqrt(k (k + 1) / (6 N))``, where q is the studentized range over the square root of 2.

    >>> round(critical_difference(4, 14), 3)  # Demsar's example: q = 2.569
    1.254
    """
    q = float(studentized_range.ppf(1 - alpha, n_methods, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def not_apart(mean_ranks: NDArray[np.float64], difference: float) -> list[list[int]]:
    """Give the groups whose mean ranks lie within a critical difference, each as large as can be.

    The best group first, its methods from best to worst. A method in no group is apart from all.

    >>> not_apart(np.array([3.0, 1.0, 1.8, 2.6, 5.0]), 1.0)
    [[1, 2], [2, 3], [3, 0]]
    """
    order = np.argsort(mean_ranks, kind="stable")
    ranked = mean_ranks[order]
    ends = np.searchsorted(ranked, ranked + difference, side="right")
    groups, reached = [], 0
    for start, end in enumerate(ends):
        if end > reached and end - start > 1:
            groups.append([int(place) for place in order[start:end]])
        reached = max(reached, int(end))
    return groups
