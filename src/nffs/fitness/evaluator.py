"""The evaluator: masks in, scores out. The only thing that scores a mask.

An evaluator is a pure function of a mask: its randomness is seeded by the seed and the mask itself,
so the same subset has the same scores whenever, wherever and however often it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.blas import one_blas_thread
from nffs.fitness.splits import Split, SplitRows
from nffs.randomness import derive_seed

Mask = NDArray[np.bool_]
Masks = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Fitness:
    """How good a subset is: one score for every split (row) and parameter group (column)."""

    scores: NDArray[np.float64]

    @property
    def value(self) -> float:
        """The mean over splits and groups, which the search goes by."""
        return float(self.scores.mean())


@dataclass(frozen=True)
class Shape:
    """How large the encoded rows of a split are."""

    n_train: int
    n_evaluation: int
    n_columns: int
    n_binary: int = 0  # columns of 0 and 1 among them
    n_few: int = 0  # columns of few values, which those of 0 and 1 are too

    @property
    def n_rows(self) -> int:
        """All rows of the split."""
        return self.n_train + self.n_evaluation


@dataclass(frozen=True)
class Memory:
    """The most bytes that an engine holds beside the encoded rows."""

    once: int  # while it prepares
    split: int  # for every split, throughout
    subset: int  # for every subset that is evaluated at a time
    weighed: int = 0  # the same where columns are weighed


class SplitScorer(Protocol):
    """Scores subsets of columns on one split."""

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Give the score of every subset (row) under every parameter group (column)."""
        ...


@dataclass(frozen=True)
class Weighed:
    """What a model that was trained on a subset of columns scores, and what it makes of them."""

    scores: NDArray[np.float64]  # (n_groups,)
    weights: NDArray[np.float64]  # (n_columns of the subset,) how much each counts; they add to 1


def shares_of(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make weights add up to 1; below zero counts as zero, and nothing at all as all alike."""
    weights = np.maximum(np.nan_to_num(weights), 0.0)
    total = float(weights.sum())
    if total == 0.0:
        return np.full(len(weights), 1.0 / len(weights))
    shares: NDArray[np.float64] = weights / total
    return shares


@runtime_checkable
class WeighingScorer(SplitScorer, Protocol):
    """Scores subsets of columns on one split, and can tell how much each column counts."""

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns."""
        ...


@runtime_checkable
class PredictingScorer(SplitScorer, Protocol):
    """Scores subsets of columns on one split, and can tell which classes it predicts."""

    def predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows: models, rows, classes."""
        ...


class Engine(Protocol):
    """A way to train models and score them."""

    @property
    def batch(self) -> int:
        """How many subsets it likes to be given at a time."""
        ...

    @property
    def weighs(self) -> bool:
        """Whether its scorers can tell how much a column counts."""
        ...

    def prepare(self, rows: SplitRows, split: Split) -> SplitScorer:
        """Do once what all subsets of a split share; a `WeighingScorer` if it weighs.

        The rows are filled: of numbers that were missing, `unfilled` still has the gaps.
        """
        ...

    def identity(self) -> dict[str, str]:
        """Name everything of the engine that decides a score, as it was resolved."""
        ...

    def memory(self, shape: Shape) -> Memory:
        """Bound the memory for encoded rows of this shape."""
        ...


class Evaluator:
    """Scores subsets of features.

    Parameters
    ----------
    rows : SplitRows
        The encoded rows and their splits.
    engine : Engine
        How to train and score.
    membership : (n_columns,) int
        For every column of the rows, the feature it belongs to. Masks are over features.
    seed : int
        Seeds everything random.
    """

    def __init__(self, rows: SplitRows, engine: Engine, membership: Indices, seed: int) -> None:
        self.batch = engine.batch
        self._scorers: list[SplitScorer] = [
            engine.prepare(rows.filled(split), split) for split in rows.splits
        ]
        self._membership = membership
        self._seed = seed

    def with_scorers(self, made: Callable[[SplitScorer], SplitScorer]) -> Evaluator:
        """Give one that scores by others, made of what was prepared."""
        found = copy(self)
        found._scorers = [made(scorer) for scorer in self._scorers]
        return found

    def __call__(self, masks: Masks) -> list[Fitness]:
        """Score some subsets, one mask a row."""
        columns = masks[:, self._membership]
        addresses = [np.packbits(mask).tobytes() for mask in masks]
        with one_blas_thread:
            by_split = [
                scorer.scores(
                    columns, [derive_seed(self._seed, "fitness", a, number) for a in addresses]
                )
                for number, scorer in enumerate(self._scorers)
            ]
        table = np.array(by_split, dtype=np.float64)
        return [Fitness(np.ascontiguousarray(table[:, i])) for i in range(len(masks))]
