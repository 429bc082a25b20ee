"""A whole search of the paper's size on NSL-KDD on the GPU, compared with CPU threads.

The search evaluates 180 drawn and 70 nested subsets and all features with four parameter groups of
100 trees: on the test file as in the paper, and by three folds of the training file. The whole of
`fit` is timed, with reading and encoding the tables; the kernels are compiled before. "Same bits"
compares all scores of two searches on the GPU, and of one in batches of another size.

Below, 64 drawn subsets are evaluated on the test file, kernel by kernel. A look is one row's bin or
value of one column in one node: what growing a tree consists of. The bytes are the fewest that can
be moved: one for each look, and 20 for each row that is parted (its entry read and written, and its
value). The last line compares them with what a plain copy moves in that time. The fitness of a
search is that of its best subset; it varies from search to search by about 0.02.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from _common import drawn_subset, nsl_kdd, nsl_kdd_frames, parser, save, table
from _gpu import copied_per_second, gpu, gpu_forest, timed, wait

from nffs import NFFS
from nffs.fitness.gpu.engine import GpuComponents

DEPTHS = (2, 8, 16, None)
LOOK_BYTES, PARTED_BYTES = 1, 20


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    warnings.simplefilter("ignore")
    n_trees, n_drawn, n_nested = (10, 12, 6) if options.quick else (100, 180, 70)
    groups: list[dict[str, Any]] = [{"n_estimators": n_trees, "max_depth": d} for d in DEPTHS]
    X, y, X_test, y_test = nsl_kdd_frames()

    def search(engine: str, **fit: Any) -> tuple[float, NFFS]:
        selector = NFFS(
            evaluator="paper", engine=engine, n_subsets=n_drawn, n_nested=n_nested,
            param_groups=groups, n_jobs=options.threads, random_state=0, callbacks=[],
        )  # fmt: skip
        start = time.perf_counter()
        selector.fit(X, y, **fit)
        return time.perf_counter() - start, selector

    for engine in ("gpu", "fast"):
        NFFS(evaluator="paper", engine=engine, n_subsets=3, random_state=0).fit(X[:2000], y[:2000])
    figures: dict[str, Any] = {"gpu": gpu(), "threads": options.threads, "searches": []}
    rows = []
    for name, fit in (("test file", {"eval_set": (X_test, y_test)}), ("three folds", {})):
        ours, first = search("gpu", **fit)
        again, second = search("gpu", **fit)
        GpuComponents.batch = 23
        _, other = search("gpu", **fit)
        GpuComponents.batch = 64
        theirs, threads = search("fast", **fit)
        seconds = min(ours, again)
        same = all(
            np.array_equal(getattr(first, part), getattr(found, part))
            for found in (second, other)
            for part in ("drawn_fitness_", "nested_fitness_")
        )
        row = [name, seconds, theirs, theirs / seconds, "yes" if same else "NO"]
        rows.append([*row, first.fitness_, threads.fitness_])
        figures["searches"].append(
            dict(zip(("on", "gpu_seconds", "cpu_seconds", "ratio", "same_bits"), row, strict=True))
            | {"gpu_fitness": first.fitness_, "cpu_fitness": threads.fitness_}
        )
    heads = ["evaluated on", "GPU, s", f"{options.threads} threads, s", "times", "same bits"]
    print(f"{first.n_evaluations_} subsets, 4 groups of {n_trees} trees, {gpu()}\n")
    print(table([*heads, "fitness, GPU", "fitness, CPU"], rows))

    table_, label, n = nsl_kdd()
    scorer = gpu_forest(table_, label, n, groups)
    subsets = 8 if options.quick else 64
    shares = [0.2 + 0.45 * (i % 10) / 9 for i in range(subsets)]
    masks = np.array([drawn_subset(table_.shape[1], s, i) for i, s in enumerate(shares)])
    seeds = list(range(subsets))
    scorer.scores(masks, seeds)
    wait()
    start = time.perf_counter()
    scorer.scores(masks, seeds)
    wait()
    batch = time.perf_counter() - start
    with timed(scorer.device) as stages:
        scorer.scores(masks, seeds)
    grown = scorer.grown(masks, seeds)
    looked, parted, nodes = (int(v) for v in scorer.device.get(grown.work))
    copied, growing = copied_per_second(), stages["grow_forests"]
    moved = LOOK_BYTES * looked + PARTED_BYTES * parted
    print(f"\n{subsets} subsets on the test file: {batch:.3g} s\n")
    stages_rows = [[name, 1000 * spent] for name, spent in stages.most_common()]
    print(table(["kernel", "ms"], stages_rows))
    facts = {
        "trees": subsets * n_trees,
        "nodes": nodes,
        "looks": looked,
        "rows parted": parted,
        "looks a second while growing": looked / growing,
        "bytes moved at least": moved,
        "bytes copied a second": copied,
        "share of the copied bytes": moved / growing / copied,
    }
    print()
    print(table(["growing", ""], [[k, float(v)] for k, v in facts.items()]))
    save(options.json, {**figures, "batch_seconds": batch, "stages": dict(stages), **facts})


if __name__ == "__main__":
    main()
