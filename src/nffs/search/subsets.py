"""Subsets evaluated: each distinct one once, recorded at once, and reported in order."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice

import numpy as np

from nffs.errors import EvaluationError, WaitingWarning
from nffs.fitness import Fitness, Mask, Masks
from nffs.search.events import Callback, Progress, StopPhase, StopSearch
from nffs.search.journal.journal import Stage
from nffs.search.tasks import Failure, Result
from nffs.search.workers import Workers

#: Seconds between looks at what other processes on the same journal have done, and the looks after
#: which the user is told which processes they are.
_POLL, _LOOKS = 0.1, 50

#: Evaluations by which the next one's time is told: the slowest of them.
_RECENT = 8

#: The search gives up when more than one in this many of its subsets cannot be evaluated.
_ONE_IN = 20


class Subsets:
    """Evaluates subsets and remembers what it has evaluated.

    Callbacks hear of subsets in the order they were asked for, whatever the order in which they are
    done, and also of those that a journal knew: a callback that stops the search stops it at the
    same subset for any number of workers and after any restart.

    Parameters
    ----------
    workers : callable
        Gives the workers that evaluate masks; called when the first ones are needed.
    phases : mapping of str to int
        The phases in their order, with the most subsets of each, for progress.
    batch : int
        Subsets that a worker is given at a time.
    callbacks : sequence of callable
        Called with a `Progress` after every evaluation, in the thread that called the search.
    journal : Stage, optional
        Where evaluations are kept and found again.
    costs : mapping of str to float, optional
        What a subset of a phase costs; 1 where nothing is said.
    started : float, optional
        When the work began, by `time.perf_counter`; now if not given.
    limit : float, default=inf
        Seconds since then that the work may take: nothing is begun that would take longer.
    reserves : mapping of str to float, optional
        Evaluations that must still fit into the limit beside the next one of a phase.
    one_at_least : bool, default=False
        Whether one subset is evaluated even if the limit is over before.
    """

    def __init__(
        self,
        workers: Callable[[], Workers],
        phases: Mapping[str, int],
        *,
        batch: int = 1,
        callbacks: Sequence[Callback] = (),
        journal: Stage | None = None,
        costs: Mapping[str, float] | None = None,
        started: float | None = None,
        limit: float = float("inf"),
        reserves: Mapping[str, float] | None = None,
        one_at_least: bool = False,
    ) -> None:
        self._make_workers = workers
        self._workers: Workers | None = None
        self._phases = phases
        self._batch = batch
        self._callbacks = tuple(callbacks)
        self._journal = journal
        self._known: dict[bytes, Fitness] = {} if journal is None else journal.known()
        #: What was asked for and evaluated, in order, and what was asked for in vain.
        self.evaluated: dict[bytes, Mask] = {}
        self.failed: dict[bytes, Failure] = {}
        #: Why nothing is evaluated any more: "interrupted", "stopped" by a callback, or nothing.
        self.ended = ""
        #: Phases that a callback or an interrupt stopped, and how many subsets each phase had.
        self.stopped: set[str] = set()
        self.done: dict[str, int] = {}
        self._phase = ""
        self._in_phase: set[bytes] = set()
        self._before = 0
        self._costs = {} if costs is None else costs
        self._started = time.perf_counter() if started is None else started
        self._limit = limit
        self._reserves = {} if reserves is None else reserves
        self._one_at_least = one_at_least
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._best = -np.inf

    @property
    def total(self) -> int:
        """How many subsets the whole search has at most."""
        return sum(self._phases.values())

    def fitness(self, key: bytes) -> Fitness:
        """Give the scores of a subset that was evaluated."""
        return self._known[key]

    def is_open(self, phase: str) -> bool:
        """Tell whether anything of a phase may still be evaluated."""
        return not self.ended and phase not in self.stopped

    def evaluate(self, masks: Masks, phase: str) -> list[Fitness | None]:
        """Evaluate masks, the same one twice once.

        Returns
        -------
        list
            Their scores, None for one that could not be evaluated or was in flight at an interrupt.
            Fewer than there are masks if a callback or an interrupt stopped the phase.
        """
        keys = [mask.tobytes() for mask in masks]
        if self.is_open(phase) and not self._has_time(phase):
            self.stopped.add(phase)
        end, open_ = len(keys), self.is_open(phase)
        if open_:
            self._enter(phase)
            try:
                for place in self._in_order(masks, keys):
                    end = place + 1
            except StopPhase as stop:
                self.stopped.add(phase)
                if isinstance(stop, StopSearch):
                    self.end("stopped")
            except KeyboardInterrupt:
                self.stopped.add(phase)
                self.end("interrupted")
                # What is known by now is kept, though not reported any more.
                end = max((i + 1 for i, key in enumerate(keys) if key in self._known), default=0)
        # What was stopped gives no more than it has given: what else is known, by a journal or
        # because it was in flight, differs from run to run.
        found: list[Fitness | None] = []
        for mask, key in zip(masks[:end], keys, strict=False):
            if open_ and key in self._known:
                self.evaluated.setdefault(key, mask.copy())
            elif not open_ and key not in self.evaluated:
                break
            found.append(self._known[key] if key in self.evaluated else None)
        return found

    def dismiss(self) -> None:
        """Let the workers go, with all that they hold: nothing more will be asked for."""
        self._workers, self._make_workers = None, _dismissed

    def end(self, why: str) -> None:
        """Evaluate nothing more."""
        self.ended = why
        if self._journal is not None:
            self._journal.stop()

    def _enter(self, phase: str) -> None:
        if phase == self._phase:
            return
        # Phases may have been shorter than planned: the count goes on where this one's begins.
        names = list(self._phases)
        if phase in names:
            self._before = sum(self._phases[name] for name in names[: names.index(phase)])
        else:
            self._before += len(self._in_phase)
        self._phase, self._in_phase = phase, set()

    def _in_order(self, masks: Masks, keys: list[bytes]) -> Iterator[int]:
        """Give places in order as soon as they are known, then tell the callbacks."""
        with closing(self._results(masks, keys)) as results:
            for place, key in enumerate(keys):
                while key not in self._known and key not in self.failed:
                    self._keep(next(results))
                yield place  # before callbacks hear of it: one that stops counts its own subset
                if key not in self._in_phase:
                    self._in_phase.add(key)
                    self.done[self._phase] = len(self._in_phase)
                    self._report(masks[place], self._known.get(key))
                    if place + 1 < len(keys) and not self._has_time(self._phase):
                        raise StopPhase

    def _keep(self, result: Result) -> None:
        key = result.mask.tobytes()
        self._recent.append(result.seconds)
        if isinstance(result.found, Fitness):
            self._known[key] = result.found
            return
        self.failed[key] = result.found
        if len(self.failed) > max(1, self.total // _ONE_IN):
            error = EvaluationError(
                f"{len(self.failed)} of {len(self._known) + len(self.failed)} subsets could not "
                f"be evaluated; the last one failed with {result.found.reason}"
            )
            error.add_note(result.found.details)
            raise error

    def _results(self, masks: Masks, keys: list[bytes]) -> Generator[Result]:
        waiting = {
            key: mask
            for key, mask in zip(keys, masks, strict=True)
            if key not in self._known and key not in self.failed
        }
        if not waiting:
            return
        if self._workers is None:
            self._workers = self._make_workers()
        pending = list(waiting.values())
        if self._journal is None:
            yield from self._workers.run(_batches(pending, self._batch), None)
        else:
            yield from self._shared(self._workers, self._journal, pending)

    def _shared(self, workers: Workers, journal: Stage, pending: list[Mask]) -> Iterator[Result]:
        """Evaluate what no other process has done or is doing, then wait for the rest."""
        looks = 0
        while pending:
            done: list[Mask] = []
            taken: list[Mask] = []

            def claimed(pending: list[Mask], done: list[Mask], taken: list[Mask]) -> Iterator[Mask]:
                # Claimed as late as possible: when a worker is about to be free.
                for mask in pending:
                    claim = journal.claim(mask)
                    if claim == "mine":
                        yield mask
                    else:
                        (done if claim == "done" else taken).append(mask)

            batches = _batches(claimed(pending, done, taken), self._batch)
            yield from workers.run(batches, journal.record)
            for mask in done:
                found = journal.result(mask)
                if found is None:
                    taken.append(mask)  # damaged since: claimed again in the next round
                else:
                    yield Result(mask, found, 0.0, "")
            if taken and len(taken) == len(pending):
                looks += 1
                if looks == _LOOKS:
                    _tell(journal, taken)
                time.sleep(_POLL)
            pending = taken

    def _has_time(self, phase: str) -> bool:
        """Tell whether the next evaluation of a phase ends within the limit."""
        if self._one_at_least and not self.done:
            return True
        takes = max(self._recent, default=0.0) * (1.0 + self._reserves.get(phase, 0.0))
        return time.perf_counter() - self._started + takes * self._batch <= self._limit

    def _until(self) -> float:
        """Give the share of the planned work that is done when the phase ends."""
        names = list(self._phases)
        costs = [n * self._costs.get(name, 1.0) for name, n in self._phases.items()]
        if self._phase not in names:
            return 1.0
        return sum(costs[: names.index(self._phase) + 1]) / sum(costs)

    def _report(self, mask: Mask, fitness: Fitness | None) -> None:
        if fitness is not None:
            self._best = max(self._best, fitness.value)
        progress = Progress(
            phase=self._phase,
            done=self._before + len(self._in_phase),
            total=self.total,
            mask=mask,
            fitness=float("nan") if fitness is None else fitness.value,
            best=float(self._best),
            elapsed=time.perf_counter() - self._started,
            until=self._until(),
        )
        for callback in self._callbacks:
            callback(progress)


def _tell(journal: Stage, taken: list[Mask]) -> None:
    """Say for whom the search waits."""
    holders = sorted({journal.holder(mask) for mask in taken} - {""})
    if holders:
        warnings.warn(
            f"journal: waiting for {len(taken)} subset(s) that other processes evaluate: "
            f"{', '.join(holders[:5])}. Stop them to evaluate these subsets here; work that takes "
            "them more than an hour is taken over.",
            WaitingWarning,
            stacklevel=2,
        )


def _dismissed() -> Workers:
    raise RuntimeError("the workers were dismissed")


def _batches(masks: Iterable[Mask], size: int) -> Iterator[Masks]:
    stream = iter(masks)
    while batch := list(islice(stream, size)):
        yield np.array(batch)
