"""Splits of columns of many values: by bins, then exactly, by the ranks in the bins at the split.

The rows of a node are listed in ``room.rows``, class by class. Bins are few enough to count by; a
split is then placed between the values that occur.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.cuts.scores import keep, offer, score
from nffs.fitness.forest.kernels.common import LOW, S32
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.values import apart, sort_keys
from nffs.fitness.forest.kernels.words import ALL, ZERO


@step
def try_bins(columns, room, node, feature, column):
    """Try all places between two bins of a feature; return whether its values can be parted."""
    number, total, hist, occupied = columns.number[column], room.totals[0], room.hist, room.occupied
    n_classes = len(total)
    per_word, width, mask = packing(n_classes, len(room.parts) // n_classes)
    count_bins(columns.codes[number], room, per_word, width)
    n_bins = find_occupied(hist, occupied, columns.n_values[column])
    values, values_at = columns.values, columns.values_at[column]
    low, high, split = columns.low[number], columns.high[number], room.split[0]
    left, n, n_left, before = room.here, node.n, 0, np.int64(-1)
    on_left, on_right = 0, 0
    gain, weight, lower, upper, n_best = split.gain, split.weight, np.int64(-1), np.int64(-1), 0
    for c in range(n_classes):
        left[c] = 0
        on_right += total[c] * total[c]
    for i in range(n_bins):
        b = np.int64(occupied[i])
        g, w = score(on_left, on_right, n_left, n - n_left)
        if (
            g * weight > gain * w
            and i > 0
            and apart(values[values_at + high[before]], values[values_at + low[b]])
        ):
            gain, weight, lower, upper, n_best = g, w, before, b, n_left
            keep(room.next, left)
        for v in range(hist.shape[1]):
            rest = hist[b, v]
            hist[b, v] = ZERO
            for c in range(v * per_word, min(n_classes, (v + 1) * per_word)):
                moved = np.int64(rest & mask)
                rest >>= width
                here = left[c]
                on_left += moved * (2 * here + moved)
                on_right += moved * (moved - 2 * (total[c] - here))
                left[c] = here + moved
                n_left += moved
        before = b
    if lower >= 0:
        split.gain, split.weight, split.feature = gain, weight, feature
        split.lower, split.upper, split.n_left, split.is_exact = lower, upper, n_best, False
        keep(room.left, room.next)
    first, last = values_at + low[occupied[0]], values_at + high[before]
    if not apart(values[first], values[last]):
        return False
    if n_bins > 1:
        return True
    # All rows are in one bin, but may differ in value.
    m = sort_ranks(columns, room, number, before, before)
    for c in range(n_classes):
        left[c] = 0
    return scan_ranks(columns, room, node, feature, column, m, 0)


@step
def find_occupied(hist, occupied, n_bins):
    """List the bins that occur, ascending; return how many."""
    count = ZERO
    for b in range(n_bins):
        some = ZERO
        for v in range(hist.shape[1]):
            some |= hist[b, v]
        occupied[count] = b
        count += np.uint64(some != ZERO)
    return np.int64(count)


@step
def packing(n_classes, n_bits):
    """Tell how many class counts of some bits a word holds, how far apart, and a mask for one."""
    per_word = min(n_classes, 64 // n_bits)
    width = np.uint64(64 // per_word)
    return per_word, width, ALL >> (np.uint64(64) - width)


@step
def count_bins(codes, room, per_word, width):
    """Count the listed rows by bin and class."""
    ids, counts, ends, hist = room.ids, room.counts, room.ends, room.hist
    for c in range(len(ends) - 1):
        v, shift = c // per_word, width * np.uint64(c % per_word)
        for i in range(ends[c], ends[c + 1]):
            hist[codes[ids[i]], v] += np.uint64(counts[i]) << shift


@step
def sort_ranks(columns, room, number, first, last):
    """Sort the rows in some bins by rank; return how many there are."""
    codes, ranks, m = columns.codes[number], columns.ranks[number], 0
    for c in range(len(room.ends) - 1):
        for i in range(room.ends[c], room.ends[c + 1]):
            code = np.int64(codes[room.ids[i]])
            if first <= code <= last:
                # class and count come along in the place, looked up when it is scanned
                room.keys[m] = (np.uint64(ranks[room.ids[i]]) << S32) | i
                m += 1
    sort_keys(room.keys, m, room.spare, room.digits)
    return m


@step
def class_of(room, place):
    """Give the class of a listed row."""
    c = 0
    while np.uint64(place) >= room.ends[c + 1]:
        c += 1
    return c


@step
def scan_ranks(columns, room, node, feature, column, m, n_left):
    """Try all places between sorted rows, ``room.here`` the counts of the rows below them.

    Returns whether there is such a place.
    """
    values, values_at = columns.values, columns.values_at[column]
    split, left, found, before = room.split[0], room.here, False, np.int64(-1)
    for i in range(m):
        rank, place = np.int64(room.keys[i] >> S32), np.int64(room.keys[i] & LOW)
        if i > 0 and rank != before and apart(values[values_at + before], values[values_at + rank]):
            found = True
            offer(split, room.left, left, room.totals[0], n_left, node.n, feature, before, rank)
        count = np.int64(room.counts[place])
        left[class_of(room, place)] += count
        n_left += count
        before = rank
    return found


@step
def refine(columns, room, node, column):
    """Place the best split exactly, by the values in the bins at its sides."""
    split, number = room.split[0], columns.number[column]
    if split.is_exact:
        return
    low, high = columns.low[number], columns.high[number]
    last_left, first_right = split.lower, split.upper
    split.lower, split.upper = high[last_left], low[first_right]
    if low[last_left] == high[last_left] and low[first_right] == high[first_right]:
        return
    m = sort_ranks(columns, room, number, last_left, first_right)
    left, n_left = room.here, split.n_left
    keep(left, room.left)
    for i in range(m):
        rank, place = np.int64(room.keys[i] >> S32), np.int64(room.keys[i] & LOW)
        if rank > high[last_left]:
            break
        count = np.int64(room.counts[place])
        left[class_of(room, place)] -= count
        n_left -= count
    split.gain, split.weight = -1.0, 1.0
    scan_ranks(columns, room, node, split.feature, column, m, n_left)


@step
def mark_left(columns, room, number, go_left):
    """Write the set of the listed rows that go left; bins decide, in one of them ranks."""
    codes, ranks, high = columns.codes[number], columns.ranks[number], columns.high[number]
    lower = np.uint32(room.split[0].lower)
    border = 0
    while high[border] < lower:
        border += 1
    for i in range(room.ends[len(room.ends) - 1]):
        row, code = np.uint64(room.rows[i]), np.int64(codes[room.ids[i]])
        inside = np.uint64(code < border)
        if code == border:
            inside = np.uint64(ranks[room.ids[i]] <= lower)
        go_left[row >> np.uint64(6)] |= inside << (row & np.uint64(63))
