"""What forests need of the columns of a split, computed once for all subsets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.columns import FEW, by_columns
from nffs.fitness.forest.binning import MAX_BINS
from nffs.fitness.forest.cuts.ranking import rank_numbers
from nffs.fitness.forest.cuts.records import Columns
from nffs.table.target import Labels, Rows

#: Bytes for every training row and column of numbers: bin (1), rank (4), and the value (4) where it
#: is the only one.
NUMBER_BYTES = 9

#: Bytes for every cell of a block of columns: two copies and a mark.
PREPARING = 9

#: Training rows at most: ranks and the places of 64 rows share 32 bits.
MAX_ROWS = 1 << 26


class CutColumns:
    """The columns of a split, as cuts or as ranks.

    Training rows are numbered anew, by class: a class is then a stretch of every set of rows, and
    starts at a word of its own.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float32
        The table.
    train, evaluation : ndarray of int
        The numbers of the training and of the evaluation rows.
    labels : Labels
        The classes of the training rows.
    """

    def __init__(
        self, X: NDArray[np.float32], train: Rows, evaluation: Rows, labels: Labels
    ) -> None:
        order = np.argsort(labels.codes, kind="stable")
        self.n_rows, self.n_classes = len(train), max(2, labels.n_classes)
        self.sizes = np.bincount(labels.codes, minlength=self.n_classes)
        starts = word_starts(self.sizes)
        place = np.arange(self.n_rows) + np.repeat(
            64 * starts[:-1] - np.append(0, np.cumsum(self.sizes)[:-1]), self.sizes
        )
        ordered, d = train[order], X.shape[1]
        n_values, values = _distinct(X, train)
        is_cut = n_values <= FEW
        n_cuts = np.where(is_cut, n_values - 1, 0)
        n_numbers = d - int(is_cut.sum())
        low = np.empty((n_numbers, min(MAX_BINS, self.n_rows)), dtype=np.uint32)
        # Of few rows every value has a bin of its own.
        high = np.empty_like(low) if self.n_rows > MAX_BINS else low
        self.cuts = np.empty((n_cuts.sum(), starts[-1]), dtype=np.uint64)
        self.columns = Columns(
            first_cut=np.where(is_cut, np.cumsum(n_cuts) - n_cuts, -1),
            n_values=n_values,
            number=np.where(is_cut, -1, np.cumsum(~is_cut) - 1),
            values_at=np.cumsum(n_values) - n_values,
            values=values,
            codes=np.empty((n_numbers, self.n_rows), dtype=np.uint8),
            ranks=np.empty((n_numbers, self.n_rows), dtype=np.uint32),
            low=low,
            high=high,
        )
        rows = np.zeros(64 * starts[-1], dtype=bool)
        for start, block in by_columns(X, ordered):
            for j in start + np.flatnonzero(is_cut[start : start + len(block)]):
                first, at = self.columns.first_cut[j], self.columns.values_at[j]
                for number in range(n_cuts[j]):
                    rows[place] = block[j - start] <= values[at + number]
                    packed = np.packbits(rows, bitorder="little")
                    self.cuts[first + number] = packed.view(np.uint64)
            rank_numbers(self.columns, start, block, np.sort(block))
        self.evaluation = np.empty((d, len(evaluation)), dtype=np.float32)
        for start, block in by_columns(X, evaluation):
            self.evaluation[start : start + len(block)] = block


def word_starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the words at which the classes start, and where the last one ends."""
    return np.append(0, np.cumsum(-(-sizes // 64)))


def _distinct(X: NDArray[np.float32], rows: Rows) -> tuple[Rows, NDArray[np.float32]]:
    """Give how many values every column has, and the values, each column's ascending."""
    counts, values = [], []
    for _, block in by_columns(X, rows):
        block.sort(axis=1)
        is_first = np.ones(block.shape, dtype=np.bool_)
        np.not_equal(block[:, 1:], block[:, :-1], out=is_first[:, 1:])
        counts.append(is_first.sum(axis=1))
        values.append(block[is_first])
    return np.concatenate(counts), np.concatenate(values)
