"""The memory bound that is told holds, in a process of its own."""

import json
import subprocess
import sys

CODE = """
import json, resource, warnings
warnings.simplefilter("ignore")
import numpy as np
from nffs import NFFS
from nffs.fitness.memory import memory_need
import nffs.selector

told = []
def note(rows, n_threads):
    told.append(memory_need(rows, n_threads))
    return told[-1]
nffs.selector.memory_need = note

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def fit(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 60)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=n) > 0
    before = peak()
    NFFS(n_subsets=4, n_nested=2, n_jobs=2, random_state=0, threshold=0.0,
         param_groups=[{"n_estimators": 2, "max_depth": 12}]).fit(X[: n // 2], y[: n // 2],
         eval_set=(X[n // 2 :], y[n // 2 :]))
    return peak() - before

fit(1000)
print(json.dumps([fit(200_000), told[-1]]))
"""


def test_a_search_stays_within_what_it_told():
    output = subprocess.run([sys.executable, "-c", CODE], stdout=subprocess.PIPE, check=True).stdout
    used, told = json.loads(output)
    assert used <= told
