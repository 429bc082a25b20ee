"""Standardised columns and their products with one another: what linear models start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.blas import one_blas_thread

#: The products of all columns are computed once for all subsets if there are at most so many, and
#: not more than training rows where they are more than a few; else for every subset, of its own.
_SHARED_COLUMNS, _FEW_COLUMNS = 2048, 256

#: Cells that are standardised at a time.
CELLS = 1 << 18

Rows32 = NDArray[np.float32]
Matrix = NDArray[np.float64]


def shares_products(n_columns: int, n_train: int) -> bool:
    """Tell whether the products of all columns are worth their memory."""
    return n_columns <= min(_SHARED_COLUMNS, max(_FEW_COLUMNS, n_train))


def column_moments(X: Rows32, rows: NDArray[np.intp]) -> tuple[Matrix, Matrix]:
    """Give means and scales of some rows' columns; of a constant one the scale is 1."""
    mean, squares = np.empty(X.shape[1]), np.empty(X.shape[1])
    # Some columns at a time; not one alone, which NumPy would sum in another order.
    n_parts = max(1, min(X.shape[1] // 2, len(rows) * X.shape[1] // CELLS))
    for part in np.array_split(np.arange(X.shape[1]), n_parts):
        some = slice(part[0], part[-1] + 1)
        block = X[rows, some]
        mean[some] = block.mean(axis=0, dtype=np.float64)
        squares[some] = np.mean((block - mean[some]) ** 2, axis=0, dtype=np.float64)
    deviation = np.sqrt(squares)
    tiny = 10 * np.finfo(np.float32).eps * np.abs(mean)
    return mean, np.where(deviation <= tiny, 1.0, deviation)


def standardised(X: Rows32, rows: NDArray[np.intp], mean: Matrix, scale: Matrix) -> Rows32:
    """Give some rows, standardised, by columns: a subset's are then copied at once."""
    out = np.empty((X.shape[1], len(rows)), dtype=np.float32)
    step = max(1, CELLS // X.shape[1])
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        out[:, start : start + step] = ((X[some] - mean) / scale).T
    return out


def column_products(X: Rows32, weight: Matrix) -> Matrix:
    """Give the weighted products of the columns with one another, and with a column of ones."""
    k, n = X.shape
    products = np.zeros((k + 1, k + 1))
    with one_blas_thread:
        for start in range(0, n, 2048):
            rows = np.ones((k + 1, min(2048, n - start)))
            rows[:-1] = X[:, start : start + 2048]
            products += (rows * weight[start : start + 2048]) @ rows.T
    return products
