"""Logistic regression by one factorisation is scikit-learn's, for any subset and shape."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from nffs import make_connections
from nffs.fitness import logistic
from nffs.fitness.logistic import LogisticEngine
from nffs.fitness.scoring import resolve_scoring
from nffs.fitness.splits import SplitRows, eval_split
from nffs.table.target import read_target


def scorer_of(X, y, weights=None, n_train=None, scoring=None):
    n_train = 2 * len(y) // 3 if n_train is None else n_train
    order = np.random.default_rng(0).permutation(len(y))
    X, labels = np.asarray(X, dtype=np.float32)[order], read_target(np.asarray(y)[order])
    splits, name = eval_split(n_train, len(y) - n_train)
    rows = SplitRows(X, labels, weights, splits, name)
    engine = LogisticEngine(resolve_scoring(scoring, labels))
    return engine.prepare(rows, splits[0]), X, labels.codes, n_train


def theirs(X, y, n_train, mask, weights=None):
    scaler = StandardScaler().fit(X[:n_train, mask])
    model = LogisticRegression(max_iter=5000, tol=1e-8)
    used = None if weights is None else weights[:n_train]
    model.fit(scaler.transform(X[:n_train, mask]), y[:n_train], used)
    return model.predict_proba(scaler.transform(X[n_train:, mask]))


def wide():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 400))
    return X, (X[:, :3].sum(axis=1) + rng.normal(size=90) > 0).astype(int)


def connections():
    table = make_connections(900)
    numeric = [c for c in table.data.columns if table.data[c].dtype.is_numeric()]
    return table.data[numeric].to_numpy(), np.array(table.target)


@pytest.mark.parametrize(
    "load",
    [
        lambda: load_breast_cancer(return_X_y=True),
        lambda: load_wine(return_X_y=True),
        lambda: load_digits(return_X_y=True),
        connections,
        wide,
    ],
    ids=["two classes", "three", "ten", "connections", "more columns than rows"],
)
@pytest.mark.parametrize("share", [0.2, 1.0])
def test_probabilities_are_those_of_scikit_learn(load, share):
    X, y = load()
    scorer, X, codes, n_train = scorer_of(X, y)
    mask = np.random.default_rng(1).random(X.shape[1]) < share
    ours, expected = scorer.probabilities(mask), theirs(X, codes, n_train, mask)
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours.sum(axis=1), 1.0, atol=1e-6)
    # A few steps do not reach the end of the way, but far enough to say the same.
    assert (ours.argmax(axis=1) == expected.argmax(axis=1)).mean() >= 0.95
    assert np.abs(ours - expected).mean() < 0.03


def test_subsets_rank_as_scikit_learn_ranks_them():
    X, y = connections()
    scorer, X, codes, n_train = scorer_of(X, y, scoring="neg_log_loss")
    masks = np.random.default_rng(2).random((20, X.shape[1])) < 0.3
    masks[:, 0] = True
    ours = scorer.scores(masks, range(20))[:, 0]
    expected = [
        np.log(theirs(X, codes, n_train, m)[np.arange(len(X) - n_train), codes[n_train:]]).mean()
        for m in masks
    ]
    assert spearmanr(ours, expected)[0] > 0.99


def test_weights_count_as_scikit_learn_counts_them():
    X, y = load_breast_cancer(return_X_y=True)
    weights = np.random.default_rng(4).uniform(0, 3, len(y))
    scorer, X, codes, n_train = scorer_of(X, y, weights)
    mask = np.arange(30) < 12
    expected = theirs(X, codes, n_train, mask, weights)
    assert np.abs(scorer.probabilities(mask) - expected).mean() < 0.02


def test_products_computed_for_a_subset_are_those_computed_once(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    mask = np.arange(30) % 3 == 0
    once = scorer_of(X, y)[0].probabilities(mask)
    monkeypatch.setattr(logistic, "shares_products", lambda n_columns, n_train: False)
    scorer = scorer_of(X, y)[0]
    assert scorer.products is None
    np.testing.assert_allclose(scorer.probabilities(mask), once, atol=1e-4)


def test_long_tables_train_on_rows_spread_over_all(monkeypatch):
    monkeypatch.setattr(logistic, "MAX_ROWS", 200)
    X, y = load_breast_cancer(return_X_y=True)
    scorer, X, codes, n_train = scorer_of(X, y)
    assert scorer.X.shape == (30, 200)
    mask = np.ones(30, dtype=bool)
    right = (scorer.probabilities(mask).argmax(axis=1) == codes[n_train:]).mean()
    assert right > 0.93


@pytest.mark.parametrize("scale", [1e-20, 1e15])
def test_constant_and_extreme_columns_do_no_harm(scale):
    X, y = load_wine(return_X_y=True)
    wild = np.c_[X, np.full(len(X), 7.0), X[:, 0] * scale, X[:, 1]]
    scorer, *_ = scorer_of(wild, y)
    found = scorer.probabilities(np.ones(16, dtype=bool))
    assert np.isfinite(found).all()
    assert scorer.scores(np.ones((1, 16), dtype=bool), [0])[0, 0] > 0.9


def test_a_class_without_training_rows_is_never_predicted():
    X, y = load_wine(return_X_y=True)
    order = np.argsort(y, kind="stable")
    labels = read_target(y[order])
    splits, name = eval_split(130, 48)  # the last class only evaluates
    rows = SplitRows(X[order].astype(np.float32), labels, None, splits, name)
    scorer = LogisticEngine(resolve_scoring(None, labels)).prepare(rows, splits[0])
    assert scorer.probabilities(np.ones(13, dtype=bool)).argmax(axis=1).max() <= 1


def test_categories_of_many_classes_do_not_lead_it_astray():
    """One-hot columns that separate many classes: a step too long used to turn backwards."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(19), 24)
    cells = [np.where(rng.random(len(y)) < 0.9, (y * (j + 2)) % 7, rng.integers(0, 7, len(y)))
             for j in range(18)]  # fmt: skip
    X = np.concatenate([np.eye(7)[cell] for cell in cells], axis=1)
    scorer, X, codes, n_train = scorer_of(X, y)
    mask = np.ones(X.shape[1], dtype=bool)
    ours = (scorer.probabilities(mask).argmax(axis=1) == codes[n_train:]).mean()
    expected = (theirs(X, codes, n_train, mask).argmax(axis=1) == codes[n_train:]).mean()
    assert ours >= expected - 0.02
