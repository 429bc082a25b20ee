"""How the GPU's time grows with rows and with columns, compared with CPU threads.

Generated tables (those of `benchmarks/scaling.py`): 80 % of the rows train, the others are
evaluated, and as many subsets as there are threads, each of half of the columns, are scored with
four parameter groups of 10 trees. The GPU's time is that of a batch of all of them, the CPU's that
of all of them with one thread each. Preparing a split is not counted: it is done once for all
subsets of a search.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from _common import drawn_subset, parser, save
from _forest import forest
from _gpu import gpu, gpu_forest, wait
from scaling import generated

from nffs.fitness import one_blas_thread

GROUPS = [{"n_estimators": 10, "max_depth": depth} for depth in (2, 8, 16, None)]
SIZES = [
    (500, 20), (2_500, 20), (10_000, 20), (25_000, 20), (125_000, 20), (125_000, 50),
    (125_000, 120), (125_000, 250), (125_000, 500), (500_000, 20), (2_000_000, 20), (5_000_000, 20),
]  # fmt: skip


def measured(n: int, d: int, subsets: int, threads: int) -> dict[str, Any]:
    """Time both engines on one table."""
    X, y = generated(n, d)
    train = n * 4 // 5
    masks = np.array([drawn_subset(d, 0.5, i) for i in range(subsets)])
    seeds = list(range(subsets))
    start = time.perf_counter()
    ours = gpu_forest(X, y, train, GROUPS)
    wait()
    found: dict[str, Any] = {"rows": n, "columns": d, "prepare": time.perf_counter() - start}
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        scores = ours.scores(masks, seeds)
        seconds.append(time.perf_counter() - start)
    found["gpu"] = min(seconds)
    del ours
    theirs, _ = forest(X, y, train, GROUPS)
    seconds = []
    with one_blas_thread, ThreadPoolExecutor(threads) as pool:
        for _ in range(2 if n <= 125_000 else 1):
            start = time.perf_counter()
            by_cpu = list(pool.map(lambda i: theirs.scores(masks[i : i + 1], [i]), seeds))
            seconds.append(time.perf_counter() - start)
    found["cpu"] = min(seconds)
    found["times"] = found["cpu"] / found["gpu"]
    found["difference"] = float(np.mean(scores - np.concatenate(by_cpu)))
    return found


HEADS = ("rows", "columns", "prepare, s", "GPU, s", "CPU, s", "times", "mean difference of scores")


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    sizes = SIZES[:4] if options.quick else SIZES
    measured(1000, 20, options.threads, options.threads)  # kernels are compiled here
    rows: list[dict[str, Any]] = []
    print(f"{options.threads} subsets, 4 groups of 10 trees, {gpu()}, {options.threads} threads\n")
    print("  ".join(f"{head:>10}" for head in HEADS), flush=True)
    for n, d in sizes:
        rows.append(measured(n, d, options.threads, options.threads))
        cells = zip(HEADS, rows[-1].values(), strict=True)
        print("  ".join(f"{value:>{max(10, len(head))}.4g}" for head, value in cells), flush=True)
        save(options.json, {"gpu": gpu(), "threads": options.threads, "sizes": rows})


if __name__ == "__main__":
    main()
