"""Growing a tree for two classes and whole weights: a bin's two counts in one 64-bit integer."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nffs.fitness._compile import inlined, kernel
from nffs.fitness._kernels import (
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

# A node of at most this many rows is copied together, so that its whole subtree is grown inside the
# cache.
LOCAL_ROWS = 2048

# A node with at least one of this many rows reads the bins by column, else by row.
DENSE = 16

# A node of at most this many rows notes which bins occur; above it, looking at all 256 is cheaper.
SPARSE_ROWS = 16

_S5, _S6 = np.uint64(5), np.uint64(6)
_COUNT = np.uint64(0x7FFFFFFF)
_ZERO, _ONE, _TWO, _THREE, _SIXTY_THREE, _SIXTY_FOUR = (np.uint64(c) for c in (0, 1, 2, 3, 63, 64))


@kernel
def pack(counts, label, order):
    """List the rows that were drawn as row | count << 32 | label << 63; return how many."""
    m = 0
    for i in range(len(counts)):
        order[m] = (
            np.uint64(i) | (np.uint64(counts[i]) << S32) | (np.uint64(label[i]) << _SIXTY_THREE)
        )
        m += np.int64(counts[i] > 0)
    return m


@intrinsic
def lowest_bit(typing, word):
    """Position of the lowest set bit of a 64-bit word that is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@inlined
def weigh(entry):
    """Packed counts of a row: its count in the half of its class."""
    return ((entry >> S32) & _COUNT) << ((entry >> _SIXTY_THREE) << _S5)


@inlined
def count_rows(order, start, end, codes, stride, offsets, n, hist):
    """Add the rows of a node to the histograms of ``n`` features.

    The bin of a row's feature j stands at ``row * stride + offsets[j]``. Features are taken four,
    two or one at a time: written out, an update is a load and an addition in memory.
    """
    j = 0
    while n - j >= 4:
        o0, o1, o2, o3 = offsets[j], offsets[j + 1], offsets[j + 2], offsets[j + 3]
        h0 = np.uint64(j << 8)
        h1, h2, h3 = h0 + np.uint64(256), h0 + np.uint64(512), h0 + np.uint64(768)
        for i in range(start, end):
            entry = order[i]
            row = (entry & LOW) * stride
            weight = weigh(entry)
            hist[h0 + codes[row + o0]] += weight
            hist[h1 + codes[row + o1]] += weight
            hist[h2 + codes[row + o2]] += weight
            hist[h3 + codes[row + o3]] += weight
        j += 4
    if n - j >= 2:
        o0, o1 = offsets[j], offsets[j + 1]
        h0 = np.uint64(j << 8)
        h1 = h0 + np.uint64(256)
        for i in range(start, end):
            entry = order[i]
            row = (entry & LOW) * stride
            weight = weigh(entry)
            hist[h0 + codes[row + o0]] += weight
            hist[h1 + codes[row + o1]] += weight
        j += 2
    if n > j:
        o0, h0 = offsets[j], np.uint64(j << 8)
        for i in range(start, end):
            entry = order[i]
            hist[h0 + codes[(entry & LOW) * stride + o0]] += weigh(entry)


@inlined
def note_bins(order, start, end, codes, stride, offset, occupied):
    """List the bins of one feature that occur in a small node, ascending; return how many."""
    w0 = w1 = w2 = w3 = _ZERO
    for i in range(start, end):
        code = np.uint64(codes[(order[i] & LOW) * stride + offset])
        bit = _ONE << (code & _SIXTY_THREE)
        word = code >> _S6
        w0 |= bit if word == _ZERO else _ZERO
        w1 |= bit if word == _ONE else _ZERO
        w2 |= bit if word == _TWO else _ZERO
        w3 |= bit if word == _THREE else _ZERO
    count = 0
    base = _ZERO
    for word in (w0, w1, w2, w3):
        while word != _ZERO:
            occupied[count] = base + lowest_bit(word)
            word &= word - _ONE
            count += 1
        base += _SIXTY_FOUR
    return count


@inlined
def find_bins(hist, base, occupied):
    """List the bins of one histogram that occur, ascending; return how many."""
    count = 0
    for b in range(256):
        occupied[count] = b
        count += np.int64(hist[base + b] != _ZERO)
    return count


@inlined
def scan(hist, base, occupied, count, n, n1, gain, weight):
    """Clear a histogram and find its best split if one beats gain / weight.

    For two classes the decrease of Gini impurity is, up to factors that all splits of a node share,
    (l1 * n - n1 * nl)^2 / (nl * nr) with l1 of class 1 among the nl rows on the left.

    Returns
    -------
    The gain and weight of the best split, the place in ``occupied`` of the first bin on its right
    (0 for none), and the packed counts on its left.
    """
    place, best_left = 0, _ZERO
    left = previous = hist[base + occupied[0]]
    hist[base + occupied[0]] = _ZERO
    for i in range(1, count):
        b = base + occupied[i]
        here = hist[b]
        hist[b] = _ZERO
        both = previous | here
        # Between two bins of one and the same class no split is the best: Gini impurity is concave.
        if (both & LOW) != _ZERO and (both >> S32) != _ZERO:
            l1 = np.int64(left >> S32)
            nl = np.int64(left & LOW) + l1
            d = np.float64(l1 * n - n1 * nl)
            g, w = d * d, np.float64(nl) * np.float64(n - nl)
            if g * weight > gain * w:  # g / w > gain / weight, without dividing
                gain, weight, place, best_left = g, w, i, left
        left += here
        previous = here
    return gain, weight, place, best_left


@inlined
def partition(order, start, end, codes, stride, offset, last_left, scratch):
    """Move the rows that go left to the front, in order; return where the rest starts."""
    at, spare = start, 0
    for i in range(start, end):
        entry = order[i]
        goes_left = codes[(entry & LOW) * stride + offset] <= last_left
        order[at] = entry
        scratch[spare] = entry
        at += np.int64(goes_left)
        spare += np.int64(not goes_left)
    order[at:end] = scratch[:spare]
    return at


@inlined
def keep(order, start, end, codes, stride, offset, last_left, keep_left):
    """Move the rows of one side to the front, in order, and drop the others; return their end."""
    at = start
    for i in range(start, end):
        entry = order[i]
        order[at] = entry
        goes_left = codes[(entry & LOW) * stride + offset] <= last_left
        at += np.int64(goes_left == keep_left)
    return at


@inlined
def is_pure(total):
    """Tell whether packed counts hold one class only."""
    return (total & LOW) == _ZERO or (total >> S32) == _ZERO


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
    columns, codes, width, k, order, m, n_try, max_depth, seed, low, high, scratch, local, nodes,
    thresholds,
):  # fmt: skip
    """Grow a tree for two classes and whole weights; return its number of nodes.

    Parameters
    ----------
    columns : 2-d uint8
        Bins by column: nodes that hold most of the rows read whole lines of these.
    codes : 1-d uint8
        The same bins by row, ``width`` bytes a row, ``k`` of them used: nodes that hold few of the
        rows find all features of a row in one line.
    order : 1-d uint64
        The ``m`` drawn rows as :func:`pack` lists them; reordered.
    n_try : int
        Features to look at in a node.
    low, high : 2-d float32
        Smallest and largest value of the bins.
    scratch : 1-d uint64
        Room for m entries.
    local : 1-d uint8
        Room for LOCAL_ROWS rows.
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
    locals_ = np.empty(STACK, dtype=np.bool_)

    total = _ZERO
    for i in range(m):
        total += weigh(order[i])
    starts[0], ends[0], names[0], depths[0], keys[0], totals[0], locals_[0] = (
        0,
        m,
        0,
        0,
        mix(seed),
        total,
        False,
    )
    top, n_nodes = 1, 1
    if max_depth < 1 or is_pure(total):
        make_leaf(nodes, thresholds, 0, total)
        top = 0
    while top > 0:
        top -= 1
        start, end, name, depth, key = starts[top], ends[top], names[top], depths[top], keys[top]
        total, is_local = totals[top], locals_[top]
        n1 = np.int64(total >> S32)
        n = np.int64(total & LOW) + n1
        if not is_local and end - start <= LOCAL_ROWS:
            is_local = True
            for i in range(start, end):
                entry = order[i]
                row = (entry & LOW) * width
                there = np.uint64(i - start)
                for j in range(width):
                    local[there * width + np.uint64(j)] = codes[row + np.uint64(j)]
                order[i] = (entry & ~LOW) | there
        if is_local:
            source, stride, step = local, width, _ONE
        elif (end - start) * DENSE >= n_rows:
            source, stride, step = flat, _ONE, np.uint64(n_rows)
        else:
            source, stride, step = codes, width, _ONE

        gain, weight, feature, last_left, first_right, left = -1.0, 1.0, _ZERO, 0, 0, _ZERO
        visited, found, state = 0, False, key
        while visited < k and (visited < n_try or not found):
            batch = n_try if visited == 0 else 1
            for j in range(batch):
                state += GOLDEN
                swaps[visited + j] = draw(features, visited + j, k, state)
                offsets[j] = features[visited + j] * step
            count_rows(order, start, end, source, stride, offsets, batch, hist)
            for j in range(batch):
                candidate = features[visited + j]
                base = j << 8
                if end - start <= SPARSE_ROWS:
                    count = note_bins(order, start, end, source, stride, offsets[j], occupied)
                else:
                    count = find_bins(hist, base, occupied)
                found = found or count > 1
                g, w, place, best_left = scan(hist, base, occupied, count, n, n1, gain, weight)
                if place > 0:
                    gain, weight, feature, left = g, w, candidate, best_left
                    last_left, first_right = (
                        np.int64(occupied[place - 1]),
                        np.int64(occupied[place]),
                    )
            visited += batch
        # Undone, the draws of the next node do not depend on this one.
        for j in range(visited - 1, -1, -1):
            other = swaps[j]
            features[j], features[other] = features[other], features[j]
        if not found:
            make_leaf(nodes, thresholds, name, total)
            continue
        nodes[name, SHARE] = fixed(n1, n)

        nodes[name, FEATURE] = feature
        nodes[name, LEFT] = n_nodes
        thresholds[name, THRESHOLD] = midpoint(high[feature, last_left], low[feature, first_right])
        right = total - left
        left_ends = depth + 1 >= max_depth or is_pure(left)
        right_ends = depth + 1 >= max_depth or is_pure(right)
        if left_ends:
            make_leaf(nodes, thresholds, n_nodes, left)
        if right_ends:
            make_leaf(nodes, thresholds, n_nodes + 1, right)
        offset = feature * step
        if left_ends or right_ends:
            # The rows of a leaf are not needed any more.
            if not (left_ends and right_ends):
                starts[top] = start
                ends[top] = keep(order, start, end, source, stride, offset, last_left, right_ends)
                names[top] = n_nodes + np.int64(left_ends)
                totals[top] = right if left_ends else left
                keys[top] = mix(key ^ (RIGHT_KEY if left_ends else LEFT_KEY))
                depths[top], locals_[top] = depth + 1, is_local
                top += 1
        else:
            middle = partition(order, start, end, source, stride, offset, last_left, scratch)
            # The larger child waits: this bounds the stack.
            left_waits = middle - start >= end - middle
            for turn in range(2):
                if (turn == 0) == left_waits:
                    starts[top], ends[top], names[top], totals[top] = start, middle, n_nodes, left
                    keys[top] = mix(key ^ LEFT_KEY)
                else:
                    starts[top], ends[top], names[top], totals[top] = (
                        middle,
                        end,
                        n_nodes + 1,
                        right,
                    )
                    keys[top] = mix(key ^ RIGHT_KEY)
                depths[top], locals_[top] = depth + 1, is_local
                top += 1
        n_nodes += 2
    return n_nodes
