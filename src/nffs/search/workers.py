"""Who evaluates: threads of this process, or whatever joblib or a Dask cluster offers."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from typing import Any, Protocol

from joblib import Parallel, delayed

from nffs.errors import InputError
from nffs.fitness import Evaluator, Masks, one_blas_thread
from nffs.search.tasks import Record, Result, evaluate


class Workers(Protocol):
    """Evaluates batches of subsets, some at a time."""

    def run(self, batches: Iterator[Masks], record: Record | None) -> Generator[Result]:
        """Give results as they come; each is recorded before it is given.

        Batches are taken when a worker is about to be free. Closing the iterator drops what is in
        flight.
        """
        ...


class InlineWorkers:
    """The caller's own thread, one batch after the other."""

    def __init__(self, evaluator: Any) -> None:
        self._evaluator = evaluator

    def run(self, batches: Iterator[Masks], record: Record | None) -> Generator[Result]:
        """Give results as they come."""
        for masks in batches:
            yield from evaluate(self._evaluator, masks, record)


class JoblibWorkers:
    """Threads, or another backend of joblib's that the user has chosen."""

    def __init__(self, evaluator: Evaluator, parallel: Parallel) -> None:
        self._evaluator = evaluator
        self._parallel = parallel
        #: Threads write as they end; what other processes have done is written here.
        self._together = bool(getattr(parallel._backend, "supports_sharedmem", False))

    def run(self, batches: Iterator[Masks], record: Record | None) -> Generator[Result]:
        """Give results as they come."""
        there, here = (record, None) if self._together else (None, record)
        # Every subset holds BLAS to one thread; held here too, it is found once for all of them.
        with one_blas_thread:
            done = self._parallel(
                delayed(evaluate)(self._evaluator, masks, there) for masks in batches
            )
            try:
                for results in done:
                    for result in results:
                        if here is not None:
                            here(result)
                        yield result
            finally:
                with warnings.catch_warnings():
                    # A search that is stopped drops what is in flight; that is as it should be.
                    warnings.filterwarnings("ignore", ".*tasks", UserWarning)
                    done.close()


def workers_for(evaluator: Evaluator, n_jobs: int | None) -> Workers:
    """Choose by `joblib.parallel_config`; threads if nothing is chosen."""
    client = dask_client()
    if client is not None:
        from nffs.search.cluster import DaskWorkers

        return DaskWorkers(evaluator, client, n_jobs)
    try:
        parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")
    except ValueError as error:
        raise InputError(
            "n_jobs: the chosen joblib backend cannot return results one by one "
            f"({error}); choose threading or loky in joblib.parallel_config."
        ) from error
    return JoblibWorkers(evaluator, parallel)


def dask_client() -> Any:
    """Give the client of `joblib.parallel_config(backend="dask")`, or None."""
    # not return_as a generator: joblib's own backend for Dask has none and would refuse
    backend = Parallel(prefer="threads")._backend
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None
