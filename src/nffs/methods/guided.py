"""The guided search: a model of all subsets so far says which to evaluate next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks
from nffs.methods.proposing import Proposer, starting_masks
from nffs.methods.surrogate import Surrogate, measured_noise
from nffs.search.importance import Effects
from nffs.search.method import Choice, Evaluated, Method, Proposals, Round, SearchSpace, Vector

#: The phases, as progress and callbacks name them.
START, ROUNDS = "first subsets", "guided subsets"

#: The share of the budget that is spent before the model is asked.
START_SHARE = 0.3

#: Subsets evaluated together: the model does not see their scores before all of them are there.
BATCH = 10

#: The model's weights, scale and noise are found anew when there are this many times the subsets.
GROWTH = 1.2


#: Bytes that a feature takes for every subset that the model knows.
_MASK_BYTES = 32


@dataclass(frozen=True)
class Guided(Method):
    """Propose what a Gaussian process over masks expects most of, in rounds.

    The first subsets are nested ones, along mutual information and along MIFS-U, and drawn ones of
    all sizes. Then, round by round, the process learns from all scores so far, and of many
    candidates those are evaluated whose score may be the highest: the mean plus the standard
    deviation times the size of a standard normal draw.
    """

    batch: int = BATCH

    name: ClassVar[str] = "guided"
    description: ClassVar[str] = "guided by a Gaussian process over all subsets so far"
    source: ClassVar[str] = "this package"
    weighs: ClassVar[bool] = True

    def phases(self, n_features: int, budget: int) -> dict[str, int]:
        """Give the two phases with their sizes."""
        first = _n_first(budget)
        return {START: first, ROUNDS: budget - first}

    def memory(self, n_features: int, budget: int) -> int:
        """Bound what it holds of all masks, as numbers, and of the candidates."""
        return _MASK_BYTES * n_features * budget

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the first subsets, then rounds by the model."""
        n_first = _n_first(budget)
        masks = starting_masks(space, rng, n_first)
        known = _Known(space.n_features)
        known.add((yield Round(START, masks, may_be_cut=True)), None)
        proposer = Proposer(space, rng)
        model: Surrogate | None = None
        n_fitted = 0
        guided: set[bytes] = set()  # repaired, several candidates may become the same subset
        while len(guided) < budget - n_first and not known.ended and len(known):
            anew = model is None or len(known) >= GROWTH * n_fitted
            model = known.model(None if anew else model)
            n_fitted = len(known) if anew else n_fitted
            candidates = proposer.candidates(model, known.masks)
            masks = _take(model, candidates, rng, min(self.batch, budget - n_first - len(guided)))
            if not len(masks):
                break
            expected = model.predict(masks)[0]
            found = yield Round(ROUNDS, masks, may_be_cut=True)
            guided |= {mask.tobytes() for mask in found.masks}
            known.add(found, expected)
        if not len(known):
            return None
        return known.choice()


@dataclass(frozen=True)
class Learned:
    """What the model learned, over the features in the order of the search."""

    effects: Effects  # what every feature adds, with its standard error
    # (n,) of every subset, in the order of evaluation: the fitness, and what the model expected of
    # it before; nan for the first ones
    fitness: Vector
    expected: Vector
    sizes: NDArray[np.intp]  # (n,) their features
    smoothed: Vector  # (n,) their fitness as the model sees it in the end


class _Known:
    """Subsets evaluated so far."""

    def __init__(self, n_features: int) -> None:
        self.masks: Masks = np.empty((0, n_features), dtype=np.bool_)
        self.fitness: Vector = np.empty(0)
        self.expected: Vector = np.empty(0)
        self._scores: list[NDArray[np.float64]] = []
        self.ended = False

    def __len__(self) -> int:
        return len(self.masks)

    def add(self, found: Evaluated, expected: Vector | None) -> None:
        expected = np.full(len(found), np.nan) if expected is None else expected[: len(found)]
        self.ended = found.ended
        _, first = np.unique(found.masks, axis=0, return_index=True)
        old = {mask.tobytes() for mask in self.masks}
        new = [i for i in np.sort(first) if not found.failed[i]]
        new = [i for i in new if found.masks[i].tobytes() not in old]
        self.masks = np.concatenate([self.masks, found.masks[new]])
        self.fitness = np.append(self.fitness, found.fitness[new])
        self.expected = np.append(self.expected, expected[new])
        if new:
            self._scores.append(found.scores[new])

    def model(self, known: Surrogate | None = None) -> Surrogate:
        noise = measured_noise(np.concatenate(self._scores))
        return Surrogate.of(self.masks, self.fitness, noise, known)

    def choice(self) -> Choice:
        """Choose the subset that the model thinks best of."""
        model = self.model()
        smoothed = model.predict(self.masks)[0]
        sizes = self.masks.sum(axis=1)
        learned = Learned(model.effects, self.fitness, self.expected, sizes, smoothed)
        return Choice(self.masks[choose(self.masks, smoothed)], learned)


def choose(masks: Masks, smoothed: Vector) -> int:
    """Give the place of the highest; of equals the smaller."""
    return int(np.lexsort((masks.sum(axis=1), -smoothed))[0])


def _take(model: Surrogate, candidates: Masks, rng: np.random.Generator, n: int) -> Masks:
    """Take the candidates of which the most may be hoped, each by a draw of its own."""
    if not len(candidates):
        return candidates
    mean, deviation = model.predict(candidates)
    taken: list[int] = []
    for daring in np.abs(rng.standard_normal(n)):
        hope = mean + daring * deviation
        hope[taken] = -np.inf
        taken.append(int(hope.argmax()))
        if len(taken) == len(candidates):
            break
    return candidates[taken]


def _n_first(budget: int) -> int:
    return min(budget, max(3, round(START_SHARE * budget)))
