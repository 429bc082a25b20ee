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
  budget did not allow to evaluate, the best one evaluated;
- at the end all features are evaluated together, beyond the budget, for comparison, whether so many
  are allowed or not; excluded ones are none of them;
- unless the method is to have the last word, a final check on other folds decides between its
  choice, other candidates and all features (`nffs.search.final`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nffs.errors import EvaluationError
from nffs.fitness import (
    ELIMINATION_COST,
    Evaluation,
    Evaluator,
    Fitness,
    Mask,
    Masks,
    one_blas_thread,
)
from nffs.randomness import generator
from nffs.search.allowed import by_lot
from nffs.search.events import Callback
from nffs.search.final import (
    ELIMINATION,
    FINAL_CHECK,
    Choose,
    FinalCheck,
    final_phases,
    run_final_check,
)
from nffs.search.journal.file import ELIMINATED, FINAL, SEARCH
from nffs.search.journal.journal import Journal
from nffs.search.method import Choice, Evaluated, Method, Proposals, Round, SearchSpace, Vector
from nffs.search.subsets import Subsets
from nffs.search.workers import workers_for

#: The phase in which all features are evaluated together.
ALL = "all features"

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
    # The fitness of all features together; nan if the search was stopped before it
    all_features: float = float("nan")
    final: FinalCheck | None = None  # what the final check found, if there was one


class Search:
    """Evaluates what a method proposes.

    Parameters
    ----------
    evaluation : Evaluation
        Ranked: what decides a score.
    n_jobs : int or None
        Threads, as joblib counts them. `joblib.parallel_config` may choose another backend.
    callbacks : sequence of callable
        Called with a `Progress` after every evaluation.
    journal : Journal, optional
        Where evaluations are kept and found again.
    started : float, optional
        When the work began, by `time.perf_counter`; now if not given.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        *,
        n_jobs: int | None = None,
        callbacks: Sequence[Callback] = (),
        journal: Journal | None = None,
        started: float | None = None,
    ) -> None:
        self._evaluation = evaluation
        self._n_jobs = n_jobs
        self._callbacks = callbacks
        self._journal = journal
        self._started = time.perf_counter() if started is None else started

    def run(
        self, method: Method, max_evaluations: int, choose: Choose | Literal["method"] = "method"
    ) -> Outcome:
        """Let a method search, then evaluate all features, then check the last candidates.

        With 'method' there is no such check: the method's choice is the outcome.
        """
        evaluation = self._evaluation
        space = SearchSpace.of(evaluation, self._n_jobs)
        phases = phases_of(
            method, space.n_features, max_evaluations, choose, weighs=evaluation.weighs
        )
        started = time.perf_counter()
        subsets = self._subsets(evaluation.evaluator, phases, SEARCH)
        preparing = time.perf_counter() - started
        # Methods multiply matrices too, and what they propose must not depend on the cores.
        with one_blas_thread:
            outcome = run_method(method, space, subsets, max_evaluations, evaluation.seed)
            started = time.perf_counter()
            everything = subsets.evaluate(np.ones((1, space.n_features), dtype=np.bool_), ALL)
            first = preparing + time.perf_counter() - started
            checks = [subsets]
            final = None
            if choose != "method" and not subsets.ended and self._has_time_for(first):
                try:
                    checks.append(self._subsets(evaluation.final.evaluator, phases, FINAL))
                    if evaluation.weighs:
                        eliminator = evaluation.final.eliminator
                        checks.append(self._subsets(eliminator, phases, ELIMINATED))
                    final = self._final(outcome, space, choose, *checks[1:])
                except KeyboardInterrupt:  # while nothing was evaluated
                    checks[-1].end("interrupted")
        found = everything[0] if everything else None
        return replace(
            outcome,
            all_features=float("nan") if found is None else found.value,
            n_evaluations=sum(len(part.evaluated) for part in checks),
            failures=[failure.reason for part in checks for failure in part.failed.values()],
            ended=checks[-1].ended,
            final=final,
        )

    def _has_time_for(self, seconds: float) -> bool:
        """Tell whether a limit leaves time to begin a final check.

        Its folds are prepared anew, and all features come first: with more folds that takes longer
        than the seconds it took in the search.
        """
        limits = (getattr(callback, "seconds", np.inf) for callback in self._callbacks)
        left = min(limits, default=np.inf) - (time.perf_counter() - self._started)
        needed = seconds * self._final_cost
        if needed > left:
            logging.getLogger("nffs.search").info(
                "no final check: %.0f s are left, and it takes some %.0f s to begin", left, needed
            )
        return bool(needed <= left)

    @cached_property
    def _final_cost(self) -> float:
        """How many times the splits of the search a final check has."""
        return len(self._evaluation.final.rows.splits) / len(self._evaluation.rows.splits)

    def _subsets(self, evaluator: Evaluator, phases: dict[str, int], stage: bytes) -> Subsets:
        return Subsets(
            partial(workers_for, evaluator, self._n_jobs),
            phases,
            batch=evaluator.batch,
            callbacks=self._callbacks,
            journal=None if self._journal is None else self._journal.stage(stage),
            costs={
                FINAL_CHECK: self._final_cost,
                ELIMINATION: self._final_cost * ELIMINATION_COST,
            },
            started=self._started,
        )

    def _final(
        self,
        outcome: Outcome,
        space: SearchSpace,
        choose: Choose,
        subsets: Subsets,
        eliminations: Subsets | None = None,
    ) -> FinalCheck | None:
        evaluation = self._evaluation.final
        found = run_final_check(
            lambda masks: subsets.evaluate(masks, FINAL_CHECK),
            None if eliminations is None else partial(_eliminate, evaluation, eliminations),
            outcome.masks,
            outcome.fitness,
            outcome.chosen,
            space.mi,
            choose,
            allowed=space.allowed,
            n_rows=evaluation.rows.n_evaluated,
        )
        if found is None:
            return None
        evaluated_on, guess = evaluation.rows.evaluated_on, evaluation.constant_guess()
        return FinalCheck(*found, evaluated_on=evaluated_on, guess=guess)


def _eliminate(
    evaluation: Evaluation, subsets: Subsets, mask: Mask
) -> tuple[Masks, NDArray[np.float64]] | None:
    """Eliminate features: what is left at every size, and what the splits score for that size."""
    found = subsets.evaluate(mask[None], ELIMINATION)
    if not found or found[0] is None:
        return None
    left = evaluation.eliminated(mask)
    n_splits = len(evaluation.rows.splits)
    return left, found[0].scores.reshape(n_splits, len(left), -1).transpose(1, 0, 2)


def phases_of(
    method: Method, n_features: int, max_evaluations: int, choose: str, *, weighs: bool
) -> dict[str, int]:
    """Give the phases of a whole search: the method's, then all features, then the final check.

    `weighs` says whether the models can tell how much a feature counts.
    """
    phases = {**method.phases(n_features, max_evaluations), ALL: 1}
    return phases if choose == "method" else {**phases, **final_phases(weighs=weighs)}


def run_method(
    method: Method, space: SearchSpace, subsets: Subsets, max_evaluations: int, seed: int
) -> Outcome:
    """Let a method search until its budget is spent."""
    budget = _Budget(subsets, space, max_evaluations, seed, method.is_random)
    choice: Choice | None = None
    starts = barren = 0
    while budget.left > 0 and not subsets.ended and choice is None and barren < PATIENCE:
        if starts and not method.is_random:
            break
        before = budget.spent
        rng = generator(seed, "method", method.name, starts)
        proposals = method.propose(space, rng, budget.left)
        choice, done = _follow(proposals, budget, next(iter(method.phases(1, budget.left))))
        starts += 1
        barren = 0 if budget.spent > before else barren + 1
        if done:
            break
    if not subsets.evaluated:
        raise _nothing_evaluated(subsets)
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
        self._n_repaired = 0

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

    def interrupt(self) -> None:
        self._subsets.end("interrupted")

    def evaluate(self, round_: Round) -> Evaluated | None:
        """Give what came of a round; None if it was cut and the method cannot go on."""
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
            rng = generator(self._seed, "repair", self._n_repaired)
            masks[number, rng.integers(masks.shape[1])] = True
            self._n_repaired += 1
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
