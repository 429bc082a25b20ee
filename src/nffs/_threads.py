"""Sharing numbered work among threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def share(n: int, n_threads: int, work: Callable[[Iterator[int]], T]) -> list[T]:
    """Let threads share the numbers below ``n``: each takes the next one when it is free.

    ``work`` is called once by every thread with an iterator over its numbers; what the calls return
    is listed. One thread is the caller's own.
    """
    numbers = iter(range(n))
    n_threads = min(n_threads, n)
    if n_threads <= 1:
        return [work(numbers)]
    with ThreadPoolExecutor(n_threads) as pool:
        return [job.result() for job in [pool.submit(work, numbers) for _ in range(n_threads)]]
