"""Splits by the values themselves, where bins are too coarse: sorting the values of a node.

A value is sorted by its key: its float's bits, turned so that they order as the floats do, in the
upper half, and its place in a list of rows in the lower half.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.common import LOW, S32
from nffs.fitness.forest.kernels.steps import shared_step, step

#: A node of at most this many drawn rows is split by values alone, a larger one by bins first.
VALUE_ROWS = 32

#: Values this close are one value, as in scikit-learn's trees.
_SAME = np.float32(1e-7)

_SIGN = np.uint32(0x80000000)
_REST = np.uint32(0x7FFFFFFF)
_S31 = np.uint32(31)

# Up to here moving keys one by one is faster; above, looking at every byte of every key once.
_FEW = 64

_BYTE = np.uint64(255)


@step
def key(bits, place):
    """Key of a float's bits and a place."""
    turned = bits ^ ((bits >> _S31) * _REST | _SIGN)
    return (np.uint64(turned) << S32) | np.uint64(place)


@step
def value(key):
    """Value of a key."""
    turned = np.uint32(key >> S32)
    negative = np.uint32(1) - (turned >> _S31)
    return np.uint32(turned ^ (negative * _REST | _SIGN)).view(np.float32)


@step
def apart(low, high):
    """Tell whether a split may stand between two values."""
    return high > low + _SAME


@step
def midpoint(low, high):
    """Threshold between neighbouring values: at least the lower one, below the upper one."""
    middle = np.float32(0.5) * low + np.float32(0.5) * high
    return middle if low <= middle < high else low


@shared_step
def sort_keys(keys, count, spare, digits):
    """Sort the first ``count`` keys."""
    if count > _FEW:
        sort_by_digits(keys, count, spare, digits)
        return
    for i in range(1, count):
        here, j = keys[i], i
        while j > 0 and keys[j - 1] > here:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = here


@shared_step
def sort_by_digits(keys, count, spare, ends):
    """Sort keys by value, one byte after the other from the lowest; equal values keep their order.

    It takes the keys in the order of their places, so that order is the keys' own.
    """
    ends[:, :] = 0
    for i in range(count):
        turned = keys[i] >> S32
        for digit in range(4):
            ends[digit, (turned >> np.uint64(8 * digit)) & _BYTE] += np.uint32(1)
    for digit in range(4):
        end = np.uint32(0)
        for b in range(256):
            here = ends[digit, b]
            ends[digit, b] = end
            end += here
        shift = np.uint64(32 + 8 * digit)
        source, target = (keys, spare) if digit % 2 == 0 else (spare, keys)
        for i in range(count):
            b = (source[i] >> shift) & _BYTE
            target[ends[digit, b]] = source[i]
            ends[digit, b] += np.uint32(1)


@step
def sort_values(table, room, rows, entries, count, feature, keys):
    """Fill ``keys`` with the sorted keys of one feature for the first ``count`` of the entries."""
    bits, k, origin, moved = table.bits, np.uint64(table.n_features), rows.origin, rows.moved
    for i in range(count):
        row = entries[i] & LOW
        at = np.uint64(origin[row]) if moved else row
        keys[i] = key(bits[at * k + feature], i)
    sort_keys(keys, count, room.spare, room.digits)


@step
def part_by_value(table, room, rows, split):
    """Sort the rows of a node by its split's feature; return where those that go right start."""
    order, scratch = rows.order, room.scratch
    start, count = rows.start, rows.end - rows.start
    keys, lower = order[start : rows.end], split.lower
    for i in range(count):
        scratch[i] = keys[i]
    sort_values(table, room, rows, scratch, count, split.feature, keys)
    border = start
    while value(order[border]) <= lower:
        border += 1
    put_back(order, start, count, scratch)
    return border


@step
def put_back(order, at, count, scratch):
    """Replace sorted keys by the rows that were set aside."""
    for i in range(at, at + count):
        order[i] = scratch[order[i] & LOW]
