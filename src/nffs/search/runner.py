"""Runs masks through an evaluator, in parallel, each distinct one once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from nffs.fitness.evaluator import Fitness, Mask, SubsetEvaluator
from nffs.search.journal import Journal

Masks = NDArray[np.bool_]


@dataclass(frozen=True)
class Progress:
    """What callbacks are told after every evaluation.

    Attributes
    ----------
    phase : str
        What the search is doing.
    done, total : int
        Subsets judged so far in the whole search, and how many it has.
    n_features : int
        The size of the subset just judged.
    fitness : float
        Its fitness.
    best : float
        The best fitness of the whole search so far.
    elapsed : float
        Seconds since the search began.
    """

    phase: str
    done: int
    total: int
    n_features: int
    fitness: float
    best: float
    elapsed: float


Callback = Callable[[Progress], object]
Record = Callable[[Mask, Fitness, float], object]

#: Seconds between looks at what other processes on the same journal have done.
_POLL = 0.1


class Search:
    """Evaluates subsets and remembers what it has evaluated.

    Parameters
    ----------
    evaluator : SubsetEvaluator
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
        evaluator: SubsetEvaluator,
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
        self._callbacks = tuple(callbacks)
        self._journal = journal
        self._known: dict[bytes, Fitness] = {} if journal is None else journal.known()
        self._asked: set[bytes] = set()
        #: Whether an interrupt has stopped the search; nothing is judged any more then.
        self.interrupted = False
        self._started = time.perf_counter()
        self._best = -np.inf

    @property
    def n_evaluations(self) -> int:
        """How many distinct subsets that were asked for are judged."""
        return len(self._asked & self._known.keys())

    def evaluate(self, masks: Masks, phase: str) -> list[Fitness]:
        """Judge every mask; the same mask twice is evaluated once."""
        keys = [mask.tobytes() for mask in masks]
        self._asked.update(keys)
        places: dict[bytes, int] = {}
        for place, key in enumerate(keys):
            if key not in self._known:
                places.setdefault(key, place)
        waiting = list(places.values())
        self._done += len(keys) - len(waiting)
        for place, fitness in self._run(masks, waiting):
            self._done += 1
            self._known[keys[place]] = fitness
            self._tell(phase, masks[place], fitness)
        return [self._known[key] for key in keys]

    def evaluate_some(self, masks: Masks, phase: str) -> tuple[Masks, list[Fitness]]:
        """Judge masks until an interrupt; give those that are judged.

        The first interrupt stops the search for good and drops what is in flight.
        """
        if not self.interrupted:
            try:
                return masks, self.evaluate(masks, phase)
            except KeyboardInterrupt:
                self.interrupted = True
                if self._journal is not None:
                    self._journal.ended = "stopped"
        found = [self._known.get(mask.tobytes()) for mask in masks]
        judged = np.array([fitness is not None for fitness in found], dtype=np.bool_)
        return masks[judged], [fitness for fitness in found if fitness is not None]

    def _run(self, masks: Masks, waiting: Sequence[int]) -> Iterator[tuple[int, Fitness]]:
        # Parallelism is over subsets; BLAS threads below them would only fight for the cores.
        with threadpool_limits(limits=1):
            parallel = Parallel(
                n_jobs=self._n_jobs, prefer="threads", return_as="generator_unordered"
            )
            if self._journal is None:
                for place, fitness, _ in parallel(
                    delayed(_evaluate)(self._evaluator, place, masks[place]) for place in waiting
                ):
                    yield place, fitness
            else:
                yield from self._run_kept(parallel, self._journal, masks, list(waiting))

    def _run_kept(
        self, parallel: Parallel, journal: Journal, masks: Masks, pending: list[int]
    ) -> Iterator[tuple[int, Fitness]]:
        """Evaluate what no other process has done or is doing, then wait for the rest."""
        # Threads of this process write at once; results of other processes are written here.
        shared = getattr(parallel._backend, "supports_sharedmem", False)
        while pending:
            done: list[int] = []
            taken: list[int] = []

            def tasks(pending: list[int], done: list[int], taken: list[int]) -> Iterator[Any]:
                # Claimed as late as possible: when a worker is about to be free.
                for place in pending:
                    claim = journal.claim(masks[place])
                    if claim == "mine":
                        record = journal.record if shared else None
                        yield delayed(_evaluate)(self._evaluator, place, masks[place], record)
                    else:
                        (done if claim == "done" else taken).append(place)

            for place, fitness, seconds in parallel(tasks(pending, done, taken)):
                if not shared:
                    journal.record(masks[place], fitness, seconds)
                yield place, fitness
            for place in done:
                found = journal.result(masks[place])
                if found is None:
                    taken.append(place)  # damaged since: claimed again in the next round
                else:
                    yield place, found
            if taken and len(taken) == len(pending):
                time.sleep(_POLL)
            pending = taken

    def _tell(self, phase: str, mask: Mask, fitness: Fitness) -> None:
        self._best = max(self._best, fitness.value)
        progress = Progress(
            phase=phase,
            done=self._done,
            total=self._total,
            n_features=int(mask.sum()),
            fitness=fitness.value,
            best=float(self._best),
            elapsed=time.perf_counter() - self._started,
        )
        for callback in self._callbacks:
            callback(progress)


def _evaluate(
    evaluator: SubsetEvaluator, place: int, mask: Mask, record: Record | None = None
) -> tuple[int, Fitness, float]:
    started = time.perf_counter()
    fitness = evaluator(mask)
    seconds = time.perf_counter() - started
    if record is not None:
        record(mask, fitness, seconds)
    return place, fitness, seconds
