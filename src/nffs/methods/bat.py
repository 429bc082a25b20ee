"""The binary bat algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.methods.swarm import best_of, first_population, sigmoid
from nffs.search.method import Method, Proposals, SearchSpace


@dataclass(frozen=True)
class BatAlgorithm(Method):
    """Bats that fly towards the best one and search around it (Nakamura et al. 2012).

    ``f = f_max * u``, ``v = v + (best - x) f``, and a bit is 1 with probability
    ``1 / (1 + exp(-v))`` (eqs. 1, 2, 6). A bat whose pulse rate is below a random number tries the
    best mask with a few bits flipped instead. A better mask is taken with the bat's loudness for
    probability; then loudness falls, ``A = alpha A``, and the pulse rate rises,
    ``r = r0 (1 - exp(-gamma t))`` (eqs. 4, 5).

    Our reading: of the walk around the best, which is defined for real positions, it is that every
    bit flips with probability mean loudness / n. Enache and Sgarciu's changes for support vector
    machines are not part of the search.
    """

    population: int = 20
    frequency: float = 2.0
    alpha: float = 0.9
    gamma: float = 0.9

    name: ClassVar[str] = "bat"
    description: ClassVar[str] = "binary bat algorithm"
    source: ClassVar[str] = "Nakamura et al., SIBGRAPI (2012); Enache and Sgarciu, CSCS (2015)"

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the bats' masks, round by round."""
        x = first_population(rng, self.population, space.n_features)
        velocity = np.zeros(x.shape)
        loudness = rng.uniform(1, 2, self.population)
        last_rate = rng.random(self.population)
        rate = np.zeros(self.population)
        fitness = (yield self.round(x)).fitness
        round_ = 0
        while True:
            round_ += 1
            best = x[best_of(fitness)]
            f = self.frequency * rng.random((self.population, 1))
            velocity = velocity + np.subtract(best, x, dtype=np.float64) * f
            tried = rng.random(x.shape) < sigmoid(velocity)
            near = rng.random(self.population) > rate
            flips = rng.random(x.shape) < loudness.mean() / space.n_features
            tried[near] = (best ^ flips)[near]
            found = (yield self.round(tried)).fitness
            taken = (found > fitness) & (rng.random(self.population) < loudness)
            x[taken], fitness[taken] = tried[taken], found[taken]
            loudness[taken] *= self.alpha
            rate[taken] = last_rate[taken] * (1 - np.exp(-self.gamma * round_))
