"""Growing a tree for two classes and whole weights: a bin's two counts in one 64-bit integer."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs._numba import inlined, kernel
from nffs.fitness.forest.kernels.common import (
    FEATURE,
    GOLDEN,
    LEFT,
    LEFT_KEY,
    LOW,
    RIGHT_KEY,
    S32,
    SHARE,
    STACK,
    THRESHOLD,
    draw,
    fixed,
    midpoint,
    mix,
)
from nffs.fitness.forest.kernels.packed import (
    count_rows,
    find_bins,
    is_pure,
    note_bins,
    scan,
    scan_values,
    weigh,
)
from nffs.fitness.forest.kernels.parting import keep, part_in_three, partition
from nffs.fitness.forest.kernels.values import (
    VALUE_ROWS,
    apart,
    part_by_value,
    put_back,
    sort_values,
    value,
)

# A node of at most this many rows is copied together, so that its whole subtree is grown inside the
# cache.
LOCAL_ROWS = 2048

# With many more rows than this, nodes of this size are copied together first: reading them from all
# over the table would wait for main memory at every level.
MIDDLE_ROWS = 32768

# A node with at least one of this many rows reads the bins by column, else by row.
DENSE = 16

# A node of at most this many rows notes which bins occur; above it, looking at all 256 is cheaper.
SPARSE_ROWS = 16

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined
def gather(order, start, end, codes, width, origin, moved, room, numbers):
    """Copy the bins of a node's rows together and number the rows anew.

    ``numbers`` takes their numbers in the table: their own, or those in ``origin`` if they were
    ``moved`` before.
    """
    for i in range(start, end):
        entry = order[i]
        row = entry & LOW
        there = np.uint64(i - start)
        numbers[there] = origin[row] if moved else np.uint32(row)
        for j in range(width):
            room[there * width + np.uint64(j)] = codes[row * width + np.uint64(j)]
        order[i] = (entry & ~LOW) | there


@inlined
def make_leaf(nodes, thresholds, name, total):
    """Write a leaf."""
    n1 = np.int64(total >> S32)
    nodes[name, FEATURE] = 0
    nodes[name, LEFT] = name
    thresholds[name, THRESHOLD] = np.inf
    nodes[name, SHARE] = fixed(n1, np.int64(total & LOW) + n1)


@kernel
def grow_packed(
    columns, codes, bits, width, k, order, m, n_try, max_depth, seed, low, high, scratch, spare,
    middle, middle_numbers, local, local_numbers, nodes, thresholds,
):  # fmt: skip
    """Grow a tree for two classes and whole weights; return its number of nodes.

    Parameters
    ----------
    columns : 2-d uint8
        Bins by column: nodes that hold most of the rows read whole lines of these.
    codes : 1-d uint8
        The same bins by row, ``width`` bytes a row, ``k`` of them used: nodes that hold few of the
        rows find all features of a row in one line.
    bits : 1-d uint32
        The bits of the values, float32, by row.
    order : 1-d uint64
        The ``m`` drawn rows as :func:`pack` lists them; reordered.
    n_try : int
        Features to look at in a node.
    low, high : 2-d float32
        Smallest and largest value of the bins.
    scratch, spare : 1-d uint64
        Room for one more than m entries each.
    middle, middle_numbers : 1-d uint8, 1-d uint32
        Room for the bins and numbers of MIDDLE_ROWS rows, or empty where all the rows are not many
        more.
    local, local_numbers : 1-d uint8, 1-d uint32
        Room for the bins and numbers of LOCAL_ROWS rows.
    nodes, thresholds : 2-d int32, 2-d float32
        Two views of the same room for 2 m - 1 nodes.
    """
    hist = np.zeros(n_try << 8, dtype=np.uint64)
    occupied = np.zeros(257, dtype=np.uint8)
    features = np.arange(k).astype(np.uint64)
    swaps = np.empty(k, dtype=np.int64)
    offsets = np.empty(k, dtype=np.uint64)
    n_rows = columns.shape[1]
    flat = columns.reshape(-1)
    starts, ends = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64)
    names, depths = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64)
    keys, totals = np.empty(STACK, dtype=np.uint64), np.empty(STACK, dtype=np.uint64)
    levels = np.empty(STACK, dtype=np.int64)

    total = _ZERO
    for i in range(m):
        total += weigh(order[i])
    starts[0], ends[0], names[0], depths[0], keys[0], totals[0], levels[0] = (
        0,
        m,
        0,
        0,
        mix(seed),
        total,
        0,
    )
    top, n_nodes, again = 1, 1, -1
    if max_depth < 1 or is_pure(total):
        make_leaf(nodes, thresholds, 0, total)
        top = 0
    while top > 0:
        top -= 1
        start, end, name, depth, key = starts[top], ends[top], names[top], depths[top], keys[top]
        total, level = totals[top], levels[top]
        n1 = np.int64(total >> S32)
        n = np.int64(total & LOW) + n1
        by_value = n <= VALUE_ROWS or name == again
        # A node that fits is copied to the next smaller room; its whole subtree is grown there
        # before any other node needs the room.
        if level == 0 and not by_value and end - start <= len(middle_numbers):
            gather(order, start, end, codes, width, middle_numbers, False, middle, middle_numbers)
            level = 1
        if level < 2 and not by_value and end - start <= LOCAL_ROWS:
            source = middle if level == 1 else codes
            gather(
                order, start, end, source, width, middle_numbers, level == 1, local, local_numbers
            )
            level = 2
        if level == 2:
            source, stride, step = local, width, _ONE
        elif level == 1:
            source, stride, step = middle, width, _ONE
        elif (end - start) * DENSE >= n_rows:
            source, stride, step = flat, _ONE, np.uint64(n_rows)
        else:
            source, stride, step = codes, width, _ONE
        origin, moved = local_numbers if level == 2 else middle_numbers, level > 0

        gain, weight, feature, left = -1.0, 1.0, _ZERO, _ZERO
        # The split: the bins at its sides, or -1 if it was found by values, and those values.
        last_left, first_right, lower, upper = -1, -1, np.float32(0), np.float32(0)
        visited, found, state = 0, False, key
        while visited < k and (visited < n_try or not found):
            batch = n_try if visited == 0 else 1
            for j in range(batch):
                state += GOLDEN
                swaps[visited + j] = draw(features, visited + j, k, state)
                offsets[j] = features[visited + j] * step
            if not by_value:
                count_rows(order, start, end, source, stride, offsets, batch, hist)
            for j in range(batch):
                candidate = features[visited + j]
                values = by_value
                if not by_value:
                    base = j << 8
                    if end - start <= SPARSE_ROWS:
                        count = note_bins(order, start, end, source, stride, offsets[j], occupied)
                    else:
                        count = find_bins(hist, base, occupied)
                    g, w, place, best_left = scan(hist, base, occupied, count, n, n1, gain, weight)
                    found = found or apart(
                        low[candidate, occupied[0]], high[candidate, occupied[count - 1]]
                    )
                    if place > 0:
                        gain, weight, feature, left = g, w, candidate, best_left
                        last_left = np.int64(occupied[place - 1])
                        first_right = np.int64(occupied[place])
                        lower, upper = high[candidate, last_left], low[candidate, first_right]
                    # Values of one bin may still differ.
                    b = occupied[0]
                    values = count == 1 and low[candidate, b] < high[candidate, b]
                if values:
                    count = end - start
                    sort_values(
                        order[start:end], count, origin, moved, bits, k, candidate, scratch, spare
                    )
                    g, w, place, best_left = scan_values(
                        order[start:end], scratch, count, _ZERO, n, n1, gain, weight
                    )
                    found = found or apart(value(scratch[0]), value(scratch[count - 1]))
                    if place > 0:
                        gain, weight, feature, left = g, w, candidate, best_left
                        last_left = first_right = -1
                        lower, upper = value(scratch[place - 1]), value(scratch[place])
            visited += batch
        # Undone, the draws of the next node do not depend on this one.
        for j in range(visited - 1, -1, -1):
            other = swaps[j]
            features[j], features[other] = features[other], features[j]
        if gain < 0.0:
            make_leaf(nodes, thresholds, name, total)
            continue
        nodes[name, SHARE] = fixed(n1, n)

        # The rows are parted where values decide: in the whole node, or in the two bins at the
        # split. Else their bins part them, once it is known which rows are still needed.
        offset, border = feature * step, -1
        if last_left < 0:
            border = part_by_value(
                order, start, end, origin, moved, bits, k, feature, lower, scratch, spare
            )
        elif (
            low[feature, last_left] < high[feature, last_left]
            or low[feature, first_right] < high[feature, first_right]
            or not apart(lower, upper)
        ):
            # The bins tell about where to split; the values in the two bins tell exactly where.
            at, count = part_in_three(
                order, start, end, source, stride, offset, last_left, first_right, scratch
            )
            aside = order[at : at + count]
            sort_values(scratch, count, origin, moved, bits, k, feature, aside, spare)
            below, i = left, 0
            while value(aside[i]) <= lower:
                below -= weigh(scratch[aside[i] & LOW])
                i += 1
            _, _, place, left = scan_values(scratch, aside, count, below, n, n1, -1.0, 1.0)
            if place > 0:
                lower, upper = value(aside[place - 1]), value(aside[place])
            border = at + place
            put_back(order, at, count, scratch)
            if place == 0:
                # Values too close to part lie at the bins' edges: let values alone decide.
                again, levels[top] = name, level
                top += 1
                continue
        nodes[name, FEATURE] = feature
        nodes[name, LEFT] = n_nodes
        thresholds[name, THRESHOLD] = midpoint(lower, upper)
        right = total - left
        left_ends = depth + 1 >= max_depth or is_pure(left)
        right_ends = depth + 1 >= max_depth or is_pure(right)
        if left_ends:
            make_leaf(nodes, thresholds, n_nodes, left)
        if right_ends:
            make_leaf(nodes, thresholds, n_nodes + 1, right)
        if left_ends or right_ends:
            # The rows of a leaf are not needed any more.
            if not (left_ends and right_ends):
                starts[top], ends[top] = start, end
                if border < 0:
                    ends[top] = keep(
                        order, start, end, source, stride, offset, last_left, right_ends
                    )
                elif left_ends:
                    starts[top] = border
                else:
                    ends[top] = border
                names[top] = n_nodes + np.int64(left_ends)
                totals[top] = right if left_ends else left
                keys[top] = mix(key ^ (RIGHT_KEY if left_ends else LEFT_KEY))
                depths[top], levels[top] = depth + 1, level
                top += 1
        else:
            if border < 0:
                border = partition(order, start, end, source, stride, offset, last_left, scratch)
            # The larger child waits: this bounds the stack.
            left_waits = border - start >= end - border
            for turn in range(2):
                if (turn == 0) == left_waits:
                    starts[top], ends[top], names[top], totals[top] = start, border, n_nodes, left
                    keys[top] = mix(key ^ LEFT_KEY)
                else:
                    starts[top], ends[top] = border, end
                    names[top], totals[top] = n_nodes + 1, right
                    keys[top] = mix(key ^ RIGHT_KEY)
                depths[top], levels[top] = depth + 1, level
                top += 1
        n_nodes += 2
    return n_nodes
