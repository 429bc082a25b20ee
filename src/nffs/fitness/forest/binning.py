"""Float columns to at most 256 bins each.

A column with at most 256 distinct values keeps them all. In any other column a value that is
frequent gets a bin of its own and the rest are split by rank into bins of about equal size: no bin
holds both a frequent value and others. Every bin knows its smallest and its largest value, so that
a split between two bins can be placed between the values themselves.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs._numba import inlined, kernel

MAX_BINS = 256

# Rows are coded in blocks that stay in the cache while all the columns are coded.
_BLOCK = 2048

# Cells that are sorted at a time: many columns of few rows, or a few of many.
_CELLS = 1 << 18


@dataclass(frozen=True)
class Bins:
    """The bins of some columns."""

    # Smallest and largest value in each bin, ascending; infinite past a column's last bin
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    count: NDArray[np.int64]  # number of bins of each column


def find_bins(X: NDArray[np.float32], max_bins: int = MAX_BINS) -> Bins:
    """Find the bins of every column: a function of the values, whatever their order."""
    n, k = X.shape
    if n == 0:
        raise ValueError("bins need at least one row")
    bins = Bins(
        low=np.full((k, MAX_BINS), np.inf, dtype=np.float32),
        high=np.full((k, MAX_BINS), np.inf, dtype=np.float32),
        count=np.zeros(k, dtype=np.int64),
    )
    step = max(1, _CELLS // n)
    for start in range(0, k, step):
        some = slice(start, start + step)
        columns = np.array(X[:, some].T, dtype=np.float32, order="C")
        columns.sort(axis=1)
        _edges_of(columns, bins.low[some], bins.high[some], bins.count[some], max_bins)
    return bins


def apply_bins(
    X: NDArray[np.float32], bins: Bins, row_bytes: int | None = None
) -> NDArray[np.uint8]:
    """Replace values by the numbers of their bins, row-major.

    A value between two bins goes to the upper one, a value above the last bin to the last. With
    ``row_bytes`` rows are padded with zeros, so that they do not straddle cache lines.
    """
    n, k = X.shape
    width = k if row_bytes is None else row_bytes
    if width < k:
        raise ValueError(f"row_bytes must be at least the number of columns, {k}, got {row_bytes}")
    codes = aligned_rows(n, width)
    codes[:, k:] = 0
    _code(np.ascontiguousarray(X, dtype=np.float32), bins.high, bins.count, codes)
    return codes


def aligned_rows(n: int, width: int) -> NDArray[np.uint8]:
    """Make room for rows of bins, the first at the start of a cache line."""
    room = np.empty(n * width + 63, dtype=np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + n * width].reshape(n, width)


@inlined
def _run_start(values, at):
    """First position of the run of equal values that holds position ``at``."""
    value, step, high = values[at], 1, at
    low = at
    while low >= 0 and values[low] == value:
        high = low
        low -= step
        step *= 2
    low = max(low, -1)
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] == value:
            high = middle
        else:
            low = middle
    return high


@inlined
def _run_end(values, at):
    """One past the last position of the run of equal values that holds position ``at``."""
    n = len(values)
    value, step, low = values[at], 1, at
    high = at
    while high < n and values[high] == value:
        low = high
        high += step
        step *= 2
    high = min(high, n)
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] == value:
            low = middle
        else:
            high = middle
    return low + 1


@inlined
def _cut(values, quota, ends, max_bins):
    """Cut sorted values into bins of about ``quota`` rows; -1 if that takes too many.

    A run of at least ``quota`` equal values gets a bin of its own.
    A run of at least ``quota`` rows that starts among the next ``quota`` rows covers the last of
    them, so looking at that one position finds every frequent value without reading the rest.
    """
    n, at, count = len(values), 0, 0
    while at < n:
        if count == max_bins:
            return -1
        probe = min(at + quota, n) - 1
        start, end = _run_start(values, probe), _run_end(values, probe)
        # A frequent value ends the bin before it; any other value goes to the side that brings the
        # bin closer to the quota.
        if start > at and (end - start >= quota or probe + 1 - start < end - probe - 1):
            end = start
        ends[count] = end
        count += 1
        at = end
    return count


@kernel
def _edges_of(columns, low, high, count, max_bins):
    """Fill the bins of sorted columns."""
    for j in range(len(columns)):
        count[j] = edges(columns[j], low[j], high[j], max_bins)


@inlined
def edges(values, low, high, max_bins):
    """Fill the smallest and largest value of the bins of sorted values; return how many bins."""
    n = len(values)
    ends = np.empty(MAX_BINS, dtype=np.int64)
    count = _cut(values, 1, ends, max_bins)
    if count < 0:
        # The smallest quota that does not need more bins than there are. Bins below the quota only
        # come before a frequent value or at the end, so twice the average always suffices; this
        # many come from runs cut off by the rule above.
        enough = 2 * n // (max_bins - 1) + 1
        while _cut(values, enough, ends, max_bins) < 0:
            enough *= 2
        few = n // max_bins
        while enough - few > 1:
            middle = (few + enough) // 2
            if _cut(values, middle, ends, max_bins) < 0:
                few = middle
            else:
                enough = middle
        count = _cut(values, enough, ends, max_bins)
    start = 0
    for b in range(count):
        low[b] = values[start]
        high[b] = values[ends[b] - 1]
        start = ends[b]
    return count


@kernel
def _code(X, high, count, codes):
    """Code the rows: a value's bin is the number of bins that lie wholly below it."""
    n, k = X.shape
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        for j in range(k):
            edges = high[j]
            last = count[j] - 1
            for i in range(start, stop):
                value = X[i, j]
                # Without branches: eight halvings of 256 sorted edges; rows do not wait for one
                # another.
                b = np.uint32(0)
                b += np.uint32(128) * np.uint32(edges[b + np.uint32(127)] < value)
                b += np.uint32(64) * np.uint32(edges[b + np.uint32(63)] < value)
                b += np.uint32(32) * np.uint32(edges[b + np.uint32(31)] < value)
                b += np.uint32(16) * np.uint32(edges[b + np.uint32(15)] < value)
                b += np.uint32(8) * np.uint32(edges[b + np.uint32(7)] < value)
                b += np.uint32(4) * np.uint32(edges[b + np.uint32(3)] < value)
                b += np.uint32(2) * np.uint32(edges[b + np.uint32(1)] < value)
                b += np.uint32(1) * np.uint32(edges[b] < value)
                codes[i, j] = min(np.int64(b), last)
