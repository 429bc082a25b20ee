"""The contract: a method proposes masks and is told their fitness; a loop judges and counts.

A method is a generator of populations, so it never counts evaluations, never judges a mask itself
and cannot return one that was not judged. What all methods get alike is in `run_method`:

- distinct masks count once; the budget of them is never exceeded, the last population is cut;
- an empty mask is repaired before it is judged, in place: it gets one feature drawn at random;
- a mask that cannot be judged costs its evaluation; the method is told that it is as bad as the
  worst so far, and it is never chosen;
- a method that ends without a choice, or that proposes nothing new for `PATIENCE` populations,
  starts again with other random numbers until the budget is spent, unless it has nothing random;
- a search that is stopped or interrupted stops the method where it is;
- the result is the mask that the method returned, or else the best one judged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.information import feature_codes
from nffs.fitness.splits import SplitRows
from nffs.methods.pairwise import Dependence, measure_dependence
from nffs.methods.weights import rank_subsets
from nffs.randomness import generator
from nffs.table.features import Features

Mask = NDArray[np.bool_]
Masks = NDArray[np.bool_]
Vector = NDArray[np.float64]
Codes = NDArray[np.intp]

#: What a method is: it yields masks, is sent their fitness, and may return the mask it chose.
Proposals = Generator[Masks, Vector, Mask | None]

#: Judges masks, in order: nan is one that cannot be judged, and fewer values than masks mean that
#: the search is over.
Judge = Callable[[Masks], Sequence[float]]

#: Populations without a new mask, and starts without one, after which a method is done.
PATIENCE = 20


@dataclass(frozen=True)
class Task:
    """What a method may look at.

    Attributes
    ----------
    rows : SplitRows
        The encoded rows, with the columns of the features in their order.
    features : Features
        What masks are over; by mutual information, the largest first.
    mi : (n_features,) float
        Mutual information with the label, from all rows where `rows` are a sample.
    seed : int
        For estimators of other libraries.
    n_jobs : int or None
        Threads for what is computed before the search.
    """

    rows: SplitRows
    features: Features
    mi: Vector
    seed: int
    n_jobs: int | None = None

    @property
    def n_features(self) -> int:
        """How long a mask is."""
        return len(self.mi)

    @cached_property
    def dependence(self) -> Dependence:
        """Mutual information of features with the label and with one another."""
        return measure_dependence(self.rows, self._blocks, self.mi, self.n_jobs)

    @cached_property
    def training(self) -> NDArray[np.intp]:
        """Rows that train in any split: all of `fit`'s, none of an eval_set."""
        return np.unique(np.concatenate([split.train for split in self.rows.splits]))

    @property
    def labels(self) -> NDArray[np.intp]:
        """The classes of the training rows."""
        return self.rows.labels.codes[self.training]

    @property
    def weights(self) -> Vector | None:
        """The weights of the training rows."""
        return None if self.rows.weights is None else self.rows.weights[self.training]

    @property
    def matrix(self) -> NDArray[np.float32]:
        """The encoded training rows."""
        return np.take(self.rows.matrix, self.training, axis=0)

    def codes(self, max_bins: int) -> list[Codes]:
        """Give every feature's values on the training rows as numbers, in so many bins at most."""
        matrix = self.matrix
        return [feature_codes(matrix[:, block], max_bins) for block in self._blocks]

    @cached_property
    def _blocks(self) -> list[NDArray[np.intp]]:
        membership = self.features.membership
        return [np.flatnonzero(membership == i) for i in range(self.n_features)]

    def of_columns(self, scores: Vector) -> Vector:
        """Give every feature the best score of its columns."""
        return np.array([scores[block].max() for block in self._blocks])


class Method(ABC):
    """A way to search for a subset.

    Subclasses are frozen dataclasses: their fields are the method's own parameters.
    """

    #: The name in the registry, what it is in one line, and where it comes from.
    name: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]
    #: Whether it draws random numbers, so that starting again gives something new.
    is_random: ClassVar[bool] = True

    @abstractmethod
    def propose(self, task: Task, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose masks.

        Parameters
        ----------
        task : Task
            The problem.
        rng : Generator
            All of the method's random numbers.
        budget : int
            Evaluations that are left, for schedules. More is never judged, whatever is proposed.
        """


@dataclass(frozen=True)
class Outcome:
    """What a method judged and chose.

    Attributes
    ----------
    masks : (n_evaluations, n_features) bool
        Every mask judged, in order, each once.
    fitness : (n_evaluations,) float
        Their fitness.
    chosen : int
        The one chosen.
    n_starts : int
        How often the method was started.
    """

    masks: Masks
    fitness: Vector
    chosen: int
    n_starts: int


def run_method(
    method: Method, task: Task, judge: Judge, max_evaluations: int, seed: int
) -> Outcome | None:
    """Let a method search until its budget is spent.

    Parameters
    ----------
    method : Method
        Proposes masks.
    task : Task
        What it may look at.
    judge : callable
        Gives the fitness of masks, in order, as `Judge` says.
    max_evaluations : int
        The most distinct masks that are judged.
    seed : int
        The address of the method's random numbers.

    Returns
    -------
    Outcome or None
        Everything judged, and the choice; None if nothing was judged.
    """
    archive = _Archive(judge, task.n_features, max_evaluations, seed)
    chosen: Mask | None = None
    starts = barren = 0
    while archive.is_open and chosen is None and barren < PATIENCE:
        if starts and not method.is_random:
            break
        before = len(archive)
        rng = generator(seed, "method", method.name, starts)
        chosen = _follow(method.propose(task, rng, archive.left), archive)
        starts += 1
        barren = 0 if len(archive) > before else barren + 1
    if not len(archive):
        return None
    masks, fitness = archive.all()
    place = None if chosen is None else archive.place(chosen)
    if place is None:
        place = int(rank_subsets(masks, fitness)[0])
    return Outcome(masks, fitness, place, starts)


def _follow(proposals: Proposals, archive: _Archive) -> Mask | None:
    """Judge what is proposed until the method ends, stalls, or the budget is spent."""
    stale = 0
    try:
        masks = next(proposals)
        while stale < PATIENCE:
            before = len(archive)
            fitness = archive.judge(masks)
            if fitness is None:
                break
            stale = 0 if len(archive) > before else stale + 1
            masks = proposals.send(fitness)
    except StopIteration as stop:
        mask: Mask | None = stop.value
        if mask is not None:
            archive.judge(mask[None])
        return mask
    proposals.close()
    return None


class _Archive:
    """Every mask judged, once, in order; no more of them than the budget."""

    def __init__(self, judge: Judge, n_features: int, max_evaluations: int, seed: int) -> None:
        self._judge = judge
        self._seed = seed
        self._most = max_evaluations
        if n_features < 63:
            self._most = min(self._most, 2**n_features - 1)
        self._places: dict[bytes, int] = {}
        self._masks: list[Mask] = []
        self._fitness: list[float] = []
        self._failed: set[bytes] = set()
        self._stopped = False
        self._n_repaired = 0

    def __len__(self) -> int:
        return len(self._masks)

    @property
    def left(self) -> int:
        return self._most - len(self) - len(self._failed)

    @property
    def is_open(self) -> bool:
        return self.left > 0 and not self._stopped

    def judge(self, masks: Masks) -> Vector | None:
        """Give the fitness of all masks; None if the search is over or the budget too small."""
        self._repair(masks)
        keys = [mask.tobytes() for mask in masks]
        fresh = {
            key: mask
            for key, mask in zip(keys, masks, strict=True)
            if key not in self._places and key not in self._failed
        }
        asked = list(fresh.items())[: self.left]
        if asked and not self._stopped:
            found = self._judge(np.array([mask for _, mask in asked]))
            self._stopped = len(found) < len(asked)
            for (key, mask), value in zip(asked, found, strict=False):
                self._keep(key, mask, value)
        if self._stopped or not all(key in self._places or key in self._failed for key in keys):
            return None
        worst = min(self._fitness, default=0.0)
        return np.array(
            [worst if key in self._failed else self._fitness[self._places[key]] for key in keys]
        )

    def place(self, mask: Mask) -> int | None:
        return self._places.get(mask.tobytes())

    def all(self) -> tuple[Masks, Vector]:
        return np.array(self._masks), np.array(self._fitness)

    def _keep(self, key: bytes, mask: Mask, value: float) -> None:
        if np.isnan(value):
            self._failed.add(key)
            return
        self._places[key] = len(self._masks)
        self._masks.append(mask.copy())
        self._fitness.append(float(value))

    def _repair(self, masks: Masks) -> None:
        for number in np.flatnonzero(~masks.any(axis=1)):
            rng = generator(self._seed, "repair", self._n_repaired)
            masks[number, rng.integers(masks.shape[1])] = True
            self._n_repaired += 1
