"""Packed counts: what a node of the packed tree does with its rows.

A bin's two class counts share one 64-bit integer, class 1 in the upper half. A row is one 64-bit
entry: its number in the lower half, its count above it, its class in the highest bit.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nffs._numba import inlined, kernel
from nffs.fitness.forest.kernels.common import LOW, S32
from nffs.fitness.forest.kernels.values import apart, value

_S5, _S6 = np.uint64(5), np.uint64(6)
_COUNT = np.uint64(0x7FFFFFFF)
_ZERO, _ONE, _TWO, _THREE, _SIXTY_THREE, _SIXTY_FOUR = (np.uint64(c) for c in (0, 1, 2, 3, 63, 64))


@kernel
def pack(counts, label, order):
    """List the rows that were drawn as row | count << 32 | label << 63; return how many."""
    m = 0
    for i in range(len(counts)):
        order[m] = (
            np.uint64(i) | (np.uint64(counts[i]) << S32) | (np.uint64(label[i]) << _SIXTY_THREE)
        )
        m += np.int64(counts[i] > 0)
    return m


@intrinsic
def lowest_bit(typing, word):
    """Position of the lowest set bit of a 64-bit word that is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@inlined
def weigh(entry):
    """Packed counts of a row: its count in the half of its class."""
    return ((entry >> S32) & _COUNT) << ((entry >> _SIXTY_THREE) << _S5)


@inlined
def count_rows(order, start, end, codes, stride, offsets, n, hist):
    """Add the rows of a node to the histograms of ``n`` features.

    The bin of a row's feature j stands at ``row * stride + offsets[j]``. Features are taken four,
    two or one at a time: written out, an update is a load and an addition in memory.
    """
    j = 0
    while n - j >= 4:
        o0, o1, o2, o3 = offsets[j], offsets[j + 1], offsets[j + 2], offsets[j + 3]
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
        o0, o1 = offsets[j], offsets[j + 1]
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
        o0, h0 = offsets[j], np.uint64(j << 8)
        for i in range(start, end):
            entry = order[i]
            hist[h0 + codes[(entry & LOW) * stride + o0]] += weigh(entry)


@inlined
def note_bins(order, start, end, codes, stride, offset, occupied):
    """List the bins of one feature that occur in a small node, ascending; return how many."""
    w0 = w1 = w2 = w3 = _ZERO
    for i in range(start, end):
        code = np.uint64(codes[(order[i] & LOW) * stride + offset])
        bit = _ONE << (code & _SIXTY_THREE)
        word = code >> _S6
        w0 |= bit if word == _ZERO else _ZERO
        w1 |= bit if word == _ONE else _ZERO
        w2 |= bit if word == _TWO else _ZERO
        w3 |= bit if word == _THREE else _ZERO
    count = 0
    base = _ZERO
    for word in (w0, w1, w2, w3):
        while word != _ZERO:
            occupied[count] = base + lowest_bit(word)
            word &= word - _ONE
            count += 1
        base += _SIXTY_FOUR
    return count


@inlined
def find_bins(hist, base, occupied):
    """List the bins of one histogram that occur, ascending; return how many."""
    count = 0
    for b in range(256):
        occupied[count] = b
        count += np.int64(hist[base + b] != _ZERO)
    return count


@inlined
def decrease(left, n, n1):
    """Decrease of Gini impurity by a split, as a fraction of two numbers.

    For two classes it is, up to factors that all splits of a node share,
    (l1 * n - n1 * nl)^2 / (nl * nr) with l1 of class 1 among the nl rows on the left.
    """
    l1 = np.int64(left >> S32)
    nl = np.int64(left & LOW) + l1
    d = np.float64(l1 * n - n1 * nl)
    return d * d, np.float64(nl) * np.float64(n - nl)


@inlined
def scan(hist, base, occupied, count, n, n1, gain, weight):
    """Clear a histogram and find its best split if one beats gain / weight.

    Returns
    -------
    The gain and weight of the best split, the place in ``occupied`` of the first bin on its right
    (0 for none), and the packed counts on its left.
    """
    place, best_left = 0, _ZERO
    left = previous = hist[base + occupied[0]]
    hist[base + occupied[0]] = _ZERO
    for i in range(1, count):
        b = base + occupied[i]
        here = hist[b]
        hist[b] = _ZERO
        both = previous | here
        # Between two bins of one and the same class no split is the best: Gini impurity is concave.
        if (both & LOW) != _ZERO and (both >> S32) != _ZERO:
            g, w = decrease(left, n, n1)
            if g * weight > gain * w:  # g / w > gain / weight, without dividing
                gain, weight, place, best_left = g, w, i, left
        left += here
        previous = here
    return gain, weight, place, best_left


@inlined
def scan_values(entries, keys, count, left, n, n1, gain, weight):
    """Find the best split between sorted values if one beats gain / weight.

    ``left`` are the packed counts of the rows below all of them.

    Returns
    -------
    The gain and weight of the best split, the number of keys on its left (0 for none), and the
    packed counts on its left.
    """
    place, best_left = 0, _ZERO
    for i in range(1, count):
        left += weigh(entries[keys[i - 1] & LOW])
        if apart(value(keys[i - 1]), value(keys[i])):
            g, w = decrease(left, n, n1)
            if g * weight > gain * w:
                gain, weight, place, best_left = g, w, i, left
    return gain, weight, place, best_left


@inlined
def is_pure(total):
    """Tell whether packed counts hold one class only."""
    return (total & LOW) == _ZERO or (total >> S32) == _ZERO
