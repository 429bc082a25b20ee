"""Growing the rest of a tree for numbers once a node has few rows: sorted once, parted ever after.

Every feature's values in the node are sorted, and a split parts all these lists, which stay sorted.
A node below owns the same stretch of every list::

    feature 0   | b  d  a  c  e |        rows by their value of feature 0
    feature 1   | d  a  e  b  c |
                  d, a and e go left
    feature 0   | d  a  e | b  c |
    feature 1   | d  a  e | b  c |

From 64 rows on, lists are not parted any more. A node is a word for every feature then, with a bit
for every row, in the order of the feature's values::

    feature 0   1 1 1 1 1      d, a and e go left      0 1 1 0 1   and   1 0 0 1 0
    feature 1   1 1 1 1 1                              1 1 1 0 0   and   0 0 0 1 1

Its stretch of a list is written from its word.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.common import (
    LEFT_KEY,
    LOW,
    RIGHT_KEY,
    S32,
    below,
    mix,
)
from nffs.fitness.forest.kernels.lanes import SUMS, VALUES, better_splits, n_smaller, score_splits
from nffs.fitness.forest.kernels.sets import SET_ROWS, split_sets
from nffs.fitness.forest.kernels.sorted_room import LIST, WORD_ROWS
from nffs.fitness.forest.kernels.steps import shared_step, step
from nffs.fitness.forest.kernels.sums import n_drawn, sum_of, write_leaf
from nffs.fitness.forest.kernels.values import apart, midpoint
from nffs.fitness.forest.kernels.words import ALL, ONE, ZERO, lowest

_NO_MORE, _ONE_MORE = np.uint8(0), np.uint8(1)


@shared_step
def grow_sorted(tally, table, limits, rows, node, tree, n_nodes):
    """Grow the tree below a node of few rows; return the tree's new number of nodes."""
    room, stack, m = tally.room, tally.room.stack, rows.end - rows.start
    total = take_rows(tally, table, rows)
    n_lists = sort_features(table, room, m)
    if n_lists == 0:
        return n_nodes
    first = stack[0]
    first.start, first.end, first.in_words = 0, m, False
    first.name, first.depth, first.key, first.total = node.name, node.depth, node.key, total
    top = 0
    while top >= 0:
        here = stack[top]
        start, end, name, depth = here.start, here.end, here.name, here.depth
        node_key, total, few = here.key, here.total, here.end - here.start <= WORD_ROWS
        if few and not here.in_words:
            write_words(room, n_lists, start, end, top)
        if here.end - here.start <= SET_ROWS:
            which, border, left = split_sets(tally, n_lists, start, end, top, node_key, total)
        else:
            add_below(room, n_lists, start, end, few, top)
            which, border, left = best_split(tally, n_lists, start, end, node_key, total)
        top -= 1
        if which < 0:
            continue
        base = np.uint64(which) * LIST
        lower, upper = value_at(room, base, border - 1), value_at(room, base, border)
        children = n_nodes
        n_nodes = split_node(tree, name, room.features[which], lower, upper, n_nodes)
        write_leaf(tally, tree, children, left)
        write_leaf(tally, tree, children + 1, total - left)
        if depth + 1 >= limits.max_depth:
            continue
        waits, left_waits = 0, False
        for side in range(2):
            child = stack[top + 1 + waits]
            child.name, child.depth, child.in_words = children + side, depth + 1, few
            if side == 0:
                child.start, child.end, child.total = start, border, left
                child.key = mix(node_key ^ LEFT_KEY)
            else:
                child.start, child.end, child.total = border, end, total - left
                child.key = mix(node_key ^ RIGHT_KEY)
            if varies(room, base, child.start, child.end):
                if child.end - child.start > 2:
                    waits += 1
                    left_waits |= side == 0
                else:
                    at = base + np.uint64(child.start)
                    n_nodes = split_pair(tally, n_lists, at, child.name, child.key, tree, n_nodes)
        if waits > 0:
            if few:
                part_words(room, n_lists, base, start, border, end, top + 1, left_waits)
            else:
                part_lists(room, n_lists, which, start, border, end)
        top += waits
    return n_nodes


@step
def value_at(room, base, place):
    """Give the value in some place of a list."""
    return room.values[base + room.lists[base + np.uint64(place)]]


@step
def split_node(tree, name, feature, lower, upper, n_nodes):
    """Write a split between two values; return the new number of nodes."""
    inner = tree.nodes[name]
    inner.feature, inner.left, inner.threshold = feature, n_nodes, midpoint(lower, upper)
    return n_nodes + 2


@step
def split_pair(tally, n_lists, at, name, node_key, tree, n_nodes):
    """Split a node of two rows, which stand in some list; return the new number of nodes.

    No split of two rows is better than another: the first feature after a random one is taken that
    can part them.
    """
    room = tally.room
    one, other = room.lists[at], room.lists[at + ONE]
    f = below(mix(node_key), n_lists)
    for _ in range(n_lists):
        base = np.uint64(f) * LIST
        lower, upper = room.values[base + one], room.values[base + other]
        if lower > upper:
            lower, upper, one, other = upper, lower, other, one
        if apart(lower, upper):
            write_leaf(tally, tree, n_nodes, room.sums[one])
            write_leaf(tally, tree, n_nodes + 1, room.sums[other])
            return split_node(tree, name, room.features[f], lower, upper, n_nodes)
        f += 1
        if f == n_lists:
            f = 0
    return n_nodes


@step
def take_rows(tally, table, rows):
    """Note the sums and numbers of a node's rows, and where their values are; return the total."""
    room, origin, moved, k = tally.room, rows.origin, rows.moved, np.uint64(table.n_features)
    total = ZERO
    for i in range(rows.end - rows.start):
        entry = rows.order[rows.start + i]
        row, place = entry & LOW, entry >> S32
        room.at[i] = (np.uint64(origin[row]) if moved else row) * k
        room.sums[i], room.numbers[i] = tally.sums[place], tally.numbers[place]
        total += tally.sums[place]
    return total


@step
def sort_features(table, room, m):
    """Sort the rows by every feature and keep the lists of those that vary; return how many."""
    n_lists, lists, values, at = 0, room.lists, room.values, room.at
    bits = table.bits.view(np.float32)
    for f in range(np.uint64(table.n_features)):
        base = np.uint64(n_lists) * LIST
        here = values[base : base + LIST]
        for i in range(m):
            here[i] = bits[at[i] + f]
        sort_list(here, lists[base : base + LIST], room.spare, m)
        if apart(here[lists[base]], here[lists[base + np.uint64(m - 1)]]):
            room.features[n_lists] = f
            n_lists += 1
    return n_lists


@step
def sort_list(values, places, taken, m):
    """List places by their values, equal ones in their order.

    A place comes after all with smaller values: counting them takes no branch to mispredict.
    """
    for i in range(m):
        taken[i] = _NO_MORE
    for i in range(m, m + VALUES - 1 & -VALUES):
        values[i] = np.inf
    for i in range(m):
        here, smaller = values[i], ZERO
        for at in range(ZERO, np.uint64(m), np.uint64(VALUES)):
            smaller += n_smaller(values, at, here)
        places[smaller + taken[smaller]] = i
        taken[smaller] += _ONE_MORE


@step
def write_words(room, n_lists, start, end, slot):
    """Make a node's words from its stretch of the lists: a bit for every row, by its value."""
    lists, ranks, ordered, k = room.lists, room.ranks, room.ordered, np.uint64(n_lists)
    n = np.uint64(end - start)
    for f in range(k):
        at, base = f * LIST, f * LIST + np.uint64(start)
        for i in range(n):
            place = lists[base + i]
            ordered[at + i] = place
            ranks[place * k + f] = i
        room.words[np.uint64(slot) * k + f] = ALL >> (np.uint64(WORD_ROWS) - n)


@step
def add_below(room, n_lists, start, end, few, slot):
    """Add up the rows of a stretch of every list, from its first up to each of them.

    The lists of a node of few rows are written from its words.
    """
    lists, sums, below, ordered = room.lists, room.sums, room.below, room.ordered
    k = np.uint64(n_lists)
    for f in range(k):
        at, upto = f * LIST + np.uint64(start), ZERO
        if few:
            rest, base = room.words[np.uint64(slot) * k + f], f * LIST
            while rest != ZERO:
                place = ordered[base + lowest(rest)]
                rest &= rest - ONE
                upto += sums[place]
                lists[at], below[at] = place, upto
                at += ONE
        else:
            for i in range(at, at + np.uint64(end - start)):
                upto += sums[lists[i]]
                below[i] = upto


@step
def best_split(tally, n_lists, start, end, node_key, total):
    """Find the best split of a stretch of all lists.

    Of equally good features the first one after a random one is taken.

    Returns
    -------
    The list it is in, or -1; where the rows that go right start; the sums of the others.
    """
    room = tally.room
    sums, gains, weights, n = room.below, room.gains, room.weights, np.uint64(end - start)
    least = score_splits(
        sums, gains, weights, np.uint64(start), np.uint64(n_lists), LIST, n, tally.shift,
        np.float64(n_drawn(tally, total)), sum_of(tally, total),
    )  # fmt: skip
    which, border, left = -1, 0, ZERO
    # Splits that are surely not the best are passed over, unless all others are between values that
    # cannot be parted.
    for gain in (least, -1.0):
        weight = 1.0
        f = below(mix(node_key), n_lists)
        for _ in range(n_lists):
            base = np.uint64(f) * LIST
            first = base + np.uint64(start)
            for block in range(first, first + n, np.uint64(SUMS)):
                better = better_splits(gains, weights, block, gain, weight)
                while better != ZERO:
                    i = block + lowest(better)
                    better &= better - ONE
                    place = np.int64(i - base)
                    if gains[i] * weight > gain * weights[i] and apart(
                        value_at(room, base, place), value_at(room, base, place + 1)
                    ):
                        gain, weight = gains[i], weights[i]
                        which, border, left = f, place + 1, sums[i]
            f += 1
            if f == n_lists:
                f = 0
        if which >= 0:
            break
    return which, border, left


@step
def varies(room, base, start, end):
    """Tell whether the rows of a stretch have more than one number."""
    lists, numbers = room.lists, room.numbers
    first = numbers[lists[base + np.uint64(start)]]
    for i in range(base + np.uint64(start + 1), base + np.uint64(end)):
        if numbers[lists[i]] != first:
            return True
    return False


@step
def part_words(room, n_lists, base, start, border, end, slot, left_waits):
    """Part a node's words as one of its lists is parted at the border, for those who wait.

    The rows of the smaller child are found in all words; the other child has the rest.
    """
    lists, ranks, some, words, k = room.lists, room.ranks, room.some, room.words, np.uint64(n_lists)
    few_left = border - start <= end - border
    first, last = (start, border) if few_left else (border, end)
    for f in range(k):
        some[f] = ZERO
    for i in range(base + np.uint64(first), base + np.uint64(last)):
        row = lists[i] * k
        for f in range(k):
            some[f] |= ONE << np.uint64(ranks[row + f])
    one, other = np.uint64(slot) * k, np.uint64(slot + 1) * k
    for f in range(k):
        left = some[f] if few_left else words[one + f] ^ some[f]
        right = words[one + f] ^ left
        words[one + f] = left if left_waits else right
        words[other + f] = right


@step
def part_lists(room, n_lists, which, start, border, end):
    """Part a stretch of every list as the list ``which`` is parted at the border."""
    lists, goes_left, spare = room.lists, room.goes_left, room.spare
    base = np.uint64(which) * LIST
    for i in range(np.uint64(start), np.uint64(end)):
        goes_left[lists[base + i]] = np.uint8(i < np.uint64(border))
    for f in range(np.uint64(n_lists)):
        if f == np.uint64(which):
            continue
        base = f * LIST
        at, aside = base + np.uint64(start), ZERO
        for i in range(at, base + np.uint64(end)):
            here = lists[i]
            left = np.uint64(goes_left[here])
            lists[at] = here
            spare[aside] = here
            at += left
            aside += ONE - left
        for i in range(aside):
            lists[at + i] = spare[i]
