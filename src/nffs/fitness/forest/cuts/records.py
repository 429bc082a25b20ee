"""The records of growth by sets: columns, rows, nodes that wait, splits.

Places of words are unsigned: numba then need not ask whether they count from the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: A node that waits. Its set of rows and its class counts are beside it, in arrays of their own.
PENDING = np.dtype([
    ("level", np.int64),  # of the patch that its rows are numbered in
    ("start", np.int64), ("end", np.int64),  # its evaluation rows are order[start:end]
    ("depth", np.int64),
    ("n", np.int64),  # how many rows were drawn, with repetitions
    ("key", np.uint64),  # decides which features it draws
])  # fmt: skip

#: The best split so far. Rows of a value of rank at most ``lower`` go left, those from ``upper`` on
#: go right, and no row of the node lies between.
SPLIT = np.dtype([
    ("gain", np.float64), ("weight", np.float64),  # gain / weight is its score; none below 0
    ("feature", np.int64),  # among the subset's; -1 for none
    ("lower", np.int64), ("upper", np.int64),  # ranks of values; bins if it is not exact yet
    ("is_exact", np.bool_),
    ("n_left", np.int64),
    ("rows", np.uint64),  # of a small node, the set of rows that go left
])  # fmt: skip

#: The stretch of a plane that holds a node's rows of one class.
PART = np.dtype([
    ("label", np.uint64), ("shift", np.uint64),  # class and plane, a power of two
    ("begin", np.uint64), ("end", np.uint64),  # words
])  # fmt: skip

#: A part of the rows, numbered by itself.
LEVEL = np.dtype([
    ("n_words", np.uint64),  # of a set of its rows
    ("bits", np.uint64),  # where its cuts start
    ("rows", np.uint64),  # where its rows start
    ("planes", np.uint64),  # where its planes start
    ("n_planes", np.uint64),
])  # fmt: skip

#: Nodes that wait are at most log2(rows), as the smaller child is always grown first.
STACK = 72


class Columns(NamedTuple):
    """All columns of a split. Training rows are numbered by class."""

    first_cut: NDArray[np.int64]  # a column's first cut; -1 for a column of numbers
    n_values: NDArray[np.int64]  # how many values it has; of numbers, how many bins
    number: NDArray[np.int64]  # its place among the columns of numbers, or -1
    values_at: NDArray[np.int64]  # where its values start
    values: NDArray[np.float32]  # the values of all columns, each column's ascending
    codes: NDArray[np.uint8]  # (numbers, rows) the rows' bins
    ranks: NDArray[np.uint32]  # (numbers, rows) the rows' places among the values
    low: NDArray[np.uint32]  # (numbers, bins) lowest and highest rank in every bin
    high: NDArray[np.uint32]


class Subset(NamedTuple):
    """The columns of a subset, and what all its trees share."""

    columns: NDArray[np.int64]  # the subset's columns
    first_cut: NDArray[np.int64]  # where their cuts start among the subset's, or -1
    words: NDArray[np.uint64]  # (rows, words) the cuts that a row is in
    slot: NDArray[np.uint32]  # the merged row that stands for a row
    n_cuts: int


class Patches(NamedTuple):
    """The rows of a tree: all of them, then parts of them that are numbered by themselves."""

    levels: NDArray[np.void]  # LEVEL
    starts: NDArray[np.uint64]  # (levels, classes + 1) the words where classes start
    bits: NDArray[np.uint64]  # the cuts of all levels
    ids: NDArray[np.uint32]  # the numbers of rows in the split
    counts: NDArray[np.uint32]  # how often they were drawn
    planes: NDArray[np.uint64]  # the same, bit by bit: a plane is a set of rows


class Room(NamedTuple):
    """Memory that growing needs; made once for all trees of a subset."""

    stack: NDArray[np.void]  # STACK of PENDING
    masks: NDArray[np.uint64]  # (STACK, words) their sets of rows
    totals: NDArray[np.int64]  # (STACK, classes) their class counts
    split: NDArray[np.void]  # one SPLIT
    left: NDArray[np.int64]  # (classes,) class counts on the left, of the best split
    here: NDArray[np.int64]  # (classes,) and of the one that is looked at,
    next: NDArray[np.int64]  # (classes,) and of the one after it
    features: NDArray[np.int64]  # the subset's features: 0, 1, 2 ... between two nodes
    swaps: NDArray[np.int64]  # which of them were swapped to draw some
    planes: NDArray[np.uint64]  # the planes of the node at work
    parts: NDArray[np.void]  # PART: where they are not empty
    rows: NDArray[np.uint32]  # the rows of the node at work: their places in the patch,
    ids: NDArray[np.uint32]  # their numbers in the split,
    counts: NDArray[np.uint32]  # how often they were drawn,
    ends: NDArray[np.uint64]  # (classes + 1,) and where the classes start among them
    hist: NDArray[np.uint64]  # (256, words) packed class counts by bin, 0 between two features
    occupied: NDArray[np.uint8]  # (257,) the bins of a feature that occur, ascending
    keys: NDArray[np.uint64]  # for sorting
    spare: NDArray[np.uint64]
    digits: NDArray[np.uint32]
    small: Small


class Small(NamedTuple):
    """Memory of a small node and all below it: at most 64 drawn rows, one bit each."""

    masks: NDArray[np.uint64]  # (66,) nodes that wait: their rows,
    nodes: NDArray[np.int64]  # (66, 3) where their evaluation rows start and end, their depth,
    states: NDArray[np.uint64]  # (66,) and keys
    ids: NDArray[np.uint32]  # (64,) the rows' numbers in the split
    classes: NDArray[np.int64]  # (64,) their classes, as places in `members`
    members: NDArray[np.uint64]  # (classes,) the rows of the classes that occur,
    names: NDArray[np.int64]  # (classes,) and their names
    totals: NDArray[np.int64]  # (classes,) class counts of the node at work,
    left: NDArray[np.int64]  # (classes,) and of its rows on the left
    block: NDArray[np.uint64]  # (64,) words to be turned
    cuts: NDArray[np.uint64]  # (cuts,) sets of these rows
    keys: NDArray[np.uint32]  # (64,) for sorting
    ordered: NDArray[np.uint32]


class Limits(NamedTuple):
    """How trees may grow, and which groups read them."""

    n_try: int  # features to look at in a node
    max_depth: int
    depths: NDArray[np.int64]  # the depth each group cuts a tree at, ascending
    sizes: NDArray[np.int64]  # how many trees are each group's


class Evaluated(NamedTuple):
    """The evaluation rows, which go down a tree while it grows."""

    values: NDArray[np.float32]  # (columns, rows)
    order: NDArray[np.uint32]  # the rows, those of a node side by side
    scratch: NDArray[np.uint32]
    totals: NDArray[np.int64]  # (groups, rows, classes) sums of class shares; of two, class 1's
