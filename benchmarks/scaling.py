"""Time and memory of one subset against rows and columns, on generated tables.

Every size runs in its own process, so that its peak memory can be measured. The bound on memory is
the library's, by which it refuses a search that does not fit: the float32 table, what the engine
keeps for the split, and what one subset takes. A subset is evaluated by one thread. Evaluating two
at a time can gain at most what the machine gives two processes that share nothing; that is measured
too, as the throughput of two processes divided by that of one.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _forest import forest

from nffs.fitness import ForestScorer, Shape, one_blas_thread

GROUPS = [{"n_estimators": 20, "max_depth": depth} for depth in (2, 8, 16, None)]
MEBIBYTE = 2**20


def generated(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make a table of clusters with flags, counts and heavy tails; one label in fifty is wrong."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(40, d)).astype(np.float32)
    attack = rng.random(40) < 0.5
    X = np.empty((n, d), dtype=np.float32)
    y = np.empty(n, dtype=np.int64)
    # Small blocks: what making the table takes must not be taken for what evaluating it takes.
    for start in range(0, n, 4096):
        stop = min(start + 4096, n)
        cluster = rng.integers(0, 40, stop - start)
        part = centres[cluster] + rng.normal(size=(stop - start, d)).astype(np.float32)
        part[:, 0::3] = part[:, 0::3] > 1.0
        part[:, 1::3] = np.exp(part[:, 1::3])
        X[start:stop] = part
        y[start:stop] = attack[cluster] ^ (rng.random(stop - start) < 0.02)
    return X, y


def evaluate(scorer: ForestScorer) -> None:
    """Evaluate all columns, as a search does."""
    scorer.scores(np.ones((1, scorer.presenter.projection.X.shape[1]), dtype=bool), [0])


def peak() -> float:
    """Peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(n: int, d: int, repeats: int) -> dict[str, Any]:
    """Time one size in this process."""
    X, y = generated(1000, d)
    with one_blas_thread:
        evaluate(forest(X, y, 800, GROUPS)[0])  # compiled, or read from disk
        before = peak()
        X, y = generated(n, d)
        scorer, engine = forest(X, y, n * 4 // 5, GROUPS)
        need = engine.memory(Shape(n * 4 // 5, n - n * 4 // 5, d))
        bound = (X.nbytes + need.once + need.split + need.subset) / MEBIBYTE
        print(f"{n} x {d}: at most {bound:.0f} MiB", file=sys.stderr, flush=True)
        # Short runs are easily disturbed: more of them.
        repeats = max(repeats, min(5 * repeats, 2_000_000 // n))
        evaluate(scorer)
        memory = peak() - before
        seconds, together = [], []
        for _ in range(repeats):
            for _ in range(2):
                start = time.perf_counter()
                evaluate(scorer)
                seconds.append(time.perf_counter() - start)
            start = time.perf_counter()
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda _: evaluate(scorer), range(2)))
            together.append(time.perf_counter() - start)
        components = len(scorer.presenter.projection.components(np.ones(d, dtype=bool))[1])
    return {
        "rows": n,
        "columns": d,
        "components": components,
        "seconds": min(seconds),
        "speedup_two_subsets": 2 * min(seconds) / min(together),
        "table_mib": X.nbytes / MEBIBYTE,
        "peak_mib": memory,
        "bound_mib": bound,
    }


def alone(n: int, d: int, seconds: float) -> dict[str, float]:
    """Evaluate with one thread for some seconds; return evaluations a second."""
    X, y = generated(n, d)
    with one_blas_thread:
        scorer, _ = forest(X, y, n * 4 // 5, GROUPS)
        evaluate(scorer)
        done, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            evaluate(scorer)
            done += 1
        return {"rate": done / (time.perf_counter() - start)}


def speedup_of_processes(n: int, d: int, seconds: float) -> float:
    """Throughput of two processes at a time over that of one."""
    command = [
        sys.executable,
        str(Path(__file__)),
        "--one",
        str(n),
        str(d),
        "--alone",
        str(seconds),
    ]
    rates = []
    for count in (1, 2):
        processes = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)
        ]
        outputs = [process.communicate()[0] for process in processes]
        rates.append(sum(json.loads(output)["rate"] for output in outputs))
    return rates[1] / rates[0]


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--one", nargs=2, type=int, metavar=("ROWS", "COLUMNS"), help="one size")
    arguments.add_argument("--alone", type=float, metavar="SECONDS", help="one thread's rate")
    options = arguments.parse_args()
    repeats = 2 if options.quick else 4
    if options.alone:
        print(json.dumps(alone(*options.one, options.alone)))
        return
    if options.one:
        print(json.dumps(measure(*options.one, repeats)))
        return
    rows = [25_000, 100_000, 400_000] if options.quick else [25_000, 100_000, 400_000, 2_000_000]
    sizes = [(n, 60) for n in rows] + [(100_000, 20), (100_000, 180)]
    results = []
    for n, d in progress(sizes, len(sizes), "sizes"):
        command = [sys.executable, str(Path(__file__)), "--one", str(n), str(d)]
        command += ["--quick"] if options.quick else []
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        result = json.loads(output.splitlines()[-1])
        seconds = max(4.0 if options.quick else 10.0, 3 * result["seconds"])
        result["speedup_two_processes"] = speedup_of_processes(n, d, seconds)
        results.append(result)
    grown = results[: len(rows)]
    logs = np.log([[r["rows"], r["seconds"]] for r in grown])
    exponent = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    print(table(list(results[0]), [list(r.values()) for r in results]))
    print(f"\ntime grows with rows to the power of {exponent:.3f}")
    save(options.json, {"sizes": results, "exponent": exponent})


if __name__ == "__main__":
    main()
