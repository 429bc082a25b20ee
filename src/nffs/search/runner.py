"""Runs masks through an evaluator, in parallel, each distinct one once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from nffs.fitness.evaluator import Fitness, Mask, SubsetEvaluator

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
    """

    def __init__(
        self,
        evaluator: SubsetEvaluator,
        *,
        total: int,
        n_jobs: int | None = None,
        callbacks: Sequence[Callback] = (),
    ) -> None:
        self._evaluator = evaluator
        self._total = total
        self._done = 0
        self._n_jobs = n_jobs
        self._callbacks = tuple(callbacks)
        self._known: dict[bytes, Fitness] = {}
        self._started = time.perf_counter()
        self._best = -np.inf

    @property
    def n_evaluations(self) -> int:
        """How many distinct subsets were evaluated."""
        return len(self._known)

    def evaluate(self, masks: Masks, phase: str) -> list[Fitness]:
        """Judge every mask; the same mask twice is evaluated once."""
        keys = [mask.tobytes() for mask in masks]
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

    def _run(self, masks: Masks, waiting: Sequence[int]) -> Iterator[tuple[int, Fitness]]:
        # Parallelism is over subsets; BLAS threads below them would only fight for the cores.
        with threadpool_limits(limits=1):
            parallel = Parallel(
                n_jobs=self._n_jobs, prefer="threads", return_as="generator_unordered"
            )
            yield from parallel(
                delayed(_evaluate)(self._evaluator, place, masks[place]) for place in waiting
            )

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


def _evaluate(evaluator: SubsetEvaluator, place: int, mask: Mask) -> tuple[int, Fitness]:
    return place, evaluator(mask)
