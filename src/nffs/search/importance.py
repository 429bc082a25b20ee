"""What every feature adds to the fitness of the subsets it is in: ridge regression over masks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks

Vector = NDArray[np.float64]

#: Steps at most, and the change of the coefficients that ends them.
_STEPS, _CLOSE = 300, 1e-3

#: The weight of what is assumed beforehand, and what keeps a variance from zero.
_PRIOR, _TINY = 2e-6, 1e-16


@dataclass(frozen=True)
class Effects:
    """What every feature adds, in the units of the fitness, and the standard error of that."""

    value: Vector
    error: Vector


def effects_of(masks: Masks, fitness: Vector, weights: Vector | None = None) -> Effects:
    """Measure what every feature adds.

    The penalty is the most probable one, found as MacKay (1992) does: what scikit-learn's
    `BayesianRidge` gives, without its matrices of features by features.

    Parameters
    ----------
    masks : (n, n_features) bool
        Subsets that were evaluated.
    fitness : (n,) float
        Their fitness.
    weights : (n,) float, optional
        How much each counts: a fitness of more splits is worth more.

    Examples
    --------
    >>> masks = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=bool)
    >>> effects_of(masks, np.array([0.6, 0.5, 0.6, 0.5])).value.round(2)
    array([0.1, 0. ])
    """
    if len(masks) < 3 or np.ptp(fitness) == 0.0:
        nothing = np.zeros(masks.shape[1])
        return Effects(nothing, nothing)
    weights = np.ones(len(masks)) if weights is None else weights
    root = np.sqrt(weights)
    X = (masks - np.average(masks, axis=0, weights=weights)) * root[:, None]
    y = (fitness - np.average(fitness, weights=weights)) * root
    left, size, right = np.linalg.svd(X, full_matrices=False)
    along = left.T @ y
    beyond = max(0.0, float(y @ y - along @ along))
    noise, penalty = 1.0 / (y.var() + _TINY), 1.0
    coefficients = np.zeros(X.shape[1])
    for _ in range(_STEPS):
        before, turned = coefficients, size * along / (size**2 + penalty / noise)
        coefficients = turned @ right
        error = beyond + float(((along - size * turned) ** 2).sum())
        explained = float((noise * size**2 / (penalty + noise * size**2)).sum())
        penalty = (explained + _PRIOR) / (float(turned @ turned) + _PRIOR)
        noise = (float(weights.sum()) - explained + _PRIOR) / (error + _PRIOR)
        if np.abs(coefficients - before).sum() < _CLOSE:
            break
    # What the subsets say of a direction is taken off what was assumed of every feature.
    told = noise * size**2 / (penalty + noise * size**2)
    variance = (1.0 - told @ right**2) / penalty
    return Effects(coefficients, np.sqrt(np.maximum(variance, 0.0)))
