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

#: What all sizes together cost, in evaluations of the subset that they begin with.
ELIMINATION_COST = 1 / (1 - KEPT)


def elimination_sizes(n: int) -> list[int]:
    """Give the sizes that elimination passes through, from n features to one.

    >>> elimination_sizes(10)
    [10, 7, 5, 3, 2, 1]
    """
    sizes = [n]
    while sizes[-1] > 1:
        sizes.append(max(1, int(KEPT * sizes[-1])))
    return sizes


@dataclass(frozen=True)
class Elimination:
    """Eliminates features of a subset on one split.

    Parameters
    ----------
    scorer : WeighingScorer
        Trains, scores and weighs.
    membership : (n_columns,) int
        For every column the feature it belongs to: features are dropped as a whole.
    """

    scorer: WeighingScorer
    membership: Indices

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Give, for one subset, the scores of every size by every group, the largest size first."""
        (start,), (seed,) = columns, seeds
        return np.concatenate([scores for _, scores in self._steps(start, seed)])[None]

    def path(self, columns: Mask, seed: int) -> Masks:
        """Give the features that are left at every size."""
        return np.array([features for features, _ in self._steps(columns, seed)])

    def _steps(self, columns: Mask, seed: int) -> Iterator[tuple[Mask, NDArray[np.float64]]]:
        """Give the features and scores of every size."""
        n: int = self.membership.max() + 1
        features = np.zeros(n, dtype=np.bool_)
        features[self.membership[columns]] = True
        weights = np.zeros(n)
        for size in elimination_sizes(int(features.sum())):
            if size < features.sum():
                # Stable: of equals the ones that share more with the target come first.
                order = np.argsort(np.where(features, -weights, np.inf), kind="stable")
                features = np.zeros(n, dtype=np.bool_)
                features[order[:size]] = True
            columns = features[self.membership]
            found = self.scorer.weighed(columns, derive_seed(seed, "size", size))
            weights = np.zeros(n)
            np.add.at(weights, self.membership[columns], found.weights)
            yield features, found.scores
