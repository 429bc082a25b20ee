"""Numbers that are missing.

The encoded matrix keeps them as NaN until it is known which rows train: a missing number then
counts as the mean of what was observed in those, 0 once it is standardised. That it is missing is
an encoded column of its own (`nffs.table.encoding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, quoted

#: What becomes of a table with missing numbers: a column tells where they are, or it is refused.
Missing = Literal["indicate", "error"]

Matrix = NDArray[np.float32]


def has_gaps(matrix: Matrix) -> bool:
    """Tell whether a number is missing anywhere."""
    return matrix.size > 0 and bool(np.isnan(matrix.min(axis=0)).any())


class Filling:
    """Puts the mean of what was observed in some rows where numbers are missing.

    A column of which nothing was observed there is filled with zeros.

    Examples
    --------
    >>> rows = np.array([[1, 0], [3, 1], [np.nan, 1]], dtype=np.float32)
    >>> Filling(rows)(rows)[2].tolist()
    [2.0, 1.0]
    """

    def __init__(self, rows: Matrix) -> None:
        observed = ~np.isnan(rows)
        total = np.where(observed, rows, np.float32(0)).sum(axis=0, dtype=np.float64)
        self._means = (total / np.maximum(observed.sum(axis=0), 1)).astype(np.float32)

    def __call__(self, matrix: Matrix) -> Matrix:
        """Give a filled copy, or the matrix itself if nothing is missing."""
        if not has_gaps(matrix):
            return matrix
        return np.where(np.isnan(matrix), self._means, matrix)


def filled(rows: Matrix) -> Matrix:
    """Fill rows by their own means; the same rows if nothing is missing."""
    return Filling(rows)(rows) if has_gaps(rows) else rows


def refuse_missing(columns: Sequence[str], argument: str) -> None:
    """Refuse columns in which numbers are missing, if there are any."""
    if columns:
        raise InputError(
            f"{argument}: missing values (NaN) in numeric column(s) {quoted(columns)}; impute them "
            "(for example with SimpleImputer of scikit-learn) or drop these rows."
        )
