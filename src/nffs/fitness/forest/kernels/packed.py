"""The packed tally, for two classes and whole weights: two class counts in one 64-bit integer.

::

    entry of a row       | class |  how often drawn  |        number        |
                           63     62               32 31                   0

    counts of some rows  |    drawn, of class 1      |   drawn, of class 0   |
                           63                      32 31                   0

One addition counts a row of either class. The steps are listed in :mod:`.tallies`.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nffs._numba import kernel
from nffs.fitness.forest.kernels.common import LOW, S32, fixed, make_leaf
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.values import value

_ZERO, _S5, _S63, _COUNT = (np.uint64(c) for c in (0, 5, 63, 0x7FFFFFFF))


class PackedTally(NamedTuple):
    """Room for counting rows by bin."""

    hist: NDArray[np.uint64]  # counts of 256 bins for each feature of a batch, 0 between two nodes
    occupied: NDArray[np.uint8]  # 257: the bins of a feature that occur, ascending


@kernel
def pack(counts, label, order):
    """List the entries of the rows that were drawn; return how many."""
    m = 0
    for i in range(len(counts)):
        order[m] = np.uint64(i) | (np.uint64(counts[i]) << S32) | (np.uint64(label[i]) << _S63)
        m += np.int64(counts[i] > 0)
    return m


@step
def weigh(entry):
    """Give the counts of a row: how often it was drawn, in the half of its class."""
    return ((entry >> S32) & _COUNT) << ((entry >> _S63) << _S5)


@step
def add_up(tally, order, node):
    """Give the counts of a node: known since its parent was split, but for the root."""
    if node.depth > 0:
        return node.counts
    total = _ZERO
    for i in range(node.start, node.end):
        total += weigh(order[i])
    return total


@step
def n_drawn(tally, total):
    """Rows drawn, with repetitions."""
    return np.int64(total & LOW) + np.int64(total >> S32)


@step
def is_pure(tally, total):
    """Tell whether counts hold one class only."""
    return (total & LOW) == _ZERO or (total >> S32) == _ZERO


@step
def is_leaf(tally, counts, at_limit):
    """Tell whether a child will be a leaf: its counts show that before its rows are parted."""
    return at_limit or is_pure(tally, counts)


@step
def grow_rest(tally, table, limits, rows, node, tree, n_nodes):
    """Leave it all to growth: return the number of nodes as it is."""
    return n_nodes


@step
def write_leaf(tally, tree, name, total):
    """Write a leaf with the share of class 1."""
    make_leaf(tree.nodes, name, fixed(total >> S32, n_drawn(tally, total)))


@step
def count_rows(tally, rows, features):
    """Add the rows of a node to the histograms of some features.

    Features are taken four, two or one at a time: written out, an update is a load and an addition
    in memory.
    """
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
            weight = weigh(entry)
            hist[h0 + codes[row + o0]] += weight
            hist[h1 + codes[row + o1]] += weight
            hist[h2 + codes[row + o2]] += weight
            hist[h3 + codes[row + o3]] += weight
        j += 4
    if n - j >= 2:
        o0, o1 = features[j] * rows.step, features[j + 1] * rows.step
        h0 = np.uint64(j << 8)
        h1 = h0 + np.uint64(256)
        for i in range(start, end):
            entry = order[i]
            row = (entry & LOW) * stride
            weight = weigh(entry)
            hist[h0 + codes[row + o0]] += weight
            hist[h1 + codes[row + o1]] += weight
        j += 2
    if n > j:
        o0, h0 = features[j] * rows.step, np.uint64(j << 8)
        for i in range(start, end):
            entry = order[i]
            hist[h0 + codes[(entry & LOW) * stride + o0]] += weigh(entry)


@step
def find_bins(hist, base, occupied):
    """List the bins of one histogram that occur, ascending; return how many."""
    count = 0
    for b in range(256):
        occupied[count] = b
        count += np.int64(hist[base + b] != _ZERO)
    return count


@step
def score(tally, left, total):
    """Score a split by its decrease of Gini impurity, as a fraction of two numbers.

    For two classes it is, up to factors that all splits of a node share,
    (l1 * n - n1 * nl)^2 / (nl * nr) with l1 of class 1 among the nl rows on the left.
    """
    n, n1 = n_drawn(tally, total), np.int64(total >> S32)
    nl, l1 = n_drawn(tally, left), np.int64(left >> S32)
    d = np.float64(l1 * n - n1 * nl)
    return d * d, np.float64(nl) * np.float64(n - nl)


@step
def scan_bins(tally, rows, feature, j, total, split):
    """Find the best place between two bins of the batch's feature j; clear its histogram.

    ``split`` is replaced if that place beats it. Returns the first and the last bin that occur.
    """
    hist, occupied, base = tally.hist, tally.occupied, j << 8
    count = find_bins(hist, base, occupied)
    gain, weight, place, best_left = split.gain, split.weight, 0, _ZERO
    left = previous = hist[base + occupied[0]]
    hist[base + occupied[0]] = _ZERO
    for i in range(1, count):
        b = base + occupied[i]
        here = hist[b]
        hist[b] = _ZERO
        both = previous | here
        # Between two bins of one and the same class no split is the best: Gini impurity is concave.
        if (both & LOW) != _ZERO and (both >> S32) != _ZERO:
            g, w = score(tally, left, total)
            if g * weight > gain * w:  # g / w > gain / weight, without dividing
                gain, weight, place, best_left = g, w, i, left
        left += here
        previous = here
    if place > 0:
        split.gain, split.weight, split.left, split.feature = gain, weight, best_left, feature
        split.last_left, split.first_right = occupied[place - 1], occupied[place]
    return np.int64(occupied[0]), np.int64(occupied[count - 1])


@step
def none_below(tally):
    """Give the counts of no rows."""
    return _ZERO


@step
def rows_below(tally, rows, at, entries, keys, split):
    """Count the rows below those set aside: those on the left minus those set aside there."""
    below, i = split.left, 0
    while value(keys[i]) <= split.lower:
        below -= weigh(entries[keys[i] & LOW])
        i += 1
    return below


@step
def add(tally, left, entry):
    """Add a row to the counts on the left."""
    return left + weigh(entry)
