"""Sharing numbered work among threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def share(n: int, n_threads: int, work: Callable[[Iterator[int]], T]) -> list[T]:
    """Let threads share the numbers below ``n``: each takes the next one when it is free.

    Parameters
    ----------
    n : int
        How many numbers there are.
    n_threads : int
        Number of threads; one thread is the caller's own.
    work : callable
        Called once by every thread with an iterator over the numbers that fall to it.

    Returns
    -------
    list
        What the calls returned.
    """
    numbers = iter(range(n))
    n_threads = min(n_threads, n)
    if n_threads <= 1:
        return [work(numbers)]
    with ThreadPoolExecutor(n_threads) as pool:
        return [job.result() for job in [pool.submit(work, numbers) for _ in range(n_threads)]]
