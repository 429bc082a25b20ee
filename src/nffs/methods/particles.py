"""Binary particle swarm optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.methods.swarm import best_of, first_population, sigmoid
from nffs.search.method import Method, Proposals, SearchSpace


@dataclass(frozen=True)
class ParticleSwarm(Method):
    """Particles whose velocities are log-odds of bits (Kennedy and Eberhart 1997, eqs. 1 to 3).

    ``v = w v + c1 r1 (p - x) + c2 r2 (g - x)``, held within ``largest``; a bit is 1 with
    probability ``1 / (1 + exp(-v))``. p is the particle's best mask, g the swarm's. The weights are
    Clerc and Kennedy's (2002).
    """

    population: int = 20
    inertia: float = 0.7298
    own: float = 1.49618
    social: float = 1.49618
    largest: float = 4.0

    name: ClassVar[str] = "pso"
    description: ClassVar[str] = "binary particle swarm"
    source: ClassVar[str] = (
        "Kennedy and Eberhart, SMC (1997); used by Tama et al., IEEE Access (2019)"
    )

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the swarm's masks, round by round."""
        x = first_population(rng, self.population, space.n_features)
        velocity = rng.uniform(-1, 1, x.shape)
        fitness = (yield self.round(x)).fitness
        own, own_fitness = x.copy(), fitness.copy()
        while True:
            leader = own[best_of(own_fitness)]
            to_own = np.subtract(own, x, dtype=np.float64)
            to_leader = np.subtract(leader, x, dtype=np.float64)
            velocity = (
                self.inertia * velocity
                + self.own * rng.random(x.shape) * to_own
                + self.social * rng.random(x.shape) * to_leader
            ).clip(-self.largest, self.largest)
            x = rng.random(x.shape) < sigmoid(velocity)
            fitness = (yield self.round(x)).fitness
            better = fitness > own_fitness
            own[better], own_fitness[better] = x[better], fitness[better]
