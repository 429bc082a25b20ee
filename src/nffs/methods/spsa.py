"""Simultaneous perturbation stochastic approximation (SPSA-FSR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks
from nffs.search.method import Method, Proposals, SearchSpace, Vector

#: Steps of the least gain, at most, until the subset is another one.
_MOST_NUDGES = 100


@dataclass(frozen=True)
class SPSA(Method):
    """Importances of features that climb a gradient which two subsets estimate at a time.

    Every feature has an importance w in [0, 1], at first 0.5, and is in the subset if w rounds to
    1. All importances are perturbed at once by random signs D, and the scores of the two rounded
    vectors estimate the gradient, ``(y(w + c D) - y(w - c D)) / (2 c D)``; a few such estimates are
    averaged. The step ``w + a g`` has Barzilai and Borwein's gain, ``a = s.s / |s.q|`` of the last
    step s and the last change q of the gradient, held within bounds and averaged with the gains
    before it. A gradient of zeros leaves the last one in force.

    Our reading: the gradients that are averaged are taken at the same point, as the authors' own
    program does it (github.com/akmand/spFSR), and the bounds, the signs' size c, the numbers
    averaged, and small steps on where a step leaves the subset as it was, are that program's. After
    so many steps without a better subset, where the program stops, the search starts again.
    """

    perturbation: float = 0.05
    gradients: int = 4
    least_gain: float = 0.01
    largest_gain: float = 1.0
    smoothed: int = 3
    patience: int = 35

    name: ClassVar[str] = "spsa"
    description: ClassVar[str] = "stochastic approximation of importances (SPSA-FSR)"
    source: ClassVar[str] = (
        "Aksakalli and Malekipirbazari, Pattern Recognit. Lett. 75 (2016); "
        "Aksakalli et al., Comput. Oper. Res. 132 (2021)"
    )

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the perturbed subsets, then the one that the step leads to."""
        w = np.full(space.n_features, 0.5)
        before, last = w, np.zeros(space.n_features)
        gains: list[float] = []
        best, stalled = -np.inf, 0
        while stalled < self.patience:
            signs = rng.choice([-1.0, 1.0], size=(self.gradients, space.n_features))
            both = (w + self.perturbation * np.concatenate([signs, -signs])).clip(0, 1)
            plus, minus = np.split((yield self.round(subset_of(both))).fitness, 2)
            gradient = estimated_gradient(plus, minus, signs, self.perturbation)
            gradient = gradient if gradient.any() else last
            gain = barzilai_borwein(w - before, gradient - last) if gains else self.least_gain
            gains.append(min(max(gain, self.least_gain), self.largest_gain))
            before, last = w, gradient
            w = self._step(w, smooth(gains, self.smoothed), gradient)
            reached = float((yield self.round(subset_of(w[None]))).fitness[0])
            stalled = 0 if reached > best else stalled + 1
            best = max(best, reached)
        return None

    def _step(self, w: Vector, gain: float, gradient: Vector) -> Vector:
        """Climb, and a little further if the subset would stay the same."""
        stepped = moved = (w + gain * gradient).clip(0, 1)
        for further in range(1, _MOST_NUDGES + 1):
            if (subset_of(moved) != subset_of(w)).any():
                break
            moved = (stepped + further * self.least_gain * gradient).clip(0, 1)
        return moved


def subset_of(importances: NDArray[np.float64]) -> Masks:
    """Round importances to masks; of a vector that rounds to no feature the largest is left."""
    masks: Masks = importances >= 0.5
    largest = np.arange(importances.shape[-1]) == importances.argmax(axis=-1)[..., None]
    return np.where(masks.any(axis=-1, keepdims=True), masks, largest)


def estimated_gradient(
    plus: Vector, minus: Vector, signs: NDArray[np.float64], perturbation: float
) -> Vector:
    """Average the gradients that pairs of scores estimate; the inverse of a sign is the sign.

    >>> estimated_gradient(np.array([0.8]), np.array([0.6]), np.array([[1.0, -1.0]]), 0.05)
    array([ 2., -2.])
    """
    found: Vector = ((plus - minus)[:, None] * signs).mean(axis=0) / (2 * perturbation)
    return found


def barzilai_borwein(step: Vector, change: Vector) -> float:
    """Give the gain for which the gradient's change best explains the step; 0 if none does.

    >>> barzilai_borwein(np.array([0.5, 1.0]), np.array([0.5, -1.0]))
    1.6666666666666667
    """
    bottom = abs(float(step @ change))
    return float(step @ step) / bottom if bottom > 0 else 0.0


def smooth(gains: Sequence[float], n: int) -> float:
    """Average the last gains."""
    return float(np.mean(gains[-n:]))
