"""The loop: runs any method until its budget is spent.

What all methods get alike:

- distinct masks count once; the budget of them is never exceeded, the last round is cut;
- a mask is repaired before it is evaluated, in place: an empty one gets one feature drawn at
  random, and one against the constraints (`nffs.search.allowed`) loses or gets as many features as
  it must: of a method that draws by lot, the more informative the more likely kept; of one that has
  nothing random, by mutual information;
- a mask that cannot be evaluated costs its evaluation; the method sees the worst fitness so far for
  it, and it is never chosen;
- a method that ends without a choice, or that proposes nothing new for `PATIENCE` rounds, starts
  again with other random numbers until the budget is spent, unless it has nothing random;
- a search that is stopped or interrupted ends the method where it is;
- the result is the mask that the method returned, or else, if it returned none or one that the
  budget did not allow to evaluate, the best one evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nffs.errors import EvaluationError
from nffs.fitness import Fitness, Mask, Masks
from nffs.randomness import generator
from nffs.search.allowed import by_lot
from nffs.search.events import Cut
from nffs.search.final import FinalCheck
from nffs.search.method import Choice, Evaluated, Method, Proposals, Round, SearchSpace, Vector
from nffs.search.subsets import Subsets

T = TypeVar("T")

#: Rounds without a new mask after which a method starts again; starts without one after which it is
#: done.
PATIENCE = 20


@dataclass(frozen=True)
class Outcome:
    """What a method evaluated and chose."""

    # (n_evaluations, n_features) every mask evaluated for the method, in order, each once
    masks: Masks
    scores: NDArray[np.float64]  # (n_evaluations, n_splits, n_groups) their scores
    fitness: Vector  # (n_evaluations,) the means of their scores
    chosen: int  # the one chosen
    details: Any  # what else the method found
    n_starts: int  # how often the method was started
    n_evaluations: int  # distinct subsets evaluated, all features among them if they were
    failures: list[str]  # why some subsets could not be evaluated
    ended: str  # "interrupted", "stopped" by a callback, or nothing
    planned: int = 0  # subsets that the whole search would have evaluated at most
    cut: tuple[Cut, ...] = ()  # phases that were cut short or left out
    # The fitness of all features together; nan if the search was stopped before it
    all_features: float = float("nan")
    final: FinalCheck | None = None  # what the final check found, if there was one


def run_method(
    method: Method, space: SearchSpace, subsets: Subsets, max_evaluations: int, seed: int
) -> Outcome:
    """Let a method search until its budget is spent."""
    budget = _Budget(subsets, space, max_evaluations, seed, method.is_random)
    choice: Choice | None = None
    starts = barren = 0
    try:
        while budget.left > 0 and not subsets.ended and choice is None and barren < PATIENCE:
            if starts and not method.is_random:
                break
            before = budget.spent
            choice, done = _start(method, space, budget, seed, starts)
            starts += 1
            barren = 0 if budget.spent > before else barren + 1
            if done:
                break
    except KeyboardInterrupt:  # between two evaluations
        budget.interrupt()
    if not subsets.evaluated:
        raise _nothing_evaluated(subsets)
    return insist(lambda: _outcome(subsets, choice, starts), budget.interrupt)


def insist(work: Callable[[], T], interrupt: Callable[[], object]) -> T:
    """Do some work that ends what was evaluated; if it is interrupted, note so and do it again.

    It takes a moment, and without it all evaluations would be lost.
    """
    try:
        return work()
    except KeyboardInterrupt:
        interrupt()
        return work()


def _outcome(subsets: Subsets, choice: Choice | None, starts: int) -> Outcome:
    """Give what was evaluated, and the choice or else the best of it."""
    masks = np.array(list(subsets.evaluated.values()))
    scores = np.array([subsets.fitness(key).scores for key in subsets.evaluated])
    fitness = np.array([subsets.fitness(key).value for key in subsets.evaluated])
    chosen, details = int(rank_subsets(masks, fitness)[0]), None
    if choice is not None and choice.mask.tobytes() in subsets.evaluated:
        chosen, details = list(subsets.evaluated).index(choice.mask.tobytes()), choice.details
    return Outcome(
        masks=masks,
        scores=scores,
        fitness=fitness,
        chosen=chosen,
        details=details,
        n_starts=starts,
        n_evaluations=len(masks),
        failures=[failure.reason for failure in subsets.failed.values()],
        ended=subsets.ended,
    )


def rank_subsets(masks: Masks, fitness: Vector) -> NDArray[np.intp]:
    """Order subsets from best to worst; of equals the smaller, then the earlier one first."""
    return np.lexsort((np.arange(len(masks)), masks.sum(axis=1), -fitness))


def _start(
    method: Method, space: SearchSpace, budget: _Budget, seed: int, number: int
) -> tuple[Choice | None, bool]:
    """Start a method; gives its choice, and whether the search is over."""
    left, repaired = budget.left, budget.n_repaired

    def follow() -> tuple[Choice | None, bool]:
        budget.n_repaired = repaired
        proposals = method.propose(space, generator(seed, "method", method.name, number), left)
        return _follow(proposals, budget, next(iter(method.phases(1, left))))

    choice, done = follow()
    if choice is None and method.resumes and budget.interrupted:
        return follow()
    return choice, done


def _follow(proposals: Proposals, budget: _Budget, phase: str) -> tuple[Choice | None, bool]:
    """Evaluate what is proposed until the method ends, stalls, or the budget is spent."""
    stale = 0
    try:
        round_ = next(proposals)
        while stale < PATIENCE:
            before, phase = budget.spent, round_.phase
            found = budget.evaluate(round_)
            if found is None:
                return None, not budget.is_open(phase)
            stale = 0 if budget.spent > before else stale + 1
            round_ = proposals.send(found)
    except StopIteration as stop:
        choice: Choice | None = stop.value
        if choice is None:
            return None, False
        chosen = choice.mask[None].copy()
        if not budget.knows(choice.mask):
            budget.evaluate(Round(phase, chosen))
        return replace(choice, mask=chosen[0]), False
    except KeyboardInterrupt:  # while the method itself was computing
        budget.interrupt()
        return None, True
    finally:
        proposals.close()
    return None, False


class _Budget:
    """Counts what a method may still have evaluated, and repairs what it proposes."""

    def __init__(
        self, subsets: Subsets, space: SearchSpace, max_evaluations: int, seed: int, is_random: bool
    ) -> None:
        self._subsets = subsets
        self._space = space
        self._seed = seed
        self._most = space.allowed.count(max_evaluations)
        self._is_random = is_random
        self.n_repaired = 0

    @property
    def spent(self) -> int:
        return len(self._subsets.evaluated) + len(self._subsets.failed)

    @property
    def left(self) -> int:
        return self._most - self.spent

    def is_open(self, phase: str) -> bool:
        return self._subsets.is_open(phase)

    def knows(self, mask: Mask) -> bool:
        return mask.tobytes() in self._subsets.evaluated

    @property
    def interrupted(self) -> bool:
        return self._subsets.ended == "interrupted"

    def interrupt(self) -> None:
        self._subsets.end("interrupted")

    def evaluate(self, round_: Round) -> Evaluated | None:
        """Give the scores of a round; None if it was cut and the method cannot continue."""
        masks = round_.masks
        self._repair(masks)
        affordable = masks[: self._affordable(masks)]
        found = self._subsets.evaluate(affordable, round_.phase)
        if len(found) < len(masks) and not round_.may_be_cut:
            return None
        ended = bool(self._subsets.ended) or len(affordable) < len(masks)
        return self._evaluated(masks[: len(found)], found, ended)

    def _affordable(self, masks: Masks) -> int:
        """Count the masks up to the first that the budget does not allow."""
        left, fresh = self.left, set[bytes]()
        known = (self._subsets.evaluated, self._subsets.failed)
        for place, mask in enumerate(masks):
            key = mask.tobytes()
            if not any(key in part for part in known):
                fresh.add(key)
                if len(fresh) > left:
                    return place
        return len(masks)

    def _evaluated(self, masks: Masks, found: list[Fitness | None], ended: bool) -> Evaluated:
        known = self._subsets.evaluated
        worst = min((self._subsets.fitness(key).value for key in known), default=0.0)
        shape = self._subsets.fitness(next(iter(known))).scores.shape if known else (1, 1)
        return Evaluated(
            masks=masks,
            scores=np.array(
                [np.full(shape, np.nan) if f is None else f.scores for f in found]
            ).reshape(-1, *shape),
            fitness=np.array([worst if f is None else f.value for f in found]),
            failed=np.array([f is None for f in found], dtype=np.bool_),
            ended=ended,
        )

    def _repair(self, masks: Masks) -> None:
        """Make all masks allowed, in place."""
        allowed = self._space.allowed
        masks |= allowed.included
        for number in np.flatnonzero(~masks.any(axis=1)):
            rng = generator(self._seed, "repair", self.n_repaired)
            masks[number, rng.integers(masks.shape[1])] = True
            self.n_repaired += 1
        for number in np.flatnonzero(~allowed(masks)):
            allowed.repair(masks[number], self._order(masks[number]))

    def _order(self, mask: Mask) -> NDArray[np.intp]:
        """Order features for a repair: what comes first is kept or added first.

        The space has them by mutual information. Lots are drawn by the mask itself, so that the
        same mask always becomes the same: to a method, its fitness stays a function of the mask.
        """
        if not self._is_random:
            return np.arange(len(mask))
        rng = generator(self._seed, "repair", np.packbits(mask).tobytes())
        return by_lot(self._space.mi, rng)


def _nothing_evaluated(subsets: Subsets) -> BaseException:
    if subsets.ended == "interrupted":
        return KeyboardInterrupt()
    reasons = [failure.reason for failure in subsets.failed.values()]
    why = f"; the first failed with {reasons[0]}" if reasons else ""
    return EvaluationError(f"no subset could be evaluated{why}")
