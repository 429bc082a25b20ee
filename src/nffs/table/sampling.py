"""A sample that evaluates, and what the rows beyond it still say.

A forest does not need millions of rows to tell good subsets from bad ones, but counts and
covariances are cheap, and better from all rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError
from nffs.randomness import generator
from nffs.table.encoding import Encoding
from nffs.table.reading import RowSource
from nffs.table.target import Rows, Target

Block = tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.float64] | None]

#: Rows of a class that the sample has, if the class has so many: to evaluate by where there is room
#: for them, and at least.
_ENOUGH, _FEWEST = 20, 5


def stratified_sample(target: Target, max_rows: int, seed: int) -> Rows:
    """Draw rows so that classes keep their shares, and rare ones enough rows to evaluate by.

    Never more rows than asked for. What rare classes get beyond their share is taken from the
    classes that have most, so that none of those is left with less than a rare one.
    """
    strata = target.strata
    counts = np.bincount(strata, minlength=target.n_strata)
    if len(target.classes):
        _refuse_few(counts, max_rows)
    quota = np.maximum(counts * max_rows // len(strata), np.minimum(counts, _ENOUGH))
    if quota.sum() > max_rows:
        quota = _levelled(quota, max_rows)
    # What rounding left over is the largest class's.
    largest = int(quota.argmax())
    quota[largest] = min(counts[largest], quota[largest] + max_rows - quota.sum())
    drawn = [
        generator(seed, "sample", code).choice(
            np.flatnonzero(strata == code), quota[code], replace=False
        )
        for code in range(target.n_strata)
    ]
    return np.sort(np.concatenate(drawn))


def _refuse_few(counts: NDArray[np.intp], max_rows: int) -> None:
    """Refuse a sample in which some class would be as good as absent."""
    need = int(np.minimum(counts, _FEWEST).sum())
    if max_rows < need:
        raise InputError(
            f"max_rows: {max_rows} rows are too few for {len(counts)} classes, of which a sample "
            f"needs {_FEWEST} rows each; give at least {need}."
        )


def _levelled(quota: NDArray[np.intp], total: int) -> NDArray[np.intp]:
    """Cap numbers at the highest level at which they add up to at most a total.

    >>> _levelled(np.array([25, 30, 20, 3]), 60)
    array([19, 19, 19,  3])
    """
    level = bisect_right(range(int(quota.max())), total, key=lambda n: np.minimum(quota, n).sum())
    return np.minimum(quota, level - 1)


@dataclass(frozen=True)
class Beyond:
    """The training rows that are not in the sample."""

    source: RowSource  # all rows
    sample: Rows  # the numbers of those in the sample, sorted
    encoding: Encoding  # how they become a matrix
    target: Target  # of all rows
    weights: NDArray[np.float64] | None  # of all rows

    def blocks(self, doing: str) -> Iterator[Block]:
        """Give encoded columns, strata and weights block by block; ``doing`` is logged."""
        start = 0
        for table in self.source.blocks(doing):
            rows = slice(start, start + table.n_rows)
            first, last = np.searchsorted(self.sample, [rows.start, rows.stop])
            keep = np.ones(table.n_rows, dtype=np.bool_)
            keep[self.sample[first:last] - start] = False
            yield (
                self.encoding.matrix(table)[keep],
                self.target.strata[rows][keep],
                None if self.weights is None else self.weights[rows][keep],
            )
            start += table.n_rows
