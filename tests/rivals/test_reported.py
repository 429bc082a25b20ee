"""The filters find on NSL-KDD what the papers that used them report."""

import numpy as np
import pytest

from nffs.fitness.information import feature_information
from nffs.methods import METHODS, Task
from nffs.paper.reported import NSL_KDD
from nffs.table.features import search_order
from nffs.table.problem import read_training, state_problem


@pytest.fixture(scope="module")
def task(nsl_kdd_train):
    """A fifth of the training file, raw columns as features, every second row to judge."""
    X, y = nsl_kdd_train
    X, y = X[:25_194], y[:25_194]
    table, labels = read_training(X[::2], y[::2], None)
    problem, rows = state_problem(
        table, labels, unit="column", min_frequency=None, max_categories=None, cv=3,
        sample_weight=None, eval_set=(X[1::2], y[1::2]), groups=None, seed=0,
    )  # fmt: skip
    usable = problem.features.take(problem.usable)
    mi = feature_information(rows, usable.columns)
    order = search_order(rows.matrix, usable, mi)
    features = usable.take(order)
    return Task(rows.with_columns(np.concatenate(features.columns)), features, mi[order], 0)


def first(task, name, n):
    return {task.features.names[i] for i in METHODS[name]().rank(task)[:n]}


def reported(method):
    return set(next(row for row in NSL_KDD if row.method == method).features)


def test_information_gain_puts_the_reported_eight_first(task):
    assert first(task, "ig", 8) == reported("IG")


def test_fmifs_puts_most_of_the_reported_eighteen_first(task):
    # Of 41 columns, eighteen drawn blindly would have eight of them.
    assert len(first(task, "fmifs", 18) & reported("LSSVM")) >= 15
