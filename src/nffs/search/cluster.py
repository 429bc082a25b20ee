"""A Dask cluster as workers: the evaluator travels once, results stream back.

joblib's own backend for Dask sends batches and gives results at the end. Here every result is
recorded as it comes, workers may die or join at any time, and all of them run the same versions, so
that the answer is the same to the last bit.

Every worker has a copy of the evaluator under a key of its own, and each task is sent to one worker
with that key. A key that several workers hold would not do: Dask's active memory manager drops the
copies of those that are idle for a moment, and the evaluator would travel again and again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from distributed import CancelledError, Client, Future, KilledWorker

from nffs.errors import ClusterError
from nffs.fitness import Evaluator, Masks
from nffs.search.cluster_check import check_workers
from nffs.search.tasks import TRIES, Record, Result, evaluate, failure_of

#: Seconds between looks at who is there.
_LOOK = 1.0

#: Seconds to wait for a worker when there is none.
_PATIENCE = 60.0


@dataclass(frozen=True)
class _Worker:
    """A worker that may be sent tasks."""

    threads: int
    evaluator: Future


class DaskWorkers:
    """The workers of a cluster.

    Parameters
    ----------
    evaluator : Evaluator
        Sent to every worker once.
    client : distributed.Client
        Connected to the scheduler.
    n_jobs : int or None
        Subsets at a time; all threads of all workers if None or negative.
    """

    def __init__(self, evaluator: Evaluator, client: Client, n_jobs: int | None) -> None:
        self._evaluator = evaluator
        self._client = client
        self._n_jobs = n_jobs if n_jobs is not None and n_jobs > 0 else None
        self._workers: dict[str, _Worker] = {}
        self._looked = -_LOOK
        self._data: Future | None = None
        self._look()

    def run(self, batches: Iterator[Masks], record: Record | None) -> Generator[Result]:
        """Give results as they come; unfinished work of a dying worker moves to another."""
        begun: dict[Future, tuple[Masks, str]] = {}
        lost: Counter[bytes] = Counter()
        again: list[Masks] = []
        done: SimpleQueue[Future] = SimpleQueue()
        results: list[Result] = []
        last = False
        try:
            while True:
                self._look()
                for future in [f for f, (_, at) in begun.items() if at not in self._workers]:
                    again.append(begun.pop(future)[0])
                    future.cancel(force=True)
                for address in self._free(Counter(at for _, at in begun.values())):
                    masks = again.pop() if again else next(batches, None)
                    if masks is None:
                        last = True
                        break
                    future = self._begin(masks, address)
                    begun[future] = masks, address
                    future.add_done_callback(done.put)
                # Given once its place is taken: workers go on while the caller looks at it.
                for result in results:
                    if record is not None:
                        record(result)
                    yield result
                results = []
                if last and not begun and not again:
                    return
                try:
                    future = done.get(timeout=_LOOK)
                except Empty:
                    continue
                if future not in begun:
                    continue  # of a worker that is gone
                masks, _ = begun.pop(future)
                try:
                    results = future.result()
                except (KilledWorker, CancelledError, OSError, ImportError) as error:
                    # not the subset's fault until it has brought down several workers
                    self._look(again=True)
                    lost[masks.tobytes()] += 1
                    if lost[masks.tobytes()] < TRIES:
                        again.append(masks)
                        continue
                    results = [Result(mask, failure_of(error), 0.0, "") for mask in masks]
                future.release()
        finally:
            if begun:
                self._client.cancel(list(begun), force=True)

    def _begin(self, masks: Masks, address: str) -> Future:
        there = self._workers[address].evaluator
        return self._client.submit(evaluate, there, masks, workers=[address], pure=False)

    def _free(self, begun: Counter[str]) -> Iterator[str]:
        """Give workers to send a task to: those with the fewest for their threads first.

        Without a bound a worker has as many that wait as it has threads, so that none is idle while
        a result travels.
        """
        most = {
            address: worker.threads * (2 if self._n_jobs is None else 1)
            for address, worker in self._workers.items()
        }
        while self._n_jobs is None or begun.total() < self._n_jobs:
            free = [address for address, bound in most.items() if begun[address] < bound]
            if not free:
                return
            chosen = min(free, key=lambda address: begun[address] / most[address])
            begun[chosen] += 1
            yield chosen

    def _look(self, *, again: bool = False) -> None:
        """Look for workers; check new ones and send them the evaluator."""
        if not again and time.monotonic() - self._looked < _LOOK:
            return
        present = self._present()
        self._workers = {
            address: worker
            for address, worker in self._workers.items()
            if address in present and worker.evaluator.status in ("pending", "finished")
        }
        new = [address for address in present if address not in self._workers]
        self._looked = time.monotonic()
        if not new:
            return
        try:
            check_workers(self._client, new)
        except OSError:
            return  # one of them is gone already: they are seen the next time
        data = self._sent()
        for address in new:
            copy = self._client.submit(_same, data, workers=[address], pure=False)
            self._workers[address] = _Worker(present[address], copy)

    def _sent(self) -> Future:
        """Give the evaluator that copies are made of; sent again if its only worker has died."""
        data = self._data
        if data is None or data.cancelled() or not any(self._client.who_has([data]).values()):
            data = self._data = self._client.scatter(self._evaluator, hash=False)
        return data

    def _present(self) -> dict[str, int]:
        deadline = time.monotonic() + _PATIENCE
        while True:
            found: dict[str, int] = self._client.nthreads()
            if found:
                return found
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"scheduler: {self._client.scheduler.address} has had no worker for "
                    f"{_PATIENCE:.0f} s; start some (dask worker ADDRESS) and run the same "
                    "command again."
                )
            time.sleep(_LOOK)


def _same(evaluator: Evaluator) -> Evaluator:
    return evaluator
