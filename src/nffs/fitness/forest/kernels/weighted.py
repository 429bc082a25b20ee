"""The weighted tally, for any number of classes and any weights: a float for each class.

An entry of a row is its number. The steps are listed in :mod:`.tallies`.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nffs._numba import kernel
from nffs.fitness.forest.kernels.common import fixed, make_leaf
from nffs.fitness.forest.kernels.steps import step

_ZERO = np.uint64(0)


class WeightedTally(NamedTuple):
    """The rows' classes and weights, and room for adding them up."""

    label: NDArray[np.int32]
    counts: NDArray[np.uint32]  # how often the rows were drawn
    weight: NDArray[np.float64]  # their weights in this tree
    hist: NDArray[np.float64]  # class weights of 256 bins, 0 between two features
    seen: NDArray[np.bool_]  # which of them occur, False between two features
    total: NDArray[np.float64]  # class weights of the node, and of its rows on the left
    left: NDArray[np.float64]


@kernel
def list_rows(counts, sample_weight, weight, order):
    """List the rows that weigh something in this tree, with their weights; return how many."""
    m = 0
    for i in range(len(counts)):
        weight[i] = sample_weight[i] * counts[i]
        order[m] = i
        m += np.int64(weight[i] > 0.0)
    return m


@step
def add_up(tally, order, node):
    """Class weights of a node, put into ``tally.total``; return how many rows were drawn."""
    label, weight, counts, total = tally.label, tally.weight, tally.counts, tally.total
    total[:] = 0.0
    drawn = _ZERO
    for i in range(node.start, node.end):
        row = order[i]
        total[label[row]] += weight[row]
        drawn += np.uint64(counts[row])
    return drawn


@step
def n_drawn(tally, total):
    """Rows drawn, with repetitions."""
    return np.int64(total)


@step
def is_pure(tally, total):
    """Tell whether the node holds one class only."""
    classes = 0
    for c in range(len(tally.total)):
        classes += tally.total[c] > 0.0
    return classes < 2


@step
def is_leaf(tally, counts, at_limit):
    """Never tell beforehand that a child will be a leaf: its rows must be added up first."""
    return False


@step
def grow_rest(tally, table, limits, rows, node, tree, n_nodes):
    """Leave it all to growth: return the number of nodes as it is."""
    return n_nodes


@step
def write_leaf(tally, tree, name, total):
    """Write a leaf with the shares of all classes."""
    whole, n_classes = tally.total.sum(), len(tally.total)
    for c in range(n_classes):
        tree.shares[name, c] = fixed(tally.total[c], whole)
    make_leaf(tree.nodes, name, tree.shares[name, 1] if n_classes == 2 else np.int32(0))


@step
def count_rows(tally, rows, features):
    """Nothing: :func:`scan_bins` counts one feature at a time, all classes would not fit."""


@step
def score(tally, left, total):
    """Score a split: the sum over both sides of squared class weights by the side's weight.

    It is largest where Gini impurity is least. A fraction, as growth wants it: by 1.
    """
    wl = wr = sl = sr = 0.0
    for c in range(len(tally.total)):
        here, right = tally.left[c], tally.total[c] - tally.left[c]
        wl += here
        wr += right
        sl += here * here
        sr += right * right
    return sl / wl + sr / wr, 1.0


@step
def scan_bins(tally, rows, feature, j, total, split):
    """Find the best place between two bins of a feature.

    ``split`` is replaced if that place beats it. Returns the first and the last bin that occur.
    """
    hist, seen, left, n_classes = tally.hist, tally.seen, tally.left, len(tally.total)
    order, codes, label, weight = rows.order, rows.codes, tally.label, tally.weight
    stride, offset = rows.stride, feature * rows.step
    first, last = 255, 0
    for i in range(rows.start, rows.end):
        row = order[i]
        code = np.int64(codes[row * stride + offset])
        hist[code * n_classes + label[row]] += weight[row]
        seen[code] = True
        first, last = min(first, code), max(last, code)
    best, before, last_left, first_right = split.gain, -1, -1, -1
    left[:] = 0.0
    for b in range(first, last + 1):
        if not seen[b]:
            continue
        seen[b] = False
        if before >= 0:
            here, _ = score(tally, _ZERO, total)
            if here > best:
                best, last_left, first_right = here, before, b
        for c in range(n_classes):
            left[c] += hist[b * n_classes + c]
            hist[b * n_classes + c] = 0.0
        before = b
    if last_left >= 0:
        split.gain, split.feature = best, feature
        split.last_left, split.first_right = last_left, first_right
    return first, last


@step
def none_below(tally):
    """Class weights of no rows, put into ``tally.left``."""
    tally.left[:] = 0.0
    return _ZERO


@step
def rows_below(tally, rows, at, entries, keys, split):
    """Class weights of the rows below those set aside, put into ``tally.left``."""
    left = none_below(tally)
    for i in range(rows.start, at):
        left = add(tally, left, rows.order[i])
    return left


@step
def add(tally, left, entry):
    """Add a row to ``tally.left``."""
    tally.left[tally.label[entry]] += tally.weight[entry]
    return left
