"""A mean over folds that share training rows, and how far it can be relied on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t


@dataclass(frozen=True)
class Estimate:
    """Mean and standard deviation over folds, and the ends of a confidence interval.

    Folds share most of their training rows, so their scores are not independent: the interval is
    that of the corrected resampled t-test (Nadeau and Bengio 2003).
    """

    mean: float
    deviation: float
    low: float
    high: float


def estimate(values: Sequence[float] | Any, ratio: float, confidence: float) -> Estimate:
    """Estimate from one value a fold; the ratio is that of a fold's own rows to its training rows.

    >>> found = estimate([0.7, 0.8, 0.75], 0.5, 0.95)
    >>> round(found.mean, 2), round(found.low, 2), round(found.high, 2)
    (0.75, 0.55, 0.95)
    """
    array = np.asarray(values, dtype=np.float64)
    n, deviation = len(array), float(array.std(ddof=1))
    reach = float(t.ppf((1 + confidence) / 2, n - 1)) * deviation * math.sqrt(1 / n + ratio)
    mean = float(array.mean())
    return Estimate(mean, deviation, mean - reach, mean + reach)
