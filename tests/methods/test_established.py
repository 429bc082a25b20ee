"""The methods of other libraries choose what those libraries choose."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest, SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nffs import InputError, Selector
from nffs.methods.established import Boruta, FromModel


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :8].astype(np.float32), y


def test_forward_selection_is_scikit_learns(cancer):
    X, y = cancer
    folds = StratifiedKFold(3)
    theirs = SequentialFeatureSelector(
        make_pipeline(StandardScaler(), GaussianNB()),
        n_features_to_select=3,
        scoring="accuracy",
        cv=folds,
    ).fit(X, y)
    ours = Selector(
        "sequential",
        max_evaluations=8 + 7 + 6,
        estimator=GaussianNB(),
        scoring="accuracy",
        cv=folds,
    ).fit(X, y)
    last = ours.archive_masks_[-6:]
    best = last[ours.archive_fitness_[-6:].argmax()]
    assert best.tolist() == theirs.get_support().tolist()


def test_kbest_ranks_as_scikit_learn(cancer):
    X, y = cancer
    rival = Selector("kbest", param_groups=[{"n_estimators": 2}], random_state=0).fit(X, y)
    for k, mask in enumerate(rival.archive_masks_, start=1):
        assert mask.tolist() == SelectKBest(k=k).fit(X, y).get_support().tolist()


def test_from_model_keeps_what_scikit_learn_keeps(cancer):
    X, y = cancer
    rival = Selector(FromModel(trees=200), param_groups=[{"n_estimators": 2}], random_state=0)
    forest = RandomForestClassifier(200, random_state=0)
    # The rival's columns are in another order, so the forests differ a little.
    theirs = SelectFromModel(forest).fit(X, y).get_support()
    assert (rival.fit(X, y).support_ == theirs).mean() >= 7 / 8


def test_boruta_leaves_noise_out(cancer):
    X, y = cancer
    noise = np.random.default_rng(0).standard_normal((len(X), 4)).astype(np.float32)
    rival = Selector(Boruta(iterations=20, trees=30), param_groups=[{"n_estimators": 2}])
    rival.set_params(random_state=0).fit(np.hstack([X, noise]), y)
    assert rival.support_[:4].all()
    assert not rival.support_[8:].any()


def test_without_boruta_there_is_one_sentence(cancer, monkeypatch):
    monkeypatch.setitem(sys.modules, "boruta", None)
    with pytest.raises(InputError, match="install it with `pip install boruta`"):
        Selector("boruta", random_state=0).fit(*cancer)
