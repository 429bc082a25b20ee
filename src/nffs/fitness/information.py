"""Mutual information of every feature with the label (eq. 1), in nats.

Counts are exact for columns with few values; the others are counted in the bins that the forest
uses too. The plug-in estimate is then corrected for its bias (Miller and Madow), without which a
column of row numbers would look informative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.binning import MAX_BINS, Bins, apply_bins, find_bins
from nffs.fitness.splits import Split, SplitRows
from nffs.table.missing import Filling

Vector = NDArray[np.float64]
Block = tuple[NDArray[np.float32], NDArray[np.intp], Vector | None]

#: Bins hold about this many rows at least. With fewer, the bias correction fails: noise in 256
#: bins of 5 rows each scores 0.03.
ROWS_PER_BIN = 32
FEWEST_BINS = 8


def mutual_information(
    codes: NDArray[np.intp],
    classes: NDArray[np.intp],
    *,
    weights: Vector | None = None,
) -> float:
    """Estimate the mutual information of a discrete column and the label.

    Examples
    --------
    >>> same = np.array([0, 1] * 500)
    >>> round(mutual_information(same, same), 2)  # ln 2
    0.69
    """
    counts = _Counts(int(codes.max()) + 1, int(classes.max()) + 1)
    counts.add(codes, classes, weights)
    return counts.information()


class _Counts:
    """How often each value comes with each class; rows may be added in parts."""

    def __init__(self, n_codes: int, n_classes: int) -> None:
        self._shape = n_codes, n_classes
        self._cells = np.zeros(n_codes * n_classes)
        self._squares = 0.0

    def add(
        self, codes: NDArray[np.intp], classes: NDArray[np.intp], weights: Vector | None
    ) -> None:
        cells = codes * self._shape[1] + classes
        self._cells += np.bincount(cells, weights, minlength=len(self._cells))
        self._squares += len(codes) if weights is None else float(np.square(weights).sum())

    def information(self) -> float:
        """Estimate the mutual information, corrected for its bias."""
        joint = self._cells.reshape(self._shape) / self._cells.sum()
        occurs = joint > 0
        expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        plug_in = float(np.sum(joint[occurs] * np.log(joint[occurs] / expected[occurs])))
        # Degrees of freedom over twice the rows; weighted rows count as their effective number.
        spare = occurs.sum() - occurs.any(axis=1).sum() - occurs.any(axis=0).sum() + 1
        n_rows = self._cells.sum() ** 2 / self._squares
        return max(0.0, plug_in - float(spare) / (2 * float(n_rows)))


def feature_information(
    rows: SplitRows,
    features: Sequence[NDArray[np.intp]],
    beyond: Iterable[Block] | None = None,
) -> Vector:
    """Score every feature, given by its columns, on the training rows: the mean over the splits.

    ``beyond`` are further training rows, of every split, in parts: matrix, classes, weights. Bins
    are learned without them.
    """
    tables: Iterable[_Table] = (
        _Table(own, split, columns)
        for split in rows.splits
        for own in [rows.grouped_by(split)]
        for columns in features
    )
    if beyond is not None:
        tables = list(tables)
        for matrix, classes, weights in beyond:
            for table in tables:
                table.add(matrix, classes, weights)
    scores = np.array([table.counts.information() for table in tables])
    mean: Vector = scores.reshape(len(rows.splits), len(features)).sum(axis=0) / len(rows.splits)
    return mean


class _Table:
    """The counts of one feature in the training rows of one split, and how to add to them."""

    def __init__(self, rows: SplitRows, split: Split, columns: NDArray[np.intp]) -> None:
        self._columns = columns
        block = rows.matrix[np.ix_(split.train, columns)]
        self._fill = Filling(block)
        block = self._fill(block)
        self._coding = _Coding(block)
        self.counts = _Counts(self._coding.n_codes, rows.target.n_strata)
        weights = None if rows.weights is None else rows.weights[split.train]
        self.counts.add(self._coding(block), rows.target.strata[split.train], weights)

    def add(
        self, matrix: NDArray[np.float32], classes: NDArray[np.intp], weights: Vector | None
    ) -> None:
        block = self._fill(matrix[:, self._columns])
        self.counts.add(self._coding(block), classes, weights)


def feature_codes(block: NDArray[np.float32], max_bins: int = MAX_BINS) -> NDArray[np.intp]:
    """Give a feature's values as numbers: bins of a column, or what several hold together."""
    return _Coding(block, max_bins)(block)


class _Coding:
    """How a feature's values become numbers, learned from some rows and applied to any."""

    def __init__(self, block: NDArray[np.float32], max_bins: int = MAX_BINS) -> None:
        self._bins: Bins | None = None
        self._known: NDArray[np.void] | None = None
        self.n_codes = block.shape[1] + 1
        enough = min(max_bins, max(FEWEST_BINS, len(block) // ROWS_PER_BIN))
        if block.shape[1] == 1:
            self._bins = find_bins(block, max_bins=enough)
            self.n_codes = int(self._bins.count[0])
        elif not _one_at_most(block):
            # So few bins that all columns together have about as many as a single one.
            many = max(1, int(((block != 0) & (block != 1)).any(axis=0).sum()))
            self._bins = find_bins(block, max_bins=max(2, int(enough ** (1 / many))))
            self._known = np.unique(_whole_rows(apply_bins(block, self._bins)))
            self.n_codes = len(self._known) + 1  # one for what is not known

    def __call__(self, block: NDArray[np.float32]) -> NDArray[np.intp]:
        if self._bins is None:
            return np.where(block.any(axis=1), block.argmax(axis=1) + 1, 0)
        bins = apply_bins(block, self._bins)
        if self._known is None:
            return bins[:, 0].astype(np.intp)
        rows = _whole_rows(bins)
        places = np.searchsorted(self._known, rows)
        found = self._known[np.minimum(places, len(self._known) - 1)] == rows
        return np.where(found, places, len(self._known))


def _one_at_most(block: NDArray[np.float32]) -> bool:
    """Tell whether columns are indicators of which at most one is 1, as a category's are."""
    return bool(((block == 0) | (block == 1)).all() and (block.sum(axis=1) <= 1).all())


def _whole_rows(bins: NDArray[np.uint8]) -> NDArray[np.void]:
    """See rows of bins as one value each."""
    return np.ascontiguousarray(bins).view(f"V{bins.shape[1]}")[:, 0]
