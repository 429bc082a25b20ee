"""The GPU engine on one split, for benchmarks that measure it outside a search."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from nffs.fitness import Group, Split, SplitRows, resolve_scoring
from nffs.fitness.gpu.device import Device, find_device
from nffs.fitness.gpu.engine import GpuComponents, GpuScorer
from nffs.table.target import read_target


def gpu_forest(
    X: np.ndarray, y: Any, n: int, groups: Sequence[Group], positive: Any = None
) -> GpuScorer:
    """Prepare the forest on components: the first ``n`` rows train, the others are evaluated."""
    target = read_target(y, pos_label=positive)
    split = Split(np.arange(n), np.arange(n, len(X)))
    rows = SplitRows(X, target, None, [split], "the rows after those that train")
    scorer = GpuComponents(groups, resolve_scoring("f1", target), 0.93).prepare(rows, split)
    assert isinstance(scorer, GpuScorer)
    return scorer


def wait() -> None:
    """Wait until the GPU has done all that it was asked for."""
    import cupy

    cupy.cuda.runtime.deviceSynchronize()


@contextmanager
def timed(device: Device) -> Iterator[Counter[str]]:
    """Time every kernel that is started meanwhile, by name."""
    seconds: Counter[str] = Counter()
    launch = device.launch

    def measured(kernel: str, *arguments: Any, **options: Any) -> None:
        wait()
        start = time.perf_counter()
        launch(kernel, *arguments, **options)
        wait()
        seconds[kernel] += time.perf_counter() - start

    device.launch = measured  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        del device.launch  # type: ignore[attr-defined]


def copied_per_second() -> float:
    """Give the bytes that the GPU copies in a second, read and written both counted."""
    import cupy

    source = cupy.ones(1 << 30, dtype=cupy.uint8)
    target = cupy.empty_like(source)
    best = 0.0
    for _ in range(5):
        wait()
        start = time.perf_counter()
        cupy.copyto(target, source)
        wait()
        best = max(best, 2 * source.nbytes / (time.perf_counter() - start))
    return best


def gpu() -> str:
    """Name the GPU."""
    return find_device().name
