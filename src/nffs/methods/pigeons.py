"""The pigeon-inspired optimiser, binarised by a sigmoid and by cosine similarity."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.fitness import Mask, Masks
from nffs.methods.swarm import best_of, first_population, n_rounds, sigmoid
from nffs.search.method import Method, Proposals, SearchSpace, Vector

#: Bits that flip, on average, in a pigeon that came to be where another is.
_DISTURBED = 0.2


class _Pigeons(Method):
    """The two operators of the optimiser (Duan and Qiao 2014); subclasses say how to fly.

    Map and compass: all pigeons fly by the best one of the flock. A pigeon that lands where another
    sits is disturbed: every bit flips with probability 0.2, as in the authors' published program.
    Landmark: the better half is kept, time after time, and flies towards its centre.

    Our reading: a bit of a pigeon at the landmark is taken from the centre with a random weight,
    ``x + u (centre - x)``, and is 1 with that probability. The published program flips bits there
    by a centre divided by the number of features where the paper divides by that of pigeons.
    """

    population: int

    @abstractmethod
    def _fly(self, x: Masks, velocity: Vector, leader: Mask, rng: np.random.Generator) -> Masks:
        """Move all pigeons; ``velocity`` is the flock's, to be updated in place."""

    def _slow(self, velocity: Vector, time: int) -> None:
        """Slow velocities down, where there are any."""

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the flock's masks, round by round."""
        x = first_population(rng, self.population, space.n_features)
        velocity = rng.random(x.shape)
        fitness = (yield self.round(x)).fitness
        # The landmark's flocks of a half, a quarter, ... are one population together.
        for time in range(max(1, n_rounds(budget, self.population) - 2)):
            leader = x[best_of(fitness)].copy()
            self._slow(velocity, time)
            x = _apart(self._fly(x, velocity, leader, rng), rng)
            fitness = (yield self.round(x)).fitness
        while len(x) > 2:
            order = np.argsort(-fitness, kind="stable")[: len(x) // 2]
            x, fitness = x[order], fitness[order]
            share = fitness if fitness.sum() > 0 else np.ones_like(fitness)
            centre = share @ x / share.sum()
            weight = rng.random(x.shape)
            x = rng.random(x.shape) < x + weight * (centre - x)
            fitness = (yield self.round(x)).fitness
        return None


@dataclass(frozen=True)
class SigmoidPigeons(_Pigeons):
    """Sigmoid_PIO: ``v = v exp(-R t) + u (best - x)``, a bit is 1 with 1 / (1 + exp(-v / 2)).

    A bit that agrees with the best one's has a velocity that goes to 0, and so becomes a fair coin:
    the paper finds that it converges more slowly than Cosine_PIO.
    """

    population: int = 20
    R: float = 0.09

    name: ClassVar[str] = "sigmoid-pio"
    description: ClassVar[str] = "pigeon-inspired optimiser, binarised by a sigmoid"
    source: ClassVar[str] = "Alazzam, Sharieh and Sabri, Expert Syst. Appl. 148 (2020)"

    def _slow(self, velocity: Vector, time: int) -> None:
        velocity *= np.exp(-self.R * time)

    def _fly(self, x: Masks, velocity: Vector, leader: Mask, rng: np.random.Generator) -> Masks:
        velocity += rng.random(x.shape) * np.subtract(leader, x, dtype=np.float64)
        moved: Masks = rng.random(x.shape) < sigmoid(velocity, slope=0.5)
        return moved


@dataclass(frozen=True)
class CosinePigeons(_Pigeons):
    """Cosine_PIO: a pigeon keeps a bit with probability cos(x, best), or takes the best one's."""

    population: int = 20

    name: ClassVar[str] = "cosine-pio"
    description: ClassVar[str] = "pigeon-inspired optimiser, binarised by cosine similarity"
    source: ClassVar[str] = "Alazzam, Sharieh and Sabri, Expert Syst. Appl. 148 (2020)"

    def _fly(self, x: Masks, velocity: Vector, leader: Mask, rng: np.random.Generator) -> Masks:
        similar = x @ leader.astype(np.float64) / np.sqrt(x.sum(axis=1) * leader.sum())
        moved: Masks = np.where(rng.random(x.shape) < similar[:, None], x, leader)
        return moved


def _apart(masks: Masks, rng: np.random.Generator) -> Masks:
    """Disturb every mask that an earlier one equals, a few times at most on small tables."""
    seen: set[bytes] = set()
    for mask in masks:
        for _ in range(8):
            if mask.tobytes() not in seen:
                break
            mask ^= rng.random(len(mask)) < _DISTURBED
        seen.add(mask.tobytes())
    return masks
