"""What all subsets so far say about one that was not evaluated: a Gaussian process over masks.

Two subsets are as far apart as the features in which they differ are important. With weights w that
add up to 1, the distance of the masks a and b is

    d(a, b) = sum_i w_i |a_i - b_i|                                     in [0, 1]

and the covariance of their scores is a function of it alone,

    k(a, b) = (1 - share) exp(-d / scale) + share (1 - 2 d).

The first part remembers subsets that are alike. The second is that of a linear model: with masks
written as -1 and 1, sum_i w_i a_i b_i = 1 - 2 d. Scale, share and noise are those under which the
scores are most probable.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from nffs.fitness import Masks
from nffs.search.importance import Effects, effects_of

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

#: What is tried: scales of the distance, shares of the linear part, multiples of the noise that was
#: measured.
SCALES = (0.03, 0.1, 0.3, 1.0)
SHARES = (0.0, 0.3, 0.6, 0.9)
NOISES = (0.5, 1.0, 2.0, 4.0)

#: Of the weights, the part that all features have alike: nothing is known for certain.
ALIKE = 0.3

#: Subsets that the model learns from at most: the best half of them, and others evenly spaced.
MOST = 768

#: Subsets that scale, share and noise are found from at most.
_MOST_FOR_EVIDENCE = 192

#: The noise, at least, as a part of the scores' variance.
_LEAST_NOISE = 1e-3


@dataclass(frozen=True)
class Kernel:
    """The covariance of two scores by the distance of their masks."""

    weights: Vector  # (n_features,) how much a feature counts; they add up to 1
    scale: float
    share: float

    def distances(self, masks: Masks, others: Masks) -> Matrix:
        """Give the weighted Hamming distance of every mask to every other."""
        a, b = masks.astype(np.float32), others.astype(np.float32)
        weights = self.weights.astype(np.float32)
        common = (a * weights) @ b.T
        apart = (a @ weights)[:, None] + (b @ weights)[None] - 2.0 * common
        return np.maximum(apart.astype(np.float64), 0.0)

    def __call__(self, distances: Matrix) -> Matrix:
        """Give the covariance at every distance."""
        near = np.exp(-distances / self.scale)
        return (1.0 - self.share) * near + self.share * (1.0 - 2.0 * distances)


@dataclass(frozen=True)
class Surrogate:
    """Predicts the fitness of masks from those that were evaluated.

    Attributes
    ----------
    effects : Effects
        What every feature adds, by a linear model, with its standard error.
    kernel : Kernel
        With the scale and share that were found.
    noise : float
        The variance of a fitness around what it would be on endless rows, as a part of the variance
        of the scores.
    """

    effects: Effects
    kernel: Kernel
    noise: float
    masks: Masks  # those it learned from
    middle: float  # of their fitness
    spread: float
    _factor: Any  # Cholesky factor of their covariance with the noise
    _solved: Vector  # its inverse times the scores

    @classmethod
    def of(
        cls, masks: Masks, fitness: Vector, noise: float, known: Surrogate | None = None
    ) -> Surrogate:
        """Learn from evaluated masks.

        Parameters
        ----------
        masks : (n, n_features) bool
            Distinct masks.
        fitness : (n,) float
            Their fitness.
        noise : float
            The variance of a fitness, as `measured_noise` gives it.
        known : Surrogate, optional
            An earlier one, of fewer masks: its weights, scale, share and noise are used again.
        """
        some = _informative(fitness, MOST)
        masks, fitness = masks[some], fitness[some]
        middle, spread = float(fitness.mean()), float(fitness.std()) or 1.0
        scores = (fitness - middle) / spread
        if known is None:
            effects = effects_of(masks, fitness)
            kernel, part = _most_probable(masks, scores, effects, noise / spread**2)
        else:
            effects, kernel, part = known.effects, known.kernel, known.noise
        covariance = kernel(kernel.distances(masks, masks))
        covariance[np.diag_indices_from(covariance)] += part
        factor = cho_factor(covariance, lower=True, overwrite_a=True, check_finite=False)
        solved = cho_solve(factor, scores, check_finite=False)
        return cls(effects, kernel, part, masks, middle, spread, factor, solved)

    def predict(self, masks: Masks) -> tuple[Vector, Vector]:
        """Give the expected fitness of masks, and its standard deviation, noise not counted."""
        across = self.kernel(self.kernel.distances(masks, self.masks))
        mean = across @ self._solved
        known = solve_triangular(self._factor[0], across.T, lower=True, check_finite=False)
        variance = np.maximum(1.0 - (known**2).sum(axis=0), 0.0)
        return self.middle + self.spread * mean, self.spread * np.sqrt(variance)

    @cached_property
    def fitted(self) -> Vector:
        """The expected fitness of the masks it learned from."""
        return self.predict(self.masks)[0]


def measured_noise(scores: NDArray[np.float64]) -> float:
    """Estimate the variance of a fitness from the scores of every split and group.

    Some splits are harder and some groups better for every subset alike; that is no noise and is
    taken off first.

    Parameters
    ----------
    scores : (n, n_splits, n_groups) float
        Of all masks so far; nan where one could not be evaluated.
    """
    scores = scores[~np.isnan(scores).any(axis=(1, 2))]
    left = (scores - scores.mean(axis=0)).mean(axis=2)
    left = left - left.mean(axis=1, keepdims=True)
    n, n_splits = left.shape
    if n < 2 or n_splits < 2:
        return 0.0
    return float((left**2).sum() / ((n - 1) * (n_splits - 1) * n_splits))


def _most_probable(
    masks: Masks, scores: Vector, effects: Effects, noise: float
) -> tuple[Kernel, float]:
    """Find scale, share and noise under which the scores are most probable."""
    some = _informative(scores, _MOST_FOR_EVIDENCE)
    masks, scores = masks[some], scores[some]
    weights = _weights(effects)
    distances = Kernel(weights, 1.0, 0.0).distances(masks, masks)
    best: tuple[float, Kernel, float] | None = None
    for scale, share in product(SCALES, SHARES):
        kernel = Kernel(weights, scale, share)
        size, turn = np.linalg.eigh(kernel(distances))
        along = (turn.T @ scores) ** 2
        for multiple in NOISES:
            part = max(_LEAST_NOISE, noise * multiple)
            total = np.maximum(size, 0.0) + part
            # The kernel's own size is the one that fits best.
            stretch = float((along / total).mean())
            evidence = -0.5 * (np.log(total).sum() + len(scores) * np.log(stretch + 1e-300))
            if best is None or evidence > best[0]:
                best = (float(evidence), kernel, part)
    assert best is not None  # there is something to try
    return best[1], best[2]


def _weights(effects: Effects) -> Vector:
    """Give every feature its weight: by the size of its effect, and a part that all have alike."""
    size = np.abs(effects.value)
    n, total = len(size), float(size.sum())
    share = size / total if total > 0.0 else np.full(n, 1.0 / n)
    weights: Vector = ALIKE / n + (1.0 - ALIKE) * share
    return weights


def _informative(fitness: Vector, most: int) -> NDArray[np.intp]:
    """Take the best half of what is allowed, and others evenly spaced by fitness."""
    if len(fitness) <= most:
        return np.arange(len(fitness))
    order = np.argsort(-fitness, kind="stable")
    best, rest = order[: most // 2], order[most // 2 :]
    others = rest[np.linspace(0, len(rest) - 1, most - len(best)).astype(np.intp)]
    return np.sort(np.concatenate([best, others]))
