"""What all kernels share: randomness, leaves, and the kernels around growth.

Kernels know no Python objects and no policy, and run in one thread each: drawing a tree's rows,
sending rows down a tree, merging equal rows. Growth itself is in :mod:`.growth`, its records in
:mod:`.records`.

Randomness is addressed: a node's draws depend on the tree's seed and on the path to the node only,
so a tree cut at depth d is the tree grown to depth d, and the order in which nodes are grown does
not matter.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs._numba import inlined, kernel
from nffs.fitness.forest.kernels.steps import step

# The words of a node, for those who read its NODE record as four whole numbers.
FEATURE, LEFT, THRESHOLD, SHARE = 0, 1, 2, 3
_LEFT, _THRESHOLD, _SHARE, _WORDS = (np.uint64(w) for w in (1, 2, 3, 4))

# A class share of 1 as a whole number: sums of shares are then the same in any order, hence for any
# number of threads.
ONE = 1 << 30

# Evaluation rows walked together: many enough to keep the processor busy, few enough to idle.
WALK_ROWS = 32

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
LEFT_KEY = np.uint64(0xD1B54A32D192ED03)
RIGHT_KEY = np.uint64(0x8CB92BA72F3D8DD7)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, S32 = (np.uint64(s) for s in (27, 30, 31, 32))
LOW = np.uint64(0xFFFFFFFF)


@inlined
def mix(z):
    """Turn a counter into 64 random-looking bits (the finaliser of splitmix64)."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@inlined
def below(bits, n):
    """Bring 32 random bits into range(n)."""
    return np.int64(((bits & LOW) * np.uint64(n)) >> S32)


@kernel
def bootstrap(seed, n_draws, slot, counts):
    """Draw ``n_draws`` rows with replacement and count them in their slots.

    ``slot[row]`` is the merged row that stands for a row: drawing rows and counting slots is the
    multinomial draw over merged rows, to the bit the same bootstrap as without merging.
    """
    counts[:] = 0
    state = mix(seed ^ GOLDEN)
    for _ in range(n_draws // 2):
        state += GOLDEN
        bits = mix(state)
        counts[slot[below(bits, n_draws)]] += np.uint32(1)
        counts[slot[below(bits >> S32, n_draws)]] += np.uint32(1)
    if n_draws % 2 == 1:
        counts[slot[below(mix(state + GOLDEN), n_draws)]] += np.uint32(1)


@step
def draw(features, at, n, state):
    """Swap a random one of ``features[at:]`` to position ``at``; return where it came from."""
    other = at + below(mix(state), n - at)
    features[at], features[other] = features[other], features[at]
    return other


@inlined
def fixed(part, whole):
    """Share as a whole number of ONE-ths."""
    return np.int32(np.float64(part) / np.float64(whole) * ONE + 0.5)


@step
def make_leaf(nodes, name, share):
    """Write a leaf."""
    leaf = nodes[name]
    leaf.feature, leaf.left, leaf.threshold, leaf.share = 0, name, np.inf, share


@kernel
def walk(nodes, thresholds, shares, Z, k, n, depths, active, totals):
    """Send evaluation rows down a tree and add what every group reads off it.

    Parameters
    ----------
    nodes, thresholds : 1-d int32, 1-d float32
        The tree: two views of the same memory.
    shares : 2-d int32
        Class shares of the nodes, or nothing for two classes: then the nodes hold the share of
        class 1.
    Z : 1-d float32
        The ``n`` rows of ``k`` features.
    depths : 1-d int64
        The depth each group cuts the tree at, ascending.
    active : 1-d bool
        Whether the tree belongs to the group.
    totals : 3-d int64
        Sums of shares by group, row and class (class 1 only for two classes).
    """
    here = np.empty(WALK_ROWS, dtype=np.uint32)
    for first in range(0, n, WALK_ROWS):
        m = min(WALK_ROWS, n - first)
        here[:m] = 0
        depth, moved = 0, True
        for group in range(len(depths)):
            # Level by level over a block: the steps of different rows do not wait for one another.
            # Rows that have reached a leaf take idle steps until all have; that is cheaper
            # than the branch that would spare them.
            while moved and depth < depths[group]:
                change = np.uint32(0)
                for i in range(m):
                    node = np.uint64(here[i]) * _WORDS
                    at = np.uint64((first + i) * k) + np.uint64(nodes[node])
                    goes_right = np.uint32(Z[at] > thresholds[node + _THRESHOLD])
                    following = np.uint32(nodes[node + _LEFT]) + goes_right
                    change |= following ^ here[i]
                    here[i] = following
                moved = change != 0
                depth += 1
            if not active[group]:
                continue
            if shares.shape[1] == 0:
                for i in range(m):
                    totals[group, first + i, 0] += nodes[np.uint64(here[i]) * _WORDS + _SHARE]
            else:
                for i in range(m):
                    for c in range(shares.shape[1]):
                        totals[group, first + i, c] += shares[here[i], c]


@kernel
def merge_rows(words, label, slot, table, kept):
    """Give equal rows of the same label one slot; return the number of slots.

    Parameters
    ----------
    words : 2-d uint32
        The bits of the rows' values.
    label : 1-d uint8
        Their labels.
    slot : 1-d uint32
        Filled with the slot of every row.
    table : 1-d uint32
        Zeros, at least twice as many as rows and a power of two: an open hash table of slots + 1.
    kept : 1-d uint32
        Filled with the first row of every slot; slots are numbered by their first rows.
    """
    mask = np.uint64(len(table) - 1)
    n_slots = 0
    for i in range(words.shape[0]):
        h = np.uint64(label[i])
        for w in range(words.shape[1]):
            h = (h ^ words[i, w]) * GOLDEN
            h ^= h >> S32
        at = mix(h) & mask
        while True:
            taken = np.int64(table[at])
            if taken == 0:
                n_slots += 1
                table[at] = n_slots
                kept[n_slots - 1] = i
                slot[i] = n_slots - 1
                break
            other = kept[taken - 1]
            same = label[other] == label[i]
            for w in range(words.shape[1]):
                same = same and words[other, w] == words[i, w]
            if same:
                slot[i] = taken - 1
                break
            at = (at + np.uint64(1)) & mask
    return n_slots
