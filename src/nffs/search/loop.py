"""Runs masks through workers, each distinct one once, and tells callbacks in order."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from nffs.errors import EvaluationError
from nffs.fitness.evaluator import Evaluator, Fitness, Mask
from nffs.search.events import Callback, Progress, StopPhase, StopSearch
from nffs.search.journal.journal import Journal
from nffs.search.tasks import Failure, Outcome, Task
from nffs.search.workers import Workers, workers_for

Masks = NDArray[np.bool_]

#: Seconds between looks at what other processes on the same journal have done.
_POLL = 0.1

#: The search gives up when more than one in this many of its subsets cannot be judged.
_FEW = 20


class Search:
    """Evaluates subsets and remembers what it has evaluated.

    Callbacks hear of subsets in the order they were asked for, whatever the order in which they are
    done, and also of those that a journal knew: a callback that stops the search stops it at the
    same subset for any number of workers and after any restart.

    Parameters
    ----------
    evaluator : Evaluator
        Judges one mask.
    total : int
        How many subsets the whole search will ask for, for its progress.
    n_jobs : int or None
        Threads, as joblib counts them. `joblib.parallel_config` may choose another backend.
    callbacks : sequence of callable
        Called with a `Progress` after every evaluation, in the thread that called the search.
    journal : Journal, optional
        Where evaluations are kept and found again.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        total: int,
        n_jobs: int | None = None,
        callbacks: Sequence[Callback] = (),
        journal: Journal | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._total = total
        self._done = 0
        self._n_jobs = n_jobs
        self._workers: Workers | None = None
        self._callbacks = tuple(callbacks)
        self._journal = journal
        self._known: dict[bytes, Fitness] = {} if journal is None else journal.known()
        self._failed: dict[bytes, Failure] = {}
        self._judged: set[bytes] = set()
        #: Why nothing is judged any more: "interrupted", "stopped" by a callback, or nothing.
        self.ended = ""
        self._started = time.perf_counter()
        self._best = -np.inf

    @property
    def n_evaluations(self) -> int:
        """How many distinct subsets that were asked for are judged."""
        return len(self._judged)

    @property
    def failures(self) -> list[Failure]:
        """Why some subsets could not be judged."""
        return list(self._failed.values())

    def evaluate(self, masks: Masks, phase: str) -> tuple[NDArray[np.intp], list[Fitness]]:
        """Judge masks, the same one twice once; give the places of those judged and their fitness.

        Places are missing if a mask could not be judged, or if a callback or an interrupt stopped
        the phase; what is in flight then is dropped.
        """
        keys = [mask.tobytes() for mask in masks]
        end, begun = len(keys), not self.ended
        if begun:
            try:
                for place in self._told(masks, keys, phase):
                    end = place + 1
            except StopPhase as stop:
                if isinstance(stop, StopSearch):
                    self._end("stopped")
            except KeyboardInterrupt:
                self._end("interrupted")
                end = len(keys)
        # A search that has ended gives no more than it has given: what else is known, by a journal
        # or because it was in flight, differs from run to run.
        found = self._known if begun else self._judged
        judged = [place for place in range(end) if keys[place] in found]
        self._judged.update(keys[place] for place in judged)
        return np.array(judged, dtype=np.intp), [self._known[keys[place]] for place in judged]

    def _end(self, why: str) -> None:
        self.ended = why
        if self._journal is not None:
            self._journal.ended = "stopped"

    def _told(self, masks: Masks, keys: list[bytes], phase: str) -> Iterator[int]:
        """Give places in order as soon as they are known, then tell the callbacks."""
        with closing(self._outcomes(masks, keys)) as outcomes:
            for place, key in enumerate(keys):
                while key not in self._known and key not in self._failed:
                    self._keep(next(outcomes))
                yield place
                self._tell(phase, masks[place], self._known.get(key))

    def _keep(self, outcome: Outcome) -> None:
        key = outcome.task.mask.tobytes()
        if isinstance(outcome.result, Fitness):
            self._known[key] = outcome.result
            return
        self._failed[key] = outcome.result
        if len(self._failed) > max(1, self._total // _FEW):
            error = EvaluationError(
                f"{len(self._failed)} of {len(self._known) + len(self._failed)} subsets could not "
                f"be judged; the last one failed with {outcome.result.reason}"
            )
            error.add_note(outcome.result.details)
            raise error

    def _outcomes(self, masks: Masks, keys: list[bytes]) -> Generator[Outcome]:
        waiting: dict[bytes, Task] = {}
        for place, key in enumerate(keys):
            if key not in self._known and key not in self._failed:
                waiting.setdefault(key, Task(place, masks[place]))
        if not waiting:
            return
        if self._workers is None:
            self._workers = workers_for(self._evaluator, self._n_jobs)
        tasks = list(waiting.values())
        if self._journal is None:
            yield from self._workers.run(iter(tasks), None)
        else:
            yield from self._shared(self._workers, self._journal, tasks)

    def _shared(self, workers: Workers, journal: Journal, pending: list[Task]) -> Iterator[Outcome]:
        """Evaluate what no other process has done or is doing, then wait for the rest."""
        while pending:
            done: list[Task] = []
            taken: list[Task] = []

            def claimed(pending: list[Task], done: list[Task], taken: list[Task]) -> Iterator[Task]:
                # Claimed as late as possible: when a worker is about to be free.
                for task in pending:
                    claim = journal.claim(task.mask)
                    if claim == "mine":
                        yield task
                    else:
                        (done if claim == "done" else taken).append(task)

            yield from workers.run(claimed(pending, done, taken), journal.record)
            for task in done:
                found = journal.result(task.mask)
                if found is None:
                    taken.append(task)  # damaged since: claimed again in the next round
                else:
                    yield Outcome(task, found, 0.0, "")
            if taken and len(taken) == len(pending):
                time.sleep(_POLL)
            pending = taken

    def _tell(self, phase: str, mask: Mask, fitness: Fitness | None) -> None:
        self._done += 1
        if fitness is not None:
            self._best = max(self._best, fitness.value)
        progress = Progress(
            phase=phase,
            done=self._done,
            total=self._total,
            mask=mask,
            fitness=float("nan") if fitness is None else fitness.value,
            best=float(self._best),
            elapsed=time.perf_counter() - self._started,
        )
        for callback in self._callbacks:
            callback(progress)
