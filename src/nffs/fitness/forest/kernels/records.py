"""The records of growth: a node of a tree, a node that waits, a split, and what a tree grows from.

Growing a tree is parting a list of its rows. A node owns a stretch of the list; a split moves the
rows that go left to the front of the stretch::

    order   | a  b  c  d  e  f  g  h |     node 0: a, d, e, f and h go left
            | a  d  e  f  h | b  c  g |    its children, 1 and 2: bins keep rows in order
            | e  h | a  d  f | b  c  g |   the children of 1, 3 and 4
              ^      ^         ^
            start   border    end          of the split of node 1

Arguments come in bundles: as NamedTuples, or as records of structured arrays that steps write to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: A node of a grown tree. The right child stands next to the left one. A leaf is its own left child
#: with an infinite threshold, so a walk that goes one step too far stays where it is.
NODE = np.dtype([
    ("feature", np.int32), ("left", np.int32), ("threshold", np.float32),
    ("share", np.int32),  # of class 1, in ONE-ths
])  # fmt: skip

#: A node that waits to be split.
PENDING = np.dtype([
    ("start", np.int64), ("end", np.int64),  # its rows are order[start:end]
    ("name", np.int64),  # its place among the tree's nodes
    ("depth", np.int64),
    ("key", np.uint64),  # decides which features it draws
    ("counts", np.uint64),  # packed class counts; for a weighted tally, how many rows were drawn
    ("copied", np.int64),  # where its bins are: 0 in the table, 1 in the middle room, 2 local
    ("by_value", np.bool_),  # whether values alone decide where to split, without bins
])  # fmt: skip

#: A split: a row goes left if its value of the feature is at most ``lower``.
SPLIT = np.dtype([
    ("gain", np.float64), ("weight", np.float64),  # gain / weight is its score; no split below 0
    ("left", np.uint64),  # packed class counts on the left
    ("feature", np.uint64),
    ("last_left", np.int64), ("first_right", np.int64),  # bins at its sides; -1 if by values
    ("lower", np.float32), ("upper", np.float32),  # values at its sides
    ("border", np.int64),  # where in order the right child's rows start
])  # fmt: skip

#: Pending nodes are at most log2(rows), as the smaller child is always grown first; slot 0 is for
#: the node at work.
STACK = 72


class Table(NamedTuple):
    """The rows to grow on: their bins and their values."""

    codes: NDArray[np.uint8]  # bins by row, ``width`` bytes a row
    width: np.uint64
    columns: NDArray[np.uint8]  # the same bins by column, or nothing
    n_rows: int
    n_features: int
    bits: NDArray[np.uint32]  # bits of the values, float32, by row
    low: NDArray[np.float32]  # smallest and largest value of every feature's bins
    high: NDArray[np.float32]


class Limits(NamedTuple):
    """How a tree may grow."""

    n_try: int  # features to look at in a node
    max_depth: int


class Nodes(NamedTuple):
    """Room for a tree's nodes, at most two for each row."""

    nodes: NDArray[np.void]  # NODE
    shares: NDArray[np.int32]  # class shares by node, or nothing


class Room(NamedTuple):
    """Memory that growing needs; a thread makes it once for all its trees."""

    order: NDArray[np.uint64]  # the list of rows: one more entry than rows, as scratch and spare
    scratch: NDArray[np.uint64]
    spare: NDArray[np.uint64]
    stack: NDArray[np.void]  # STACK of PENDING
    split: NDArray[np.void]  # one SPLIT
    features: NDArray[np.uint64]  # the features: 0, 1, 2 ... between two nodes
    swaps: NDArray[np.int64]  # which of them were swapped to draw some
    digits: NDArray[np.uint32]  # (4, 256), for sorting by digits
    middle: NDArray[np.uint8]  # bins of nodes copied together, and the numbers of their rows
    middle_numbers: NDArray[np.uint32]
    local: NDArray[np.uint8]
    local_numbers: NDArray[np.uint32]


class Rows(NamedTuple):
    """The rows of one node, ``order[start:end]``, and where their bins are.

    The lower half of an entry is the row's number. The bin of its feature f is
    ``codes[number * stride + f * step]``; its number in the table is the same, or
    ``origin[number]`` if it was ``moved``.
    """

    order: NDArray[np.uint64]
    start: int
    end: int
    codes: NDArray[np.uint8]
    stride: np.uint64
    step: np.uint64
    origin: NDArray[np.uint32]
    moved: bool
