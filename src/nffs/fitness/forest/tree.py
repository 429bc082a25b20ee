"""One tree: what it is and how a thread grows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.kernels import common, growth, packed, records, weighted
from nffs.fitness.forest.training import TrainingRows


@dataclass(frozen=True)
class Tree:
    """A grown tree.

    Attributes
    ----------
    nodes : ndarray of shape (n_nodes, 4), int32
        The fields of a :data:`~nffs.fitness.forest.kernels.records.NODE`: feature, left child,
        threshold (bits of a float32) and share of class 1.
    shares : ndarray of shape (n_nodes, n_classes), int32
        Class shares; empty for two classes.
    """

    nodes: NDArray[np.int32]
    shares: NDArray[np.int32]


def tree_seeds(seed: int, n_trees: int) -> NDArray[np.uint64]:
    """Seeds of the trees: tree t's depends on ``seed`` and t only.

    Parameters
    ----------
    seed : int
        The forest's seed.
    n_trees : int
        Number of trees.

    Returns
    -------
    ndarray of shape (n_trees,), uint64
        The seeds.
    """
    state = np.uint64(int(seed) % 2**64) ^ np.uint64(0x5851F42D4C957F2D)
    z = state + np.arange(1, n_trees + 1, dtype=np.uint64) * common.GOLDEN
    # twice the finaliser of splitmix64: seeds 1, 2, 3 ... must not share trees
    for _ in range(2):
        z = common.mix.py_func(z) + state
    return z


class Grower:
    """Grows trees one at a time into its own memory; every thread has one."""

    def __init__(self, rows: TrainingRows, n_try: int, max_depth: int, bootstrap: bool) -> None:
        self.rows, self.bootstrap = rows, bootstrap
        n, n_classes = rows.n_rows, rows.n_classes
        self.counts = np.empty(n, dtype=np.uint32)
        self.nodes = np.empty((2 * n, 4), dtype=np.int32)
        shares = np.empty((0, 0) if rows.packed else (2 * n, n_classes), dtype=np.int32)
        self.tree = records.Nodes(self.nodes.view(records.NODE)[:, 0], shares)
        self.table = records.Table(
            rows.codes, np.uint64(rows.width),
            rows.columns.reshape(-1) if rows.packed else np.empty(0, dtype=np.uint8),
            n, rows.n_features, rows.bits, rows.bins.low, rows.bins.high,
        )  # fmt: skip
        self.limits = records.Limits(n_try, max_depth)
        self.room = _room(rows)
        self.tally = self._tally(min(n_try, growth.BATCH))

    def _tally(self, batch: int) -> Any:
        """Make what adds up the rows, with room for the bins of so many features at a time."""
        rows = self.rows
        if rows.packed:
            return packed.PackedTally(np.zeros(batch << 8, np.uint64), np.zeros(257, np.uint8))
        n, n_classes = rows.n_rows, rows.n_classes
        return weighted.WeightedTally(
            rows.label, self.counts, np.empty(n), np.zeros(256 * n_classes),
            np.zeros(256, dtype=np.bool_), np.empty(n_classes), np.empty(n_classes),
        )  # fmt: skip

    def grow(self, seed: np.uint64) -> Tree:
        """Grow a tree; it is a view of the grower's memory, valid until the next call."""
        rows, seed = self.rows, np.uint64(seed)
        self._draw(seed)
        m = self._list_rows()
        if m == 0:
            # Only rows of weight 0 were drawn: grow on all of them rather than on nothing.
            self.counts[:] = 1
            m = self._list_rows()
        n_nodes = growth.grow(self.table, self.tally, self.limits, seed, m, self.room, self.tree)
        shares = self.tree.shares
        few = rows.n_classes <= 2
        return Tree(self.nodes[:n_nodes], shares[:0, :0] if few else shares[:n_nodes])

    def _draw(self, seed: np.uint64) -> None:
        """Count how often the tree has each row."""
        rows = self.rows
        if self.bootstrap:
            common.bootstrap(seed, rows.n_drawn, rows.slot, self.counts)
        else:
            self.counts[:] = np.bincount(rows.slot, minlength=rows.n_rows)

    def _list_rows(self) -> Any:
        """List the rows the tree grows on; return how many."""
        rows, order = self.rows, self.room.order
        if isinstance(self.tally, packed.PackedTally):
            return packed.pack(self.counts, rows.label, order)
        return weighted.list_rows(self.counts, rows.sample_weight, self.tally.weight, order)


def _room(rows: TrainingRows) -> records.Room:
    """Make the memory that growing on the rows needs."""
    n, k = rows.n_rows, rows.n_features
    # One entry more than there are rows: rows are written before it is known whether they stay.
    order, scratch, spare = (np.empty(n + 1, dtype=np.uint64) for _ in range(3))
    # Weighted trees copy no rows together; the middle room is for tables much larger than it.
    local = growth.LOCAL_ROWS if rows.packed else 0
    middle = growth.MIDDLE_ROWS if rows.packed and n > 4 * growth.MIDDLE_ROWS else 0
    return records.Room(
        order, scratch, spare,
        np.empty(records.STACK, records.PENDING), np.empty(1, records.SPLIT),
        np.arange(k, dtype=np.uint64), np.empty(k, np.int64), np.empty((4, 256), np.uint32),
        np.empty(middle * rows.width, np.uint8), np.empty(middle, np.uint32),
        np.empty(local * rows.width, np.uint8), np.empty(local, np.uint32),
    )  # fmt: skip
