"""What NFFS keeps by default: columns that tell the classes apart, all of them if need be."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine

from nffs import NFFS
from nffs.errors import AdjustedWarning

pytestmark = pytest.mark.filterwarnings("ignore::nffs.errors.AdjustedWarning")


def columns(seed=0, n=400, d=10):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("seed", [0, 1])
def test_two_columns_that_tell_nothing_alone(seed):
    """Each has no information about the label, which is the sign of their product."""
    X = columns(seed)
    y = X[:, 3] * X[:, 6] > 0
    selector = NFFS(random_state=seed).fit(X, y)
    assert selector.support_[[3, 6]].all()
    assert selector.support_.sum() <= 5
    assert "of 10 features do" in selector.final_.verdict
    assert selector.final_.gain > 2 * selector.final_.gain_error
    assert selector.fitness_ > selector.all_features_fitness_


def test_two_columns_whose_sum_tells():
    X = columns()
    selector = NFFS(random_state=0).fit(X, X[:, 3] + X[:, 6] > 0)
    assert np.flatnonzero(selector.support_).tolist() == [3, 6]


def test_four_useful_columns():
    X = columns()
    selector = NFFS(random_state=0).fit(X, X[:, [1, 3, 6, 8]].sum(axis=1) > 0)
    assert selector.support_[[1, 3, 6, 8]].all()
    assert selector.support_.sum() <= 6


@pytest.mark.parametrize("choose", ["auto", "all"])
def test_every_column_matters(choose):
    X = columns()
    y = X.sum(axis=1) + 0.5 * np.random.default_rng(9).normal(size=400) > 0
    selector = NFFS(choose=choose, random_state=0).fit(X, y)
    assert selector.support_.all()
    assert selector.final_.verdict == "No subset beats all 10 features; all are kept."
    assert selector.final_.gain == 0.0


class TestNoise:
    """Labels that have nothing to do with the columns."""

    def fit(self, seed, **parameters):
        y = np.random.default_rng(100 + seed).random(400) < 0.4
        selector = NFFS(n_subsets=60, n_nested=9, **parameters, random_state=seed)
        return selector.fit(columns(seed), y)

    @pytest.mark.parametrize("seed", range(4))
    def test_nothing_beats_a_constant_guess(self, seed):
        final = self.fit(seed).final_
        assert final.verdict.startswith("Nothing beats a constant guess: it scores 0.")
        assert final.verdict.endswith("These columns may say nothing about the target.")
        # the rarer class, for every row
        y = np.random.default_rng(100 + seed).random(400) < 0.4
        assert final.guess == pytest.approx(2 * y.mean() / (1 + y.mean()), abs=0.01)

    @pytest.mark.parametrize("seed", range(4))
    def test_all_features_are_kept_if_asked_for_unless_something_is_better(self, seed):
        selector = self.fit(seed, choose="all", scoring="accuracy")
        final = selector.final_
        if not selector.support_.all():
            assert selector.fitness_ > selector.all_features_fitness_
        else:
            assert final.verdict.startswith(("Nothing beats a constant", "No subset beats all 10"))

    @pytest.mark.parametrize("scoring", ["roc_auc", "accuracy"])
    def test_no_subset_is_said_to_beat_all_features(self, scoring):
        """What was chosen from noise looks better on these rows: by no more than chance allows."""
        said = [self.fit(seed, scoring=scoring).final_.verdict for seed in range(3)]
        assert not any("better than all" in verdict for verdict in said)


class TestSmallTables:
    def test_one_feature(self):
        X = columns(d=1)
        selector = NFFS(random_state=0).fit(X, X[:, 0] > 0.3)
        assert selector.support_.tolist() == [True]
        assert selector.fitness_ > 0.95
        assert selector.all_features_fitness_ == selector.fitness_
        assert selector.transform(X).shape == (400, 1)

    def test_one_feature_that_varies(self):
        X = np.hstack([columns(d=1), np.ones((400, 2))])
        selector = NFFS(random_state=0).fit(X, X[:, 0] > 0.3)
        assert selector.support_.tolist() == [True, False, False]

    @pytest.mark.parametrize("useful", [0, 1])
    def test_two_features(self, useful):
        X = columns(d=2)
        selector = NFFS(random_state=0).fit(X, X[:, useful] > 0.3)
        assert np.flatnonzero(selector.support_).tolist() == [useful]
        assert selector.final_.sizes[0] == 2
        assert 1 in selector.final_.sizes

    def rare(self, positives):
        X = columns(n=300)
        y = np.arange(300) < positives
        X[y, 4] += 6.0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", AdjustedWarning)
            return NFFS(random_state=0).fit(X, y)

    def test_rare_positives(self):
        selector = self.rare(8)
        assert selector.support_[4]
        assert selector.fitness_ > 0.6
        assert selector.evaluated_on_.startswith("8-fold")

    def test_three_positives_are_too_few_to_drop_anything_for(self):
        """One more or less is a third: all features are kept, and the verdict says so."""
        selector = self.rare(3)
        assert selector.support_[4]
        assert selector.evaluated_on_.startswith("3-fold")
        if not selector.support_.all():
            assert selector.fitness_ > 0.6

    def test_many_classes(self):
        X, y = load_wine(return_X_y=True)
        X = np.hstack([X, columns(1, len(X), 12)])
        names = np.array(["barolo", "grignolino", "barbera"])[y]
        selector = NFFS(random_state=0).fit(X, names)
        assert selector.scoring_ == "f1_macro"
        assert selector.fitness_ > 0.95
        assert selector.support_[:13].sum() > selector.support_[13:].sum()
        # a guess of one class is right about one F-score of three
        assert 0.1 < selector.final_.guess < 0.3

    def test_a_rare_class_of_many(self):
        X, y = load_wine(return_X_y=True)
        keep = np.flatnonzero((y != 2) | (np.cumsum(y == 2) <= 4))
        selector = NFFS(n_subsets=30, n_nested=8, random_state=0).fit(X[keep], y[keep])
        assert selector.evaluated_on_.startswith("4-fold")
        assert selector.fitness_ > 0.8
