"""What forests need of the columns themselves, computed once for all subsets of a split.

Trees look at one column at a time, and its bins are the same in every subset that has it: the
training rows are binned once, and a subset takes the columns it needs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.binning import MAX_BINS, Bins, aligned_rows, apply_bins, find_bins
from nffs.fitness.forest.training import row_bytes
from nffs.table.target import Rows

#: Columns binned at a time: a copy of so many is made.
_BATCH = 256


@dataclass(frozen=True)
class Presented:
    """A subset as a forest sees it: training rows, their bins, evaluation rows."""

    train: NDArray[np.float32]
    evaluation: NDArray[np.float32]
    bins: Bins
    # Numbers of the bins, by row, padded to `row_bytes`; None if they are still to be found
    codes: NDArray[np.uint8] | None = None


class BinnedColumns:
    """The columns of a split, binned.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float32
        The table; it is kept as it is, not copied, so any number of splits share it.
    train, evaluation : ndarray of int
        The numbers of the training and of the evaluation rows; bins come from the training rows.
    """

    def __init__(self, X: NDArray[np.float32], train: Rows, evaluation: Rows) -> None:
        self.X, self.train, self.evaluation = X, train, evaluation
        n, d = len(train), X.shape[1]
        parts = []
        self._codes = np.empty((n, d), dtype=np.uint8)
        for start in range(0, d, _BATCH):
            some = X[train, start : start + _BATCH]
            bins = find_bins(some)
            self._codes[:, start : start + _BATCH] = apply_bins(some, bins)
            parts.append(bins)
        count = np.concatenate([bins.count for bins in parts])
        most = int(count.max())  # of few rows there are few bins, each of one value
        low = np.concatenate([bins.low[:, :most] for bins in parts])
        wide = n > MAX_BINS
        high = np.concatenate([bins.high[:, :most] for bins in parts]) if wide else low
        self._bins = Bins(low, high, count)

    def present(self, columns: NDArray[np.bool_]) -> Presented:
        """Give the rows of a subset of columns, with their bins."""
        chosen, bins = np.flatnonzero(columns), self._bins
        codes = aligned_rows(len(self.train), row_bytes(len(chosen)))
        codes[:, : len(chosen)] = self._codes[:, chosen]
        codes[:, len(chosen) :] = 0
        low = bins.low[chosen]
        high = low if bins.high is bins.low else bins.high[chosen]
        return Presented(
            train=self._take(self.train, chosen),
            evaluation=self._take(self.evaluation, chosen),
            bins=Bins(low, high, bins.count[chosen]),
            codes=codes,
        )

    def _take(self, rows: Rows, chosen: NDArray[np.intp]) -> NDArray[np.float32]:
        return np.ascontiguousarray(self.X[np.ix_(rows, chosen)])
