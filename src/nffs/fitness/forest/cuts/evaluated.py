"""Evaluation rows go down a tree while it grows, and take the class shares of where they arrive."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.common import fixed
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.words import ONE, ZERO


@step
def part(evaluated, column, threshold, start, end):
    """Move the rows that go left to the front; return where the rest starts.

    Every row is written to both places it may belong to, and only the right one moves on.
    """
    order, scratch, values = evaluated.order, evaluated.scratch, evaluated.values[column]
    at, spare = np.uint64(start), ZERO
    for i in range(start, end):
        row = order[i]
        goes_left = np.uint64(values[row] <= threshold)
        order[at] = row
        scratch[spare] = row
        at += goes_left
        spare += ONE - goes_left
    border = np.int64(at)
    for i in range(border, end):
        order[i] = scratch[i - border]
    return border


@step
def read(evaluated, limits, tree, is_leaf, depth, start, end, counts, n):
    """Add the class shares of a node for the groups that read it.

    Groups read the node at the depth they cut trees at, or a leaf above it.
    """
    depths, sizes, totals, order = limits.depths, limits.sizes, evaluated.totals, evaluated.order
    n_classes = totals.shape[2]
    for group in range(len(depths)):
        if tree < sizes[group] and (depths[group] == depth or (is_leaf and depths[group] > depth)):
            if n_classes == 1:
                share = np.int64(fixed(counts[1], n))
                if share > 0:
                    for i in range(start, end):
                        totals[group, order[i], 0] += share
            else:
                for c in range(n_classes):
                    if counts[c] > 0:
                        share = np.int64(fixed(counts[c], n))
                        for i in range(start, end):
                            totals[group, order[i], c] += share
