"""Elimination inside every split: sizes, paths, and that no evaluation row decides anything."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS
from nffs.fitness.elimination import (
    FEW,
    KEPT,
    Elimination,
    elimination_cost,
    elimination_sizes,
)
from nffs.fitness.evaluator import Weighed, shares_of

SIGNALS = 3


@pytest.fixture(scope="module")
def table():
    """The first three of twelve columns say what the class is, in a straight line."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 12))
    return X, X[:, :SIGNALS].sum(axis=1) + 0.3 * rng.normal(size=400) > 0


def evaluation(table, **parameters):
    groups = {"param_groups": [{"n_estimators": 20}]} if "estimator" not in parameters else {}
    if parameters.get("evaluator") == "logistic":
        groups = {}
    return NFFS(random_state=0, **groups, **parameters).evaluation(*table).ranked()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 500, 7129])
def test_sizes_fall_to_one(n):
    sizes = elimination_sizes(n)
    assert sizes[0] == n
    assert sizes[-1] == 1
    assert all(a > b for a, b in pairwise(sizes))
    assert len(sizes) < 40


def test_few_features_are_dropped_one_by_one():
    assert elimination_sizes(FEW) == list(range(FEW, 0, -1))
    assert elimination_sizes(FEW + 1)[1] == int(KEPT * (FEW + 1))


def test_the_cost_counts_every_size():
    """By hand: 4 + 3 + 2 + 1 of 4; of many, a quarter less each time adds up to four times."""
    assert elimination_cost(4) == 2.5
    assert elimination_cost(100_000) == pytest.approx(4, abs=0.01)


WEIGHING = [
    {},
    {"evaluator": "forest"},
    {"evaluator": "logistic"},
    {"estimator": RandomForestClassifier(20)},
    {"estimator": LogisticRegression()},
    {"engine": "reference"},
]


@pytest.mark.parametrize("parameters", WEIGHING, ids=str)
def test_signals_are_left(table, parameters):
    ranked = evaluation(table, **parameters)
    path = ranked.eliminated(np.ones(12, dtype=bool))
    assert path.sum(axis=1).tolist() == elimination_sizes(12)
    assert all(np.all(after <= before) for before, after in pairwise(path))
    left = {ranked.features.names[i] for i in np.flatnonzero(path[path.sum(axis=1) == SIGNALS][0])}
    assert left == {f"x{i}" for i in range(SIGNALS)}


@pytest.mark.parametrize("parameters", WEIGHING, ids=str)
def test_scores_of_every_size_in_every_split(table, parameters):
    ranked = evaluation(table, **parameters)
    everything = np.ones((1, 12), dtype=bool)
    (found,) = ranked.eliminator(everything)
    n_members = ranked.evaluator(everything)[0].scores.shape[1]
    sizes = elimination_sizes(12)
    assert found.scores.shape == (3, len(sizes) * n_members)
    by_size = found.scores.reshape(3, len(sizes), n_members).mean(axis=(0, 2))
    assert by_size[sizes.index(SIGNALS)] > by_size[-1] + 0.05


@pytest.mark.parametrize(
    "parameters", [{"estimator": GaussianNB()}, {"evaluator": "paper"}], ids=str
)
def test_models_that_cannot_tell(table, parameters):
    assert not evaluation(table, **parameters).weighs


def test_the_same_bits_every_time(table):
    masks = np.ones((1, 12), dtype=bool)
    first, again = (evaluation(table).eliminator(masks)[0].scores for _ in range(2))
    assert np.array_equal(first, again)


def test_noise_is_not_flattered():
    """Of 40 rows and 300 columns of noise some part the classes by chance. Chosen by all rows they
    score well in any fold; chosen inside every fold they score as noise does."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 300)), np.arange(40) % 2
    ranked = NFFS(scoring="accuracy", random_state=0).evaluation(X, y).ranked()
    everything = np.ones((1, 300), dtype=bool)
    sizes = elimination_sizes(300)
    place = next(i for i, size in enumerate(sizes) if size <= 10)
    final = ranked.final
    scores = final.eliminator(everything)[0].scores.reshape(10, len(sizes), 2)
    honest = scores[:, place].mean()
    flattered = final.score(final.eliminated(everything[0])[place])
    assert flattered > 0.75
    assert honest < 0.65


class Counting:
    """Weighs columns by their number, the last one most, and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def scores(self, columns, seeds):
        raise AssertionError("not asked for")

    def weighed(self, columns, seed):
        self.asked.append((np.flatnonzero(columns).tolist(), seed))
        return Weighed(np.array([0.5, columns.sum()]), shares_of(np.flatnonzero(columns) + 1.0))


def test_features_of_several_columns_are_dropped_as_a_whole():
    scorer, membership = Counting(), np.array([0, 1, 1, 2, 3, 3, 3])
    path = Elimination(scorer, membership, np.zeros(4, bool), 4).path(
        np.ones(7, dtype=bool), seed=0
    )
    # weights of the features: 1, 2 + 3, 4, 5 + 6 + 7
    assert path.astype(int).tolist() == [[1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]]
    assert [columns for columns, _ in scorer.asked][1] == [1, 2, 3, 4, 5, 6]
    assert len({seed for _, seed in scorer.asked}) == 4


def test_what_must_be_in_is_never_dropped():
    included = np.array([True, False, False, False, True, False, False])
    elimination = Elimination(Counting(), np.arange(7), included, largest=4)
    path = elimination.path(np.ones(7, dtype=bool), seed=0)
    assert path.sum(axis=1).tolist() == [7, 6, 5, 4, 3, 2]
    assert path[:, included].all()
    assert np.flatnonzero(path[3]).tolist() == [0, 4, 5, 6]


def test_groups_come_size_by_size():
    scorer = Elimination(Counting(), np.arange(3), np.zeros(3, bool), 3)
    found = scorer.scores(np.ones((1, 3), dtype=bool), [0])
    assert found.tolist() == [[0.5, 3.0, 0.5, 2.0, 0.5, 1.0]]


class TestWeights:
    def test_they_add_up_to_one(self):
        assert shares_of(np.array([3.0, 1.0, -1.0, np.nan])).tolist() == [0.75, 0.25, 0.0, 0.0]
        assert shares_of(np.zeros(4)).tolist() == [0.25] * 4

    def test_a_forests_are_about_scikit_learns(self, table):
        ranked = evaluation(table, evaluator="forest")
        scorer = ranked.evaluator._scorers[0]
        ours = np.mean([scorer.weighed(np.ones(12, bool), seed).weights for seed in range(5)], 0)
        split = ranked.rows.splits[0]
        forest = RandomForestClassifier(100, random_state=0)
        forest.fit(ranked.rows.matrix[split.train], ranked.rows.target.codes[split.train])
        assert np.corrcoef(ours, forest.feature_importances_)[0, 1] > 0.98

    def test_noise_weighs_less_than_in_scikit_learns(self, table):
        """Rows that a tree did not grow on are counted too."""
        ranked = evaluation(table, evaluator="forest")
        ours = ranked.evaluator._scorers[0].weighed(np.ones(12, bool), 0).weights
        split = ranked.rows.splits[0]
        forest = RandomForestClassifier(20, random_state=0)
        forest.fit(ranked.rows.matrix[split.train], ranked.rows.target.codes[split.train])
        noise = [int(name[1:]) >= SIGNALS for name in ranked.features.names]
        assert ours[noise].sum() < forest.feature_importances_[noise].sum()

    @pytest.mark.parametrize("shape", [(300, 8), (30, 80)], ids=["long", "wide"])
    def test_logistic_ones_are_the_sizes_of_coefficients(self, shape):
        X, y = make_classification(*shape, n_informative=4, random_state=0)
        ranked = NFFS(evaluator="logistic", random_state=0).evaluation(X, y).ranked()
        split = ranked.rows.splits[0]
        ours = ranked.evaluator._scorers[0].weighed(np.ones(shape[1], bool), 0).weights
        train = ranked.rows.matrix[split.train].astype(float)
        train = (train - train.mean(axis=0)) / train.std(axis=0)
        model = LogisticRegression(max_iter=5000).fit(train, ranked.rows.target.codes[split.train])
        theirs = np.abs(model.coef_[0]) / np.abs(model.coef_).sum()
        np.testing.assert_allclose(ours, theirs, atol=0.02)
        assert np.corrcoef(ours, theirs)[0, 1] > 0.98
