"""Do methods differ over several runs? Tests of ranks, and of one method against its rivals.

After Demsar (JMLR 7, 2006): Friedman's test with Nemenyi's critical difference for all methods,
Wilcoxon's with Holm's correction for one of them. His blocks are data sets; where they are seeds of
one table, as in `nffs compare`, the answer is about that table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range, wilcoxon

#: Digits of a margin that count: scores that are equal but for rounding are equal.
_DIGITS = 12


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


@dataclass(frozen=True)
class Margin:
    """What a method scores minus a rival, over blocks.

    Attributes
    ----------
    mean : float
        The mean over blocks.
    better, worse, n_blocks : int
        Blocks on which the method is better, on which it is worse, and all.
    pvalue : float
        Wilcoxon's signed-rank test, both sides, that the two do not differ; 1 if they are equal on
        every block.
    adjusted : float
        The same after Holm, for all rivals.
    """

    mean: float
    better: int
    worse: int
    n_blocks: int
    pvalue: float
    adjusted: float


def compare_margins(differences: Mapping[str, Sequence[float]]) -> dict[str, Margin]:
    """Test a method against its rivals: the differences to each, block by block.

    >>> found = compare_margins({"a": [0.1, 0.2, 0.4, 0.3, 0.5], "b": [0.1, -0.1, 0.2, -0.2, 0.0]})
    >>> found["a"].better, found["a"].pvalue, found["a"].adjusted
    (5, 0.0625, 0.125)
    """
    rounded = {rival: np.round(values, _DIGITS) for rival, values in differences.items()}
    pvalues = [float(wilcoxon(v).pvalue) if v.any() else 1.0 for v in rounded.values()]
    return {
        rival: Margin(
            mean=float(values.mean()),
            better=int((values > 0).sum()),
            worse=int((values < 0).sum()),
            n_blocks=len(values),
            pvalue=pvalue,
            adjusted=adjusted,
        )
        for (rival, values), pvalue, adjusted in zip(
            rounded.items(), pvalues, holm(pvalues), strict=True
        )
    }


def holm(pvalues: Sequence[float]) -> list[float]:
    """Adjust p-values for their number, after Holm (1979).

    The smallest of n counts n times, the next n - 1 times, and none is below one before it.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues, kind="stable")
    steps = [(len(pvalues) - place) * pvalues[at] for place, at in enumerate(order)]
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if steps else 0.0
    return [float(p) for p in adjusted]
