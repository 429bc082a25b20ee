"""The filters find on NSL-KDD what the papers that used them report."""

import pytest

from nffs import NFFS
from nffs.methods import METHODS, SearchSpace
from nffs.paper.reported import NSL_KDD


@pytest.fixture(scope="module")
def space(nsl_kdd_train):
    """A fifth of the training file, raw columns as features, every second row to evaluate."""
    X, y = nsl_kdd_train
    X, y = X[:25_194], y[:25_194]
    selector = NFFS(unit="column", random_state=0)
    evaluation = selector.evaluation(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    return SearchSpace.of(evaluation.ranked())


def first(space, name, n):
    return {space.features.names[i] for i in METHODS[name]().rank(space)[:n]}


def reported(method):
    return set(next(row for row in NSL_KDD if row.method == method).features)


def test_information_gain_puts_the_reported_eight_first(space):
    assert first(space, "ig", 8) == reported("IG")


def test_fmifs_puts_most_of_the_reported_eighteen_first(space):
    # Of 41 columns, eighteen drawn blindly would have eight of them.
    assert len(first(space, "fmifs", 18) & reported("LSSVM")) >= 15
