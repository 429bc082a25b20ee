"""One tree: what it is and how a thread grows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.kernels import common, grow_packed, grow_weighted, packed
from nffs.fitness.forest.training import TrainingRows


@dataclass(frozen=True)
class Tree:
    """A grown tree.

    Attributes
    ----------
    nodes : ndarray of shape (n_nodes, 4), int32
        Feature, left child, threshold (bits of a float32) and share of class 1, as ``_kernels``
        explains.
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
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
        z = z + state
    return z


class Grower:
    """Grows trees one at a time into its own memory; every thread has one."""

    def __init__(self, rows: TrainingRows, n_try: int, max_depth: int, bootstrap: bool) -> None:
        self.rows, self.n_try, self.max_depth, self.bootstrap = rows, n_try, max_depth, bootstrap
        n = rows.n_rows
        self.counts = np.empty(n, dtype=np.uint32)
        # One entry more than there are rows: the listing kernels write before they know whether a
        # row counts.
        self.order, self.scratch, self.spare = (np.empty(n + 1, dtype=np.uint64) for _ in range(3))
        self.nodes = np.empty((2 * n, 4), dtype=np.int32)
        self.shares = np.empty(
            (0 if rows.packed else 2 * n, 0 if rows.packed else rows.n_classes), dtype=np.int32
        )
        if rows.packed:
            middle = grow_packed.MIDDLE_ROWS if n > 4 * grow_packed.MIDDLE_ROWS else 0
            self.rooms = [
                room
                for size in (middle, grow_packed.LOCAL_ROWS)
                for room in (np.empty(size * rows.width, np.uint8), np.empty(size, np.uint32))
            ]
        else:
            self.weight = np.empty(n)

    def grow(self, seed: np.uint64) -> Tree:
        """Grow a tree; it is a view of the grower's memory, valid until the next call."""
        rows, seed = self.rows, np.uint64(seed)
        if self.bootstrap:
            common.bootstrap(seed, rows.n_drawn, rows.slot, self.counts)
        else:
            self.counts[:] = np.bincount(rows.slot, minlength=rows.n_rows)
        width, k, thresholds = np.uint64(rows.width), rows.n_features, self.nodes.view(np.float32)
        low, high = rows.bins.low, rows.bins.high
        if rows.packed:
            m = packed.pack(self.counts, rows.label, self.order)
            n_nodes = grow_packed.grow_packed(
                rows.columns, rows.codes, rows.bits, width, k, self.order, m, self.n_try,
                self.max_depth, seed, low, high, self.scratch, self.spare, *self.rooms, self.nodes,
                thresholds,
            )  # fmt: skip
            return Tree(self.nodes[:n_nodes], self.shares)
        m = grow_weighted.list_rows(self.counts, rows.sample_weight, self.weight, self.order)
        if m == 0:
            # Only rows of weight 0 were drawn: grow on all of them rather than on nothing.
            self.counts[:] = 1
            m = grow_weighted.list_rows(self.counts, rows.sample_weight, self.weight, self.order)
        n_nodes = grow_weighted.grow_weighted(
            rows.codes, rows.bits, width, k, rows.label, rows.n_classes, self.order, m,
            self.counts, self.weight, self.n_try, self.max_depth, seed, low, high, self.scratch,
            self.spare, self.nodes, thresholds, self.shares,
        )  # fmt: skip
        few = rows.n_classes <= 2
        return Tree(self.nodes[:n_nodes], self.shares[:0, :0] if few else self.shares[:n_nodes])
