"""The genetic algorithm, plain and started and mutated by NMIFS (GAMIFS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.fitness import Mask, Masks
from nffs.methods.filters import NMIFS
from nffs.methods.pairwise import Dependence, Matrix, measure_dependence
from nffs.methods.swarm import first_population
from nffs.search.method import Method, Proposals, SearchSpace, Vector


@dataclass(frozen=True)
class GeneticAlgorithm(Method):
    """A generational GA with elitism (Goldberg 1989).

    Parents win tournaments of two, children come from uniform crossover, every bit of a child flips
    with probability 1/n. The best of parents and children together survive.
    """

    population: int = 20
    crossover: float = 0.9

    name: ClassVar[str] = "ga"
    description: ClassVar[str] = "genetic algorithm: tournaments, uniform crossover, bit flips"
    source: ClassVar[str] = "Goldberg, Genetic Algorithms (1989)"

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose generations."""
        masks = self._first(space, rng)
        fitness = (yield self.round(masks)).fitness
        while True:
            children = self._cross(masks, fitness, rng)
            self._mutate(children, space, rng)
            both = np.concatenate([masks, children])
            found = np.concatenate([fitness, (yield self.round(children)).fitness])
            both[len(masks) :] = children  # repaired, if one was empty
            survive = _survivors(both, found, self.population)
            masks, fitness = both[survive], found[survive]

    def _first(self, space: SearchSpace, rng: np.random.Generator) -> Masks:
        return first_population(rng, self.population, space.n_features)

    def _cross(self, masks: Masks, fitness: Vector, rng: np.random.Generator) -> Masks:
        pairs = rng.integers(len(masks), size=(2, self.population, 2))
        winners = np.where(fitness[pairs[..., 0]] >= fitness[pairs[..., 1]], *_sides(pairs))
        mother, father = masks[winners[0]], masks[winners[1]]
        mixed = rng.random(mother.shape) < 0.5
        mixed |= rng.random((self.population, 1)) >= self.crossover
        children: Masks = np.where(mixed, mother, father)
        return children

    def _mutate(self, children: Masks, space: SearchSpace, rng: np.random.Generator) -> None:
        children ^= rng.random(children.shape) < 1 / space.n_features


@dataclass(frozen=True)
class GAMIFS(GeneticAlgorithm):
    """The GA with NMIFS in its first population and its mutation (Estevez et al. 2009, section V).

    The first half of the first population are nested subsets of the NMIFS ranking, of random sizes;
    the rest is random. A mutation either adds the feature, of those that are out, whose NMIFS
    criterion given the subset is the largest, or removes the one that is worst by it.

    Our reading: the feature is the winner of a tournament of three drawn ones, so that the operator
    does not propose the same child for ever; the GA's survivors above stand in for the paper's
    crowding, so that the two differ in NMIFS alone.
    """

    name: ClassVar[str] = "gamifs"
    description: ClassVar[str] = "genetic algorithm started and mutated by NMIFS"
    source: ClassVar[str] = "Estevez, Tesmer, Perez and Zurada, IEEE Trans. Neural Netw. 20 (2009)"

    def _first(self, space: SearchSpace, rng: np.random.Generator) -> Masks:
        masks = super()._first(space, rng)
        ranked = NMIFS().rank(space)
        order, counts = space.allowed.leading(np.array(ranked))
        for mask in masks[: self.population // 2]:
            mask[:] = False
            mask[order[: rng.integers(counts[0], counts[-1] + 1)]] = True
        return masks

    def _mutate(self, children: Masks, space: SearchSpace, rng: np.random.Generator) -> None:
        found = space.once(measure_dependence)
        penalty = NMIFS().penalty(found)
        for child in children[:, : len(found.relevance)]:  # of wide tables the first features
            worth = _worth(child, found, penalty)
            adds = rng.random() < 0.5
            candidates = np.flatnonzero(child != adds)
            if len(candidates):
                entered = rng.choice(candidates, size=min(3, len(candidates)), replace=False)
                child[entered[worth[entered].argmax() if adds else worth[entered].argmin()]] = adds


def _worth(mask: Mask, found: Dependence, penalty: Matrix) -> Vector:
    """Give every feature's NMIFS criterion against the others of the subset."""
    inside = penalty[:, mask].sum(axis=1) - np.where(mask, penalty.diagonal(), 0.0)
    others = np.maximum(1, mask.sum() - mask)
    worth: Vector = found.relevance - inside / others
    return worth


def _sides(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return pairs[..., 0], pairs[..., 1]


def _survivors(masks: Masks, fitness: Vector, n: int) -> np.ndarray:
    """Keep the fittest, each mask once as far as there are others; of equals the smaller."""
    order = np.lexsort((np.arange(len(masks)), masks.sum(axis=1), -fitness))
    _, first = np.unique(masks[order], axis=0, return_index=True)
    distinct = order[np.sort(first)]
    return np.concatenate([distinct, np.setdiff1d(order, distinct)])[:n]
