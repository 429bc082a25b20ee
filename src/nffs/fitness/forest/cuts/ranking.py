"""Bins and ranks of columns of many values."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs._numba import inlined, kernel
from nffs.fitness.forest.binning import MAX_BINS, edges


@kernel
def rank_numbers(columns, start, block, ascending):
    """Fill bins and ranks of those columns, from ``start`` on, that are known by them.

    ``block`` holds the training rows of one column after the other; ``ascending`` the same, each
    column sorted.
    """
    low, high = np.empty(MAX_BINS, dtype=np.float32), np.empty(MAX_BINS, dtype=np.float32)
    for j in range(len(block)):
        number, at = columns.number[start + j], columns.values_at[start + j]
        if number < 0:
            continue
        n_values = columns.n_values[start + j]
        values = columns.values[at : at + n_values]
        n_bins = edges(ascending[j], low, high, MAX_BINS)
        columns.n_values[start + j] = n_bins
        lowest, highest = columns.low[number], columns.high[number]
        lowest[:], highest[:] = n_values, n_values
        for b in range(n_bins):
            lowest[b], highest[b] = n_below(values, low[b]), n_below(values, high[b])
        for i in range(len(block[j])):
            rank = n_below(values, block[j, i])
            columns.ranks[number, i] = rank
            columns.codes[number, i] = n_below(highest[:n_bins], rank)


@inlined
def n_below(ascending, value):
    """Count the entries that are smaller than a value."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
