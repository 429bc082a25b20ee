"""What forests need of the columns of a split, computed once for all subsets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.binning import MAX_BINS, apply_bins, find_bins
from nffs.fitness.forest.cuts.records import Columns
from nffs.table.target import Labels, Rows

#: A column of at most so many values is known by its cuts, any other one by bins and ranks.
CUT_VALUES = 8

#: Bytes for every row and column: bin (1) and rank (4) of a training row and the value (4) where it
#: is the only one, or the value of an evaluation row.
BYTES = 9

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
        distinct = [_distinct(X[ordered, j]) for j in range(d)]
        n_values = np.array([len(values) for values in distinct])
        is_cut = n_values <= CUT_VALUES
        n_cuts = np.where(is_cut, n_values - 1, 0)
        n_numbers = d - int(is_cut.sum())
        self.cuts = np.empty((n_cuts.sum(), starts[-1]), dtype=np.uint64)
        self.columns = Columns(
            first_cut=np.where(is_cut, np.cumsum(n_cuts) - n_cuts, -1),
            n_values=n_values,
            number=np.where(is_cut, -1, np.cumsum(~is_cut) - 1),
            values_at=np.cumsum(n_values) - n_values,
            values=np.concatenate(distinct),
            codes=np.empty((n_numbers, self.n_rows), dtype=np.uint8),
            ranks=np.empty((n_numbers, self.n_rows), dtype=np.uint32),
            low=np.empty((n_numbers, MAX_BINS), dtype=np.uint32),
            high=np.empty((n_numbers, MAX_BINS), dtype=np.uint32),
        )
        rows = np.zeros(64 * starts[-1], dtype=bool)
        for j in range(d):
            column = np.ascontiguousarray(X[ordered, j])
            if is_cut[j]:
                for number, value in enumerate(distinct[j][:-1], self.columns.first_cut[j]):
                    rows[place] = column <= value
                    self.cuts[number] = np.packbits(rows, bitorder="little").view(np.uint64)
            else:
                self._rank(j, column, distinct[j])
        self.evaluation = np.empty((d, len(evaluation)), dtype=np.float32)
        for j in range(d):
            self.evaluation[j] = X[evaluation, j]

    def _rank(self, j: int, column: NDArray[np.float32], distinct: NDArray[np.float32]) -> None:
        """Bin and rank a column of numbers."""
        columns, number = self.columns, self.columns.number[j]
        bins = find_bins(column[:, None])
        columns.n_values[j] = bins.count[0]
        columns.codes[number] = apply_bins(column[:, None], bins)[:, 0]
        columns.ranks[number] = np.searchsorted(distinct, column)
        columns.low[number] = np.searchsorted(distinct, bins.low[0])
        columns.high[number] = np.searchsorted(distinct, bins.high[0])


def word_starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the words at which the classes start, and where the last one ends."""
    return np.append(0, np.cumsum(-(-sizes // 64)))


def _distinct(column: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give the values of a column, ascending."""
    values = np.sort(column)
    found: NDArray[np.float32] = values[np.append(True, values[1:] != values[:-1])]
    return found
