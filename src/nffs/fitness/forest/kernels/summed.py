"""The summed tally, for numbers: how many rows and the sum of their numbers in one 64-bit integer.

::

    entry of a row     |   place in the list of rows   |        number         |
                         63                         32   31                   0

    sums of some rows  |       rows drawn       |   sum of their numbers   |
                         63              shift    shift - 1               0

Numbers are whole, from 0 to ``top``, so sums are the same in any order and one addition counts a
row. What a split takes away of the variance is to numbers what Gini impurity is to classes: of the
numbers 0 and 1 alone, both are the same up to a factor. The steps are listed in :mod:`.tallies`.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nffs._numba import kernel
from nffs.fitness.forest.kernels.common import GOLDEN, LOW, S32, fixed, make_leaf, mix
from nffs.fitness.forest.kernels.sorted import SORTED_ROWS, SortedRoom, grow_sorted
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.values import value

_ZERO, _ONE, _S11 = np.uint64(0), np.uint64(1), np.uint64(11)


class SummedTally(NamedTuple):
    """The sums of the listed rows, and room for adding them up by bin."""

    sums: NDArray[np.uint64]  # of every row in the list: how often drawn, and that times its number
    numbers: NDArray[np.uint64]  # of every row in the list
    pure: NDArray[np.bool_]  # one: whether the node at work has one number only
    hist: NDArray[np.uint64]  # sums of 256 bins for each feature of a batch, 0 between two nodes
    occupied: NDArray[np.uint8]  # 257: the bins of a feature that occur, ascending
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
def n_drawn(tally, total):
    """Rows drawn, with repetitions."""
    return np.int64(total >> tally.shift)


@step
def sum_of(tally, total):
    """Give the sum of the rows' numbers."""
    return np.float64(total & ((_ONE << tally.shift) - _ONE))


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
def write_leaf(tally, tree, name, total):
    """Write a leaf with the mean of its numbers, as a share of the largest there may be."""
    whole = np.float64(n_drawn(tally, total)) * tally.top
    make_leaf(tree.nodes, name, fixed(sum_of(tally, total), whole))


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
def score(tally, left, total):
    """Score a split by the variance that it takes away, as a fraction of two numbers.

    It is, up to factors that all splits of a node share, (sl * n - s * nl)^2 / (nl * nr) with sl
    the sum of the nl rows on the left.
    """
    n, nl = np.float64(n_drawn(tally, total)), np.float64(n_drawn(tally, left))
    d = sum_of(tally, left) * n - sum_of(tally, total) * nl
    return d * d, nl * (n - nl)


@step
def scan_bins(tally, rows, feature, j, total, split):
    """Find the best place between two bins of the batch's feature j; clear its histogram.

    ``split`` is replaced if that place beats it. Returns the first and the last bin that occur.
    """
    hist, occupied, base, count = tally.hist, tally.occupied, j << 8, 0
    for b in range(tally.n_bins[feature]):
        occupied[count] = b
        count += np.int64(hist[base + b] != _ZERO)
    gain, weight, place, best_left = split.gain, split.weight, 0, _ZERO
    left = hist[base + occupied[0]]
    hist[base + occupied[0]] = _ZERO
    for i in range(1, count):
        b = base + occupied[i]
        g, w = score(tally, left, total)
        if g * weight > gain * w:  # g / w > gain / weight, without dividing
            gain, weight, place, best_left = g, w, i, left
        left += hist[b]
        hist[b] = _ZERO
    if place > 0:
        split.gain, split.weight, split.left, split.feature = gain, weight, best_left, feature
        split.last_left, split.first_right = occupied[place - 1], occupied[place]
    return np.int64(occupied[0]), np.int64(occupied[count - 1])


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
