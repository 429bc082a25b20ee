"""Growing a tree: one algorithm, whatever tally adds up its rows.

A node is taken from the stack; the best split among some randomly drawn features is found; the rows
are parted there; the children go on the stack.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs._numba import kernel
from nffs.fitness.forest.kernels import tallies
from nffs.fitness.forest.kernels.common import GOLDEN, LEFT_KEY, LOW, RIGHT_KEY, draw, mix
from nffs.fitness.forest.kernels.parting import part_in_three, partition
from nffs.fitness.forest.kernels.records import Rows
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.values import (
    VALUE_ROWS,
    apart,
    midpoint,
    part_by_value,
    put_back,
    sort_values,
    value,
)

# The bins of a node of at most this many rows are gathered into contiguous memory: its subtree is
# grown inside the cache.
LOCAL_ROWS = 2048

# With many more rows than this, nodes of this size are copied together first: reading them from all
# over the table would wait for main memory at every level.
MIDDLE_ROWS = 32768

# A node with at least 1/DENSE of the table's rows reads the bins by column, else by row.
DENSE = 16

# Features whose bins are counted together: their histograms stay in the cache.
BATCH = 64

# A split's border before its rows are parted: bins will part them, or nothing does.
_BY_BINS, _NOWHERE = -1, -2

_ONE = np.uint64(1)


@kernel
def grow(table, tally, limits, seed, m, room, tree):
    """Grow a tree on the first ``m`` entries of ``room.order``; return its number of nodes.

    The tally lists the entries; they are reordered. The seed decides which features a node draws.
    """
    return grow_nodes(table, tally, limits, seed, m, room, tree)


@step
def grow_nodes(table, tally, limits, seed, m, room, tree):
    """Grow the nodes one after the other; a step, since kernels count references."""
    stack, split = room.stack, room.split[0]
    node = stack[0]  # the node at work, wherever on the stack it came from
    node.start, node.end, node.name, node.depth = 0, m, 0, 0
    node.key, node.copied, node.by_value = mix(seed), 0, False
    stack[1] = node
    top, n_nodes = 1, 1
    while top > 0:
        stack[0] = stack[top]
        top -= 1
        node.counts = tallies.add_up(tally, room.order, node)
        tallies.write_leaf(tally, tree, node.name, node.counts)
        if node.depth >= limits.max_depth or tallies.is_pure(tally, node.counts):
            continue
        node.by_value |= tallies.n_drawn(tally, node.counts) <= VALUE_ROWS
        rows = settle(table, room, node)
        grown = tallies.grow_rest(tally, table, limits, rows, node, tree, n_nodes)
        if grown > n_nodes:
            n_nodes = grown
            continue
        find_split(table, tally, limits, room, rows, node, split)
        if split.gain < 0.0:
            continue
        place_split(table, tally, room, rows, node, split)
        if split.border == _NOWHERE:
            # Values too close to part lie at the bins' edges: let values alone decide.
            node.by_value = True
            top += 1
            stack[top] = node
            continue
        inner = tree.nodes[node.name]
        inner.feature, inner.left = split.feature, n_nodes
        inner.threshold = midpoint(split.lower, split.upper)
        top = push_children(tally, limits, room, rows, node, split, tree, top)
        n_nodes += 2
    return n_nodes


@step
def settle(table, room, node):
    """Give the rows of a node, after copying their bins together if they are few.

    A node that fits is copied to the next smaller room; its whole subtree is grown there before any
    other node needs the room.
    """
    order, start, end, width = room.order, node.start, node.end, table.width
    middle, middle_numbers = room.middle, room.middle_numbers
    local, local_numbers = room.local, room.local_numbers
    if not node.by_value:
        if node.copied == 0 and end - start <= len(middle_numbers):
            rows = Rows(order, start, end, table.codes, width, _ONE, middle_numbers, False)
            copy_together(rows, middle, middle_numbers)
            node.copied = 1
        if node.copied < 2 and end - start <= len(local_numbers):
            moved = node.copied == 1
            codes = middle if moved else table.codes
            rows = Rows(order, start, end, codes, width, _ONE, middle_numbers, moved)
            copy_together(rows, local, local_numbers)
            node.copied = 2
    if node.copied == 2:
        return Rows(order, start, end, local, width, _ONE, local_numbers, True)
    if node.copied == 1:
        return Rows(order, start, end, middle, width, _ONE, middle_numbers, True)
    if len(table.columns) > 0 and (end - start) * DENSE >= table.n_rows:
        n = np.uint64(table.n_rows)
        return Rows(order, start, end, table.columns, _ONE, n, middle_numbers, False)
    return Rows(order, start, end, table.codes, width, _ONE, middle_numbers, False)


@step
def copy_together(rows, codes, numbers):
    """Copy the bins of a node's rows to ``codes`` and number the rows anew.

    ``numbers`` takes their numbers in the table.
    """
    order, width = rows.order, rows.stride
    for i in range(rows.start, rows.end):
        entry = order[i]
        row = entry & LOW
        there = np.uint64(i - rows.start)
        numbers[there] = rows.origin[row] if rows.moved else np.uint32(row)
        for j in range(width):
            codes[there * width + np.uint64(j)] = rows.codes[row * width + np.uint64(j)]
        order[i] = (entry & ~LOW) | there


@step
def find_split(table, tally, limits, room, rows, node, split):
    """Find the best split of a node among ``n_try`` features drawn at random.

    As in scikit-learn, more are drawn until one has values that can be parted.
    """
    k, n_try, by_value, features = table.n_features, limits.n_try, node.by_value, room.features
    split.gain, split.weight = -1.0, 1.0
    visited, found, state = 0, False, node.key
    while visited < k and (visited < n_try or not found):
        batch = min(BATCH, n_try - visited) if visited < n_try else 1
        for j in range(visited, visited + batch):
            state += GOLDEN
            room.swaps[j] = draw(features, j, k, state)
        drawn = features[visited : visited + batch]
        visited += batch
        if not by_value:
            tallies.count_rows(tally, rows, drawn)
        for j in range(batch):
            feature, one_bin = drawn[j], False
            if not by_value:
                first, last = tallies.scan_bins(tally, rows, feature, j, node.counts, split)
                low, high = table.low[feature, first], table.high[feature, last]
                found |= apart(low, high)
                # Values of one bin may still differ.
                one_bin = first == last and low < high
            if by_value or one_bin:
                found |= try_values(table, tally, room, rows, feature, node.counts, split)
    # Undone, the draws of the next node do not depend on this one.
    for j in range(visited - 1, -1, -1):
        other = room.swaps[j]
        features[j], features[other] = features[other], features[j]


@step
def try_values(table, tally, room, rows, feature, total, split):
    """Replace the split by the best one between two values of a feature, if that one is better.

    Returns whether the feature has values that can be parted.
    """
    keys, entries, count = room.scratch, rows.order[rows.start : rows.end], rows.end - rows.start
    sort_values(table, room, rows, entries, count, feature, keys)
    place = scan_values(tally, entries, keys, count, tallies.none_below(tally), total, split)
    if place > 0:
        split.feature, split.last_left, split.first_right = feature, -1, -1
        split.lower, split.upper = value(keys[place - 1]), value(keys[place])
    return apart(value(keys[0]), value(keys[count - 1]))


@step
def scan_values(tally, entries, keys, count, left, total, split):
    """Find the best place between sorted values, ``left`` the counts of the rows below them.

    The split is rescored if that place beats it. Returns the number of keys on its left, or 0.
    """
    gain, weight, place, best_left = split.gain, split.weight, 0, left
    for i in range(1, count):
        left = tallies.add(tally, left, entries[keys[i - 1] & LOW])
        if apart(value(keys[i - 1]), value(keys[i])):
            g, w = tallies.score(tally, left, total)
            if g * weight > gain * w:  # g / w > gain / weight, without dividing
                gain, weight, place, best_left = g, w, i, left
    if place > 0:
        split.gain, split.weight, split.left = gain, weight, best_left
    return place


@step
def place_split(table, tally, room, rows, node, split):
    """Find the values at a split's sides, and part the rows if it takes values to do so."""
    if split.last_left < 0:
        split.border = part_by_value(table, room, rows, split)
        return
    low, high, feature = table.low, table.high, split.feature
    split.lower, split.upper = high[feature, split.last_left], low[feature, split.first_right]
    split.border = _BY_BINS
    if (
        low[feature, split.last_left] < split.lower
        or split.upper < high[feature, split.first_right]
        or not apart(split.lower, split.upper)
    ):
        refine(table, tally, room, rows, node.counts, split)


@step
def refine(table, tally, room, rows, total, split):
    """Place a split between two bins exactly, by the values in them, and part the rows there."""
    order, scratch = rows.order, room.scratch
    at, count = part_in_three(rows, split, scratch)
    keys = order[at : at + count]
    sort_values(table, room, rows, scratch, count, split.feature, keys)
    below = tallies.rows_below(tally, rows, at, scratch, keys, split)
    split.gain, split.weight = -1.0, 1.0
    place = scan_values(tally, scratch, keys, count, below, total, split)
    split.border = _NOWHERE
    if place > 0:
        split.border = at + place
        split.lower, split.upper = value(keys[place - 1]), value(keys[place])
    put_back(order, at, count, scratch)


@step
def push_children(tally, limits, room, rows, node, split, tree, top):
    """Write the children known to be leaves and push the others; return the stack's new top."""
    name, at_limit = np.int64(tree.nodes[node.name].left), node.depth + 1 >= limits.max_depth
    left, right = split.left, node.counts - split.left
    left_ends = tallies.is_leaf(tally, left, at_limit)
    right_ends = tallies.is_leaf(tally, right, at_limit)
    if left_ends:
        tallies.write_leaf(tally, tree, name, left)
    if right_ends:
        tallies.write_leaf(tally, tree, name + 1, right)
    if left_ends and right_ends:
        return top
    border = split.border
    if border == _BY_BINS:
        border = partition(rows, split, room.scratch)
    # The larger child waits: this bounds the stack.
    left_waits = border - rows.start >= rows.end - border
    for turn in range(2):
        if (turn == 0) == left_waits:
            if not left_ends:
                top += 1
                push(room.stack[top], node, rows.start, border, name, left, LEFT_KEY)
        elif not right_ends:
            top += 1
            push(room.stack[top], node, border, rows.end, name + 1, right, RIGHT_KEY)
    return top


@step
def push(child, node, start, end, name, counts, key):
    """Fill a place on the stack with a child of the node."""
    child.start, child.end, child.name, child.depth = start, end, name, node.depth + 1
    child.key, child.counts = mix(node.key ^ key), counts
    child.copied, child.by_value = node.copied, False
