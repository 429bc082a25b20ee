"""The memory in which nodes of few rows are sorted: their lists, words and sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.kernels.lanes import SUMS

#: A node of at most so many rows is sorted.
SORTED_ROWS = 128

#: A node of at most so many rows is a word for every feature, with a bit for every row.
WORD_ROWS = 64

#: From one list to the next.
LIST = np.uint64(SORTED_ROWS)

#: Nodes that wait at a time, at most: each has three rows or more. One place is for the next.
_WAITING = SORTED_ROWS // 3 + 2

#: A node that waits to be split.
WAITING = np.dtype([
    ("start", np.int64), ("end", np.int64),  # its stretch of every list
    ("in_words", np.bool_),  # whether its rows are known by its words, not by the lists
    ("name", np.int64), ("depth", np.int64),
    ("key", np.uint64),  # decides which of equally good features is taken
    ("total", np.uint64),  # sums of its rows, as the tally packs them
])  # fmt: skip


#: Bytes of the room below for every feature.
FEATURE_BYTES = SORTED_ROWS * (1 + 3 * 8 + 4 + 1 + 1) + 8 * (_WAITING + 2)


class SortedRoom(NamedTuple):
    """Memory for the lists of a node's rows; a thread makes it once for all its trees."""

    lists: NDArray[np.uint8]  # SORTED_ROWS places for every feature
    below: NDArray[np.uint64]  # sums of a node's stretch of a list, from its first row up to each
    gains: NDArray[np.float64]  # of the splits after each row
    weights: NDArray[np.float64]
    values: NDArray[np.float32]  # of every feature, by place
    ranks: NDArray[np.uint8]  # of every place, its bit in the words of all features
    ordered: NDArray[np.uint8]  # of every feature, the place of every bit
    words: NDArray[np.uint64]  # of every node on the stack, one for every feature
    features: NDArray[np.int64]  # those that vary in the node
    at: NDArray[np.uint64]  # of every place, where its row's values are
    sums: NDArray[np.uint64]  # of every place, as the tally packs them
    numbers: NDArray[np.uint64]
    goes_left: NDArray[np.uint8]  # 1 or 0 for every place
    member: NDArray[np.uint8]  # of every place, its row as a set, where the node has a few rows
    spare: NDArray[np.uint8]  # SORTED_ROWS + 1
    some: NDArray[np.uint64]  # a word for every feature
    stack: NDArray[np.void]  # WAITING


def sorted_room(n_features: int) -> SortedRoom:
    """Make room for so many features."""
    m, cells = SORTED_ROWS, n_features * SORTED_ROWS
    return SortedRoom(
        np.empty(cells, np.uint8), np.empty(cells + SUMS, np.uint64),
        np.empty(cells + SUMS), np.empty(cells + SUMS), np.empty(cells, np.float32),
        np.empty(cells, np.uint8), np.empty(cells, np.uint8),
        np.empty(n_features * _WAITING, np.uint64), np.empty(n_features, np.int64),
        np.empty(m, np.uint64), np.empty(m, np.uint64), np.empty(m, np.uint64),
        np.empty(m, np.uint8), np.empty(m, np.uint8), np.empty(m + 1, np.uint8),
        np.empty(n_features, np.uint64),
        np.empty(_WAITING, WAITING),
    )  # fmt: skip
