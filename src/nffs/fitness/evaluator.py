"""Evaluator: a mask in, its fitness out. The only thing a search talks to.

An evaluator is a pure function of the mask: its randomness is addressed by the seed and the mask
itself, so the same subset has the same fitness whenever, wherever and however often it is asked
for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.blas import one_blas_thread
from nffs.fitness.splits import Split, SplitRows
from nffs.randomness import derive_seed

#: Of what a mask's fitness is. It rises when a change of the engine changes any bit of a score, so
#: that no journal mixes the two.
REVISION = 2

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Fitness:
    """How good a subset is: one score for every split (row) and parameter group (column)."""

    scores: NDArray[np.float64]

    @property
    def value(self) -> float:
        """The mean over splits and groups, which the search goes by."""
        return float(self.scores.mean())


def values_of(fitness: Sequence[Fitness]) -> NDArray[np.float64]:
    """Stack the values of many subsets."""
    return np.array([f.value for f in fitness])


def scores_of(fitness: Sequence[Fitness]) -> NDArray[np.float64]:
    """Stack the scores of many subsets: subsets, splits, groups."""
    return np.array([f.scores for f in fitness])


class SplitScorer(Protocol):
    """Judges subsets of columns on one split."""

    def scores(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give the score of every parameter group."""
        ...


class Engine(Protocol):
    """A way to train and judge: the scikit-learn reference or the binned forest."""

    def prepare(self, rows: SplitRows, split: Split) -> SplitScorer:
        """Do once what all subsets of a split share."""
        ...


class Evaluator:
    """Judges subsets of features.

    Parameters
    ----------
    rows : SplitRows
        The encoded rows and their splits.
    engine : Engine
        How to train and judge.
    membership : (n_columns,) int
        For every column of the rows, the feature it belongs to. Masks are over features.
    seed : int
        The address of all randomness.
    """

    def __init__(self, rows: SplitRows, engine: Engine, membership: Indices, seed: int) -> None:
        self._judges = [engine.prepare(rows, split) for split in rows.splits]
        self._membership = membership
        self._seed = seed

    def __call__(self, mask: Mask) -> Fitness:
        """Judge one subset."""
        columns = mask[self._membership]
        address = np.packbits(mask).tobytes()
        with one_blas_thread:
            scores = [
                judge.scores(columns, derive_seed(self._seed, "fitness", address, number))
                for number, judge in enumerate(self._judges)
            ]
        return Fitness(np.array(scores, dtype=np.float64))
