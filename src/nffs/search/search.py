"""A whole search: a method until its budget is spent, then all features, then the final check.

All features are evaluated together at the end, beyond the budget, for comparison, whether so many
are allowed or not; excluded ones are none of them. Unless the method is to have the last word, a
final check on other folds then decides between its choice, other candidates and all features.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import (
    Evaluation,
    Evaluator,
    Fitness,
    Mask,
    Masks,
    elimination_cost,
    one_blas_thread,
)
from nffs.search.events import Callback, Cut
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
from nffs.search.loop import Outcome, insist, run_method
from nffs.search.method import Method, SearchSpace
from nffs.search.subsets import Subsets
from nffs.search.workers import workers_for

#: The phase in which all features are evaluated together.
ALL = "all features"

#: Under a time limit: what it takes to evaluate all features, in evaluations of recent subsets, and
#: what is kept free for that: beside it the subsets that are at work when a method is stopped.
_ALL_TAKES, _KEPT_FREE = 1.5, 2.5

#: Phases after the method's.
_LAST = (ALL, FINAL_CHECK, ELIMINATION)


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
        self._untimely: set[str] = set()  # phases that a limit left no time for

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
            checks: list[Subsets] = [subsets]
            everything: list[Fitness | None] = []
            final = None
            try:
                started = time.perf_counter()
                everything = subsets.evaluate(np.ones((1, space.n_features), dtype=np.bool_), ALL)
                first = preparing + time.perf_counter() - started
                subsets.dismiss()
                evaluation.forget()
                needed = first * self._final_cost
                if (
                    choose != "method"
                    and not subsets.ended
                    and self._has_time_for(FINAL_CHECK, needed)
                ):
                    check = FINAL + evaluation.final_identity().encode()
                    checks.append(self._subsets(evaluation.final.evaluator, phases, check))
                    if evaluation.weighs:
                        eliminator = evaluation.final.eliminator
                        elimination = ELIMINATED + evaluation.elimination_identity().encode()
                        checks.append(self._subsets(eliminator, phases, elimination))
                    final = self._final(outcome, space, choose, needed, *checks[1:])
            except KeyboardInterrupt:  # while nothing was evaluated
                checks[-1].end("interrupted")

        def whole() -> Outcome:
            found = everything[0] if everything else None
            return replace(
                outcome,
                all_features=float("nan") if found is None else found.value,
                n_evaluations=sum(len(part.evaluated) for part in checks),
                failures=[failure.reason for part in checks for failure in part.failed.values()],
                ended=next((part.ended for part in checks if part.ended), ""),
                planned=sum(phases.values()),
                cut=self._cut(phases, checks),
                final=final,
            )

        return insist(whole, lambda: checks[-1].end("interrupted"))

    def _cut(self, phases: dict[str, int], checks: Sequence[Subsets]) -> tuple[Cut, ...]:
        """Give the phases that did not come to their end."""
        stopped = {phase for part in checks for phase in part.stopped} | self._untimely
        ended = any(part.ended for part in checks)
        done = {phase: n for part in checks for phase, n in part.done.items()}
        return tuple(
            Cut(phase, done.get(phase, 0), planned)
            for phase, planned in phases.items()
            if (phase in stopped or (ended and phase not in done)) and done.get(phase, 0) < planned
        )

    def _has_time_for(self, phase: str, needed: float) -> bool:
        """Tell whether a limit leaves the seconds that it takes to begin a phase.

        The folds of a final check are prepared again, and all features come first: with more folds
        that takes longer than it took in the search. An elimination takes about as long.
        """
        left = self._limit() - (time.perf_counter() - self._started)
        if needed > left:
            self._untimely.add(phase)
            logging.getLogger("nffs.search").info(
                "no %s: %.0f s are left, and it takes some %.0f s to begin", phase, left, needed
            )
        return bool(needed <= left)

    def _limit(self) -> float:
        """Give the seconds that callbacks allow a search."""
        limits = (getattr(callback, "seconds", np.inf) for callback in self._callbacks)
        return float(min(limits, default=np.inf))

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
                ELIMINATION: self._final_cost * elimination_cost(self._evaluation.n_usable),
            },
            started=self._started,
            limit=self._limit(),
            one_at_least=stage == SEARCH,
            reserves={
                ALL: _ALL_TAKES - 1.0,
                **{phase: _KEPT_FREE for phase in phases if phase not in _LAST},
            },
        )

    def _final(
        self,
        outcome: Outcome,
        space: SearchSpace,
        choose: Choose,
        needed: float,
        subsets: Subsets,
        eliminations: Subsets | None = None,
    ) -> FinalCheck | None:
        evaluation = self._evaluation.final

        def eliminate(mask: Mask) -> tuple[Masks, NDArray[np.float64]] | None:
            assert eliminations is not None
            if subsets.ended:
                return None
            has_time = self._has_time_for(ELIMINATION, needed)
            return _eliminate(evaluation, eliminations, mask) if has_time else None

        found = run_final_check(
            lambda masks: subsets.evaluate(masks, FINAL_CHECK),
            None if eliminations is None else eliminate,
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
