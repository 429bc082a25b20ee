"""Parting the rows of a node between its children.

Rows are listed in 64-bit entries whose lower half is the row's number. The bin of a row's feature
stands at ``row * stride + offset`` in ``codes``. Places are unsigned: numba then need not ask
whether they count from the end.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs._numba import inlined
from nffs.fitness.forest.kernels.common import LOW

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined
def partition(order, start, end, codes, stride, offset, last_left, scratch):
    """Move the rows that go left to the front, in order; return where the rest starts."""
    at, spare = np.uint64(start), _ZERO
    for i in range(start, end):
        entry = order[i]
        goes_left = np.uint64(codes[(entry & LOW) * stride + offset] <= last_left)
        order[at] = entry
        scratch[spare] = entry
        at += goes_left
        spare += _ONE - goes_left
    border = np.int64(at)
    order[border:end] = scratch[: end - border]
    return border


@inlined
def keep(order, start, end, codes, stride, offset, last_left, keep_left):
    """Move the rows of one side to the front, in order, and drop the others; return their end."""
    at = np.uint64(start)
    for i in range(start, end):
        entry = order[i]
        order[at] = entry
        goes_left = codes[(entry & LOW) * stride + offset] <= last_left
        at += np.uint64(goes_left == keep_left)
    return np.int64(at)


@inlined
def part_in_three(order, start, end, codes, stride, offset, last_left, first_right, scratch):
    """Move the rows that surely go left to the front; set aside those in the two bins at a split.

    Rows that surely go right are moved to the end of the node, those set aside to the front of
    ``scratch``; what lies between in ``order`` is free.

    Returns
    -------
    Where the free part starts and the number of rows set aside.
    """
    at, between, spare = np.uint64(start), _ZERO, np.uint64(len(scratch) - 1)
    for i in range(start, end):
        entry = order[i]
        code = np.int64(codes[(entry & LOW) * stride + offset])
        goes_left, goes_right = np.uint64(code < last_left), np.uint64(code > first_right)
        order[at] = entry
        scratch[spare] = entry
        scratch[between] = entry
        at += goes_left
        spare -= goes_right
        between += _ONE - goes_left - goes_right
    free, aside = np.int64(at), np.int64(between)
    for i in range(free + aside, end):
        spare += _ONE
        order[i] = scratch[spare]
    return free, aside
