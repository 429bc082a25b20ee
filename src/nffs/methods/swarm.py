"""What the wrappers share: first populations, transfer functions, the best member."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks
from nffs.search.method import Vector


def first_population(rng: np.random.Generator, size: int, n_features: int) -> Masks:
    """Draw a population, every feature with even probability, as the methods' papers do."""
    return rng.random((size, n_features)) < 0.5


def sigmoid(x: NDArray[np.float64], slope: float = 1.0) -> NDArray[np.float64]:
    """Map numbers to (0, 1) without overflow."""
    out: NDArray[np.float64] = 0.5 * (1 + np.tanh(0.5 * slope * x))
    return out


def n_rounds(budget: int, population: int) -> int:
    """Say how many populations a budget allows, the first included; at least two."""
    return max(2, -(-budget // population))


def best_of(fitness: Vector) -> int:
    """Give the first of the fittest."""
    return int(np.argmax(fitness))
