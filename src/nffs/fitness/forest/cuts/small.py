"""Small nodes: at most 64 drawn rows, one bit each, and everything below is grown within a word.

A row that was drawn twice has two bits, so counting is population counts alone, and a child is its
parent's word and a cut's.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.cuts.evaluated import part, read
from nffs.fitness.forest.cuts.patches import write_cuts
from nffs.fitness.forest.cuts.scores import score
from nffs.fitness.forest.kernels.common import GOLDEN, LEFT_KEY, RIGHT_KEY, draw, mix
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.values import apart, midpoint
from nffs.fitness.forest.kernels.words import ONE, ZERO, first, lowest, ones

#: Drawn rows of a small node, at most.
SMALL = 64

_PLACE = np.uint32(63)
_S6 = np.uint32(6)


@step
def grow_small(columns, subset, patches, limits, room, node, tree, evaluated):
    """Grow a small node and all below it."""
    small, split = room.small, room.split[0]
    n_classes = list_draws(patches, room, node)
    write_cuts(
        small.ids, ZERO, node.n, subset.words, small.block, small.cuts, ZERO, ONE, subset.n_cuts
    )
    small.masks[0], small.states[0] = first(node.n), node.key
    small.nodes[0, 0], small.nodes[0, 1], small.nodes[0, 2] = node.start, node.end, node.depth
    top = 0
    while top >= 0:
        rows, key = small.masks[top], small.states[top]
        start, end, depth = small.nodes[top, 0], small.nodes[top, 1], small.nodes[top, 2]
        top -= 1
        n, present = np.int64(ones(rows)), 0
        for c in range(n_classes):
            inside = np.int64(ones(rows & small.members[c]))
            room.here[small.names[c]] = inside
            small.totals[c] = inside
            present += np.int64(inside > 0)
        is_leaf = present == 1 or depth >= limits.max_depth
        if not is_leaf:
            find_split(columns, subset, limits, room, rows, n, n_classes, key)
            is_leaf = split.feature < 0
        read(evaluated, limits, tree, is_leaf, depth, start, end, room.here, n)
        if is_leaf:
            continue
        column = subset.columns[split.feature]
        values, at = columns.values, columns.values_at[column]
        threshold = midpoint(values[at + split.lower], values[at + split.upper])
        border = part(evaluated, column, threshold, start, end)
        if border > start:
            top += 1
            small.masks[top], small.states[top] = split.rows, mix(key ^ LEFT_KEY)
            small.nodes[top, 0], small.nodes[top, 1] = start, border
            small.nodes[top, 2] = depth + 1
        if end > border:
            top += 1
            small.masks[top], small.states[top] = rows & ~split.rows, mix(key ^ RIGHT_KEY)
            small.nodes[top, 0], small.nodes[top, 1] = border, end
            small.nodes[top, 2] = depth + 1


@step
def list_draws(patches, room, node):
    """Give every drawn row of the node a bit; return how many classes they have."""
    small, mask = room.small, room.masks[0]
    base, starts = patches.levels[node.level].rows, patches.starts[node.level]
    m, n_classes = 0, 0
    for c in range(len(starts) - 1):
        room.here[c] = 0
        if room.totals[0, c] == 0:
            continue
        begin = m
        for w in range(starts[c], starts[c + 1]):
            rest = mask[w]
            while rest != ZERO:
                row = base + (w << np.uint64(6)) + lowest(rest)
                rest &= rest - ONE
                for _ in range(patches.counts[row]):
                    small.ids[m] = patches.ids[row]
                    small.classes[m] = n_classes
                    m += 1
        members = first(m)
        if begin > 0:
            members &= ~first(begin)
        small.members[n_classes], small.names[n_classes] = members, c
        n_classes += 1
    return n_classes


@step
def find_split(columns, subset, limits, room, rows, n, n_classes, key):
    """Find the best split of some rows among ``n_try`` features drawn at random."""
    k, n_try, features, split = len(subset.columns), limits.n_try, room.features, room.split[0]
    split.gain, split.weight, split.feature = -1.0, 1.0, -1
    visited, found, state = 0, False, key
    while visited < k and (visited < n_try or not found):
        state += GOLDEN
        room.swaps[visited] = draw(features, visited, k, state)
        feature = features[visited]
        visited += 1
        column = subset.columns[feature]
        if subset.first_cut[feature] >= 0:
            found |= try_cuts(columns, subset, room, rows, n, n_classes, feature, column)
        else:
            found |= try_ranks(columns, room, rows, n, n_classes, feature, column)
    for j in range(visited - 1, -1, -1):
        other = room.swaps[j]
        features[j], features[other] = features[other], features[j]


@step
def try_cuts(columns, subset, room, rows, n, n_classes, feature, column):
    """Try all cuts of a feature; return whether it has values that can be parted."""
    small, split = room.small, room.split[0]
    values_at, n_values = columns.values_at[column], columns.n_values[column]
    at, found, before, below = subset.first_cut[feature], False, -1, ZERO
    for b in range(n_values):
        upto = rows & small.cuts[at + b] if b < n_values - 1 else rows
        if upto == below:
            continue  # no row has this value
        if below != ZERO and apart(
            columns.values[values_at + before], columns.values[values_at + b]
        ):
            found = True
            on_left, on_right, n_left = 0, 0, 0
            for c in range(n_classes):
                left = np.int64(ones(below & small.members[c]))
                right = small.totals[c] - left
                n_left += left
                on_left += left * left
                on_right += right * right
            gain, weight = score(on_left, on_right, n_left, n - n_left)
            if gain * split.weight > split.gain * weight:
                split.gain, split.weight, split.feature = gain, weight, feature
                split.lower, split.upper, split.rows = before, b, below
        before, below = b, upto
        if upto == rows:
            break
    return found


@step
def try_ranks(columns, room, rows, n, n_classes, feature, column):
    """Try all places between the sorted values of a feature; return whether there are any."""
    small, split, ranks = room.small, room.split[0], columns.ranks[columns.number[column]]
    keys, ordered, values_at = small.keys, small.ordered, columns.values_at[column]
    rest, m = rows, 0
    while rest != ZERO:
        place = lowest(rest)
        rest &= rest - ONE
        keys[m] = (ranks[small.ids[place]] << _S6) | np.uint32(place)
        m += 1
    # A key's place is the number of smaller keys: no branch to mispredict.
    for i in range(m):
        here, smaller = keys[i], np.uint32(0)
        for j in range(m):
            smaller += np.uint32(keys[j] < here)
        ordered[smaller] = here
    on_left, on_right, found, below, before = 0, 0, False, ZERO, -1
    for c in range(n_classes):
        small.left[c] = 0
        on_right += small.totals[c] * small.totals[c]
    for i in range(m):
        rank, place = np.int64(ordered[i] >> _S6), ordered[i] & _PLACE
        if rank != before:
            if i > 0 and apart(
                columns.values[values_at + before], columns.values[values_at + rank]
            ):
                found = True
                gain, weight = score(on_left, on_right, i, m - i)
                if gain * split.weight > split.gain * weight:
                    split.gain, split.weight, split.feature = gain, weight, feature
                    split.lower, split.upper, split.rows = before, rank, below
            before = rank
        c = small.classes[place]
        left = small.left[c]
        on_left += 2 * left + 1
        on_right += 1 - 2 * (small.totals[c] - left)
        small.left[c] = left + 1
        below |= ONE << np.uint64(place)
    return found
