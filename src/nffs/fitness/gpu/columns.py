"""A split's columns on the device, prepared once for all subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.evaluator import Masks
from nffs.fitness.gpu.device import THREADS, Device, divided, whole
from nffs.fitness.moments import Moments, scales_of
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import Labels

#: Rows of the sample from which the bins of a column are found; as in `kernels/bins.cu`.
_SAMPLE = 8192

#: Bins of a column at most.
_BINS = 256

#: Rows and columns that a block of `take_columns` copies, and of `scatter_matrix` multiplies.
_TAKEN, _TILE = 32, 16

#: What a place of a hash table holds before any row was noted there.
_NO_ROW = 2**32 - 1

#: Components that a block of `project` computes.
_WIDTH = 16


@dataclass(frozen=True)
class Pool:
    """The columns on which the forests of some subsets grow, and their bins."""

    n_columns: int
    train: Any  # values of the training rows, column by column
    evaluated: Any  # the same of the evaluation rows
    codes: Any  # bins of the training rows
    exact: Any  # whether every bin of a column holds one value
    first: NDArray[np.int32]  # subset s has the columns listed from first[s] to first[s + 1]
    listed: Any
    merged: Any  # the first equal row of every training row, by subset
    merged_evaluated: Any  # the same of the evaluation rows


class Columns:
    """The columns of a split's training and evaluation rows, as they are.

    Parameters
    ----------
    device : Device
        Where they are to be.
    rows : SplitRows
        The encoded rows.
    split : Split
        Which of them train and which evaluate.
    """

    def __init__(self, device: Device, rows: SplitRows, split: Split) -> None:
        self.device = device
        self.n, self.n_evaluated = len(split.train), len(split.evaluation)
        self.n_columns = rows.matrix.shape[1]
        table = device.put(np.ascontiguousarray(rows.matrix, dtype=np.float32))
        self.train = self._taken(table, split.train)
        self.evaluated = self._taken(table, split.evaluation)
        assert isinstance(rows.target, Labels)  # see `refusal` in engine.py
        #: Classes of the training rows
        self.labels = device.put(rows.target.codes[split.train].astype(np.uint8))

    def _taken(self, table: Any, rows: NDArray[np.intp]) -> Any:
        n, d, device = len(rows), self.n_columns, self.device
        taken = device.empty(n * d, np.float32)
        device.launch(
            "take_columns", (divided(n, _TAKEN), divided(d, _TAKEN), 1),
            table, device.put(rows.astype(np.int64)), whole(n), whole(d), taken,
        )  # fmt: skip
        return taken

    def presented(self, masks: Masks) -> Pool:
        """Give the columns of some subsets."""
        if not hasattr(self, "_binned"):
            self._binned = binned(self.device, self.train, self.n, self.n_columns)
        codes, exact = self._binned
        listed, first = _listed(masks)
        return self._pool(self.n_columns, (self.train, self.evaluated), codes, exact, first, listed)

    def _pool(
        self,
        n_columns: int,
        values: tuple[Any, Any],
        codes: Any,
        exact: Any,
        first: NDArray[np.int32],
        listed: NDArray[np.int32],
    ) -> Pool:
        """Find equal rows; training rows of different classes never count as equal."""
        where, starts, own = self.device.put(listed), self.device.put(first), []
        for columns, n, labels in (
            (values[0], self.n, self.labels),
            (values[1], self.n_evaluated, np.uint64(0)),
        ):
            own.append(merged(self.device, columns, n, where, starts, len(first) - 1, labels))
        return Pool(n_columns, *values, codes, exact, first, where, *own)


class StandardisedColumns(Columns):
    """The same, standardised by the training rows, and their principal components.

    Parameters
    ----------
    device, rows, split
        As of :class:`Columns`.
    variance : float or None
        The share of the variance that components keep; None for the columns themselves.
    """

    def __init__(
        self, device: Device, rows: SplitRows, split: Split, variance: float | None
    ) -> None:
        super().__init__(device, rows, split)
        self._variance = 1.0 if variance is None else variance
        n, d = self.n, self.n_columns
        moments = self._moments()
        if rows.beyond is not None:
            moments = moments.joined(rows.beyond)
        scale = scales_of(moments.n, moments.mean, np.diag(moments.scatter))
        correlation = moments.scatter / moments.n / np.outer(scale, scale)
        self._correlation = device.put(np.ascontiguousarray(correlation))
        means, scales = device.put(moments.mean), device.put(scale)
        for values, length in ((self.train, n), (self.evaluated, self.n_evaluated)):
            device.launch(
                "standardise", (divided(length, THREADS), d, 1), values, means, scales,
                whole(length),
            )  # fmt: skip

    def _moments(self) -> Moments:
        n, d, device = self.n, self.n_columns, self.device
        means, scatter = device.empty(d, np.float64), device.empty((d, d), np.float64)
        device.launch("column_means", (d, 1, 1), self.train, whole(n), means)
        tiles = divided(d, _TILE)
        device.launch(
            "scatter_matrix", (tiles, tiles, 1), self.train, means, whole(n), whole(d), scatter
        )
        return Moments(n, device.get(means), device.get(scatter))

    def presented(self, masks: Masks) -> Pool:
        """Give the components of some subsets."""
        device, n_subsets = self.device, len(masks)
        columns, first = _listed(masks)
        sizes = np.diff(first)
        square = np.concatenate([[0], np.cumsum(sizes.astype(np.int64) ** 2)]).astype(np.uint64)
        cells = int(square[-1])
        listed, starts, square = device.put(columns), device.put(first), device.put(square)
        axes, kept = device.empty(cells, np.float32), device.empty(n_subsets, np.int32)
        device.launch(
            "find_components", (n_subsets, 1, 1), self._correlation, whole(self.n_columns), listed,
            starts, square, np.float64(self._variance), device.empty(cells, np.float64),
            device.empty(cells, np.float64), axes, kept,
            shared=16 * (int(sizes.max()) // 2 + 1),
        )  # fmt: skip
        own = device.get(kept)
        pooled = np.concatenate([[0], np.cumsum(own)]).astype(np.int32)
        where, n_pooled = device.put(pooled), int(pooled[-1])
        projected = []
        for values, n in ((self.train, self.n), (self.evaluated, self.n_evaluated)):
            components = device.empty(n_pooled * n, np.float32)
            device.launch(
                "project", (divided(n, THREADS), n_subsets, divided(int(own.max()), _WIDTH)),
                values, whole(n), listed, starts, square, axes, where, components,
            )  # fmt: skip
            projected.append(components)
        train, evaluated = projected
        codes, exact = binned(device, train, self.n, n_pooled)
        every = np.arange(n_pooled, dtype=np.int32)
        return self._pool(n_pooled, (train, evaluated), codes, exact, pooled, every)


def merged(
    device: Device, columns: Any, n: int, listed: Any, first: Any, n_subsets: int, labels: Any
) -> Any:
    """Give the first equal row of every row, by subset."""
    size = np.uint64(1 << (2 * n - 1).bit_length())
    cells = n_subsets * int(size)
    hashes, keys = device.empty(n_subsets * n, np.uint64), device.zeros(cells, np.uint64)
    rows, found = device.full(cells, _NO_ROW, np.uint32), device.empty(n_subsets * n, np.uint32)
    grid = (divided(n, THREADS), n_subsets, 1)
    device.launch("hash_rows", grid, columns, whole(n), listed, first, labels, hashes)
    device.launch("note_rows", grid, hashes, whole(n), keys, rows, size)
    device.launch(
        "merge_rows", grid, columns, whole(n), listed, first, labels, hashes, keys, rows, size,
        found,
    )  # fmt: skip
    return found


def binned(device: Device, columns: Any, n: int, n_columns: int) -> tuple[Any, Any]:
    """Give the bins of columns, and whether every bin of a column holds one value."""
    edges = device.empty(n_columns * _BINS, np.float32)
    counts, exact = device.empty(n_columns, np.int32), device.empty(n_columns, np.uint8)
    codes = device.empty(n_columns * n, np.uint8)
    padded = 1 << (min(n, _SAMPLE) - 1).bit_length()
    device.launch(
        "find_bins", (n_columns, 1, 1), columns, whole(n), edges, counts, exact, shared=4 * padded
    )
    parts = min(divided(n, THREADS), 64)
    device.launch(
        "apply_bins", (n_columns, parts, 1), columns, whole(n), edges, counts, exact, codes
    )
    return codes, exact


def _listed(masks: Masks) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """List the columns of all subsets, one after the other, and where each one's begin."""
    listed: Sequence[NDArray[np.intp]] = [np.flatnonzero(mask) for mask in masks]
    first = np.concatenate([[0], np.cumsum([len(own) for own in listed])])
    return np.concatenate(listed).astype(np.int32), first.astype(np.int32)
