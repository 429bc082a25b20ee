"""Encoded rows looked at column by column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

#: A column of at most so many values has few: forests know it by its cuts, others by their ranks.
FEW = 8

#: Cells that are looked at together: many columns of few rows, or a few of many.
CELLS = 1 << 18

# Rows that tell about how many values a column has.
_LOOKED_AT = 4096


def n_of_few_values(X: NDArray[np.float32]) -> int:
    """Count the columns of few values, going by some thousand of the rows."""
    rows, found = np.arange(0, len(X), max(1, len(X) // _LOOKED_AT)), 0
    for _, block in by_columns(X, rows):
        np.nan_to_num(block, copy=False, nan=np.inf)  # what is missing is one value
        block.sort(axis=1)
        n_values = 1 + (block[:, 1:] != block[:, :-1]).sum(axis=1)
        found += int((n_values <= FEW).sum())
    return found


def by_columns(
    X: NDArray[np.float32], rows: NDArray[np.intp]
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Give some rows, column by column: the first column of a block, and a copy of the block."""
    step = max(1, CELLS // max(1, len(rows)))
    for start in range(0, X.shape[1], step):
        yield start, np.ascontiguousarray(X[rows, start : start + step].T)
