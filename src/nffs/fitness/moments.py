"""Means and covariance of rows that come in blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.blas import one_blas_thread


@dataclass(frozen=True)
class Moments:
    """How many rows, their mean, and the sums of products of their deviations from it."""

    n: int
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]

    def take(self, columns: NDArray[np.intp]) -> Moments:
        """Give those of some columns, in the given order."""
        return Moments(self.n, self.mean[columns], self.scatter[np.ix_(columns, columns)])

    def joined(self, other: Moments) -> Moments:
        """Give those of both sets of rows together (Chan, Golub and LeVeque)."""
        n = self.n + other.n
        apart = other.mean - self.mean
        return Moments(
            n,
            self.mean + apart * (other.n / n),
            self.scatter + other.scatter + np.outer(apart, apart) * (self.n * other.n / n),
        )


def moments_of(blocks: Iterable[NDArray[np.float32]], n_columns: int) -> Moments:
    """Sum over blocks; the same blocks in the same order give the same bits.

    Examples
    --------
    >>> rows = np.array([[0, 1], [2, 1], [4, 4]], dtype=np.float32)
    >>> moments_of([rows[:1], rows[1:]], 2)
    Moments(n=3, mean=array([2., 2.]), scatter=array([[8., 6.],
           [6., 6.]]))
    """
    total = Moments(0, np.zeros(n_columns), np.zeros((n_columns, n_columns)))
    with one_blas_thread:
        for block in blocks:
            if not len(block):
                continue
            mean = block.mean(axis=0, dtype=np.float64)
            centred = block - mean
            mine = Moments(len(block), mean, centred.T @ centred)
            total = mine if total.n == 0 else total.joined(mine)
    return total


def scales_of(
    n: int, mean: NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the scales of columns from their sums of squared deviations; 1 for constant ones."""
    variance = squares / n
    # StandardScaler's test for a column that is constant but for rounding
    eps = np.finfo(np.float64).eps
    constant = variance <= n * eps * variance + (n * mean * eps) ** 2
    return np.where(constant, 1.0, np.sqrt(variance))
