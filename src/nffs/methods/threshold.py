"""The threshold that parts many tiny mutual-information values from few telling ones.

Phase I, step 2. The paper reads it off a histogram by eye: a tall first bar of features that say
nothing, then a long tail. The triangle method does the same by rule: draw a line from the top of
the tallest bar to the end of the tail; the bar farthest below that line is where the tall bar has
ended, and its left edge is the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

#: Below this, values are rounding errors and no scale for a histogram.
TINY = 1e-12


@dataclass(frozen=True)
class Histogram:
    """Counts of mutual-information values between edges that start at 0."""

    counts: NDArray[np.int64]
    edges: Vector


def mi_histogram(mi: Vector) -> Histogram:
    """Bin the values from 0 to the largest into as many bars as the square root of their number."""
    n_bars = max(2, int(np.ceil(np.sqrt(len(mi)))))
    top = float(mi.max())
    counts, edges = np.histogram(mi, bins=n_bars, range=(0.0, top if top > TINY else 1.0))
    return Histogram(counts.astype(np.int64), edges)


def find_threshold(mi: Vector) -> float:
    """Find the threshold by the triangle method; 0 where the tiny values are not the tallest bar.

    >>> find_threshold(np.array([0.01] * 12 + [0.12, 0.25, 0.3, 0.4]))
    0.1
    """
    histogram = mi_histogram(mi)
    counts = histogram.counts
    last = int(np.flatnonzero(counts)[-1])
    if counts.argmax() != 0 or last == 0:
        # No pile of tiny values at the left, so there is nothing to cut off.
        return 0.0
    bars = np.arange(last + 1)
    line = counts[0] + (counts[last] - counts[0]) * bars / last
    farthest = int(np.argmax(line - counts[: last + 1]))
    return float(histogram.edges[farthest])
