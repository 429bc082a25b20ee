"""Parts of a table whose rarer class is another one: all of them take the whole table's."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, Selector
from nffs.selector.base import TableSelector
from nffs.validation import compare, evaluate_subset, nested_score, selection_stability

#: Of the whole table 'b' is the rarer class; of its first half 'a' is.
Y = np.array(["b"] * 35 + ["a"] * 25 + ["b"] * 15 + ["a"] * 45)
X = np.random.default_rng(0).normal(size=(120, 6)) + (Y == "a")[:, None] * 0.5
HALVES = np.repeat([0, 1], 60)
SMALL = {
    "estimator": GaussianNB(), "cv": 2, "n_subsets": 5, "n_nested": 3, "random_state": 0,
}  # fmt: skip


@pytest.fixture
def positives(monkeypatch):
    """Give the positive class of every evaluation and of every fitted selector."""
    seen = []
    evaluation = TableSelector.evaluation

    def noted(self, *arguments, **given):
        found = evaluation(self, *arguments, **given)
        seen.append(found.rows.target.positive)
        return found

    monkeypatch.setattr(TableSelector, "evaluation", noted)
    return seen


def first_then_second():
    first, second = np.flatnonzero(HALVES == 0), np.flatnonzero(HALVES == 1)
    return [(first, second), (second, first)]


def test_the_halves_disagree_by_themselves():
    half = HALVES == 0
    assert NFFS(**SMALL).fit(X[half], Y[half]).positive_ == "a"
    assert NFFS(**SMALL).fit(X, Y).positive_ == "b"


@pytest.mark.parametrize("selector", [NFFS(**SMALL), SelectKBest(k=2)], ids=["NFFS", "another"])
def test_nested_scores(positives, selector):
    evaluator = NFFS(**SMALL)
    score = nested_score(selector, X, Y, cv=first_then_second(), evaluator=evaluator)
    assert score.positive == "b"
    assert set(positives) == {"b"}
    assert evaluator.pos_label is None  # the user's own is left as it was


@pytest.mark.parametrize(
    ("selector", "evaluator"),
    [
        (NFFS(**SMALL, pos_label="a"), None),
        (NFFS(**SMALL, pos_label="a"), NFFS(**SMALL)),
        (NFFS(**SMALL), NFFS(**SMALL, pos_label="a")),
    ],
    ids=["alone", "of the selector", "of the evaluator"],
)
def test_a_class_that_one_of_them_names_is_the_other_ones_too(positives, selector, evaluator):
    score = nested_score(selector, X, Y, cv=first_then_second(), evaluator=evaluator)
    assert score.positive == "a"
    assert set(positives) == {"a"}


@pytest.mark.parametrize("over", ["bootstrap", "subsamples"])
def test_repeated_selections(positives, over):
    # Whole groups are drawn: one half twice, or each of them.
    found = selection_stability(
        NFFS(**SMALL), X, Y, over=over, n_runs=4, groups=HALVES, random_state=1
    )
    assert found.positive == "b"
    assert set(positives) == {"b"}


def test_comparisons(positives):
    small = {name: SMALL[name] for name in ("estimator", "cv")}
    found = compare(
        X, Y, groups=HALVES, held_out=0.5, methods=["random"], budget=4, seeds=3, **small
    )
    assert found.document["positive"] == "b"
    assert set(positives) == {"b"}
    named = compare(
        X, Y, groups=HALVES, held_out=0.5, methods=["random"], budget=4, seeds=2, pos_label="a",
        **small,
    )  # fmt: skip
    assert named.document["positive"] == "a"


def test_which_rows_are_held_out_does_not_depend_on_the_positive_class(monkeypatch):
    seen = []
    fit = Selector.fit

    def noted(self, X, y, **more):
        seen.append(X)
        return fit(self, X, y, **more)

    monkeypatch.setattr(Selector, "fit", noted)
    small = {name: SMALL[name] for name in ("estimator", "cv")}
    for pos_label in ("a", "b"):
        compare(X, Y, methods=["all"], budget=1, seeds=1, pos_label=pos_label, **small)
    np.testing.assert_array_equal(*seen)


def test_a_given_subset_is_about_the_training_rows_rarer_class():
    train, test = HALVES == 0, HALVES == 1
    found = evaluate_subset(
        X[train], Y[train], X[test], Y[test], ["x0"], seeds=(7,), trees=(1,), depths=(2,)
    )
    assert found.positive == "a"
