"""Rough sets: searches that go by the dependency degree instead of a classifier.

Rows that agree in all features of a subset, after discretisation, look the same to it. The
dependency degree is the share of rows whose class follows from that: those in groups of one class
only, the positive region (Pawlak 1991).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Fitness, Mask, Masks
from nffs.methods.particles import ParticleSwarm
from nffs.methods.waves import WaterWaves
from nffs.search.loop import run_method
from nffs.search.method import Choice, Codes, Method, Proposals, SearchSpace, Vector
from nffs.search.subsets import Subsets
from nffs.search.workers import InlineWorkers
from nffs.table.target import Task


class DependencyDegree:
    """Gives the dependency degree of subsets.

    Parameters
    ----------
    codes : sequence of (n_rows,) int
        The discretised features.
    labels : (n_rows,) int
        The classes.
    weights : (n_rows,) float, optional
        Sample weights.

    Notes
    -----
    Rows are grouped by a 64-bit sum of random keys, one for every value of every feature. Two
    groups of 126 thousand rows fall together by chance once in a thousand million subsets.
    """

    def __init__(
        self, codes: Sequence[Codes], labels: NDArray[np.intp], weights: Vector | None = None
    ) -> None:
        self._codes = [column.astype(np.min_scalar_type(int(column.max()))) for column in codes]
        rng = np.random.default_rng(0)
        self._keys = [
            rng.integers(2**64, size=int(column.max()) + 1, dtype=np.uint64) for column in codes
        ]
        self._labels = labels
        self._weights = np.ones(len(labels)) if weights is None else weights

    def __call__(self, mask: Mask) -> float:
        """Give the share of rows in the positive region of a subset."""
        address = np.zeros(len(self._labels), dtype=np.uint64)
        for i in np.flatnonzero(mask):
            address += self._keys[i][self._codes[i]]
        order = np.argsort(address, kind="stable")
        address, labels = address[order], self._labels[order]
        starts = np.flatnonzero(np.concatenate([[True], address[1:] != address[:-1]]))
        lowest, highest = np.minimum.reduceat(labels, starts), np.maximum.reduceat(labels, starts)
        weight = np.add.reduceat(self._weights[order], starts)
        return float(weight[lowest == highest].sum() / self._weights.sum())


class _RoughSetSearch(Method):
    """Search by ``alpha * dependency + (1 - alpha) * (n - size) / n`` (Wang et al. 2007, eq. 6).

    The optimiser may compute as many distinct dependencies as the budget has evaluations; the mask
    it ends with is the only one that is evaluated by a model.

    Our reading: columns are cut into at most ``bins`` bins of about equal size, since the papers'
    tables are discrete; with more bins nearly every row is alone, and any subset will do.
    """

    bins: int
    alpha: float

    # Whether rows that are alike have the same class is the idea; numbers are never quite the same.
    tasks: ClassVar[tuple[Task, ...]] = ("classification",)

    @abstractmethod
    def _optimiser(self) -> Method:
        """Make the search."""

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the one mask that the search by dependency ends with."""
        dependency = DependencyDegree(space.codes(self.bins), space.target, space.weights)

        def evaluate(masks: Masks) -> list[Fitness]:
            spared = 1 - masks.mean(axis=1)
            degree = np.array([dependency(mask) for mask in masks])
            worth = self.alpha * degree + (1 - self.alpha) * spared
            return [Fitness(np.full((1, 1), value)) for value in worth]

        optimiser = self._optimiser()
        subsets = Subsets(
            lambda: InlineWorkers(evaluate),
            optimiser.phases(space.n_features, budget),
            batch=budget,
        )
        outcome = run_method(optimiser, space, subsets, budget, int(rng.integers(2**32)))
        if outcome.ended:
            raise KeyboardInterrupt
        mask = outcome.masks[outcome.chosen]
        yield self.round(mask[None].copy())
        return Choice(mask)


@dataclass(frozen=True)
class RoughSetParticles(_RoughSetSearch):
    """PSO-RSFS: particle swarm by dependency degree.

    Our reading: the particles fly as in `ParticleSwarm`; the paper's own velocity is a number of
    bits to change.
    """

    bins: int = 4
    alpha: float = 0.9
    population: int = 20

    name: ClassVar[str] = "pso-rough"
    description: ClassVar[str] = "particle swarm by rough-set dependency"
    source: ClassVar[str] = "Wang, Yang, Teng, Xia and Jensen, Pattern Recognit. Lett. 28 (2007)"

    def _optimiser(self) -> Method:
        return ParticleSwarm(population=self.population)


@dataclass(frozen=True)
class RoughSetWaves(_RoughSetSearch):
    """Water wave optimisation by dependency degree."""

    bins: int = 4
    alpha: float = 0.9
    population: int = 10

    name: ClassVar[str] = "wwo-rough"
    description: ClassVar[str] = "water wave optimisation by rough-set dependency"
    source: ClassVar[str] = "Ibrahim, Tawhid and Ward, Int. J. Approx. Reason. 120 (2020)"

    def _optimiser(self) -> Method:
        return WaterWaves(population=self.population)
