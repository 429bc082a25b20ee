"""Is one method better than each of its rivals? Margins over tables, Wilcoxon's test after Holm.

After Demsar (JMLR 7, 2006): a table is one observation, whatever the seeds that its margin is the
mean of. As there is one test for every rival, p-values are adjusted for their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import wilcoxon

#: Digits of a margin that count: scores that are equal but for rounding are equal.
_DIGITS = 12


@dataclass(frozen=True)
class Margin:
    """What a method scores minus a rival, over tables.

    Attributes
    ----------
    mean : float
        The mean over tables.
    better, worse, n_tables : int
        Tables on which the method is better, on which it is worse, and all.
    pvalue : float
        Wilcoxon's signed-rank test, both sides, that the two do not differ; 1 if they are equal on
        every table.
    adjusted : float
        The same after Holm, for all rivals.
    """

    mean: float
    better: int
    worse: int
    n_tables: int
    pvalue: float
    adjusted: float


def compare_margins(differences: Mapping[str, Sequence[float]]) -> dict[str, Margin]:
    """Test a method against its rivals: the differences to each, table by table.

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
            n_tables=len(values),
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
