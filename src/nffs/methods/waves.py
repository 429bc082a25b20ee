"""Water wave optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.methods.swarm import best_of, n_rounds
from nffs.search.method import Method, Proposals, SearchSpace


@dataclass(frozen=True)
class WaterWaves(Method):
    """Waves that propagate, refract and break (Zheng 2015, algorithm 1).

    Propagation moves every coordinate by ``u lambda`` with u in [-1, 1] (eq. 6); a wave that is not
    better loses height. At height 0 it refracts: every coordinate is drawn from the normal around
    the middle between itself and the best one's, with half their distance for deviation (eq. 8),
    and its length is multiplied by the ratio of the fitnesses (eq. 9). A new best wave breaks: up
    to k solitary waves that move a few coordinates by ``N(0, 1) beta`` are tried (eq. 10). Good
    waves get shorter: ``lambda *= alpha ** -((f - worst + e) / (best - worst + e))`` (eq. 7).

    Positions lie in [0, 1], where 0.5 and more is a 1.

    Our reading: all waves of a round are evaluated together, so that lengths and the best wave are
    those of the round before.
    """

    population: int = 10
    height: int = 6
    alpha: float = 1.0026
    length: float = 0.5
    solitary: int = 12

    name: ClassVar[str] = "wwo"
    description: ClassVar[str] = "water wave optimisation"
    source: ClassVar[str] = "Zheng, Comput. Oper. Res. 55 (2015)"

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the waves' masks, round by round."""
        n = space.n_features
        x = rng.random((self.population, n))
        fitness = (yield self.round(x >= 0.5)).fitness
        heights = np.full(self.population, self.height)
        lengths = np.full(self.population, self.length)
        rounds = n_rounds(budget, self.population)
        round_ = 0
        while True:
            # Solitary waves become shorter: beta falls from 0.25 to 0.001.
            beta = 0.25 - (0.25 - 0.001) * min(1.0, round_ / rounds)
            round_ += 1
            best = best_of(fitness)
            moved = x + rng.uniform(-1, 1, x.shape) * lengths[:, None]
            # A coordinate that leaves the range comes back anywhere in it.
            moved = np.where((moved < 0) | (moved > 1), rng.random(x.shape), moved)
            spent = heights == 0
            middle, half = (x[best] + x) / 2, np.abs(x[best] - x) / 2
            refracted = rng.normal(middle, half).clip(0, 1)
            moved[spent] = refracted[spent]
            found = (yield self.round(moved >= 0.5)).fitness
            lengths[spent] *= np.divide(
                fitness, found, out=np.ones_like(found), where=(found > 0) & (fitness > 0)
            )[spent]
            record = fitness[best]
            taken = (found > fitness) | spent
            heights = np.where(taken, self.height, heights - 1)
            x[taken], fitness[taken] = moved[taken], found[taken]
            best = best_of(fitness)
            if fitness[best] > record:
                most = min(self.solitary, max(1, n // 2))
                broken = np.repeat(x[[best]], rng.integers(1, most + 1), axis=0)
                for wave in broken:
                    at = rng.choice(n, rng.integers(1, most + 1), replace=False)
                    wave[at] = (wave[at] + rng.normal(0, 1, len(at)) * beta).clip(0, 1)
                tried = (yield self.round(broken >= 0.5)).fitness
                if tried.max() > fitness[best]:
                    x[best], fitness[best] = broken[best_of(tried)], tried.max()
            span = fitness.max() - fitness.min() + 1e-12
            lengths *= self.alpha ** -((fitness - fitness.min() + 1e-12) / span)
