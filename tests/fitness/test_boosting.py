"""Gradient boosting: its equations worked out by hand, and by a plain rendering."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_score

from nffs import NFFS
from nffs.fitness.boosting.growth import Limits, boost, boost_numbers, room_for


def boosted(codes, truth, *, weight=None, n_classes=2, evaluation=None, **limits):
    """Boost and give the margins of the evaluation rows, the training rows if not given."""
    given = {"n_rounds": 1, "max_depth": 1, "min_rows": 1, "rate": 1.0, "penalty": 1.0, **limits}
    codes = np.ascontiguousarray(codes, dtype=np.uint8)
    n_bins = codes.max(axis=0).astype(np.int64) + 1
    gains = np.zeros(codes.shape[1])
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight)
    margins = boost(
        codes,
        codes if evaluation is None else np.ascontiguousarray(evaluation, dtype=np.uint8),
        n_bins,
        np.asarray(truth, dtype=np.int32),
        weight.astype(np.float32),
        np.zeros(1 if n_classes == 2 else n_classes),
        Limits(**given),
        room_for(len(codes), codes.shape[1], int(n_bins.max()), Limits(**given)),
        gains,
    )
    return margins, gains


def test_a_stump_by_hand():
    """Gradients are p - y = 0.5 or -0.5, hessians p (1 - p) = 0.25: two rows on either side."""
    margins, gains = boosted([[1, 0], [0, 0], [1, 1], [0, 1]], [0, 0, 1, 1])
    assert margins[0] == pytest.approx([-1 / 1.5, -1 / 1.5, 1 / 1.5, 1 / 1.5])
    assert gains.tolist() == pytest.approx([0.0, 2 * (1 / 1.5)])


def test_the_second_tree_follows_what_the_first_left():
    margins, _ = boosted([[0], [1]], [0, 1], n_rounds=2)
    first = 0.5 / 1.25
    p = 1 / (1 + np.exp(first))  # of class 1 in the first row, whose margin is -first
    assert margins[0, 1] == pytest.approx(first + p / (p * (1 - p) + 1), rel=1e-5)


def plain(codes, truth, weight, n_classes, limits):
    """Do the same with nothing shared: every node looks at its own rows."""
    n, k = codes.shape
    margins = np.zeros((1 if n_classes == 2 else n_classes, n))
    for _ in range(limits["n_rounds"]):
        both = np.vstack([np.zeros(n), margins]) if n_classes == 2 else margins
        shares = np.exp(both) / np.exp(both).sum(axis=0)
        shares = shares[1:] if n_classes == 2 else shares
        for c, share in enumerate(shares):
            hit = truth == (1 if n_classes == 2 else c)
            g, h = (share - hit) * weight, share * (1 - share) * weight
            part = limits["penalty"]

            def grow(rows, depth, g=g, h=h, c=c, part=part):
                best, found = 1e-9, None
                whole = g[rows].sum() ** 2 / (h[rows].sum() + part)
                for j in range(k if depth < limits["max_depth"] else 0):
                    for b in range(codes[:, j].max()):
                        left = rows[codes[rows, j] <= b]
                        right = rows[codes[rows, j] > b]
                        if min(len(left), len(right)) < limits["min_rows"]:
                            continue
                        gain = sum(g[s].sum() ** 2 / (h[s].sum() + part) for s in (left, right))
                        if gain - whole > best * (1 + 1e-5):
                            best, found = gain - whole, (left, right)
                if found is None:
                    margins[c, rows] -= limits["rate"] * g[rows].sum() / (h[rows].sum() + part)
                else:
                    for side in found:
                        grow(side, depth + 1)

            grow(np.arange(n), 0)
    return margins


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_as_a_plain_rendering_has_it(seed, n_classes):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, [2, 9, 30], size=(120, 3)).astype(np.uint8)
    truth = (codes[:, 1] + rng.integers(0, 6, 120)) % n_classes
    weight = rng.uniform(0.5, 2.0, 120)
    limits = {"n_rounds": 3, "max_depth": 3, "min_rows": 7, "rate": 0.4, "penalty": 0.5}
    found, _ = boosted(codes, truth, weight=weight, n_classes=n_classes, **limits)
    expected = plain(codes, truth, weight.astype(np.float32), n_classes, limits)
    assert found == pytest.approx(expected, abs=1e-4)


def test_rows_go_to_the_leaf_of_their_bins():
    codes = np.array([[0], [3], [6], [9]])
    margins, _ = boosted(codes, [0, 0, 1, 1], evaluation=[[2], [4], [200]])
    assert np.sign(margins[0]).tolist() == [-1, 1, 1]


def test_leaves_are_not_smaller_than_asked_for():
    rng = np.random.default_rng(0)
    codes, truth = rng.integers(0, 40, size=(100, 2)), rng.integers(0, 2, 100)
    margins, _ = boosted(codes, truth, max_depth=6, min_rows=20)
    _, sizes = np.unique(margins[0], return_counts=True)
    assert sizes.min() >= 20
    assert len(sizes) > 2


def boosted_numbers(codes, truth, *, weight=None, **limits):
    """Boost numbers of mean 0 and give what is predicted of the training rows."""
    given = {"n_rounds": 1, "max_depth": 1, "min_rows": 1, "rate": 1.0, "penalty": 1.0, **limits}
    codes = np.ascontiguousarray(codes, dtype=np.uint8)
    n_bins = codes.max(axis=0).astype(np.int64) + 1
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight)
    room = room_for(len(codes), codes.shape[1], int(n_bins.max()), Limits(**given))
    truth, weight, gains = (
        np.asarray(truth, float),
        weight.astype(np.float32),
        np.zeros(len(n_bins)),
    )
    found = boost_numbers(codes, codes, n_bins, truth, weight, Limits(**given), room, gains)
    return found, gains


class TestNumbers:
    def test_a_stump_by_hand(self):
        """A leaf's value is the sum of what its rows are off over their weight and the penalty."""
        found, gains = boosted_numbers([[0, 1], [0, 0], [1, 1], [1, 0]], [-1, -3, 3, 1])
        assert found == pytest.approx([-4 / 3, -4 / 3, 4 / 3, 4 / 3])
        assert gains.tolist() == pytest.approx([2 * 16 / 3, 0.0])

    def test_a_weight_of_two_is_a_row_twice(self):
        codes, truth = np.array([[0], [0], [1], [2]]), np.array([-2.0, -1.0, 1.0, 3.0])
        once, _ = boosted_numbers(codes, truth, weight=[1, 2, 1, 1], n_rounds=3, max_depth=2)
        rows = [0, 1, 1, 2, 3]
        twice, _ = boosted_numbers(codes[rows], truth[rows], n_rounds=3, max_depth=2)
        assert once[[0, 1, 1, 2, 3]] == pytest.approx(twice)

    def test_as_means_of_cells_without_a_penalty(self):
        rng = np.random.default_rng(0)
        codes = rng.integers(0, 2, size=(200, 3))
        truth = codes @ [3.0, -2.0, 1.0] + codes[:, 0] * codes[:, 1] + rng.normal(size=200)
        found, _ = boosted_numbers(codes, truth - truth.mean(), max_depth=3, penalty=0.0)
        cell = codes @ [4, 2, 1]
        means = np.bincount(cell, truth - truth.mean()) / np.bincount(cell)
        assert found == pytest.approx(means[cell], abs=1e-4)

    def test_scores_are_about_scikit_learns(self):
        X, y = load_diabetes(return_X_y=True)
        ours = NFFS(evaluator="boosting", random_state=0, cv=5).evaluation(X, y)
        theirs = cross_val_score(HistGradientBoostingRegressor(), X, y, cv=5, scoring="r2")
        assert ours.score(np.ones(10, dtype=bool)) == pytest.approx(theirs.mean(), abs=0.08)

    def test_the_unit_of_the_target_does_not_matter(self):
        X, y = load_diabetes(return_X_y=True)
        mask = np.ones(10, dtype=bool)
        scores = [
            NFFS(evaluator="boosting", random_state=0).evaluation(X, unit).score(mask)
            for unit in (y, 1e6 * y + 1e9)
        ]
        assert scores[0] == pytest.approx(scores[1], abs=1e-3)

    def test_what_splits_gain_weighs_the_columns(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(400, 8))
        y = X[:, 2] * X[:, 5] + 0.1 * rng.normal(size=400)
        ranked = NFFS(evaluator="boosting", random_state=0).evaluation(X, y).ranked()
        left = ranked.eliminated(np.ones(8, dtype=bool))[-2]
        assert {ranked.features.names[i] for i in np.flatnonzero(left)} == {"x2", "x5"}

    def test_its_reference_is_scikit_learns(self):
        X, y = load_diabetes(return_X_y=True)
        engine = NFFS(evaluator="boosting", engine="reference").evaluation(X, y).engine
        assert "HistGradientBoostingRegressor" in engine.identity()["estimator"]


class TestEvaluator:
    @pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
    def test_scores_are_about_scikit_learns(self, load):
        X, y = load(return_X_y=True)
        ours = NFFS(evaluator="boosting", random_state=0, cv=5).evaluation(X, y)
        scoring = "f1" if len(np.unique(y)) == 2 else "f1_macro"
        positive = y if len(np.unique(y)) > 2 else 1 - y  # the rarer class
        theirs = cross_val_score(
            HistGradientBoostingClassifier(), X, positive, cv=5, scoring=scoring
        )
        assert ours.score(np.ones(X.shape[1], dtype=bool)) == pytest.approx(theirs.mean(), abs=0.03)

    def test_what_splits_gain_weighs_the_columns(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(400, 8))
        y = (X[:, 2] * X[:, 5] > 0).astype(int)
        ranked = NFFS(evaluator="boosting", random_state=0).evaluation(X, y).ranked()
        left = ranked.eliminated(np.ones(8, dtype=bool))[-2]
        assert {ranked.features.names[i] for i in np.flatnonzero(left)} == {"x2", "x5"}

    def test_its_reference_is_scikit_learns(self):
        X, y = load_wine(return_X_y=True)
        engine = NFFS(evaluator="boosting", engine="reference").evaluation(X, y).engine
        assert "HistGradientBoostingClassifier" in engine.identity()["estimator"]

    def test_it_has_no_parameter_groups(self):
        X, y = load_wine(return_X_y=True)
        with pytest.raises(
            ValueError, match="param_groups: sets parameters of forests, and 'boosting'"
        ):
            NFFS(evaluator="boosting", param_groups=[{}]).evaluation(X, y)
