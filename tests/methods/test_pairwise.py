"""All pairs at once are each pair by itself."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from nffs import NFFS
from nffs.fitness import mutual_information
from nffs.methods import SearchSpace
from nffs.methods.pairwise import measure_dependence, pairwise_information


@pytest.fixture
def codes():
    rng = np.random.default_rng(0)
    n = 3000
    base = rng.integers(0, 40, n)
    return [
        base,
        base // 7,
        (rng.random(n) < 0.02).astype(np.intp),
        (base == 3).astype(np.intp),
        np.where(rng.random(n) < 0.5, base, 0),
        rng.integers(0, 300, n),  # more values than a byte holds
        np.where(rng.random(n) < 0.1, 5, 1),  # values 0, 2, 3, 4 never occur
    ]


def test_it_is_the_estimate_of_every_pair(codes):
    found = pairwise_information(codes)
    for i in range(len(codes)):
        for j in range(i):
            assert found[i, j] == found[j, i]
            one = mutual_information(codes[i], codes[j])
            assert found[i, j] == pytest.approx(one, abs=1e-10), (i, j)
    assert found[0, 0] == pytest.approx(mutual_info_score(codes[0], codes[0]))


def test_uncorrected_it_is_scikit_learns(codes):
    plain = mutual_info_score(codes[0], codes[4])
    cells = len(np.unique(codes[0] * 1000 + codes[4]))
    spare = cells - len(np.unique(codes[0])) - len(np.unique(codes[4])) + 1
    assert pairwise_information(codes)[0, 4] + spare / 6000 == pytest.approx(plain)


def test_threads_do_not_change_it(codes):
    assert (pairwise_information(codes) == pairwise_information(codes, n_jobs=2)).all()


def test_weights_count(codes):
    weights = np.random.default_rng(1).integers(1, 4, 3000).astype(float)
    found = pairwise_information(codes[:3], weights)
    assert found[0, 1] == mutual_information(codes[0], codes[1], weights=weights)


def test_evaluation_rows_are_not_looked_at(connections):
    X, y = connections.data, np.array(connections.target)
    selector = NFFS(unit="column", random_state=0)
    one, other = (
        measure_dependence(
            SearchSpace.of(
                selector.evaluation(X[:300], y[:300], eval_set=(X[300:], labels)).ranked()
            )
        )
        for labels in (y[300:], y[:100])
    )
    assert (one.redundancy == other.redundancy).all()
    assert (one.relevance == other.relevance).all()
    assert (one.redundancy <= np.minimum.outer(one.entropy, one.entropy) + 1e-9).all()
