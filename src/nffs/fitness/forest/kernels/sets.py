"""Splitting a node of a few rows: every set of its rows is scored, whichever feature can part it.

Five rows are 32 sets, which are four vectors to score. A feature that orders the rows b, d, a can
part {b} and {b, d} from the others::

    set        0  a  b  ab  c  ac  bc  abc  ...
    score      .  3  1   7  .   .   .    .

Features are looked at one after the other until one parts the best set of all, which is seldom the
last: most of them need no sums of their own.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.common import below, mix
from nffs.fitness.forest.kernels.lanes import SUMS, better_splits, score_splits
from nffs.fitness.forest.kernels.sorted_room import LIST
from nffs.fitness.forest.kernels.steps import step
from nffs.fitness.forest.kernels.sums import n_drawn, sum_of
from nffs.fitness.forest.kernels.values import apart
from nffs.fitness.forest.kernels.words import ONE, ZERO, lowest

#: A node of at most so many rows is split by the sets of its rows.
SET_ROWS = 5


@step
def split_sets(tally, n_lists, start, end, slot, node_key, total):
    """Find the best split of a node that is known by its words; write the list it is in.

    Of equally good features the first one after a random one is taken.

    Returns
    -------
    The list, or -1; where the rows that go right start; the sums of the others.
    """
    room, k, n = tally.room, np.uint64(n_lists), end - start
    sums, gains, weights = room.below, room.gains, room.weights
    words = room.words[np.uint64(slot) * k : np.uint64(slot + 1) * k]
    n_sets = add_sets(room, words[0])
    least = score_splits(
        sums, gains, weights, ZERO, ONE, LIST, n_sets, tally.shift,
        np.float64(n_drawn(tally, total)), sum_of(tally, total),
    )  # fmt: skip
    which, border, left, gain, weight = -1, 0, ZERO, -1.0, 1.0
    f = below(mix(node_key), n_lists)
    for _ in range(n_lists):
        base, rest, goes_left = np.uint64(f) * LIST, words[f], ZERO
        place = np.uint64(room.ordered[base + lowest(rest)])
        for i in range(1, n):
            goes_left |= np.uint64(room.member[place])
            rest &= rest - ONE
            following = np.uint64(room.ordered[base + lowest(rest)])
            if gains[goes_left] * weight > gain * weights[goes_left] and apart(
                room.values[base + place], room.values[base + following]
            ):
                gain, weight = gains[goes_left], weights[goes_left]
                which, border, left = f, start + i, sums[goes_left]
            place = following
        if gain > least * weight and is_best(gains, weights, n_sets, gain, weight):
            break
        f += 1
        if f == n_lists:
            f = 0
    if which >= 0:
        write_list(room, np.uint64(which) * LIST, np.uint64(start), words[which])
    return which, border, left


@step
def add_sets(room, word):
    """Give the rows of a word numbers and add up every set of them; return how many there are."""
    sums, n_sets = room.below, ONE
    sums[ZERO] = ZERO
    while word != ZERO:
        place = room.ordered[lowest(word)]
        word &= word - ONE
        room.member[place] = np.uint8(n_sets)
        here = room.sums[place]
        for others in range(n_sets):
            sums[n_sets + others] = sums[others] + here
        n_sets += n_sets
    return n_sets


@step
def is_best(gains, weights, n_sets, gain, weight):
    """Tell whether no set beats a score."""
    for block in range(ZERO, n_sets, np.uint64(SUMS)):
        if better_splits(gains, weights, block, gain, weight) != ZERO:
            return False
    return True


@step
def write_list(room, base, start, word):
    """Write the stretch of a list from its word."""
    at = base + start
    while word != ZERO:
        room.lists[at] = room.ordered[base + lowest(word)]
        word &= word - ONE
        at += ONE
