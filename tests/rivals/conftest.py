"""A problem whose best subset is known, judged in microseconds."""

from dataclasses import dataclass

import numpy as np
import pytest

from nffs.methods.pairwise import Dependence


@dataclass
class Planted:
    """Fitness: weighted agreement with a hidden mask, plus pairs that only count together.

    It stands in for a `Task`: methods see the number of features and a noisy relevance.
    """

    seed: int
    n_features: int = 30

    def __post_init__(self):
        rng = np.random.default_rng([11, self.seed])
        n = self.n_features
        self.hidden = rng.random(n) < 0.4
        self.weights = rng.uniform(0.2, 1.0, n)
        self.pairs = rng.integers(n, size=(10, 2))
        self.bonus = rng.uniform(0.5, 1.5, 10)
        noise = rng.uniform(0, 0.5, n)
        self.mi = 0.3 * self.hidden * self.weights + 0.2 * noise
        shared = rng.uniform(0, 0.1, (n, n))
        self.dependence = Dependence(self.mi, (shared + shared.T) / 2, np.full(n, np.log(2)))

    def __call__(self, masks):
        agree = masks == self.hidden
        both = agree[:, self.pairs[:, 0]] & agree[:, self.pairs[:, 1]]
        best = self.weights.sum() + self.bonus.sum()
        return ((agree @ self.weights + both @ self.bonus) / best).tolist()


@pytest.fixture(scope="session")
def planted():
    return Planted
