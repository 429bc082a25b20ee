"""A problem whose best subset is known, evaluated in microseconds."""

from dataclasses import dataclass

import numpy as np
import pytest

from nffs.fitness import Fitness
from nffs.methods.pairwise import Dependence, measure_dependence
from nffs.search.allowed import Allowed
from nffs.search.loop import run_method
from nffs.search.subsets import Subsets
from nffs.search.workers import InlineWorkers


@dataclass
class Planted:
    """Fitness: weighted agreement with a hidden mask, plus pairs that only count together.

    It stands in for a `SearchSpace`: methods see the number of features and a noisy relevance.
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
        self.allowed = Allowed.everything(n)
        self.mi = 0.3 * self.hidden * self.weights + 0.2 * noise
        shared = rng.uniform(0, 0.1, (n, n))
        self.dependence = Dependence(self.mi, (shared + shared.T) / 2, np.full(n, np.log(2)))
        self.eliminated = np.empty((0, n), dtype=bool)

    def once(self, compute):
        return self.dependence if compute is measure_dependence else np.argsort(-self.mi)

    def search(self, method, budget, seed=0):
        """Let a method search, with the hidden mask as its evaluator."""
        subsets = Subsets(
            lambda: InlineWorkers(lambda masks: [Fitness(np.full((1, 1), v)) for v in self(masks)]),
            method.phases(self.n_features, budget),
            batch=budget,
        )
        return run_method(method, self, subsets, budget, seed)

    def __call__(self, masks):
        agree = masks == self.hidden
        both = agree[:, self.pairs[:, 0]] & agree[:, self.pairs[:, 1]]
        best = self.weights.sum() + self.bonus.sum()
        return ((agree @ self.weights + both @ self.bonus) / best).tolist()


@pytest.fixture(scope="session")
def planted():
    return Planted
