"""A Dask cluster as workers: the evaluator travels once, outcomes stream back.

joblib's own backend for Dask sends batches and gives results at the end. Here every outcome is
recorded as it comes, workers may die or join at any time, and all of them run the same versions, so
that the answer is the same to the last bit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any

from distributed import CancelledError, Client, KilledWorker, as_completed
from threadpoolctl import threadpool_limits

from nffs._version import __version__
from nffs.errors import ClusterError, InputError
from nffs.fitness.evaluator import SubsetEvaluator
from nffs.search.tasks import TRIES, Outcome, Record, Task, failure_of, judge

#: What decides the bits of a fitness beside the data.
_DECIDING = ("nffs", "numpy", "numba", "scikit-learn")

#: Seconds between looks at who is there.
_LOOK = 1.0

#: Seconds to wait for a worker when there is none.
_PATIENCE = 60.0


class DaskWorkers:
    """The workers of a cluster.

    Parameters
    ----------
    evaluator : SubsetEvaluator
        Sent to every worker once.
    client : distributed.Client
        Connected to the scheduler.
    n_jobs : int or None
        Subsets at a time; all threads of all workers if None or negative.
    """

    def __init__(self, evaluator: SubsetEvaluator, client: Client, n_jobs: int | None) -> None:
        self._evaluator = evaluator
        self._client = client
        self._n_jobs = n_jobs if n_jobs is not None and n_jobs > 0 else None
        self._workers: dict[str, int] = {}
        self._looked = -_LOOK
        self._data: Any = None
        self._look()

    def run(self, tasks: Iterator[Task], record: Record | None) -> Generator[Outcome]:
        """Give outcomes as they come; what a dying worker had begun is begun again elsewhere."""
        begun: dict[Any, Task] = {}
        lost: dict[int, int] = {}
        completed = as_completed(loop=self._client.loop)

        def begin(some: Iterator[Task]) -> None:
            for task in some:
                future = self._client.submit(_judge_there, self._data, task, pure=False)
                begun[future] = task
                completed.add(future)

        try:
            begin(islice(tasks, self._room(0)))
            for future in completed:
                task = begun.pop(future)
                try:
                    outcome = future.result()
                except (KilledWorker, CancelledError, OSError, ImportError) as error:
                    # not the subset's fault until it has brought down several workers
                    self._look(again=True)
                    lost[task.place] = lost.get(task.place, 0) + 1
                    if lost[task.place] < TRIES:
                        begin(iter([task]))
                        continue
                    outcome = Outcome(task, failure_of(error), 0.0, "")
                future.release()
                self._look()
                begin(islice(tasks, self._room(len(begun))))
                if record is not None:
                    record(outcome)
                yield outcome
        finally:
            if begun:
                self._client.cancel(list(begun), force=True)

    def _room(self, begun: int) -> int:
        """Count the tasks to begin: one for every thread and a few that wait for it."""
        threads = sum(self._workers.values())
        at_once = threads if self._n_jobs is None else min(threads, self._n_jobs)
        waiting = at_once if self._n_jobs is None else 0
        return max(0, at_once + waiting - begun)

    def _look(self, *, again: bool = False) -> None:
        """See who is there; check newcomers and send them the evaluator."""
        if not again and time.monotonic() - self._looked < _LOOK:
            return
        found = self._present()
        new = [address for address in found if address not in self._workers]
        if new:
            check_versions(self._client, new)
        if self._data is None or self._data.cancelled() or not self._client.who_has(self._data):
            self._data = self._client.scatter(self._evaluator, broadcast=True, hash=False)
        elif new:
            self._client.replicate([self._data])
        self._workers = found
        self._looked = time.monotonic()

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


def check_versions(client: Client, workers: list[str]) -> None:
    """Refuse workers that lack this package or have others that decide the bits of a fitness."""
    found = client.run(_probe(), workers=workers)
    mine = _probe()()
    wrong = []
    for address, theirs in sorted(found.items()):
        lacking = [name for name in _DECIDING if theirs[name] is None]
        differing = [
            f"{name} {theirs[name]} instead of {mine[name]}"
            for name in _DECIDING
            if theirs[name] not in (None, mine[name])
        ]
        if lacking or differing:
            wrong.append(
                f"{address} "
                + " and ".join(
                    ([f"lacks {', '.join(lacking)}"] if lacking else [])
                    + ([f"has {', '.join(differing)}"] if differing else [])
                )
            )
    if wrong:
        raise InputError(
            f"scheduler: {len(wrong)} worker(s) cannot take part: {'; '.join(wrong)}. Install "
            f"nffs {__version__} with the same versions there."
        )


def _probe() -> Any:
    names = _DECIDING

    # Local, so that it travels by value: a worker may lack this package.
    def versions() -> dict[str, str | None]:
        from importlib import metadata

        found: dict[str, str | None] = {}
        for name in names:
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                found[name] = None
        return found

    return versions


class _OneBlasThread:
    """Hold BLAS to one thread while any subset is judged in this process.

    `threadpoolctl` sets the whole process: of two subsets judged at once, the first to end would
    free the other's threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._limits = threadpool_limits(limits=1)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limits.restore_original_limits()


_one_blas_thread = _OneBlasThread()


def _judge_there(evaluator: SubsetEvaluator, task: Task) -> Outcome:
    with _one_blas_thread:
        return judge(evaluator, task)
