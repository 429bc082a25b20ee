"""Ridge regression of subsets is scikit-learn's, for long and for wide tables."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

from nffs.fitness import ridge
from nffs.fitness.ridge import RidgeEngine
from nffs.fitness.scoring import resolve_scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import read_target

X, Y = load_diabetes(return_X_y=True)
X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 60))]).astype(np.float32)
WEIGHTS = np.random.default_rng(1).uniform(0.1, 3.0, len(Y))


def scorer_of(n_train, weights=None):
    target = read_target(Y, task="regression")
    split = Split(np.arange(n_train), np.arange(n_train, len(Y)))
    rows = SplitRows(X, target, weights, [split], "")
    return RidgeEngine(resolve_scoring(None, target)).prepare(rows, split)


def theirs(n_train, mask, weights=None):
    scaler = StandardScaler().fit(X[:n_train, mask].astype(np.float64))
    Z = scaler.transform(X[:, mask].astype(np.float64))
    model = Ridge().fit(Z[:n_train], Y[:n_train], None if weights is None else weights[:n_train])
    evaluated = None if weights is None else weights[n_train:]
    score = r2_score(Y[n_train:], model.predict(Z[n_train:]), sample_weight=evaluated)
    return score, model.coef_


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("n_train", [300, 40], ids=["long", "wide"])
def test_scores_and_coefficients_are_those_of_scikit_learn(n_train, weights):
    scorer = scorer_of(n_train, weights)
    for mask in (np.arange(70) < 10, np.arange(70) % 2 == 0, np.ones(70, dtype=bool)):
        score, coefficients = theirs(n_train, mask, weights)
        found = scorer.weighed(mask, seed=0)
        assert found.scores[0] == pytest.approx(score, abs=1e-4)
        assert scorer.scores(mask[None], [0])[0, 0] == found.scores[0]
        expected = np.abs(coefficients) / np.abs(coefficients).sum()
        np.testing.assert_allclose(found.weights, expected, atol=1e-3)


def test_products_computed_for_a_subset_are_those_computed_once(monkeypatch):
    mask = np.arange(70) % 3 == 0
    once = scorer_of(300).scores(mask[None], [0])
    monkeypatch.setattr(ridge, "shares_products", lambda n_columns, n_train: False)
    scorer = scorer_of(300)
    assert scorer.products is None
    np.testing.assert_allclose(scorer.scores(mask[None], [0]), once, atol=1e-9)
