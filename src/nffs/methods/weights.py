"""Equations 2, 3 and 4 of the paper and the nested subsets: pure functions, masks in, masks out.

A mask is a boolean vector over the features; a set of subsets is a matrix with one mask a row. The
paper's letters: WV1 is what `probability_weights` returns, AFS1 what `draw_subsets` returns, WV2
what `normalized_frequencies` returns and AFS2 what `nested_subsets` returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks
from nffs.randomness import generator
from nffs.search.allowed import Allowed
from nffs.search.loop import rank_subsets

Vector = NDArray[np.float64]

#: Eq. 2: the weight every feature holds, and the most that its mutual information may add.
BASE_WEIGHT = 0.5
LARGEST_INCREASE = 0.4


def probability_weights(mi: Vector, threshold: float) -> Vector:
    """Turn mutual information into selection probabilities (eq. 2, WV1).

    >>> probability_weights(np.array([0.0, 0.1, 0.2, 0.3]), threshold=0.1)
    array([0.5, 0.5, 0.7, 0.9])
    """
    weights = np.full(len(mi), BASE_WEIGHT)
    above = mi > threshold
    if above.any():
        weights[above] += LARGEST_INCREASE * ((mi[above] - threshold) / (mi.max() - threshold))
    return weights


def draw_subsets(weights: Vector, n_subsets: int, seed: int) -> Masks:
    """Draw subsets by the features' probabilities (eq. 3, AFS1).

    Subset i depends on the seed and i alone, so a larger `n_subsets` keeps the first ones. An
    empty subset cannot be evaluated and is drawn again.
    """
    drawn = np.zeros((n_subsets, len(weights)), dtype=np.bool_)
    for i in range(n_subsets):
        rng = generator(seed, "draw", i)
        while not drawn[i].any():
            drawn[i] = weights > rng.random(len(weights))
    return drawn


@dataclass(frozen=True)
class Frequencies:
    """Counts of each feature in the best and worst subsets, and its weight (eq. 4, WV2)."""

    top: NDArray[np.int64]
    bottom: NDArray[np.int64]
    weights: Vector

    @classmethod
    def none(cls, n_features: int) -> Frequencies:
        """Give the frequencies of features of which nothing is known yet."""
        nothing = np.zeros(n_features, dtype=np.int64)
        return cls(nothing, nothing, np.zeros(n_features))


def normalized_frequencies(drawn: Masks, fitness: Vector, n_top: int, n_bottom: int) -> Frequencies:
    """Count features in the best and worst subsets, subtract the unit vectors (eq. 4, WV2)."""
    order = rank_subsets(drawn, fitness)
    top = drawn[order[:n_top]].sum(axis=0, dtype=np.int64)
    bottom = drawn[order[len(order) - n_bottom :]].sum(axis=0, dtype=np.int64)
    return Frequencies(top, bottom, _unit(top) - _unit(bottom))


def pooled_frequencies(each: Sequence[Frequencies]) -> Frequencies:
    """Average the weights of several phases I, and add up their counts."""
    return Frequencies(
        top=np.sum([f.top for f in each], axis=0),
        bottom=np.sum([f.bottom for f in each], axis=0),
        weights=np.mean([f.weights for f in each], axis=0),
    )


def _unit(counts: NDArray[np.int64]) -> Vector:
    return counts / np.linalg.norm(counts)


def rank_features(weights: Vector) -> NDArray[np.intp]:
    """Order features by weight, largest first; equals keep their order."""
    return np.argsort(-weights, kind="stable")


def nested_subsets(weights: Vector, n_nested: int, allowed: Allowed | None = None) -> Masks:
    """Build the subsets of the first 1, 2, ..., `n_nested` features by weight (AFS2).

    With constraints they begin at the fewest features allowed, what must be in before the others,
    and end at the most.

    >>> nested_subsets(np.array([0.1, 0.3, -0.2]), n_nested=2).astype(int)
    array([[0, 1, 0],
           [1, 1, 0]])
    """
    allowed = Allowed.everything(len(weights)) if allowed is None else allowed
    order, counts = allowed.leading(rank_features(weights))
    sizes = counts[:n_nested]
    nested = np.zeros((len(sizes), len(weights)), dtype=np.bool_)
    for mask, size in zip(nested, sizes, strict=True):
        mask[order[:size]] = True
    return nested
