"""Standardised columns and their products with one another: what linear models start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.blas import one_blas_thread

#: With more columns than this the products are computed for every subset instead of once.
SHARED_COLUMNS = 2048

Rows32 = NDArray[np.float32]
Matrix = NDArray[np.float64]


def column_moments(X: Rows32) -> tuple[Matrix, Matrix]:
    """Give means and scales of the columns; of a constant one the scale is 1."""
    mean = X.mean(axis=0, dtype=np.float64)
    deviation = np.sqrt(np.mean((X - mean) ** 2, axis=0, dtype=np.float64))
    tiny = 10 * np.finfo(np.float32).eps * np.abs(mean)
    return mean, np.where(deviation <= tiny, 1.0, deviation)


def standardised(X: Rows32, rows: NDArray[np.intp], mean: Matrix, scale: Matrix) -> Rows32:
    """Give some rows, standardised, by columns: a subset's are then copied at once."""
    out = np.empty((X.shape[1], len(rows)), dtype=np.float32)
    for start in range(0, len(rows), 2048):
        some = rows[start : start + 2048]
        out[:, start : start + 2048] = ((X[some] - mean) / scale).T
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
