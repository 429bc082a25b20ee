"""Throughput of Dask workers compared with as many threads of one process.

The same search on NSL-KDD's training rows (a quarter of them for evaluation) runs alternately in
threads and on a cluster on this machine, whose workers have one thread each. Results must be equal,
and the time for sending the evaluator to the workers is included. The scheduler shares the cores
with its workers here; on a cluster of several machines it would not.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib
import numpy as np
from _common import parser, progress, save, table
from _protocols import Data
from distributed import Client
from sklearn.model_selection import StratifiedShuffleSplit

from nffs import NFFS


@contextmanager
def cluster(n_workers: int) -> Iterator[Client]:
    """Run a scheduler and workers, each a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        processes = []

        def start(which: str, *arguments: str) -> None:
            code = f"from distributed.cli.{which} import main; main()"
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-c", code, *arguments],
                    cwd=folder,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )

        try:
            start("dask_scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard")
            with Client("tcp://127.0.0.1:18786", timeout=60, set_as_default=False) as client:
                for _ in range(n_workers):
                    start(
                        "dask_worker", "tcp://127.0.0.1:18786", "--nthreads", "1", "--no-nanny",
                        "--no-dashboard", "--host", "127.0.0.1",
                    )  # fmt: skip
                client.wait_for_workers(n_workers, timeout=120)
                yield client
        finally:
            for process in processes:
                process.kill()
                process.wait()


def search(data: Data, threads: int, client: Client | None, sizes: dict[str, int]) -> NFFS:
    """Run one search."""
    selector = NFFS(
        evaluator="paper",
        **sizes,
        cv=StratifiedShuffleSplit(1, test_size=0.25, random_state=0),
        n_jobs=threads if client is None else -1,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if client is None:
            return selector.fit(data.X, data.y)
        with joblib.parallel_config(backend="dask", client=client):
            return selector.fit(data.X, data.y)


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--rounds", type=int, default=3, help="searches of each kind (3)")
    options = arguments.parse_args()
    data = Data(0.1 if options.quick else 1.0)
    sizes = {"n_subsets": 40 if options.quick else 60, "n_nested": 20}
    pace: dict[str, list[float]] = {"threads": [], "workers": []}
    selected = []
    with cluster(options.threads) as client:
        search(data, options.threads, client, {"n_subsets": 4, "n_nested": 2})  # kernels loaded
        rounds = [kind for _ in range(options.rounds) for kind in pace]
        for kind in progress(rounds, len(rounds), "searches"):
            found = search(data, options.threads, client if kind == "workers" else None, sizes)
            pace[kind].append(found.n_evaluations_ / found.seconds_)
            selected.append((found.selected_features_, found.fitness_))
    assert all(one == selected[0] for one in selected), "results differ"
    ratios = np.array(pace["workers"]) / np.array(pace["threads"])
    rows: list[list[Any]] = [
        [kind, *(round(p, 2) for p in paces), round(float(np.mean(paces)), 2)]
        for kind, paces in pace.items()
    ]
    rows.append(["ratio", *(round(float(r), 3) for r in ratios), round(float(ratios.mean()), 3)])
    header = ["evaluations a second", *(f"round {i + 1}" for i in range(options.rounds)), "mean"]
    print(f"{len(data.y)} rows, {options.threads} threads, {options.threads} workers\n")
    print(table(header, rows))
    save(options.json, {"rows": rows, "ratio": float(ratios.mean()), "ratios": ratios.tolist()})


if __name__ == "__main__":
    main()
