"""A leak is planted in the evaluation rows; nothing that is learned may find it."""

import numpy as np
import polars as pl
import pytest

from nffs import NFFS
from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.projection import Projection

N = 400
TRAIN, EVALUATION = np.arange(0, N // 2), np.arange(N // 2, N)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6)).astype(np.float32)
    return X, (X[:, 0] + 0.5 * rng.normal(size=N) > 0).astype(int)


def selector(**parameters):
    options = {"n_subsets": 20, "n_nested": 3, "param_groups": [{"n_estimators": 8}]}
    return NFFS(**{**options, **parameters}, cv=[(TRAIN, EVALUATION)], random_state=0)


def test_mutual_information_does_not_see_the_evaluation_rows(rows):
    """A column that is the label in the evaluation rows and noise in the training rows."""
    X, y = rows
    leaking = X.copy()
    leaking[EVALUATION, 5] = 10 * y[EVALUATION]
    honest, planted = selector().fit(X, y), selector().fit(leaking, y)
    np.testing.assert_array_equal(planted.mi_, honest.mi_)
    assert planted.mi_[5] < 0.05


def test_the_threshold_does_not_see_the_evaluation_rows(rows):
    X, y = rows
    leaking = X.copy()
    leaking[EVALUATION, 5] = 10 * y[EVALUATION]
    assert selector().fit(leaking, y).threshold_ == selector().fit(X, y).threshold_


def test_the_encoding_gives_categories_of_evaluation_rows_no_part(rows):
    """A category that only evaluation rows have, and there only the positive ones."""
    X, y = rows
    kind = np.where(np.arange(N) % 2 == 0, "a", "b").astype(object)
    kind[EVALUATION] = np.where(y[EVALUATION] == 1, "leak", "a")
    frame = pl.DataFrame({"x": X[:, 1], "kind": kind.astype(str)})
    fitted = selector(unit="category").fit(frame, y)
    at = fitted.features_.index("kind_leak")
    assert fitted.mi_[at] == 0.0
    # evaluated alone it is as good as a constant: training has nothing to learn from it
    with_leak = fitted.drawn_[:, at]
    same = [
        (a, b)
        for a in np.flatnonzero(with_leak)
        for b in np.flatnonzero(~with_leak)
        if (np.delete(fitted.drawn_[a], at) == np.delete(fitted.drawn_[b], at)).all()
    ]
    assert same
    for a, b in same:
        # by logistic regression, in which nothing is random, the same score to the bit
        assert fitted.drawn_scores_[a, :, 1] == fitted.drawn_scores_[b, :, 1]
    # forests have other seeds; the leak would give a perfect score
    assert fitted.drawn_scores_.max() <= fitted.final_.guess + 1e-9
    assert fitted.fitness_ <= fitted.final_.guess + 1e-9


def test_an_eval_set_teaches_the_encoding_nothing(rows):
    X, y = rows
    kind = np.where(np.arange(N) % 2 == 0, "a", "b")
    frame = pl.DataFrame({"x": X[:, 0], "kind": kind})
    evaluation = pl.DataFrame({"x": X[:, 0], "kind": ["unseen"] * N})
    fitted = NFFS(n_subsets=4, n_nested=2, param_groups=[{"n_estimators": 4}], random_state=0)
    fitted.fit(frame, y, eval_set=(evaluation, y))
    assert fitted.encoded_feature_names_ == ["x", "kind_a", "kind_b"]


class TestProjection:
    """Evaluation rows moved far away change nothing that training rows are turned into."""

    @pytest.fixture
    def moved(self, rows):
        X, _ = rows
        away = X.copy()
        away[EVALUATION] = 1000 * away[EVALUATION, ::-1] + 77
        return X, away

    def test_scaling(self, moved):
        for part in ("mean", "scale"):
            a, b = (getattr(Projection(X, TRAIN, EVALUATION, None), part) for X in moved)
            np.testing.assert_array_equal(a, b)

    def test_principal_components(self, moved):
        everything = np.ones(6, dtype=bool)
        a, b = (Projection(X, TRAIN, EVALUATION, 0.9) for X in moved)
        np.testing.assert_array_equal(a.correlation, b.correlation)
        np.testing.assert_array_equal(a.project(everything)[0], b.project(everything)[0])

    def test_bins(self, moved):
        everything = np.ones(6, dtype=bool)
        a, b = (
            find_bins(Projection(X, TRAIN, EVALUATION, 0.9).project(everything)[0]) for X in moved
        )
        for part in ("low", "high", "count"):
            np.testing.assert_array_equal(getattr(a, part), getattr(b, part))


def test_labels_of_the_evaluation_rows_change_no_probability(rows):
    """Evaluation labels turned round: the drawn subsets stay, their fitness does not."""
    X, y = rows
    turned = y.copy()
    turned[EVALUATION] = 1 - turned[EVALUATION]
    a, b = selector().fit(X, y), selector().fit(X, turned)
    np.testing.assert_array_equal(a.probability_weights_, b.probability_weights_)
    np.testing.assert_array_equal(a.drawn_, b.drawn_)
    assert not np.array_equal(a.drawn_fitness_, b.drawn_fitness_)
