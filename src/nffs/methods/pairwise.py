"""Mutual information of all pairs of features, in one go.

The rows of every value of a feature are listed once. The joint counts of two features are then
taken value by value of the one whose commonest value is the commoner: the rows of that value need
no visit, their counts are what is left. A one-hot column of 500 ones costs 500 visits per pair, not
126 thousand. Where no value is that common, all rows are counted in their order.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from nffs._numba import inlined, kernel
from nffs._threads import share
from nffs.fitness import feature_codes, mutual_information
from nffs.search.method import SearchSpace

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Codes = NDArray[np.intp]

#: Features whose pairs are measured: those that share most with the label. On wider tables all
#: pairs would take a matrix of columns by columns, and the least relevant never come early.
POOL = 1024

#: Up to this share of rows it is quicker to visit them one by one than all in order.
_FEW = 0.2

#: A table of joint counts that would be larger is counted line by line.
_MOST_CELLS = 2**22


@dataclass(frozen=True)
class Dependence:
    """How features depend on the label and on one another, in nats."""

    relevance: Vector  # (n,) mutual information of each of the first features with the label
    redundancy: Matrix  # (n, n) mutual information of each pair of them
    entropy: Vector  # (n,) their entropies


def measure_dependence(space: SearchSpace) -> Dependence:
    """Measure all pairs on the training rows of the splits; the mean where there are several.

    Of many features those of the first `POOL`, the most relevant. Evaluation rows are never looked
    at.
    """
    rows, features = space.rows, space.blocks[:POOL]
    redundancy = np.zeros((len(features), len(features)))
    entropy = np.zeros(len(features))
    for split in rows.splits:
        matrix = rows.filled(split).matrix
        codes = [feature_codes(matrix[np.ix_(split.train, block)]) for block in features]
        weights = None if rows.weights is None else rows.weights[split.train]
        redundancy += pairwise_information(codes, weights, space.n_jobs)
        entropy += [entropy_of(column, weights) for column in codes]
    n_splits = len(rows.splits)
    return Dependence(space.mi[:POOL], redundancy / n_splits, entropy / n_splits)


def pairwise_information(
    codes: Sequence[Codes], weights: Vector | None = None, n_jobs: int | None = None
) -> Matrix:
    """Estimate the mutual information of every pair of discrete features.

    The estimate is that of `nffs.fitness.mutual_information`: plug-in, corrected for its bias.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1, 1] * 500), np.array([0, 1, 0, 1] * 500)
    >>> pairwise_information([a, b]).round(2)  # ln 2 on the diagonal
    array([[0.69, 0.  ],
           [0.  , 0.69]])
    """
    n = len(codes)
    out = np.zeros((n, n))
    if weights is not None:
        for i in range(n):
            for j in range(i + 1):
                out[i, j] = out[j, i] = mutual_information(codes[i], codes[j], weights=weights)
    else:
        listed = [_Listed.of(column) for column in codes]
        counts = np.arange(len(codes[0]) + 1, dtype=np.float64)
        xlogx = counts * np.log(np.maximum(counts, 1))

        def work(numbers: Iterator[int]) -> None:
            for i in numbers:
                for j in range(i):
                    out[i, j] = out[j, i] = _information(listed[i], listed[j], xlogx)

        share(n, effective_n_jobs(n_jobs), work)
    np.fill_diagonal(out, [entropy_of(column, weights) for column in codes])
    return out


class Redundancy:
    """The mutual information of any feature with all others, computed when it is asked for."""

    def __init__(self, codes: Sequence[Codes]) -> None:
        self._listed = [_Listed.of(column) for column in codes]
        counts = np.arange(len(codes[0]) + 1, dtype=np.float64)
        self._xlogx = counts * np.log(np.maximum(counts, 1))

    def of(self, feature: int) -> Vector:
        """Estimate the mutual information of a feature with every feature."""
        one = self._listed[feature]
        return np.array([_information(one, other, self._xlogx) for other in self._listed])


@dataclass(frozen=True)
class _Listed:
    """A feature, and its rows value by value, those of the commonest value left out."""

    codes: NDArray[Any]
    counts: NDArray[np.int64]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, codes: Codes) -> _Listed:
        small = codes.astype(np.min_scalar_type(int(codes.max())))
        counts = np.bincount(codes).astype(np.int64)
        common = int(counts.argmax())
        order = np.argsort(small, kind="stable").astype(np.int32)
        ends = counts.cumsum()
        rows = np.delete(order, slice(ends[common] - counts[common], ends[common]))
        listed = counts.copy()
        listed[common] = 0
        return cls(small, counts, rows, np.concatenate([[0], listed.cumsum()]))


def _information(a: _Listed, b: _Listed, xlogx: Vector) -> float:
    if len(a.rows) > len(b.rows):
        a, b = b, a
    fits = len(a.counts) * len(b.counts) <= _MOST_CELLS
    if fits and len(a.rows) > _FEW * len(a.codes):
        return float(_count_all(a.codes, a.counts, b.codes, b.counts, xlogx))
    return float(_count_listed(a.rows, a.starts, a.counts, b.codes, b.counts, xlogx))


@kernel
def _count_listed(rows, starts, counts_a, codes_b, counts_b, xlogx):
    """Count value by value of a; its commonest value has what is left."""
    n_b = len(counts_b)
    hist = np.zeros(n_b, dtype=np.int64)
    rest = counts_b.copy()
    joint, cells = 0.0, 0
    for v in range(len(counts_a)):
        if starts[v + 1] == starts[v]:
            continue
        for at in range(starts[v], starts[v + 1]):
            hist[codes_b[rows[at]]] += 1
        for u in range(n_b):
            if hist[u] > 0:
                joint += xlogx[hist[u]]
                cells += 1
                rest[u] -= hist[u]
                hist[u] = 0
    for u in range(n_b):
        joint += xlogx[rest[u]]
        cells += rest[u] > 0
    return _estimate(joint, cells, counts_a, counts_b, xlogx)


@kernel
def _count_all(codes_a, counts_a, codes_b, counts_b, xlogx):
    """Count all rows in their order, which is the order of memory."""
    n_b = len(counts_b)
    hist = np.zeros(len(counts_a) * n_b, dtype=np.int32)
    for i in range(len(codes_a)):
        hist[np.uint32(codes_a[i]) * np.uint32(n_b) + np.uint32(codes_b[i])] += 1
    joint, cells = 0.0, 0
    for count in hist:
        if count > 0:
            joint += xlogx[count]
            cells += 1
    return _estimate(joint, cells, counts_a, counts_b, xlogx)


@inlined
def _estimate(joint, cells, counts_a, counts_b, xlogx):
    n_rows, spare = len(xlogx) - 1, cells + 1
    for count in counts_a:
        joint -= xlogx[count]
        spare -= count > 0
    for count in counts_b:
        joint -= xlogx[count]
        spare -= count > 0
    return max(0.0, np.log(n_rows) + joint / n_rows - spare / (2 * n_rows))


def entropy_of(codes: Codes, weights: Vector | None = None) -> float:
    """Give the entropy of a discrete feature, in nats."""
    counts = np.bincount(codes, weights)
    share_of = counts[counts > 0] / counts.sum()
    return float(-(share_of * np.log(share_of)).sum())
