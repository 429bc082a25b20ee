"""Growing a tree for any number of classes and any weights: one float per bin and class.

The rows of a node are listed as 64-bit numbers.
"""
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
    ONE,
    RIGHT_KEY,
    SHARE,
    STACK,
    THRESHOLD,
    draw,
    midpoint,
    mix,
)
from nffs.fitness.forest.kernels.parting import part_in_three, partition
from nffs.fitness.forest.kernels.values import (
    VALUE_ROWS,
    apart,
    part_by_value,
    put_back,
    sort_values,
    value,
)

_ZERO = np.uint64(0)


@kernel
def list_rows(counts, sample_weight, weight, order):
    """List the rows that weigh something in this tree, with their weights; return how many."""
    m = 0
    for i in range(len(counts)):
        weight[i] = sample_weight[i] * counts[i]
        order[m] = i
        m += np.int64(weight[i] > 0.0)
    return m


@inlined
def score(left, total):
    """Score of a split: the sum over both sides of squared class weights by the side's weight.

    It is largest where Gini impurity is least.
    """
    wl = wr = sl = sr = 0.0
    for c in range(len(total)):
        right = total[c] - left[c]
        wl += left[c]
        wr += right
        sl += left[c] * left[c]
        sr += right * right
    return sl / wl + sr / wr


@inlined
def scan(order, start, end, codes, width, feature, label, weight, hist, seen, total, left, best):
    """Find the best split of one feature by bins if one beats ``best``.

    Returns
    -------
    The first and the last bin that occur, the score of the best split, and the bins on its two
    sides (-1 for none).
    """
    n_classes = len(total)
    first, last = 255, 0
    for i in range(start, end):
        row = order[i]
        code = np.int64(codes[row * width + feature])
        hist[code * n_classes + label[row]] += weight[row]
        seen[code] = True
        first, last = min(first, code), max(last, code)
    last_left, first_right, before = -1, -1, -1
    left[:] = 0.0
    for b in range(first, last + 1):
        if not seen[b]:
            continue
        seen[b] = False
        if before >= 0:
            here = score(left, total)
            if here > best:
                best, last_left, first_right = here, before, b
        for c in range(n_classes):
            left[c] += hist[b * n_classes + c]
            hist[b * n_classes + c] = 0.0
        before = b
    return first, last, best, last_left, first_right


@inlined
def scan_values(rows, keys, count, label, weight, total, left, best):
    """Find the best split between sorted values if one beats ``best``.

    ``left`` are the class weights of the rows below all of them; it is changed.

    Returns
    -------
    The score of the best split and the number of keys on its left (0 for none).
    """
    place = 0
    for i in range(1, count):
        row = rows[keys[i - 1] & LOW]
        left[label[row]] += weight[row]
        if apart(value(keys[i - 1]), value(keys[i])):
            here = score(left, total)
            if here > best:
                best, place = here, i
    return best, place


@kernel
def grow_weighted(
    codes,
    bits,
    width,
    k,
    label,
    n_classes,
    order,
    m,
    counts,
    weight,
    n_try,
    max_depth,
    seed,
    low,
    high,
    scratch,
    spare,
    nodes,
    thresholds,
    shares,
):
    """Grow a tree; return its number of nodes.

    Parameters
    ----------
    codes : 1-d uint8
        Bins of the rows, ``width`` bytes a row, ``k`` of them used.
    bits : 1-d uint32
        The bits of the values, float32, by row.
    label : 1-d int32
        Classes of the rows.
    order : 1-d uint64
        The ``m`` rows that weigh something; reordered.
    counts, weight : 1-d uint32, 1-d float64
        How often the rows were drawn for this tree, and their weights in it.
    n_try : int
        Features to look at in a node.
    low, high : 2-d float32
        Smallest and largest value of the bins.
    scratch, spare : 1-d uint64
        Room for one more than m entries each.
    nodes, thresholds : 2-d int32, 2-d float32
        Two views of the same room for 2 m - 1 nodes.
    shares : 2-d int32
        Room for their class shares.
    """
    hist = np.zeros(256 * n_classes)
    seen = np.zeros(256, dtype=np.bool_)
    total, left = np.empty(n_classes), np.empty(n_classes)
    origin = np.empty(0, dtype=np.uint32)
    features = np.arange(k).astype(np.uint64)
    swaps = np.empty(k, dtype=np.int64)
    starts, ends = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64)
    names, depths = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64)
    keys = np.empty(STACK, dtype=np.uint64)

    starts[0], ends[0], names[0], depths[0], keys[0] = 0, m, 0, 0, mix(seed)
    top, n_nodes, again = 1, 1, -1
    while top > 0:
        top -= 1
        start, end, name, depth, key = starts[top], ends[top], names[top], depths[top], keys[top]
        total[:] = 0.0
        drawn = np.int64(0)
        for i in range(start, end):
            total[label[order[i]]] += weight[order[i]]
            drawn += np.int64(counts[order[i]])
        whole, classes = total.sum(), 0
        for c in range(n_classes):
            classes += total[c] > 0.0
            shares[name, c] = np.int32(total[c] / whole * ONE + 0.5)
        nodes[name, FEATURE] = 0
        nodes[name, LEFT] = name
        nodes[name, SHARE] = shares[name, 1] if n_classes == 2 else 0
        thresholds[name, THRESHOLD] = np.inf
        if depth >= max_depth or classes < 2:
            continue

        best, feature = -1.0, _ZERO
        # The split: the bins at its sides, or -1 if it was found by values, and those values.
        last_left, first_right, lower, upper = -1, -1, np.float32(0), np.float32(0)
        visited, found, state = 0, False, key
        while visited < k and (visited < n_try or not found):
            state += GOLDEN
            swaps[visited] = draw(features, visited, k, state)
            candidate = features[visited]
            visited += 1
            by_value = drawn <= VALUE_ROWS or name == again
            if not by_value:
                first, last, best, before, b = scan(
                    order, start, end, codes, width, candidate, label, weight, hist, seen, total,
                    left, best,
                )  # fmt: skip
                found = found or apart(low[candidate, first], high[candidate, last])
                if before >= 0:
                    feature, last_left, first_right = candidate, before, b
                    lower, upper = high[candidate, before], low[candidate, b]
                # Values of one bin may still differ.
                by_value = first == last and low[candidate, first] < high[candidate, first]
            if by_value:
                rows, count = order[start:end], end - start
                sort_values(rows, count, origin, False, bits, k, candidate, scratch, spare)
                left[:] = 0.0
                best, place = scan_values(rows, scratch, count, label, weight, total, left, best)
                found = found or apart(value(scratch[0]), value(scratch[count - 1]))
                if place > 0:
                    feature, last_left, first_right = candidate, -1, -1
                    lower, upper = value(scratch[place - 1]), value(scratch[place])
        # Undone, the draws of the next node do not depend on this one.
        for j in range(visited - 1, -1, -1):
            other = swaps[j]
            features[j], features[other] = features[other], features[j]
        if best < 0.0:
            continue

        if last_left < 0:
            middle = part_by_value(
                order, start, end, origin, False, bits, k, feature, lower, scratch, spare
            )
        elif (
            low[feature, last_left] < high[feature, last_left]
            or low[feature, first_right] < high[feature, first_right]
            or not apart(lower, upper)
        ):
            # The bins tell about where to split; the values in the two bins tell exactly where.
            at, count = part_in_three(
                order, start, end, codes, width, feature, last_left, first_right, scratch
            )
            aside = order[at : at + count]
            sort_values(scratch, count, origin, False, bits, k, feature, aside, spare)
            left[:] = 0.0
            for i in range(start, at):
                left[label[order[i]]] += weight[order[i]]
            _, place = scan_values(scratch, aside, count, label, weight, total, left, -1.0)
            if place > 0:
                lower, upper = value(aside[place - 1]), value(aside[place])
            middle = at + place
            put_back(order, at, count, scratch)
            if place == 0:
                # Values too close to part lie at the bins' edges: let values alone decide.
                again = name
                top += 1
                continue
        else:
            middle = partition(order, start, end, codes, width, feature, last_left, scratch)
        nodes[name, FEATURE] = feature
        nodes[name, LEFT] = n_nodes
        thresholds[name, THRESHOLD] = midpoint(lower, upper)
        # The larger child waits: this bounds the stack.
        left_waits = middle - start >= end - middle
        for turn in range(2):
            if (turn == 0) == left_waits:
                starts[top], ends[top], names[top], keys[top] = (
                    start,
                    middle,
                    n_nodes,
                    mix(key ^ LEFT_KEY),
                )
            else:
                starts[top], ends[top], names[top], keys[top] = (
                    middle,
                    end,
                    n_nodes + 1,
                    mix(key ^ RIGHT_KEY),
                )
            depths[top] = depth + 1
            top += 1
        n_nodes += 2
    return n_nodes
