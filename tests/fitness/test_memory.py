"""The memory bound that is told holds, in a process of its own."""

import json
import re
import subprocess
import sys

import pytest

from nffs import NFFS, InputError
from nffs.fitness import memory

CODE = """
import json, resource, warnings
warnings.simplefilter("ignore")
import numpy as np
from nffs import NFFS
from nffs.fitness.memory import memory_need
import nffs.selector.base

told = []
def note(*sizes):
    told.append(memory_need(*sizes))
    return told[-1]
nffs.selector.base.memory_need = note

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


class TestRefusal:
    def test_fewer_threads_or_rows_are_offered(self, monkeypatch):
        monkeypatch.setattr(memory, "available_memory", lambda: 4 * 2**30)
        with pytest.raises(InputError) as raised:
            memory.check_memory(2_000_000, 100, 8)
        said = str(raised.value)
        assert "2000000 rows and 100 encoded columns, 8 subset(s)" in said
        assert "and 4.0 GiB are free" in said
        threads = int(re.search(r"n_jobs=(\d+)", said).group(1))
        rows = int(re.search(r"max_rows=(\d+)", said).group(1))
        memory.check_memory(2_000_000, 100, threads)
        memory.check_memory(rows, 100, 8)
        with pytest.raises(InputError):
            memory.check_memory(2_000_000, 100, threads + 1)

    def test_only_rows_help_where_one_thread_is_too_much(self, monkeypatch):
        monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
        with pytest.raises(InputError, match="max_rows=") as raised:
            memory.check_memory(2_000_000, 100, 1)
        assert "n_jobs=" not in str(raised.value)

    def test_a_container_with_less_than_the_machine(self, monkeypatch, tmp_path):
        limit, used = tmp_path / "max", tmp_path / "current"
        monkeypatch.setattr(memory, "_CONTAINER", [(str(limit), str(used))])
        machine = memory.available_memory()
        limit.write_text("max\n")
        used.write_text("1000\n")
        assert memory.available_memory() > machine / 2
        limit.write_text("5000\n")
        assert memory.available_memory() == 4000

    def test_a_search_says_so_before_it_starts(self, monkeypatch, connections):
        monkeypatch.setattr(memory, "available_memory", lambda: 100_000)
        with pytest.raises(InputError, match=r"needs up to .* would fit"):
            NFFS(random_state=0).fit(connections.data, connections.target)
