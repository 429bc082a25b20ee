"""The memory bound that is announced holds, in a process of its own, and too much is refused."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from nffs import NFFS, InputError, memory

CODE = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from sklearn.naive_bayes import GaussianNB
from nffs import NFFS

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def fit(n_rows, n_columns, pca, engine, repeated=0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    X[: int(repeated * n_rows)] = X[0]
    y = X[:, 0] + rng.normal(size=n_rows) > 0
    how = (
        {"param_groups": [{"n_estimators": 2, "max_depth": 12}]}
        if engine == "forest"
        else {"estimator": GaussianNB()}
    )
    small = {"n_subsets": 4, "n_nested": 2, "n_jobs": 2, "random_state": 0, "threshold": 0.0}
    paper = {"evaluator": "paper", "pca": pca} if pca != "panel" else {}
    selector = NFFS(**small, **paper, **how)
    need = selector.evaluation(X, y).memory(2, final=pca == "panel")
    before = peak()
    selector.fit(X, y)
    return peak() - before, need

shape = json.loads(sys.argv[1])
fit(60, 40, shape[2], shape[3])  # compiled, imported
print(json.dumps(fit(*shape)))
"""


@pytest.mark.parametrize(
    "shape",
    [
        (200_000, 60, 0.93, "forest"),
        (100_000, 65, None, "forest", 0.2),
        (62, 2000, 0.93, "forest"),
        (62, 2000, None, "forest"),
        (5000, 600, 0.93, "reference"),
        (80_000, 60, "panel", "forest"),
        (62, 4000, "panel", "forest"),
        (2500, 1200, "panel", "forest"),
    ],
    ids=[
        "long",
        "rows repeated",
        "wide",
        "wide without components",
        "reference",
        "long, panel",
        "wide, panel",
        "square, panel",
    ],
)
def test_a_search_stays_within_what_it_announced(shape):
    done = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps(shape)], stdout=subprocess.PIPE, check=True
    )
    used, announced = json.loads(done.stdout)
    assert used <= announced
    if announced > 2**29:  # of less, what was there before the search may have served it
        assert announced <= 1.5 * used


def long_table(n_rows=20_000, n_columns=10):
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return NFFS(random_state=0).evaluation(X, X[:, 0] > 0)


class TestRefusal:
    def test_fewer_threads_or_rows_are_offered(self, monkeypatch):
        evaluation = long_table()
        there = evaluation.memory(3)
        monkeypatch.setattr(memory, "available_memory", lambda: there)
        with pytest.raises(InputError) as raised:
            evaluation.check_memory(8)
        message = str(raised.value)
        assert "20000 rows and 10 encoded columns, 8 subset(s)" in message
        assert "are free" in message
        threads = int(re.search(r"n_jobs=(\d+)", message).group(1))
        rows = int(re.search(r"max_rows=(\d+)", message).group(1))
        evaluation.check_memory(threads)
        with pytest.raises(InputError):
            evaluation.check_memory(threads + 1)
        # A smaller table leaves what it does not hold to others.
        smaller = long_table(rows)
        freed = evaluation.rows.matrix.nbytes - smaller.rows.matrix.nbytes
        monkeypatch.setattr(memory, "available_memory", lambda: there + freed)
        smaller.check_memory(8)

    def test_only_rows_help_where_one_thread_is_too_much(self, monkeypatch):
        evaluation = long_table()
        monkeypatch.setattr(memory, "available_memory", lambda: 2**20)
        with pytest.raises(InputError, match="max_rows=") as raised:
            evaluation.check_memory(1)
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

    def test_a_table_that_cannot_even_be_encoded(self, monkeypatch, connections):
        monkeypatch.setattr(memory, "available_memory", lambda: 1000)
        with pytest.raises(InputError, match="max_rows: encoding 400 rows into 46 columns needs"):
            NFFS(random_state=0).fit(connections.data, connections.target)
