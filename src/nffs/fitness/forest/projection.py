"""Standardised principal components of any subset of columns, without touching the rows twice.

Means, scales and the covariance of the training rows are computed once. The principal components of
a subset of columns are then the eigenvectors of a submatrix of that covariance, and a row's
components are one product of the *raw* row with a matrix into which mean and scale are folded: no
standardised copy of the table ever exists.

Of a table with more columns than training rows (genes, spectra) no such covariance is computed: the
components of a subset come from the products of its rows with one another, or from its own
covariance, whichever is smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.blas import one_blas_thread
from nffs.fitness.moments import Moments, scales_of

Rows = NDArray[np.intp]

# Rows go through the matrix product in blocks of one size, the last one padded: BLAS chooses its
# inner loops by the shape, and equal rows must get equal components to the last bit wherever they
# stand.
_BLOCK = 2048

# The same where columns outnumber rows: there are few rows, and padding is wide.
WIDE_BLOCK = 128

#: Bytes for every cell of a subset of such a table, at most: standardised, and as axes.
WIDE_CELL_BYTES = 16


@dataclass(frozen=True)
class _Map:
    """Components of a row x: ``x[columns] @ weights - offset``."""

    columns: NDArray[np.intp]
    weights: NDArray[np.float32]
    offset: NDArray[np.float32]


class Projection:
    """Standardisation and PCA of column subsets, for one split of the rows.

    BLAS decides the last bits of a product by its number of threads: hold it to one thread
    (`one_blas_thread`) around :meth:`project` if results must not depend on it; the constructor
    does so itself.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns), float32
        The table; it is kept as it is, not copied, so any number of splits share it.
    train, evaluation : ndarray of int
        The numbers of the training and of the evaluation rows; means, scales and covariance come
        from the training rows.
    variance : float or None, default=0.93
        The share of the variance to keep, by the rule of ``sklearn.decomposition.PCA``; None means
        no PCA.
    beyond : Moments, optional
        Of further training rows that are not in the table.
    standardising : ndarray of int, optional
        The rows that means, scales and covariance come from instead of the training rows.
    """

    def __init__(
        self,
        X: NDArray[np.float32],
        train: Rows,
        evaluation: Rows,
        variance: float | None = 0.93,
        beyond: Moments | None = None,
        standardising: Rows | None = None,
    ) -> None:
        if variance is not None and not 0.0 < variance < 1.0:
            raise ValueError(f"variance must lie between 0 and 1 or be None, got {variance!r}")
        self.X = np.ascontiguousarray(X, dtype=np.float32)
        self.train, self.evaluation = train, evaluation
        self._rows = train if standardising is None else standardising
        self.variance = variance
        if len(train) == 0:
            raise ValueError("the split has no training rows")
        #: (n_columns, n_columns) of the standardised columns; None where there are too many
        self.correlation: NDArray[np.float64] | None = None
        if beyond is None and self.X.shape[1] > len(self._rows):
            mean, squares = self._mean(), np.zeros(self.X.shape[1])
            for block in _blocks(self.X, self._rows):
                squares += ((block - mean) ** 2).sum(axis=0)
            self.mean, self.scale = mean, scales_of(len(self._rows), mean, squares)
            return
        moments = self._moments() if beyond is None else self._moments().joined(beyond)
        n, self.mean, scatter = moments.n, moments.mean, moments.scatter
        self.scale = scales_of(n, self.mean, np.diag(scatter))
        self.correlation = scatter / n / np.outer(self.scale, self.scale)

    def _mean(self) -> NDArray[np.float64]:
        mean = np.zeros(self.X.shape[1])
        for block in _blocks(self.X, self._rows):
            mean += block.sum(axis=0, dtype=np.float64)
        return mean / len(self._rows)

    def _moments(self) -> Moments:
        n, d, mean = len(self._rows), self.X.shape[1], self._mean()
        scatter = np.zeros((d, d))
        with one_blas_thread:
            for block in _blocks(self.X, self._rows):
                centred = block - mean
                scatter += centred.T @ centred
        return Moments(n, mean, scatter)

    def components(
        self, columns: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the principal components of a subset of the standardised columns.

        The kept axes, largest variance first, each with its largest loading positive, and the share
        of the variance that each explains.
        """
        if self.variance is None:
            raise ValueError(
                "this projection was made with variance=None: it has no principal components"
            )
        chosen = self._chosen(columns)
        values, axes = self._decomposed(chosen)
        total = values.sum()
        ratio = values / total if total > 0.0 else np.r_[1.0, np.zeros(len(values) - 1)]
        kept = int(np.searchsorted(np.cumsum(ratio), self.variance, side="right")) + 1
        axes, ratio = axes[:kept], ratio[:kept]
        largest = np.argmax(np.abs(axes), axis=1)
        axes = axes * np.sign(axes[np.arange(len(axes)), largest])[:, None]
        return axes, ratio

    def _decomposed(
        self, chosen: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give variances and axes of all components of some columns, largest variance first."""
        if self.correlation is not None:
            return _eigen(self.correlation[np.ix_(chosen, chosen)])
        rows = self._rows
        Z, n = self._standardised(chosen, rows).astype(np.float64), len(rows)
        if len(chosen) <= n:
            return _eigen(Z.T @ Z / n)
        # Centred rows span at most n - 1 dimensions: the last component is none.
        values, vectors = _eigen(Z @ Z.T / n)
        values, vectors = values[: n - 1], vectors[: n - 1]
        lengths = np.sqrt(np.maximum(values * n, np.finfo(np.float64).tiny))
        return values, vectors @ Z / lengths[:, None]

    def project(
        self, columns: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give the components of training and of evaluation rows for a subset of columns."""
        chosen = self._chosen(columns)
        if self.variance is None:
            train, evaluation = self.train, self.evaluation
            return self._standardised(chosen, train), self._standardised(chosen, evaluation)
        axes, _ = self.components(columns)
        weights = axes.T / self.scale[chosen, None]
        offset = self.mean[chosen] @ weights
        d = self.X.shape[1]
        if 2 * len(chosen) > d:
            # Gathering columns costs about as much as multiplying them: with most columns chosen,
            # multiply the others by 0.
            full = np.zeros((d, weights.shape[1]))
            full[chosen] = weights
            chosen, weights = np.arange(d), full
        fold = _Map(
            chosen, np.ascontiguousarray(weights, dtype=np.float32), offset.astype(np.float32)
        )
        return self._apply(fold, self.train), self._apply(fold, self.evaluation)

    def _chosen(self, columns: NDArray[np.bool_]) -> NDArray[np.intp]:
        mask = np.asarray(columns)
        if mask.dtype != np.bool_ or mask.shape != (self.X.shape[1],):
            raise ValueError(
                f"columns must be a boolean mask of shape ({self.X.shape[1]},), "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        chosen = np.flatnonzero(mask)
        if len(chosen) == 0:
            raise ValueError("columns selects nothing: a subset needs at least one column")
        return chosen

    def _apply(self, fold: _Map, rows: Rows) -> NDArray[np.float32]:
        k = fold.weights.shape[1]
        out = np.empty((len(rows), k), dtype=np.float32)
        whole = len(fold.columns) == self.X.shape[1]
        n = _BLOCK if self.correlation is not None else WIDE_BLOCK
        padded = np.zeros((n, len(fold.columns)), dtype=np.float32)
        last = np.empty((n, k), dtype=np.float32)
        done = 0
        for block in _blocks(self.X, rows, n):
            source, m = block, len(block)
            if not whole:
                # clipping is the one mode of take that writes into its target directly
                np.take(block, fold.columns, axis=1, out=padded[:m], mode="clip")
                source = padded
            elif m < n:
                padded[:m] = block
                source = padded
            target = out[done : done + m] if m == n else last
            np.matmul(source, fold.weights, out=target)
            target -= fold.offset
            if m < n:
                out[done:] = last[:m]
            done += m
        return out

    def _standardised(self, chosen: NDArray[np.intp], rows: Rows) -> NDArray[np.float32]:
        out = np.empty((len(rows), len(chosen)), dtype=np.float32)
        done = 0
        for block in _blocks(self.X, rows):
            out[done : done + len(block)] = (block[:, chosen] - self.mean[chosen]) / self.scale[
                chosen
            ]
            done += len(block)
        return out


def _eigen(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give eigenvalues and eigenvectors, as rows, largest first."""
    values, vectors = np.linalg.eigh(matrix)
    return np.maximum(values[::-1], 0.0), vectors[:, ::-1].T


def _blocks(X: NDArray[np.float32], rows: Rows, n: int = _BLOCK) -> Iterator[NDArray[np.float32]]:
    return (X[rows[start : start + n]] for start in range(0, len(rows), n))
