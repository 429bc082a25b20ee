"""Parting the rows of a node between its children by their bins.

Places are unsigned: numba then need not ask whether they count from the end. Every row is written
to all the places it may belong to, and only the right place moves on: no branch to mispredict.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.common import LOW
from nffs.fitness.forest.kernels.steps import step

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@step
def partition(rows, split, scratch):
    """Move the rows that go left to the front, in order; return where the rest starts."""
    order, codes, stride, end = rows.order, rows.codes, rows.stride, rows.end
    offset, last_left = split.feature * rows.step, split.last_left
    at, spare = np.uint64(rows.start), _ZERO
    for i in range(rows.start, end):
        entry = order[i]
        goes_left = np.uint64(codes[(entry & LOW) * stride + offset] <= last_left)
        order[at] = entry
        scratch[spare] = entry
        at += goes_left
        spare += _ONE - goes_left
    border = np.int64(at)
    for i in range(border, end):
        order[i] = scratch[i - border]
    return border


@step
def part_in_three(rows, split, scratch):
    """Set aside the rows in the two bins at a split, between those that surely go left or right.

    ::

        order    | surely left | free: as many as set aside | surely right |
        scratch  | set aside ...

    Returns
    -------
    Where the free part starts and the number of rows set aside.
    """
    order, codes, stride, end = rows.order, rows.codes, rows.stride, rows.end
    offset = split.feature * rows.step
    last_left, first_right = split.last_left, split.first_right
    at, between, spare = np.uint64(rows.start), _ZERO, np.uint64(len(scratch) - 1)
    for i in range(rows.start, end):
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
    # The rows that go right were noted from the end of scratch: the last one comes first.
    for i in range(free + aside, end):
        spare += _ONE
        order[i] = scratch[spare]
    return free, aside
