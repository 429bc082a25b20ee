"""Growing boosted trees: every tree follows the slope of the loss that those before it leave.

A node keeps, for every bin of every column, the sums of its rows' gradients and hessians and their
number. A split is found from these sums alone; of two children only the smaller one is summed up,
the other is what its parent has left.

A node's rows are a stretch of `order`, and a split moves those that go left to its front::

    order   | a  b  c  d  e  f |        a, c and f go left
            | a  c  f | b  d  e |
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nffs._numba import inlined, kernel
from nffs.fitness.softmax import exponential

#: The sums of a bin.
GRADIENT, HESSIAN, ROWS, SUMS = 0, 1, 2, 3

#: A node of a tree. A row goes left if its bin of the feature is at most `last`; a leaf has no
#: feature, -1. The right child stands next to the left one.
NODE = np.dtype([
    ("feature", np.int32), ("last", np.int32), ("left", np.int32), ("value", np.float64),
])  # fmt: skip

#: A node that waits to be split: its rows are order[start:end], its sums are in a slot.
PENDING = np.dtype([
    ("start", np.int64), ("end", np.int64), ("node", np.int32), ("depth", np.int32),
    ("slot", np.int32),
])  # fmt: skip

#: No slot: a node that will not be split needs no sums by bin.
_NONE = -1

#: A split must gain more than this, so that rounding alone is none.
_LEAST_GAIN = 1e-9

#: Columns whose sums are filled at a time: so many stay in the cache.
_BLOCK = 32


class Limits(NamedTuple):
    """How trees may grow."""

    n_rounds: int  # trees, for every class if there are more than two
    max_depth: int
    min_rows: int  # in a leaf, at least
    rate: float  # the share of a tree's values that is added
    penalty: float  # on the squares of a leaf's value


class Room(NamedTuple):
    """Memory that growing a tree needs."""

    order: NDArray[np.int64]
    scratch: NDArray[np.int64]
    sums: NDArray[np.float64]  # (slots, columns, bins, SUMS)
    free: NDArray[np.int32]  # slots that are not in use; how many is its last entry
    stack: NDArray[np.void]  # PENDING
    nodes: NDArray[np.void]  # NODE


def n_slots(n_rows: int, limits: Limits) -> int:
    """Give how many nodes have sums at a time, at most: those that are large enough to be split.

    The smaller child of one may have sums for a moment, to be taken from its parent's.
    """
    return min(limits.max_depth, n_rows // (2 * limits.min_rows)) + 1


def room_for(n_rows: int, n_columns: int, n_bins: int, limits: Limits) -> Room:
    """Make the memory that growing trees of these rows needs."""
    slots, max_depth = n_slots(n_rows, limits), limits.max_depth
    return Room(
        order=np.empty(n_rows, dtype=np.int64),
        scratch=np.empty(n_rows, dtype=np.int64),
        sums=np.empty((slots, n_columns, n_bins, SUMS)),
        free=np.empty(slots + 1, dtype=np.int32),
        stack=np.empty(max_depth + 2, dtype=PENDING),
        nodes=np.empty(2 ** (max_depth + 1), dtype=NODE),
    )


@kernel
def boost(train, evaluation, n_bins, truth, weight, first, limits, room, gains):
    """Fit boosted trees and give the margins of the evaluation rows, (classes, rows).

    Parameters
    ----------
    train, evaluation : (n, k) uint8
        Bins of the training and of the evaluation rows.
    n_bins : (k,) int64
        How many bins each column has.
    truth : (n,) int32
        Classes of the training rows.
    weight : (n,) float32
        Their weights.
    first : (n_classes,) float64
        The margins to begin with; of two classes that of class 1 alone, as all margins.
    limits, room
        How trees may grow, and memory for it.
    gains : (k,) float64
        What the splits of every column gain is added here.
    """
    n_classes, n = len(first), len(train)
    margins, ahead = np.empty((n_classes, n)), np.empty((n_classes, len(evaluation)))
    for c in range(n_classes):
        margins[c] = first[c]
        ahead[c] = first[c]
    gradients = np.empty((n_classes, n), dtype=np.float32)
    hessians = np.empty((n_classes, n), dtype=np.float32)
    for _ in range(limits.n_rounds):
        fill_slopes(margins, truth, weight, gradients, hessians)
        for c in range(n_classes):
            grow(train, n_bins, gradients[c], hessians[c], limits, room, margins[c], gains)
            add_values(room.nodes, evaluation, ahead[c])
    return ahead


@kernel
def boost_numbers(train, evaluation, n_bins, truth, weight, limits, room, gains):
    """Fit boosted trees to numbers of mean 0 and give what they say of the evaluation rows.

    The loss is half the squared error: a gradient is what a row is off, a hessian its weight.

    Parameters
    ----------
    train, evaluation, n_bins, limits, room, gains
        As for `boost`.
    truth : (n,) float64
        Numbers of the training rows.
    weight : (n,) float32
        Their weights.
    """
    n = len(train)
    found, ahead = np.zeros(n), np.zeros(len(evaluation))
    gradient = np.empty(n, dtype=np.float32)
    for _ in range(limits.n_rounds):
        for i in range(n):
            gradient[i] = np.float32(found[i] - truth[i]) * weight[i]
        grow(train, n_bins, gradient, weight, limits, room, found, gains)
        add_values(room.nodes, evaluation, ahead)
    return ahead


@inlined
def fill_slopes(margins, truth, weight, gradients, hessians):
    """Fill gradient and hessian of the loss by every margin."""
    n_classes, n = margins.shape
    one = np.float32(1.0)
    shares = np.empty(n_classes, dtype=np.float32)
    for i in range(n):
        if n_classes == 1:
            margin = np.float32(margins[0, i])
            larger = one / (one + exponential(-abs(margin)))
            shares[0] = larger if margin > 0 else one - larger
        else:
            top, total = margins[:, i].max(), np.float32(0.0)
            for c in range(n_classes):
                shares[c] = exponential(np.float32(margins[c, i] - top))
                total += shares[c]
            for c in range(n_classes):
                shares[c] /= total
        for c in range(n_classes):
            hit = truth[i] == (1 if n_classes == 1 else c)
            gradients[c, i] = (shares[c] - (one if hit else np.float32(0.0))) * weight[i]
            hessians[c, i] = shares[c] * (one - shares[c]) * weight[i]


@inlined
def grow(train, n_bins, gradient, hessian, limits, room, margins, gains):
    """Grow one tree into `room.nodes`, and add its values to the margins of the training rows."""
    n, n_nodes, n_pending = len(train), 1, 0
    for i in range(n):
        room.order[i] = i
    slots = len(room.free) - 1
    for s in range(slots):
        room.free[s] = s
    room.free[-1] = slots
    n_pending = wait(room, n_pending, 0, n, 0, 0, take_slot(room))
    sum_up(train, gradient, hessian, room, room.stack[0])
    while n_pending:
        n_pending -= 1
        start, end = room.stack[n_pending].start, room.stack[n_pending].end
        name, depth = room.stack[n_pending].node, room.stack[n_pending].depth
        slot = room.stack[n_pending].slot
        feature, last, gain = -1, -1, 0.0
        if slot != _NONE:
            feature, last, gain = best_split(room.sums[slot], n_bins, limits)
        if feature < 0:
            make_leaf(room, name, start, end, gradient, hessian, limits, margins)
            give_back(room, slot)
            continue
        gains[feature] += gain
        border = part(train, room, start, end, feature, last)
        left, n_nodes = n_nodes, n_nodes + 2
        node = room.nodes[name]
        node.feature, node.last, node.left = feature, last, left
        deeper, smaller_left = depth + 1, border - start <= end - border
        grows_on = deeper < limits.max_depth
        small = border - start if smaller_left else end - border
        large = end - start - small
        mine = slot if grows_on and large >= 2 * limits.min_rows else _NONE
        if mine == _NONE:
            give_back(room, slot)
        own = _NONE
        if grows_on and (small >= 2 * limits.min_rows or mine != _NONE):
            own = take_slot(room)
        # The larger child waits first: it takes over its parent's sums, less the smaller one's.
        if smaller_left:
            n_pending = wait(room, n_pending, border, end, left + 1, deeper, mine)
            n_pending = wait(room, n_pending, start, border, left, deeper, own)
        else:
            n_pending = wait(room, n_pending, start, border, left, deeper, mine)
            n_pending = wait(room, n_pending, border, end, left + 1, deeper, own)
        if own != _NONE:
            sum_up(train, gradient, hessian, room, room.stack[n_pending - 1])
            if mine != _NONE:
                take_away(room.sums[mine], room.sums[own], n_bins)
            if small < 2 * limits.min_rows:
                give_back(room, own)
                room.stack[n_pending - 1].slot = _NONE


@inlined
def take_slot(room):
    """Take a slot that is not in use."""
    room.free[-1] -= 1
    return room.free[room.free[-1]]


@inlined
def give_back(room, slot):
    """Give a slot back."""
    if slot != _NONE:
        room.free[room.free[-1]] = slot
        room.free[-1] += 1


@inlined
def wait(room, n_pending, start, end, node, depth, slot):
    """Put a node on the stack; give how many are there now."""
    pending = room.stack[n_pending]
    pending.start, pending.end, pending.node = start, end, node
    pending.depth, pending.slot = depth, slot
    return n_pending + 1


@inlined
def sum_up(train, gradient, hessian, room, pending):
    """Fill a slot with the sums of a node's rows."""
    sums = room.sums[pending.slot]
    k = train.shape[1]
    for first in range(0, k, _BLOCK):
        last = min(first + _BLOCK, k)
        sums[first:last] = 0.0
        for at in range(pending.start, pending.end):
            i = room.order[at]
            g, h = np.float64(gradient[i]), np.float64(hessian[i])
            for j in range(first, last):
                cell = sums[j, train[i, j]]
                cell[GRADIENT] += g
                cell[HESSIAN] += h
                cell[ROWS] += 1.0


@inlined
def take_away(sums, others, n_bins):
    """Take one child's sums from its parent's: what is left is the other child's."""
    for j in range(len(n_bins)):
        for b in range(n_bins[j]):
            for s in range(SUMS):
                sums[j, b, s] -= others[j, b, s]


@inlined
def best_split(sums, n_bins, limits):
    """Give feature, last bin on the left and gain of the best split; -1 if there is none."""
    gradient, hessian, rows = 0.0, 0.0, 0.0
    for b in range(n_bins[0]):
        gradient += sums[0, b, GRADIENT]
        hessian += sums[0, b, HESSIAN]
        rows += sums[0, b, ROWS]
    whole = gradient * gradient / (hessian + limits.penalty)
    feature, last, best = -1, -1, _LEAST_GAIN
    for j in range(len(n_bins)):
        g, h, n = 0.0, 0.0, 0.0
        for b in range(n_bins[j] - 1):
            g += sums[j, b, GRADIENT]
            h += sums[j, b, HESSIAN]
            n += sums[j, b, ROWS]
            if n < limits.min_rows:
                continue
            if rows - n < limits.min_rows:
                break
            right = gradient - g
            gain = g * g / (h + limits.penalty) - whole
            gain += right * right / (hessian - h + limits.penalty)
            if gain > best:
                feature, last, best = j, b, gain
    return feature, last, best


@inlined
def part(train, room, start, end, feature, last):
    """Move the rows that go left to the front of their stretch, in order; give where it ends."""
    border, n_right = start, 0
    for at in range(start, end):
        i = room.order[at]
        if train[i, feature] <= last:
            room.order[border] = i
            border += 1
        else:
            room.scratch[n_right] = i
            n_right += 1
    for at in range(n_right):
        room.order[border + at] = room.scratch[at]
    return border


@inlined
def make_leaf(room, name, start, end, gradient, hessian, limits, margins):
    """Give a node its value, and add it to the margins of its rows."""
    g, h = 0.0, 0.0
    for at in range(start, end):
        g += gradient[room.order[at]]
        h += hessian[room.order[at]]
    value = -limits.rate * g / (h + limits.penalty)
    node = room.nodes[name]
    node.feature, node.value = -1, value
    for at in range(start, end):
        margins[room.order[at]] += value


@inlined
def add_values(nodes, rows, margins):
    """Send rows down a tree and add the values of the leaves that they reach."""
    for i in range(len(rows)):
        at = 0
        while nodes[at].feature >= 0:
            right = rows[i, nodes[at].feature] > nodes[at].last
            at = nodes[at].left + (1 if right else 0)
        margins[i] += nodes[at].value
