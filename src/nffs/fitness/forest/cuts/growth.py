"""Growing the trees of a subset, each where evaluation rows go and no further."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs._numba import kernel
from nffs.fitness.forest.cuts import numbers
from nffs.fitness.forest.cuts.evaluated import part, read
from nffs.fitness.forest.cuts.large import find_split
from nffs.fitness.forest.cuts.patches import settle, write_planes
from nffs.fitness.forest.cuts.small import SMALL, grow_small
from nffs.fitness.forest.kernels.common import LEFT_KEY, RIGHT_KEY, bootstrap, mix
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.values import midpoint
from nffs.fitness.forest.kernels.words import ZERO


@kernel
def grow_trees(columns, subset, patches, limits, room, seeds, evaluated):
    """Grow a tree for every seed and add up what it says about the evaluation rows."""
    n_draws, n_slots = len(subset.slot), 64 * np.int64(patches.levels[0].n_words)
    for tree in range(len(seeds)):
        bootstrap(seeds[tree], n_draws, subset.slot, patches.counts[:n_slots])
        grow(columns, subset, patches, limits, room, seeds[tree], tree, evaluated)


@step
def grow(columns, subset, patches, limits, room, seed, tree, evaluated):
    """Grow a tree on the rows that were drawn."""
    stack, masks, totals, split = room.stack, room.masks, room.totals, room.split[0]
    n_classes = totals.shape[1]
    node = stack[0]  # the node at work, wherever on the stack it came from
    plant(patches, room, evaluated, len(subset.slot))
    node.key = mix(seed)
    top = 0
    while True:
        is_pure = False
        for c in range(n_classes):
            is_pure |= totals[0, c] == node.n
        if not is_pure and node.depth < limits.max_depth and node.n <= SMALL:
            grow_small(columns, subset, patches, limits, room, node, tree, evaluated)
        else:
            is_leaf = is_pure or node.depth >= limits.max_depth
            if not is_leaf:
                settle(subset, patches, room, node)
                find_split(columns, subset, patches, limits, room, node)
                is_leaf = split.feature < 0
            read(
                evaluated, limits, tree, is_leaf, node.depth, node.start, node.end, totals[0],
                node.n,
            )  # fmt: skip
            if not is_leaf:
                top = push_children(columns, subset, patches, room, node, top, evaluated)
        if top == 0:
            break
        stack[0] = stack[top]
        for c in range(n_classes):
            totals[0, c] = totals[top, c]
        for w in range(patches.levels[node.level].n_words):
            masks[0, w] = masks[top, w]
        top -= 1


@step
def plant(patches, room, evaluated, n_draws):
    """Make the root: the rows that were drawn, by class and by how often."""
    node, level, starts = room.stack[0], patches.levels[0], patches.starts[0]
    node.level, node.start, node.end, node.depth = 0, 0, len(evaluated.order), 0
    node.n = n_draws
    for i in range(len(evaluated.order)):
        evaluated.order[i] = i
    n_planes, n_words, counts = ZERO, level.n_words, patches.counts
    for c in range(len(starts) - 1):
        total = 0
        for w in range(starts[c], starts[c + 1]):
            some, at = ZERO, w << np.uint64(6)
            for i in range(64):
                count = counts[at + np.uint64(i)]
                total += count
                some |= np.uint64(count > 0) << np.uint64(i)
            room.masks[0, w] = some
            n_planes = write_planes(counts, at, 64, patches.planes, ZERO, w, n_words, n_planes)
        room.totals[0, c] = total
    level.n_planes = n_planes


@step
def push_children(columns, subset, patches, room, node, top, evaluated):
    """Part the rows of a node; push the children that have evaluation rows; return the new top."""
    split, masks, totals = room.split[0], room.masks, room.totals
    column, n_words = subset.columns[split.feature], patches.levels[node.level].n_words
    values, at = columns.values, columns.values_at[column]
    threshold = midpoint(values[at + split.lower], values[at + split.upper])
    start, end, n, n_left = node.start, node.end, node.n, split.n_left
    border = part(evaluated, column, threshold, start, end)
    go_left = room.planes
    if subset.first_cut[split.feature] >= 0:
        cut = subset.first_cut[split.feature] + split.lower
        from_here = patches.levels[node.level].bits + np.uint64(cut) * n_words
        for w in range(n_words):
            go_left[w] = patches.bits[from_here + w]
    else:
        for w in range(n_words):
            go_left[w] = ZERO
        numbers.mark_left(columns, room, columns.number[column], go_left)
    # The larger child waits: this bounds the stack.
    left_waits = 2 * n_left >= n
    for turn in range(2):
        left = (turn == 0) == left_waits
        if (border == start) if left else (border == end):
            continue
        top += 1
        child = room.stack[top]
        child.level, child.depth = node.level, node.depth + 1
        flip = ZERO if left else ~ZERO
        if left:
            child.start, child.end, child.n = start, border, n_left
        else:
            child.start, child.end, child.n = border, end, n - n_left
        child.key = mix(node.key ^ (LEFT_KEY if left else RIGHT_KEY))
        for c in range(totals.shape[1]):
            totals[top, c] = room.left[c] if left else totals[0, c] - room.left[c]
        for w in range(n_words):
            masks[top, w] = masks[0, w] & (go_left[w] ^ flip)
    return top
