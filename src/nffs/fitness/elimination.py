"""Recursive elimination inside every split: it scores a size, not one subset.

A subset that was chosen by all rows is flattered by any of them. Here a model is trained on a
split's training rows, the columns that count least for it are dropped, and so on down to one
feature; the evaluation rows score every step and decide nothing. The mean over splits is an honest
score for features chosen in this way (Ambroise and McLachlan 2002).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.evaluator import Indices, Mask, Masks, WeighingScorer
from nffs.randomness import derive_seed

#: The share of the features that is left after a step.
KEPT = 0.75

#: So many features or fewer are dropped one by one: every one of them may be a signal.
FEW = 16

#: What decides the sizes, for the identity of an elimination.
ELIMINATION_STEPS = f"{KEPT:g} of the features, one by one from {FEW}"


def elimination_sizes(n: int, fewest: int = 1, through: int | None = None) -> list[int]:
    """Give the sizes that elimination passes through, from n features to the fewest.

    >>> elimination_sizes(50)[:8]
    [50, 37, 27, 20, 15, 14, 13, 12]
    >>> elimination_sizes(50, fewest=12, through=30)
    [50, 37, 30, 22, 16, 15, 14, 13, 12]
    """
    sizes = [n]
    while sizes[-1] > max(1, fewest):
        size = sizes[-1] - 1 if sizes[-1] <= FEW else int(KEPT * sizes[-1])
        size = max(1, fewest, size)
        if through is not None and size < through < sizes[-1]:
            size = through
        sizes.append(size)
    return sizes


def elimination_cost(n: int) -> float:
    """Give what all sizes together cost, in evaluations of the n features that they begin with.

    >>> round(elimination_cost(16), 1), round(elimination_cost(1000), 1)
    (8.5, 4.0)
    """
    return sum(elimination_sizes(n)) / n


@dataclass(frozen=True)
class Elimination:
    """Eliminates features of a subset on one split.

    Parameters
    ----------
    scorer : WeighingScorer
        Trains, scores and weighs.
    membership : (n_columns,) int
        For every column the feature it belongs to: features are dropped as a whole.
    included : (n_features,) bool
        Features that are never dropped.
    largest : int
        The most features that may be selected: one of the sizes.
    """

    scorer: WeighingScorer
    membership: Indices
    included: Mask
    largest: int

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Give, for one subset, the scores of every size by every group, the largest size first."""
        (start,), (seed,) = columns, seeds
        return np.concatenate([scores for _, scores in self._steps(start, seed)])[None]

    def path(self, columns: Mask, seed: int) -> Masks:
        """Give the features that are left at every size."""
        return np.array([features for features, _ in self._steps(columns, seed)])

    def _steps(self, columns: Mask, seed: int) -> Iterator[tuple[Mask, NDArray[np.float64]]]:
        """Give the features and scores of every size."""
        n, included = len(self.included), self.included
        features = np.zeros(n, dtype=np.bool_)
        features[self.membership[columns]] = True
        weights = np.zeros(n)
        fewest = int((features & included).sum())
        for size in elimination_sizes(int(features.sum()), fewest, self.largest):
            if size < features.sum():
                # Stable: of equals the ones that share more with the target come first.
                weights[included] = np.inf
                order = np.argsort(np.where(features, -weights, np.inf), kind="stable")
                features = np.zeros(n, dtype=np.bool_)
                features[order[:size]] = True
            columns = features[self.membership]
            found = self.scorer.weighed(columns, derive_seed(seed, "size", size))
            weights = np.zeros(n)
            np.add.at(weights, self.membership[columns], found.weights)
            yield features, found.scores
