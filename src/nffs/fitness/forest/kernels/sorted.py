"""Growing the rest of a tree for numbers once a node has few rows: sorted once, parted ever after.

Every feature's values in the node are sorted, and a split parts all these lists, which stay sorted.
A node below owns the same stretch of every list::

    feature 0   | b  d  a  c  e |        rows by their value of feature 0
    feature 1   | d  a  e  b  c |
                  d, a and e go left
    feature 0   | d  a  e | b  c |
    feature 1   | d  a  e | b  c |
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.kernels.common import (
    LEFT_KEY,
    LOW,
    RIGHT_KEY,
    S32,
    below,
    fixed,
    make_leaf,
    mix,
)
from nffs.fitness.forest.kernels.steps import shared_step, step
from nffs.fitness.forest.kernels.values import apart, key, midpoint, value

_ZERO, _ONE = np.uint64(0), np.uint64(1)

#: A node of at most so many rows is sorted.
SORTED_ROWS = 128

#: A node that waits to be split.
WAITING = np.dtype([
    ("start", np.int64), ("end", np.int64),  # its stretch of every list
    ("name", np.int64), ("depth", np.int64),
    ("key", np.uint64),  # decides which of equally good features is taken
    ("count", np.float64), ("sum", np.float64),  # rows drawn, and the sum of their numbers
])  # fmt: skip


class SortedRoom(NamedTuple):
    """Memory for the lists of a node's rows; a thread makes it once for all its trees."""

    keys: NDArray[np.uint64]  # SORTED_ROWS for every feature: see :mod:`.values`
    spare: NDArray[np.uint64]  # SORTED_ROWS + 1
    features: NDArray[np.int64]  # those that vary in the node
    ends: NDArray[np.int64]  # 256, where the rows of a bin end
    counts: NDArray[np.float64]  # of every row, how often it was drawn
    sums: NDArray[np.float64]  # that times its number
    numbers: NDArray[np.uint64]
    goes_left: NDArray[np.uint64]  # 1 or 0 for every row
    stack: NDArray[np.void]  # WAITING


def sorted_room(n_features: int) -> SortedRoom:
    """Make room for so many features."""
    m = SORTED_ROWS
    return SortedRoom(
        np.empty(n_features * m, np.uint64), np.empty(m + 1, np.uint64),
        np.empty(n_features, np.int64), np.empty(256, np.int64),
        np.empty(m), np.empty(m), np.empty(m, np.uint64), np.empty(m, np.uint64),
        np.empty(2 * m, WAITING),
    )  # fmt: skip


@shared_step
def grow_sorted(tally, table, limits, rows, node, tree, n_nodes):
    """Grow the tree below a node of few rows; return the tree's new number of nodes."""
    room, m = tally.room, rows.end - rows.start
    take_rows(tally, rows)
    n_lists = sort_features(table, tally, rows)
    stack = room.stack
    first = stack[0]
    first.start, first.end, first.name, first.depth = 0, m, node.name, node.depth
    first.key = node.key
    first.count, first.sum = 0.0, 0.0
    for i in range(m):
        first.count += room.counts[i]
        first.sum += room.sums[i]
    top = 0
    while top >= 0:
        here = stack[top]
        start, end, name, depth = here.start, here.end, here.name, here.depth
        node_key, count, total = here.key, here.count, here.sum
        top -= 1
        which, border, left_count, left_sum = best_split(
            room, n_lists, start, end, node_key, count, total
        )
        if which < 0:
            continue
        keys = room.keys[which * SORTED_ROWS : (which + 1) * SORTED_ROWS]
        inner = tree.nodes[name]
        inner.feature, inner.left = room.features[which], n_nodes
        inner.threshold = midpoint(value(keys[border - 1]), value(keys[border]))
        waits = 0
        for side in range(2):
            child = stack[top + 1 + waits]
            child.name, child.depth = n_nodes + side, depth + 1
            if side == 0:
                child.start, child.end = start, border
                child.count, child.sum = left_count, left_sum
                child.key = mix(node_key ^ LEFT_KEY)
            else:
                child.start, child.end = border, end
                child.count, child.sum = count - left_count, total - left_sum
                child.key = mix(node_key ^ RIGHT_KEY)
            share = fixed(child.sum, child.count * tally.top)
            make_leaf(tree.nodes, child.name, share)
            if child.depth < limits.max_depth and varies(room, keys, child.start, child.end):
                waits += 1
        n_nodes += 2
        if waits > 0:
            part_lists(room, n_lists, which, start, border, end)
        top += waits
    return n_nodes


@step
def take_rows(tally, rows):
    """Note the sums and numbers of a node's rows."""
    room, mask = tally.room, (np.uint64(1) << tally.shift) - np.uint64(1)
    for i in range(rows.end - rows.start):
        place = rows.order[rows.start + i] >> S32
        sums = tally.sums[place]
        room.counts[i] = np.float64(sums >> tally.shift)
        room.sums[i] = np.float64(sums & mask)
        room.numbers[i] = tally.numbers[place]


@step
def sort_features(table, tally, rows):
    """Sort the rows by every feature and keep the lists of those that vary; return how many."""
    room, n_lists = tally.room, 0
    keys = room.keys
    m, k = rows.end - rows.start, np.uint64(table.n_features)
    for f in range(table.n_features):
        at = n_lists * SORTED_ROWS
        sort_by_bins(table, tally, rows, np.uint64(f), k, keys[at : at + m])
        if apart(value(keys[at]), value(keys[at + m - 1])):
            room.features[n_lists] = f
            n_lists += 1
    return n_lists


@step
def sort_by_bins(table, tally, rows, feature, k, keys):
    """Fill ``keys`` with the keys of a feature, sorted: by bins first, then by value."""
    ends, codes, origin, moved = tally.room.ends, rows.codes, rows.origin, rows.moved
    stride, offset, m = rows.stride, feature * rows.step, rows.end - rows.start
    n_bins = tally.n_bins[feature]
    for b in range(n_bins):
        ends[b] = 0
    for i in range(m):
        row = rows.order[rows.start + i] & LOW
        ends[codes[row * stride + offset]] += 1
    end = 0
    for b in range(n_bins):
        here = ends[b]
        ends[b] = end
        end += here
    for i in range(m):
        row = rows.order[rows.start + i] & LOW
        b = codes[row * stride + offset]
        at = np.uint64(origin[row]) if moved else row
        keys[ends[b]] = key(table.bits[at * k + feature], i)
        ends[b] += 1
    for i in range(1, m):
        here, j = keys[i], i
        while j > 0 and keys[j - 1] > here:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = here


@step
def best_split(room, n_lists, start, end, node_key, count, total):
    """Find the best split of a stretch.

    Of equally good features the first one after a random one is taken.

    Returns
    -------
    The list it is in, or -1; where the rows that go right start; the count and sum of the others.
    """
    keys, counts, sums = room.keys, room.counts, room.sums
    which, border, best_count, best_sum = -1, 0, 0.0, 0.0
    gain, weight = -1.0, 1.0
    if n_lists == 0:
        return which, border, best_count, best_sum
    f = below(mix(node_key), n_lists)
    for _ in range(n_lists):
        # Unsigned: numba then need not ask whether places count from the end.
        first, last = np.uint64(f * SORTED_ROWS + start), np.uint64(f * SORTED_ROWS + end - 1)
        if apart(value(keys[first]), value(keys[last])):
            nl = sl = 0.0
            for i in range(first, last):
                place = keys[i] & LOW
                nl += counts[place]
                sl += sums[place]
                d = sl * count - total * nl
                g, w = d * d, nl * (count - nl)
                if g * weight > gain * w and apart(value(keys[i]), value(keys[i + _ONE])):
                    gain, weight, which = g, w, f
                    border, best_count, best_sum = start + np.int64(i - first) + 1, nl, sl
            if end - start == 2:
                break  # no split of two rows is better than another
        f += 1
        if f == n_lists:
            f = 0
    return which, border, best_count, best_sum


@step
def varies(room, keys, start, end):
    """Tell whether the rows of a stretch have more than one number."""
    first = room.numbers[keys[start] & LOW]
    for i in range(start + 1, end):  # noqa: SIM110 (kernels know no generators)
        if room.numbers[keys[i] & LOW] != first:
            return True
    return False


@step
def part_lists(room, n_lists, which, start, border, end):
    """Part a stretch of every list as the list ``which`` is parted at the border."""
    keys, goes_left, spare = room.keys, room.goes_left, room.spare
    base = np.uint64(which * SORTED_ROWS)
    for i in range(np.uint64(start), np.uint64(end)):
        goes_left[keys[base + i] & LOW] = np.uint64(i < np.uint64(border))
    for f in range(n_lists):
        if f == which:
            continue
        base = np.uint64(f * SORTED_ROWS)
        at, aside = base + np.uint64(start), _ZERO
        for i in range(at, base + np.uint64(end)):
            here = keys[i]
            left = goes_left[here & LOW]
            keys[at] = here
            spare[aside] = here
            at += left
            aside += _ONE - left
        for i in range(aside):
            keys[at + i] = spare[i]
