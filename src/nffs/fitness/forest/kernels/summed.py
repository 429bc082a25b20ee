"""The summed tally, for numbers: how many rows and the sum of their numbers in one 64-bit integer.

::

    entry of a row     |   place in the list of rows   |        number         |
                         63                         32   31                   0

Its counts are sums as in :mod:`.sums`. What a split takes away of the variance is to numbers what
Gini impurity is to classes: of the numbers 0 and 1 alone, both are the same up to a factor. The
steps are listed in :mod:`.tallies`.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nffs._numba import kernel
from nffs.fitness.forest.kernels.common import GOLDEN, LOW, S32, mix
from nffs.fitness.forest.kernels.lanes import SUMS, better_splits, score_splits
from nffs.fitness.forest.kernels.sorted import grow_sorted
from nffs.fitness.forest.kernels.sorted_room import SORTED_ROWS, SortedRoom
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.sums import (  # growth takes all of these steps
    n_drawn,
    score,  # noqa: F401
    sum_of,
    write_leaf,  # noqa: F401
)
from nffs.fitness.forest.kernels.values import value
from nffs.fitness.forest.kernels.words import lowest

_ZERO, _ONE, _S11 = np.uint64(0), np.uint64(1), np.uint64(11)


class SummedTally(NamedTuple):
    """The sums of the listed rows, and room for adding them up by bin."""

    sums: NDArray[np.uint64]  # of every row in the list: how often drawn, and that times its number
    numbers: NDArray[np.uint64]  # of every row in the list
    pure: NDArray[np.bool_]  # one: whether the node at work has one number only
    hist: NDArray[np.uint64]  # sums of 256 bins for each feature of a batch, 0 between two nodes
    below: NDArray[np.uint64]  # of a feature, sums of its bins that occur up to each of them
    bins: NDArray[np.uint64]  # their numbers
    gains: NDArray[np.float64]  # of the splits after each of them
    weights: NDArray[np.float64]
    n_bins: NDArray[np.int64]  # of every feature
    shift: np.uint64
    top: float
    room: SortedRoom  # for nodes of few rows


@kernel
def list_rows(counts, numbers, shift, order, sums, listed):
    """List the rows that were drawn, with their sums; return how many."""
    m = 0
    for i in range(len(counts)):
        count = np.uint64(counts[i])
        order[m] = np.uint64(i) | (np.uint64(m) << S32)
        sums[m] = (count << shift) + count * numbers[i]
        listed[m] = numbers[i]
        m += np.int64(count > _ZERO)
    return m


@kernel
def draw_by_weight(seed, n_draws, cumulative, counts):
    """Draw rows with replacement, each as likely as its weight; count them."""
    counts[:] = 0
    state, last = mix(seed ^ GOLDEN), len(cumulative) - 1
    for _ in range(n_draws):
        state += GOLDEN
        # 53 random bits are a number from 0 to below 1.
        at = np.float64(mix(state) >> _S11) * 2.0**-53 * cumulative[last]
        counts[min(last, np.searchsorted(cumulative, at, side="right"))] += np.uint32(1)


@step
def weigh(tally, entry):
    """Give the sums of a row."""
    return tally.sums[entry >> S32]


@step
def add_up(tally, order, node):
    """Give the sums of a node, and note whether its rows have one number only.

    The sums are known since its parent was split, but for the root.
    """
    first, i = tally.numbers[order[node.start] >> S32], node.start + 1
    while i < node.end and tally.numbers[order[i] >> S32] == first:
        i += 1
    tally.pure[0] = i == node.end
    if node.depth > 0:
        return node.counts
    total = _ZERO
    for i in range(node.start, node.end):
        total += weigh(tally, order[i])
    return total


@step
def is_pure(tally, total):
    """Tell whether the node that was added up has one number only."""
    return tally.pure[0]


@step
def is_leaf(tally, counts, at_limit):
    """Tell whether a child will be a leaf, as far as its sums show."""
    return at_limit or n_drawn(tally, counts) == 1


@step
def grow_rest(tally, table, limits, rows, node, tree, n_nodes):
    """Grow all that is below a node of few rows; return the new number of nodes."""
    if rows.end - rows.start > SORTED_ROWS:
        return n_nodes
    return grow_sorted(tally, table, limits, rows, node, tree, n_nodes)


@step
def count_rows(tally, rows, features):
    """Add the rows of a node to the histograms of some features, four or one at a time."""
    hist, order, codes, stride = tally.hist, rows.order, rows.codes, rows.stride
    start, end, n, j = rows.start, rows.end, len(features), 0
    while n - j >= 4:
        o0, o1 = features[j] * rows.step, features[j + 1] * rows.step
        o2, o3 = features[j + 2] * rows.step, features[j + 3] * rows.step
        h0 = np.uint64(j << 8)
        h1, h2, h3 = h0 + np.uint64(256), h0 + np.uint64(512), h0 + np.uint64(768)
        for i in range(start, end):
            entry = order[i]
            row = (entry & LOW) * stride
            sums = weigh(tally, entry)
            hist[h0 + codes[row + o0]] += sums
            hist[h1 + codes[row + o1]] += sums
            hist[h2 + codes[row + o2]] += sums
            hist[h3 + codes[row + o3]] += sums
        j += 4
    while n > j:
        o0, h0 = features[j] * rows.step, np.uint64(j << 8)
        for i in range(start, end):
            entry = order[i]
            hist[h0 + codes[(entry & LOW) * stride + o0]] += weigh(tally, entry)
        j += 1


@step
def scan_bins(tally, rows, feature, j, total, split):
    """Find the best place between two bins of the batch's feature j; clear its histogram.

    ``split`` is replaced if that place beats it. Returns the first and the last bin that occur.
    """
    sums, gains, weights, bins = tally.below, tally.gains, tally.weights, tally.bins
    n_splits = add_below(tally, np.uint64(j << 8), np.uint64(tally.n_bins[feature])) - _ONE
    least = score_splits(
        sums, gains, weights, _ZERO, _ONE, _ZERO, n_splits, tally.shift,
        np.float64(n_drawn(tally, total)), sum_of(tally, total),
    )  # fmt: skip
    gain, weight, place = split.gain, split.weight, -1
    # Splits that are surely not the best are passed over, unless none takes away any variance.
    if least > 0.0 and least > gain / weight:
        gain, weight = least, 1.0
    for block in range(_ZERO, n_splits, np.uint64(SUMS)):
        better = better_splits(gains, weights, block, gain, weight)
        while better != _ZERO:
            i = block + lowest(better)
            better &= better - _ONE
            if gains[i] * weight > gain * weights[i]:
                gain, weight, place = gains[i], weights[i], np.int64(i)
    if place >= 0:
        split.gain, split.weight, split.left, split.feature = gain, weight, sums[place], feature
        split.last_left, split.first_right = bins[place], bins[place + 1]
    return np.int64(bins[_ZERO]), np.int64(bins[n_splits])


@step
def add_below(tally, base, n_bins):
    """List the bins of a histogram that occur, with its sums up to each of them, and clear it.

    Returns how many occur. Each bin is written, and only one that occurs moves on: no branch to
    mispredict.
    """
    hist, below, bins, upto, at = tally.hist, tally.below, tally.bins, _ZERO, _ZERO
    for b in range(base, base + n_bins):
        here = hist[b]
        upto += here
        below[at], bins[at] = upto, b - base
        at += np.uint64(here != _ZERO)
    hist[base : base + n_bins] = _ZERO
    return at


@step
def none_below(tally):
    """Give the sums of no rows."""
    return _ZERO


@step
def rows_below(tally, rows, at, entries, keys, split):
    """Add up the rows below those set aside: those on the left minus those set aside there."""
    below, i = split.left, 0
    while value(keys[i]) <= split.lower:
        below -= weigh(tally, entries[keys[i] & LOW])
        i += 1
    return below


@step
def add(tally, left, entry):
    """Add a row to the sums on the left."""
    return left + weigh(tally, entry)
