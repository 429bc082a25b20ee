"""A panel: one column of scores for every member, and their mean is the fitness."""

import numpy as np
from sklearn.datasets import load_wine

from nffs import NFFS

GROUPS = {"param_groups": [{"n_estimators": 5}, {"n_estimators": 3, "max_depth": 2}]}


def test_every_member_scores_as_it_would_alone():
    X, y = load_wine(return_X_y=True)
    masks = np.random.default_rng(0).random((4, 13)) < 0.6

    def scores(evaluator, **groups):
        evaluation = NFFS(evaluator=evaluator, random_state=3, **groups).evaluation(X, y)
        return np.array([found.scores for found in evaluation.evaluator(masks)])

    panel = scores("panel", **GROUPS)
    assert panel.shape == (4, 3, 2)
    np.testing.assert_array_equal(panel[:, :, 0], scores("forest", **GROUPS).mean(axis=2))
    np.testing.assert_array_equal(panel[:, :, 1], scores("logistic")[:, :, 0])


def test_forests_see_the_columns_themselves_whatever_their_scale():
    X, y = load_wine(return_X_y=True)
    mask = np.ones((1, 13), dtype=bool)
    plain, scaled = (
        NFFS(evaluator="forest", random_state=0, **GROUPS).evaluation(data, y).evaluator(mask)[0]
        for data in (X, X * 2.0 ** np.arange(-6, 7))
    )
    np.testing.assert_array_equal(plain.scores, scaled.scores)
