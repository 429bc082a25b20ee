"""The binned forest: grown once, it answers every parameter group.

A parameter group is a number of trees and a depth. The first T trees of a forest are a forest of T trees, and a tree cut
at depth d predicts with the class shares of the node reached at depth d, so the largest forest holds all the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import _grow_packed, _grow_weighted, _kernels
from nffs.fitness._compile import announce
from nffs.fitness.binning import Bins, apply_bins

Group: TypeAlias = Mapping[str, int | None]

# Deeper than any tree: what max_depth=None means to the kernels.
_UNLIMITED = np.iinfo(np.int32).max

# Merging pays as soon as it saves a tenth of the rows: it costs about half a tree.
_MERGE_BELOW = 0.9


@dataclass(frozen=True)
class Tree:
    """A grown tree.

    Attributes
    ----------
    nodes : ndarray of shape (n_nodes, 4), int32
        Feature, left child, threshold (bits of a float32) and share of class 1, as ``_kernels`` explains.
    shares : ndarray of shape (n_nodes, n_classes), int32
        Class shares; without columns for two classes.
    """

    nodes: NDArray[np.int32]
    shares: NDArray[np.int32]


class TrainingRows:
    """The rows a forest grows on, prepared once for all its trees.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features), float32
        The rows.
    bins : Bins
        Their bins, from :func:`nffs.fitness.binning.find_bins`.
    y : ndarray of shape (n_rows,)
        Classes as whole numbers from 0.
    n_classes : int
        Number of classes.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of the rows.
    merge : bool, default=True
        Whether to let equal rows stand for one another where it pays. It changes the time, never the result.
    """

    def __init__(
        self,
        Z: NDArray[np.float32],
        bins: Bins,
        y: NDArray[Any],
        n_classes: int,
        sample_weight: NDArray[np.float64] | None = None,
        merge: bool = True,
    ) -> None:
        announce()
        self.n_drawn, self.n_features = Z.shape
        self.n_classes = n_classes
        self.bins = bins
        self.width = row_bytes(self.n_features)
        codes = apply_bins(Z, bins, self.width)
        self.packed = n_classes <= 2 and sample_weight is None
        if self.packed:
            self.label: NDArray[Any] = np.asarray(y).astype(np.uint8)
            if merge:
                codes = self._merge(codes)
            else:
                self.slot = np.arange(self.n_drawn, dtype=np.uint32)
        else:
            self.label = np.asarray(y).astype(np.int32)
            self.slot = np.arange(self.n_drawn, dtype=np.uint32)
            weight = np.ones(self.n_drawn) if sample_weight is None else np.asarray(sample_weight)
            self.sample_weight = np.ascontiguousarray(weight, dtype=np.float64)
        self.n_rows = len(codes)
        self.codes = codes.reshape(-1)

    def _merge(self, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        n = len(codes)
        self.slot = np.empty(n, dtype=np.uint32)
        kept = np.empty(n, dtype=np.uint32)
        table = np.zeros(1 << (2 * n - 1).bit_length(), dtype=np.uint32)
        n_slots = _kernels.merge_rows(codes.view(np.uint64), self.label, self.slot, table, kept)
        if n_slots > _MERGE_BELOW * n:
            self.slot = np.arange(n, dtype=np.uint32)
            return codes
        self.label = self.label[kept[:n_slots]]
        return codes[kept[:n_slots]]


def row_bytes(n_features: int) -> int:
    """Bytes of a row of bins: a power of two up to a cache line, then whole lines, so that no row straddles one more."""
    return (
        max(8, 1 << (n_features - 1).bit_length())
        if n_features <= 64
        else -(-n_features // 64) * 64
    )


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
    state = np.uint64(seed % 2**64) ^ np.uint64(0x5851F42D4C957F2D)
    z = state + np.arange(1, n_trees + 1, dtype=np.uint64) * _kernels.GOLDEN
    # twice the finaliser of splitmix64: seeds 1, 2, 3 ... must not share trees
    for _ in range(2):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
        z = z + state
    return z


class _Grower:
    """Grows trees one at a time into its own memory; every thread has one."""

    def __init__(self, rows: TrainingRows, n_try: int, max_depth: int, bootstrap: bool) -> None:
        self.rows, self.n_try, self.max_depth, self.bootstrap = rows, n_try, max_depth, bootstrap
        n = rows.n_rows
        entry = np.uint64 if rows.packed else np.uint32
        self.counts = np.empty(n, dtype=np.uint32)
        # One entry more than there are rows: the listing kernels write before they know whether a row counts.
        self.order, self.scratch = np.empty(n + 1, dtype=entry), np.empty(n + 1, dtype=entry)
        self.nodes = np.empty((2 * n, 4), dtype=np.int32)
        self.shares = np.empty(
            (0 if rows.packed else 2 * n, 0 if rows.packed else rows.n_classes), dtype=np.int32
        )
        if rows.packed:
            self.local = np.empty(_grow_packed.LOCAL_ROWS * rows.width, dtype=np.uint8)
        else:
            self.weight = np.empty(n)

    def grow(self, seed: np.uint64) -> Tree:
        """Grow a tree; it is a view of the grower's memory, valid until the next call."""
        rows, seed = self.rows, np.uint64(seed)
        if self.bootstrap:
            _kernels.bootstrap(seed, rows.n_drawn, rows.slot, self.counts)
        else:
            self.counts[:] = np.bincount(rows.slot, minlength=rows.n_rows)
        width, k, thresholds = np.uint64(rows.width), rows.n_features, self.nodes.view(np.float32)
        low, high = rows.bins.low, rows.bins.high
        if rows.packed:
            m = _grow_packed.pack(self.counts, rows.label, self.order)
            n_nodes = _grow_packed.grow_packed(
                rows.codes, width, k, self.order, m, self.n_try, self.max_depth, seed, low, high,
                self.scratch, self.local, self.nodes, thresholds,
            )  # fmt: skip
            return Tree(self.nodes[:n_nodes], self.shares)
        m = _grow_weighted.list_rows(self.counts, rows.sample_weight, self.weight, self.order)
        if m == 0:
            # Only rows of weight 0 were drawn: grow on all of them rather than on nothing.
            m = _grow_weighted.list_rows(
                np.ones_like(self.counts), rows.sample_weight, self.weight, self.order
            )
        n_nodes = _grow_weighted.grow_weighted(
            rows.codes, width, k, rows.label, rows.n_classes, self.order, m, self.weight, self.n_try, self.max_depth, seed,
            low, high, self.scratch, self.nodes, thresholds, self.shares,
        )  # fmt: skip
        return Tree(self.nodes[:n_nodes], self.shares[:n_nodes])


class BinnedForest:
    """A forest of binned trees.

    Parameters
    ----------
    trees : list of Tree
        The trees.
    n_classes : int
        Number of classes.
    """

    def __init__(self, trees: list[Tree], n_classes: int) -> None:
        self.trees = trees
        self.n_classes = n_classes

    @classmethod
    def grow(
        cls,
        rows: TrainingRows,
        n_trees: int = 100,
        max_depth: int | None = None,
        seed: int = 0,
        max_features: int | None = None,
        bootstrap: bool = True,
        n_threads: int = 1,
    ) -> BinnedForest:
        """Grow a forest and keep its trees.

        Parameters
        ----------
        rows : TrainingRows
            What to grow on.
        n_trees : int, default=100
            Number of trees.
        max_depth : int, optional
            Largest depth of a node.
        seed : int, default=0
            Tree t depends on the seed and t, not on the number of trees or threads.
        max_features : int, optional
            Features to look at in a node; by default the square root of their number.
        bootstrap : bool, default=True
            Whether each tree draws its rows with replacement or has all of them.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        BinnedForest
            The forest.
        """
        trees: list[Tree | None] = [None] * n_trees
        seeds = tree_seeds(seed, n_trees)

        def work(numbers: Iterator[int]) -> None:
            grower = _Grower(rows, _n_try(rows, max_features), _depth(max_depth), bootstrap)
            for t in numbers:
                tree = grower.grow(seeds[t])
                trees[t] = Tree(tree.nodes.copy(), tree.shares.copy())

        _share(n_trees, n_threads, work)
        return cls([tree for tree in trees if tree is not None], rows.n_classes)

    def predict_groups(
        self, Z: NDArray[np.float32], groups: Sequence[Group], n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Mean class shares of rows for every parameter group.

        Parameters
        ----------
        Z : ndarray of shape (n_rows, n_features), float32
            The rows.
        groups : sequence of dict
            ``{"n_estimators": T, "max_depth": d}``, d None for no limit.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        ndarray of shape (n_groups, n_rows, n_classes)
            Probabilities.
        """
        plan = _Plan(groups)
        if plan.n_trees > len(self.trees):
            raise ValueError(
                f"a group asks for {plan.n_trees} trees, the forest has {len(self.trees)}"
            )

        def work(numbers: Iterator[int]) -> NDArray[np.int64]:
            totals = plan.zeros(len(Z), self.n_classes)
            for t in numbers:
                plan.add(t, self.trees[t], Z, totals)
            return totals

        return plan.probabilities(_share(plan.n_trees, n_threads, work), self.n_classes)


def judge_groups(
    rows: TrainingRows,
    Z: NDArray[np.float32],
    groups: Sequence[Group],
    seed: int = 0,
    max_features: int | None = None,
    n_threads: int = 1,
) -> NDArray[np.float64]:
    """Grow a forest, judge rows by it and forget it: what evaluating a subset takes.

    The same result as :meth:`BinnedForest.grow` and :meth:`BinnedForest.predict_groups`, in the memory of one tree a thread.

    Parameters
    ----------
    rows : TrainingRows
        What to grow on.
    Z : ndarray of shape (n_rows, n_features), float32
        The rows to judge.
    groups : sequence of dict
        ``{"n_estimators": T, "max_depth": d}``, d None for no limit.
    seed : int, default=0
        Tree t depends on the seed and t only.
    max_features : int, optional
        Features to look at in a node; by default the square root of their number.
    n_threads : int, default=1
        Number of threads; the result is the same for any.

    Returns
    -------
    ndarray of shape (n_groups, n_rows, n_classes)
        Probabilities.
    """
    plan = _Plan(groups)
    seeds = tree_seeds(seed, plan.n_trees)

    def work(numbers: Iterator[int]) -> NDArray[np.int64]:
        totals = plan.zeros(len(Z), rows.n_classes)
        grower = _Grower(rows, _n_try(rows, max_features), plan.max_depth, bootstrap=True)
        for t in numbers:
            plan.add(t, grower.grow(seeds[t]), Z, totals)
        return totals

    return plan.probabilities(_share(plan.n_trees, n_threads, work), rows.n_classes)


class _Plan:
    """The parameter groups in the order a walk meets them: by depth."""

    def __init__(self, groups: Sequence[Group]) -> None:
        if not groups:
            raise ValueError("groups is empty: at least one parameter group is needed")
        self.sizes = [_positive(group, "n_estimators") for group in groups]
        limits = [
            _depth(None if group.get("max_depth") is None else _positive(group, "max_depth"))
            for group in groups
        ]
        self.by_depth = sorted(range(len(groups)), key=lambda g: limits[g])
        self.depths = np.array([limits[g] for g in self.by_depth], dtype=np.int64)
        self.n_trees = max(self.sizes)
        self.max_depth = max(limits)

    def zeros(self, n_rows: int, n_classes: int) -> NDArray[np.int64]:
        return np.zeros(
            (len(self.sizes), n_rows, 1 if n_classes <= 2 else n_classes), dtype=np.int64
        )

    def add(
        self, number: int, tree: Tree, Z: NDArray[np.float32], totals: NDArray[np.int64]
    ) -> None:
        active = np.array([number < self.sizes[g] for g in self.by_depth])
        _kernels.walk(
            tree.nodes,
            tree.nodes.view(np.float32),
            tree.shares,
            Z,
            0,
            len(Z),
            self.depths,
            active,
            totals,
        )

    def probabilities(
        self, parts: Sequence[NDArray[np.int64]], n_classes: int
    ) -> NDArray[np.float64]:
        totals = parts[0]
        for part in parts[1:]:
            totals += part
        out = np.empty((len(self.sizes), totals.shape[1], n_classes))
        for place, g in enumerate(self.by_depth):
            whole = self.sizes[g] * _kernels.ONE
            if n_classes <= 2:
                out[g, :, 0] = (whole - totals[place, :, 0]) / whole
            if n_classes == 2:
                out[g, :, 1] = totals[place, :, 0] / whole
            elif n_classes > 2:
                out[g] = totals[place] / whole
        return out


def _positive(group: Group, name: str) -> int:
    value = group.get(name)
    if value is None or int(value) < 1:
        raise ValueError(f"a parameter group needs {name} of at least 1, got {dict(group)!r}")
    return int(value)


def _depth(max_depth: int | None) -> int:
    return _UNLIMITED if max_depth is None else int(max_depth)


def _n_try(rows: TrainingRows, max_features: int | None) -> int:
    return (
        max(1, int(rows.n_features**0.5))
        if max_features is None
        else min(max_features, rows.n_features)
    )


def _share(n: int, n_threads: int, work: Callable[[Iterator[int]], Any]) -> list[Any]:
    """Let threads share the numbers below n: each takes the next one when it is free."""
    numbers = iter(range(n))
    n_threads = min(n_threads, n)
    if n_threads <= 1:
        return [work(numbers)]
    with ThreadPoolExecutor(n_threads) as pool:
        return [job.result() for job in [pool.submit(work, numbers) for _ in range(n_threads)]]
