"""A sample that evaluates, and what the rows beyond it still say.

A forest does not need millions of rows to tell good subsets from bad ones, but counts and
covariances are cheap, and better from all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.randomness import generator
from nffs.table.encoding import Encoding
from nffs.table.reading import RowSource
from nffs.table.target import Rows, Target

Block = tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.float64] | None]

#: Rows of a class that the sample has at least, if there are so many.
_FEWEST = 20


def stratified_sample(target: Target, max_rows: int, seed: int) -> Rows:
    """Draw rows so that classes keep their shares, and rare ones enough rows to evaluate by."""
    strata = target.strata
    counts = np.bincount(strata, minlength=target.n_strata)
    quota = np.maximum(counts * max_rows // len(strata), np.minimum(counts, _FEWEST))
    # what rounding left over, or rare classes took, is the largest class's
    largest = int(quota.argmax())
    quota[largest] = max(1, min(counts[largest], quota[largest] + max_rows - quota.sum()))
    drawn = [
        generator(seed, "sample", code).choice(
            np.flatnonzero(strata == code), quota[code], replace=False
        )
        for code in range(target.n_strata)
    ]
    return np.sort(np.concatenate(drawn))


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
