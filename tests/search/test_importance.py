"""What features add: ridge regression over masks, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge

from nffs.search.importance import effects_of


def drawn(shape, seed=0):
    rng = np.random.default_rng(seed)
    masks = rng.random(shape) < 0.5
    return masks, masks[:, :3] @ [0.1, 0.2, -0.1] + 0.05 * rng.normal(size=len(masks))


@pytest.mark.parametrize("shape", [(80, 24), (30, 200), (3, 5)])
def test_values_are_scikit_learns(shape):
    masks, fitness = drawn(shape)
    theirs = BayesianRidge().fit(masks.astype(float), fitness).coef_
    np.testing.assert_allclose(effects_of(masks, fitness).value, theirs, rtol=0.02, atol=1e-4)


@pytest.mark.parametrize("shape", [(80, 24), (30, 200)])
def test_errors_are_scikit_learns(shape):
    masks, fitness = drawn(shape)
    theirs = BayesianRidge().fit(masks.astype(float), fitness)
    errors = np.sqrt(np.diag(theirs.sigma_))
    np.testing.assert_allclose(effects_of(masks, fitness).error, errors, rtol=0.02)


def test_intervals_cover_what_is_true():
    truth = np.zeros(24)
    truth[:3] = 0.1, 0.2, -0.1
    within = []
    for seed in range(20):
        found = effects_of(*drawn((120, 24), seed))
        within.append(np.abs(found.value - truth) < 2 * found.error)
    assert np.mean(within) > 0.9


def test_a_wide_table():
    """A matrix of features by features would not fit into any memory."""
    masks = np.random.default_rng(0).random((40, 300_000)) < 0.5
    assert effects_of(masks, masks[:, 7] + 0.0).value.argmax() == 7


def test_nothing_is_added_where_all_scores_are_equal():
    masks = np.random.default_rng(0).random((9, 5)) < 0.5
    assert effects_of(masks, np.full(9, 0.5)).value.tolist() == [0.0] * 5


def test_a_fitness_that_counts_double_is_one_that_is_there_twice():
    masks, fitness = drawn((40, 6))
    twice = effects_of(np.concatenate([masks, masks]), np.concatenate([fitness, fitness]))
    weighed = effects_of(masks, fitness, np.full(40, 2.0))
    np.testing.assert_allclose(weighed.value, twice.value, rtol=0.02, atol=1e-4)
