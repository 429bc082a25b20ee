"""A subset of a split's columns, made ready for growing trees."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs._numba import kernel
from nffs.fitness.forest.cuts.patches import SHRINK, write_cuts
from nffs.fitness.forest.cuts.records import (
    LEVEL,
    PART,
    PENDING,
    SPLIT,
    STACK,
    Patches,
    Room,
    Small,
    Subset,
)
from nffs.fitness.forest.cuts.split import CutColumns, word_starts
from nffs.fitness.forest.kernels.common import GOLDEN, S32, mix
from nffs.fitness.forest.kernels.words import ONE, ZERO, transpose

#: Merging pays as soon as it saves a tenth of the rows.
_MERGE_BELOW = 0.9


def prepare_subset(
    split: CutColumns, chosen: NDArray[np.intp], merge: bool = True
) -> tuple[Subset, Patches]:
    """Give a subset's columns and rows; equal rows of a class stand for one another if it pays."""
    columns, n, n_classes = split.columns, split.n_rows, split.n_classes
    is_cut = columns.first_cut[chosen] >= 0
    n_cuts = np.where(is_cut, columns.n_values[chosen] - 1, 0)
    first_cut = np.where(is_cut, np.cumsum(n_cuts) - n_cuts, -1)
    total = int(n_cuts.sum())
    taken = np.repeat(columns.first_cut[chosen] - first_cut, n_cuts) + np.arange(total)
    words = np.empty((n, -(-total // 64)), dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    rows_of_cuts(split.cuts, taken, split.sizes, words, block)
    slot, kept, sizes = np.arange(n, dtype=np.uint32), np.arange(n, dtype=np.uint32), split.sizes
    if merge:
        hashes = np.empty(n, dtype=np.uint64)
        numbers = columns.number[chosen]
        hash_rows(words, columns.ranks, numbers[numbers >= 0], split.sizes, hashes)
        table = np.zeros(1 << (2 * n - 1).bit_length(), dtype=np.uint32)
        merged, first = np.empty_like(slot), np.empty_like(slot)
        n_slots = merge_rows(hashes, table, merged, first)
        if n_slots <= _MERGE_BELOW * n:
            kept, sizes, slot = _frequent_first(first[:n_slots], merged, split.sizes)
    starts = word_starts(sizes)
    place = np.arange(len(kept)) + np.repeat(
        64 * starts[:-1] - np.append(0, np.cumsum(sizes)[:-1]), sizes
    )
    patches = _patches(n, n_classes, total, starts)
    patches.ids[place] = kept
    patches.counts[: 64 * starts[-1]] = 0
    cuts_of_rows(patches.ids, sizes, words, block, patches.bits, total)
    shared = Subset(
        columns=chosen.astype(np.int64),
        first_cut=first_cut,
        words=words,
        slot=place.astype(np.uint32)[slot],
        n_cuts=total,
    )
    return shared, patches


def _frequent_first(
    first: NDArray[np.uint32], merged: NDArray[np.uint32], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32]]:
    """Order merged rows by class, those that stand for many first: few words have high counts.

    Gives their first rows, the sizes of the classes, and for every row what stands for it.
    """
    label = np.searchsorted(np.cumsum(sizes), first, side="right")
    often = np.frexp(np.bincount(merged).astype(np.float32))[1]
    order = np.argsort((32 * (label + 1) - often).astype(np.uint16), kind="stable")
    place = np.empty(len(first), dtype=np.uint32)
    place[order] = np.arange(len(first), dtype=np.uint32)
    return first[order], np.bincount(label, minlength=len(sizes)), place[merged]


def _patches(n: int, n_classes: int, n_cuts: int, starts: NDArray[np.int64]) -> Patches:
    """Make room for all rows and for parts of them, each a fraction of the one before."""
    sizes = [int(starts[-1])]
    while sizes[-1] >= SHRINK * n_classes:
        sizes.append(sizes[-1] // SHRINK)
    n_planes = n.bit_length()
    levels, at = np.zeros(len(sizes), dtype=LEVEL), 0
    for number, n_words in enumerate(sizes):
        level = levels[number]
        level["n_words"], level["bits"] = n_words, at * n_cuts
        level["rows"], level["planes"] = 64 * at, at * n_planes
        at += n_words
    every = np.zeros((len(sizes), n_classes + 1), dtype=np.uint64)
    every[0] = starts
    return Patches(
        levels=levels,
        starts=every,
        bits=np.empty(at * n_cuts, dtype=np.uint64),
        ids=np.zeros(64 * at, dtype=np.uint32),
        counts=np.empty(64 * at, dtype=np.uint32),
        planes=np.empty(at * n_planes, dtype=np.uint64),
    )


def room_for(subset: Subset, patches: Patches) -> Room:
    """Make the memory that growing a subset's trees needs."""
    n_words, n_classes = int(patches.levels[0]["n_words"]), patches.starts.shape[1] - 1
    n, k = 64 * n_words, len(subset.columns)
    n_planes = len(patches.planes) // max(1, len(patches.ids) // 64)
    deep = min(STACK, len(subset.slot).bit_length() + 2)
    by_class = [np.empty(n_classes, dtype=np.int64) for _ in range(7)]
    keys, spare = (np.empty(n + 1, dtype=np.uint64) for _ in range(2))
    rows, ids, counts = (np.empty(n, dtype=np.uint32) for _ in range(3))
    small = Small(
        masks=np.empty(66, dtype=np.uint64),
        nodes=np.empty((66, 3), dtype=np.int64),
        states=np.empty(66, dtype=np.uint64),
        ids=np.empty(64, dtype=np.uint32),
        classes=np.empty(64, dtype=np.int64),
        members=np.empty(n_classes, dtype=np.uint64),
        names=by_class[0],
        totals=by_class[1],
        left=by_class[2],
        block=np.empty(64, dtype=np.uint64),
        cuts=np.empty(subset.n_cuts, dtype=np.uint64),
        keys=np.empty(64, dtype=np.uint32),
        ordered=np.empty(64, dtype=np.uint32),
    )
    return Room(
        stack=np.empty(deep, dtype=PENDING),
        masks=np.empty((deep, n_words), dtype=np.uint64),
        totals=np.empty((deep, n_classes), dtype=np.int64),
        split=np.empty(1, dtype=SPLIT),
        left=by_class[3],
        here=by_class[4],
        next=by_class[5],
        features=np.arange(k, dtype=np.int64),
        swaps=np.empty(k, dtype=np.int64),
        planes=np.empty(n_planes * n_words, dtype=np.uint64),
        parts=np.empty(n_planes * n_classes, dtype=PART),
        rows=rows,
        ids=ids,
        counts=counts,
        ends=np.empty(n_classes + 1, dtype=np.uint64),
        hist=np.zeros((256, -(-n_classes // (64 // n_planes))), dtype=np.uint64),
        occupied=np.empty(257, dtype=np.uint8),
        keys=keys,
        spare=spare,
        digits=np.empty((4, 256), dtype=np.uint32),
        small=small,
    )


@kernel
def rows_of_cuts(cuts, taken, sizes, words, block):
    """Fill the words of the rows from sets of rows: the cuts a row is in."""
    n, w = 0, 0
    for c in range(len(sizes)):
        end = n + sizes[c]
        while n < end:
            for k in range(words.shape[1]):
                some = min(64, len(taken) - 64 * k)
                for j in range(some):
                    block[j] = cuts[taken[64 * k + j], w]
                for j in range(some, 64):
                    block[j] = ZERO
                transpose(block)
                for i in range(min(64, end - n)):
                    words[n + i, k] = block[i]
            n = min(n + 64, end)
            w += 1


@kernel
def cuts_of_rows(ids, sizes, words, block, bits, n_cuts):
    """Fill the sets of rows of a patch from the rows' words."""
    n_words, w = ZERO, ZERO
    for c in range(len(sizes)):
        n_words += np.uint64((sizes[c] + 63) >> 6)
    for c in range(len(sizes)):
        left = sizes[c]
        while left > 0:
            write_cuts(
                ids, w << np.uint64(6), min(64, left), words, block, bits, w, n_words, n_cuts
            )
            left -= 64
            w += ONE


@kernel
def hash_rows(words, ranks, numbers, sizes, hashes):
    """Fill a hash of every row's class, cuts and ranks."""
    at = 0
    for c in range(len(sizes)):
        for i in range(at, at + sizes[c]):
            h = mix(np.uint64(c) + GOLDEN)
            for k in range(words.shape[1]):
                h = (h ^ words[i, k]) * GOLDEN
                h ^= h >> S32
            hashes[i] = h
        at += sizes[c]
    for j in range(len(numbers)):
        column = ranks[numbers[j]]
        for i in range(len(hashes)):
            h = (hashes[i] ^ np.uint64(column[i])) * GOLDEN
            hashes[i] = h ^ (h >> S32)


@kernel
def merge_rows(hashes, table, slot, first):
    """Give rows of one hash one slot; return how many slots there are.

    Of a million rows two that differ share their 64 bits once in tens of millions of tables; one
    row would then stand for another of its class.

    Parameters
    ----------
    hashes : 1-d uint64
        Of the rows.
    table : 1-d uint32
        Zeros, at least twice as many as rows and a power of two: an open hash table of slots + 1.
    slot : 1-d uint32
        Filled with the slot of every row.
    first : 1-d uint32
        Filled with the first row of every slot; slots are numbered by their first rows.
    """
    mask, n_slots = np.uint64(len(table) - 1), 0
    for i in range(len(hashes)):
        at = mix(hashes[i]) & mask
        while table[at] != 0 and hashes[first[table[at] - 1]] != hashes[i]:
            at = (at + np.uint64(1)) & mask
        if table[at] == 0:
            first[n_slots] = i
            n_slots += 1
            table[at] = n_slots
        slot[i] = table[at] - 1
    return n_slots
