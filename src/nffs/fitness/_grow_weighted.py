"""Growing a tree for any number of classes and any weights: one float per bin and class."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness._compile import inlined, kernel
from nffs.fitness._kernels import (
    FEATURE,
    GOLDEN,
    LEFT,
    LEFT_KEY,
    ONE,
    RIGHT_KEY,
    SHARE,
    STACK,
    THRESHOLD,
    draw,
    midpoint,
    mix,
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
def scan(
    order, start, end, codes, width, feature, label, weight, hist, seen, total, left, right, best
):
    """Find the best split of one feature if one beats ``best``.

    Returns
    -------
    Whether the feature is not constant, the score of the best split, and the bins on its two sides
    (-1 for none). The score is the sum over both sides of squared class weights by the side's
    weight: largest where Gini impurity is least.
    """
    n_classes = len(total)
    first, last = 255, 0
    for i in range(start, end):
        row = order[i]
        code = np.int64(codes[np.uint64(row) * width + feature])
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
            wl = wr = sl = sr = 0.0
            for c in range(n_classes):
                right[c] = total[c] - left[c]
                wl += left[c]
                wr += right[c]
                sl += left[c] * left[c]
                sr += right[c] * right[c]
            score = sl / wl + sr / wr
            if score > best:
                best, last_left, first_right = score, before, b
        for c in range(n_classes):
            left[c] += hist[b * n_classes + c]
            hist[b * n_classes + c] = 0.0
        before = b
    return first < last, best, last_left, first_right


@inlined
def partition(order, start, end, codes, width, feature, last_left, scratch):
    """Move the rows that go left to the front, in order; return where the rest starts."""
    at, spare = start, 0
    for i in range(start, end):
        row = order[i]
        goes_left = codes[np.uint64(row) * width + feature] <= last_left
        order[at] = row
        scratch[spare] = row
        at += np.int64(goes_left)
        spare += np.int64(not goes_left)
    order[at:end] = scratch[:spare]
    return at


@kernel
def grow_weighted(
    codes,
    width,
    k,
    label,
    n_classes,
    order,
    m,
    weight,
    n_try,
    max_depth,
    seed,
    low,
    high,
    scratch,
    nodes,
    thresholds,
    shares,
):
    """Grow a tree; return its number of nodes.

    Parameters
    ----------
    codes : 1-d uint8
        Bins of the rows, ``width`` bytes a row, ``k`` of them used.
    label : 1-d int32
        Classes of the rows.
    order : 1-d uint32
        The ``m`` rows that weigh something; reordered.
    weight : 1-d float64
        Weights of the rows in this tree.
    n_try : int
        Features to look at in a node.
    low, high : 2-d float32
        Smallest and largest value of the bins.
    scratch : 1-d uint32
        Room for m entries.
    nodes, thresholds : 2-d int32, 2-d float32
        Two views of the same room for 2 m - 1 nodes.
    shares : 2-d int32
        Room for their class shares.
    """
    hist = np.zeros(256 * n_classes)
    seen = np.zeros(256, dtype=np.bool_)
    total, left, right = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    features = np.arange(k).astype(np.uint64)
    swaps = np.empty(k, dtype=np.int64)
    starts, ends = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64)
    names, depths = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64)
    keys = np.empty(STACK, dtype=np.uint64)

    starts[0], ends[0], names[0], depths[0], keys[0] = 0, m, 0, 0, mix(seed)
    top, n_nodes = 1, 1
    while top > 0:
        top -= 1
        start, end, name, depth, key = starts[top], ends[top], names[top], depths[top], keys[top]
        total[:] = 0.0
        for i in range(start, end):
            total[label[order[i]]] += weight[order[i]]
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

        best, feature, last_left, first_right = -1.0, _ZERO, 0, 0
        visited, found, state = 0, False, key
        while visited < k and (visited < n_try or not found):
            state += GOLDEN
            swaps[visited] = draw(features, visited, k, state)
            candidate = features[visited]
            varies, best, before, b = scan(
                order,
                start,
                end,
                codes,
                width,
                candidate,
                label,
                weight,
                hist,
                seen,
                total,
                left,
                right,
                best,
            )
            found = found or varies
            if before >= 0:
                feature, last_left, first_right = candidate, before, b
            visited += 1
        # Undone, the draws of the next node do not depend on this one.
        for j in range(visited - 1, -1, -1):
            other = swaps[j]
            features[j], features[other] = features[other], features[j]
        if not found:
            continue

        middle = partition(order, start, end, codes, width, feature, last_left, scratch)
        nodes[name, FEATURE] = feature
        nodes[name, LEFT] = n_nodes
        thresholds[name, THRESHOLD] = midpoint(high[feature, last_left], low[feature, first_right])
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
