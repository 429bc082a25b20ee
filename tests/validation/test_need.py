"""The memory announced for the usual models is about what they take."""

import tracemalloc

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from nffs.validation.need import models_memory


@pytest.mark.parametrize(("n_rows", "n_columns"), [(240, 400), (400, 400), (800, 300)])
def test_boosting_on_wide_tables(n_rows, n_columns):
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    y = X[:, :10].sum(axis=1) > 0
    model = HistGradientBoostingClassifier(max_iter=15, random_state=0)
    told = models_memory(n_rows, 0, (n_columns,), n_labels=2, n_threads=1)
    tracemalloc.start()
    model.fit(X.astype(np.float32), y)
    _, used = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used * 0.9 < told < used * 1.6  # a process holds much beside it
