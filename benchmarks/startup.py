"""How long the first call takes: with nothing compiled, and with the compiled code on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from _common import parser, progress, save, table

CODE = """
import json, time, warnings
warnings.simplefilter("ignore")
begin = time.perf_counter()
import numpy as np
from nffs import NFFS
imported = time.perf_counter()
first = []
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 8))
y = X[:, 0] + rng.normal(size=300) > 0
NFFS(n_subsets=8, n_nested=3, random_state=0,
     callbacks=[lambda p: first.append(time.perf_counter())]).fit(X, y)
done = time.perf_counter()
print(json.dumps({"import": imported - begin, "first evaluation": first[0] - imported,
                  "small search": done - imported}))
"""


def run(cache: str) -> dict[str, float]:
    """Start a fresh process with its compiled code in the given folder."""
    output = subprocess.run(
        [sys.executable, "-c", CODE],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
    ).stdout
    times: dict[str, float] = json.loads(output)
    return times


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    warm_runs = 2 if options.quick else 5
    with tempfile.TemporaryDirectory() as cache:
        results = [run(cache) for _ in progress(range(1 + warm_runs), 1 + warm_runs, "starts")]
    cold, warm = results[0], {k: min(r[k] for r in results[1:]) for k in results[0]}
    print(table(["seconds", "cold", "warm"], [[k, cold[k], warm[k]] for k in cold]))
    save(options.json, {"cold": cold, "warm": warm})


if __name__ == "__main__":
    main()
