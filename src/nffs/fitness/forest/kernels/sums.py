"""Sums of rows for numbers: how many rows were drawn and the sum of their numbers in 64 bits.

::

    sums of some rows  |       rows drawn       |   sum of their numbers   |
                         63              shift    shift - 1               0

Numbers are whole, from 0 to ``top``, so sums are the same in any order and one addition counts a
row. A tally knows ``shift`` and ``top``.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.common import fixed, make_leaf
from nffs.fitness.forest.kernels.steps import step

_ONE = np.uint64(1)


@step
def n_drawn(tally, total):
    """Rows drawn, with repetitions."""
    return np.int64(total >> tally.shift)


@step
def sum_of(tally, total):
    """Give the sum of the rows' numbers."""
    return np.float64(total & ((_ONE << tally.shift) - _ONE))


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
def write_leaf(tally, tree, name, total):
    """Write a leaf with the mean of its numbers, as a share of the largest there may be."""
    whole = np.float64(n_drawn(tally, total)) * tally.top
    make_leaf(tree.nodes, name, fixed(sum_of(tally, total), whole))
