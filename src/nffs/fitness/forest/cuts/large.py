"""Splits of large nodes: cuts are counted by words, numbers by bins."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.cuts import numbers
from nffs.fitness.forest.cuts.scores import keep, offer
from nffs.fitness.forest.kernels.common import GOLDEN, draw
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.values import apart
from nffs.fitness.forest.kernels.words import ONE, ZERO, lowest, ones

_S6 = np.uint64(6)


@step
def find_split(columns, subset, patches, limits, room, node):
    """Find the best split of a node among ``n_try`` features drawn at random.

    As in scikit-learn, more are drawn until one has values that can be parted. The node's rows are
    ``room.masks[0]``, its class counts ``room.totals[0]``.
    """
    k, n_try, features, split = len(subset.columns), limits.n_try, room.features, room.split[0]
    split.gain, split.weight, split.feature = -1.0, 1.0, -1
    n_parts = mask_planes(patches, room, node)
    visited, found, listed, state = 0, False, False, node.key
    while visited < k and (visited < n_try or not found):
        state += GOLDEN
        room.swaps[visited] = draw(features, visited, k, state)
        feature = features[visited]
        visited += 1
        column = subset.columns[feature]
        if subset.first_cut[feature] >= 0:
            found |= try_cuts(columns, subset, patches, room, node, feature, n_parts)
        else:
            if not listed:
                list_rows(patches, room, node)
                listed = True
            found |= numbers.try_bins(columns, room, node, feature, column)
    # Undone, the draws of the next node do not depend on this one.
    for j in range(visited - 1, -1, -1):
        other = room.swaps[j]
        features[j], features[other] = features[other], features[j]
    if split.feature < 0:
        return
    if subset.first_cut[split.feature] < 0:
        numbers.refine(columns, room, node, subset.columns[split.feature])


@step
def mask_planes(patches, room, node):
    """Give the node's rows by how often they were drawn: the parts of planes that are not empty.

    A part is of one class, and from the first to the last word that is not empty.
    """
    level, starts, mask = patches.levels[node.level], patches.starts[node.level], room.masks[0]
    source, target, n_words, kept = patches.planes, room.planes, level.n_words, 0
    for c in range(len(starts) - 1):
        for p in range(level.n_planes):
            at, to, begin, end = level.planes + p * n_words, p * n_words, starts[c + 1], starts[c]
            for w in range(starts[c], starts[c + 1]):
                here = source[at + w] & mask[w]
                target[to + w] = here
                if here != ZERO:
                    begin, end = min(begin, w), w + ONE
            if begin < end:
                part = room.parts[kept]
                part.label, part.shift, part.begin, part.end = c, p, begin, end
                kept += 1
    return kept


@step
def try_cuts(columns, subset, patches, room, node, feature, n_parts):
    """Try all cuts of a feature; return whether it has values that can be parted."""
    column, level = subset.columns[feature], patches.levels[node.level]
    n_values, total, n = columns.n_values[column], room.totals[0], node.n
    values, values_at, split = columns.values, columns.values_at[column], room.split[0]
    at = level.bits + np.uint64(subset.first_cut[feature]) * level.n_words
    found, before, n_before = False, -1, 0
    for b in range(n_values):
        n_here = n
        if b < n_values - 1:
            n_here = count_cut(patches.bits, at, level.n_words, room, n_parts)
        at += level.n_words
        if n_here == n_before:
            continue  # no row has this value
        if n_before > 0 and apart(values[values_at + before], values[values_at + b]):
            found = True
            offer(split, room.left, room.here, total, n_before, n, feature, before, b)
        if n_here == n:
            break
        keep(room.here, room.next)
        before, n_before = b, n_here
    return found


@step
def count_cut(bits, at, n_words, room, n_parts):
    """Count the node's rows in a cut by class, in ``room.next``; return how many there are."""
    planes, parts, counts, total = room.planes, room.parts, room.next, 0
    for c in range(len(counts)):
        counts[c] = 0
    for number in range(n_parts):
        part = parts[number]
        base, shift, inside = part.shift * n_words, part.shift, ZERO
        for w in range(part.begin, part.end):
            inside += ones(planes[base + w] & bits[at + w])
        here = np.int64(inside << shift)
        counts[part.label] += here
        total += here
    return total


@step
def list_rows(patches, room, node):
    """List the node's rows, class by class."""
    level, starts, mask = patches.levels[node.level], patches.starts[node.level], room.masks[0]
    rows, ids, counts, base, m = room.rows, room.ids, room.counts, level.rows, ZERO
    for c in range(len(starts) - 1):
        room.ends[c] = m
        for w in range(starts[c], starts[c + 1]):
            rest, at = mask[w], w << _S6
            while rest != ZERO:
                row = at + lowest(rest)
                rest &= rest - ONE
                rows[m] = row
                ids[m] = patches.ids[base + row]
                counts[m] = patches.counts[base + row]
                m += ONE
    room.ends[len(starts) - 1] = m
