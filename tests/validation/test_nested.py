"""Nested scores: honest where the paper's protocol is not, for any selector."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import t
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV, SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from nffs import NFFS, InputError, Selector
from nffs.validation import nested_score, selection_stability
from nffs.validation.chosen import fitness
from nffs.validation.estimate import estimate

SMALL = {"n_subsets": 20, "n_nested": 10, "param_groups": [{"n_estimators": 10, "max_depth": 4}]}


@pytest.fixture(scope="module")
def noise():
    """Columns and labels that have nothing to do with one another."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(240, 30)).astype(np.float32), rng.integers(0, 2, 240)


class TestRandomLabels:
    """Nothing is there to find: an honest score must say so."""

    def test_the_nested_score_is_chance(self, noise):
        X, y = noise
        selector = NFFS(**SMALL, scoring="roc_auc", random_state=0)
        score = nested_score(selector, X, y, cv=5)
        assert score.outer.low <= 0.5 <= score.outer.high
        # the score used to choose is more than the choice is worth
        assert score.inner.mean > 0.52
        assert score.optimism.mean > 0.0

    def test_the_papers_protocol_reports_clearly_more(self, noise):
        X, y = noise
        selector = NFFS(**SMALL, scoring="roc_auc", random_state=0)
        selector.fit(X[:120], y[:120], eval_set=(X[120:], y[120:]))
        assert selector.fitness_ > 0.58
        assert "eval_set" in selector.evaluated_on_

    def test_selecting_before_cross_validating_lies_for_others_too(self):
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(240, 400)).astype(np.float32), rng.integers(0, 2, 240)
        evaluator = NFFS(estimator=LogisticRegression(), scoring="roc_auc", cv=5, random_state=0)
        score = nested_score(SelectKBest(k=5), X, y, cv=5, evaluator=evaluator)
        assert score.inner.mean > 0.65
        assert score.outer.low <= 0.5 <= score.outer.high
        assert score.optimism.low > 0.0


class TestSideBySide:
    """NFFS and RFECV on the embedded table, one call each."""

    @pytest.mark.parametrize(
        "selector",
        [
            NFFS(**SMALL, pos_label="attack", random_state=0),
            RFECV(RandomForestClassifier(5, random_state=0), step=0.3, cv=3),
            SelectFromModel(RandomForestClassifier(5, random_state=0)),
        ],
        ids=lambda s: type(s).__name__,
    )
    def test_any_selector(self, connections, selector):
        evaluator = NFFS(**SMALL, pos_label="attack", random_state=0)
        score = nested_score(
            selector, connections.data, connections.target, cv=3, evaluator=evaluator
        )
        assert len(score.folds) == 3
        for fold in score.folds:
            assert 0 < len(fold.selected) == len(set(fold.selected))
            assert 0.0 <= fold.outer <= 1.0
        assert score.optimism.mean == pytest.approx(score.inner.mean - score.outer.mean)
        assert score.scoring == "f1"
        assert "never saw" in score.evaluated_on
        document = score.to_dict()
        assert document["folds"][0]["selected"] == score.folds[0].selected
        # the signal is strong: what is selected is worth more than chance on rows never seen
        assert score.outer.mean > 0.4


def test_the_same_for_every_container_and_any_number_of_threads(connections):
    frame = (
        pl.DataFrame(connections.data)
        if not isinstance(connections.data, pl.DataFrame)
        else connections.data
    )
    tables = [frame, frame.to_pandas(), frame.to_arrow()]
    scores = [
        nested_score(
            NFFS(**SMALL, pos_label="attack", n_jobs=n_jobs, random_state=0),
            X,
            connections.target,
            cv=2,
        )
        for n_jobs, X in enumerate(tables, start=1)
    ]
    assert scores[0] == scores[1] == scores[2]


def test_groups_are_kept_together_outside_and_inside(monkeypatch):
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), 15)
    X = pd.DataFrame({"group": groups, "x": rng.normal(size=180), "z": rng.normal(size=180)})
    y = (X["x"] > 0).to_numpy().astype(int)
    seen = []
    real = NFFS.fit

    def fit(self, X, y, **options):
        seen.append((set(X["group"]), set(options["groups"])))
        return real(self, X, y, **options)

    monkeypatch.setattr(NFFS, "fit", fit)
    selector = NFFS(**{**SMALL, "n_nested": 2}, cv=GroupKFold(2), random_state=0)
    nested_score(selector, X, y, cv=GroupKFold(3), groups=groups)
    assert [len(inside) for inside, _ in seen] == [8, 8, 8]
    assert all(inside == given for inside, given in seen)
    assert set.intersection(*(inside for inside, _ in seen)) == set()


def test_the_interval_is_that_of_the_corrected_resampled_t_test():
    values, ratio = np.array([0.7, 0.8, 0.75]), 0.5
    found = estimate(values, ratio, 0.9)
    reach = t.ppf(0.95, 2) * np.sqrt((1 / 3 + 0.5) * values.var(ddof=1))
    assert found.mean == pytest.approx(0.75)
    assert (found.low, found.high) == (pytest.approx(0.75 - reach), pytest.approx(0.75 + reach))


def test_folds_are_reported_as_they_are_done(connections):
    folds = []
    nested_score(SelectKBest(k=3), connections.data, connections.target, cv=2, on_fold=folds.append)
    assert [len(fold.selected) for fold in folds] == [3, 3]


class TestMistakes:
    def test_no_selector(self, connections):
        with pytest.raises(InputError, match="get_support"):
            nested_score(LogisticRegression(), connections.data, connections.target, cv=2)

    def test_a_selection_of_nothing(self, connections):
        nothing = SelectFromModel(RandomForestClassifier(3), threshold=2.0)
        with pytest.raises(InputError, match="selected no feature"):
            nested_score(nothing, connections.data, connections.target, cv=2)

    def test_an_impossible_confidence(self, connections):
        with pytest.raises(InputError, match="confidence"):
            nested_score(SelectKBest(k=3), connections.data, connections.target, confidence=95)


class TestSelectorsOfTables:
    """A selector of nffs takes raw tables, has its own inner score and is its own evaluator."""

    GROUPS = np.arange(400) // 10

    @pytest.fixture
    def selector(self):
        groups = {"param_groups": [{"n_estimators": 4, "max_depth": 4}], "cv": GroupKFold(3)}
        return Selector("ga", unit="column", max_evaluations=8, random_state=0, **groups)

    def test_nested_score(self, connections, selector):
        X, y = connections.data, np.array(connections.target)
        selector.set_params(scoring="roc_auc", pos_label="attack")
        score = nested_score(selector, X, y, cv=GroupKFold(2), groups=self.GROUPS)
        assert (score.scoring, score.positive) == ("roc_auc", "attack")
        ((train, test), _) = GroupKFold(2).split(X, y, self.GROUPS)
        fitted = clone(selector).fit(X[train], y[train], groups=self.GROUPS[train])
        fold = score.folds[0]
        assert fold.inner == fitted.fitness_
        # whole columns: every category of a column that it chose
        names = fitted.encoded_feature_names_
        assert fold.selected == [n for n, kept in zip(names, fitted.support_, strict=True) if kept]
        columns = {c.column for c in fitted.encoding_.columns if c.name in fold.selected}
        assert len(fold.selected) == sum(c.column in columns for c in fitted.encoding_.columns)
        rows = {"X": X[train], "y": y[train], "eval_set": (X[test], y[test])}
        assert fold.outer == fitness(selector, fitted.support_, **rows)

    def test_stability(self, connections, selector):
        X, y = connections.data, connections.target
        found = selection_stability(selector, X, y, n_runs=2, groups=self.GROUPS)
        assert found.selections.any(axis=1).all()

    def test_as_the_evaluator_of_others(self, connections, selector):
        X, y = connections.data, connections.target
        rows = {"cv": GroupKFold(2), "groups": self.GROUPS}
        score = nested_score(SelectKBest(k=3), X, y, evaluator=selector, **rows)
        same = NFFS(param_groups=selector.param_groups, cv=selector.cv, random_state=0)
        assert score == nested_score(SelectKBest(k=3), X, y, evaluator=same, **rows)

    def test_another_evaluator_is_refused(self, connections):
        with pytest.raises(InputError, match="evaluator: found LogisticRegression; give an NFFS"):
            nested_score(
                SelectKBest(k=3),
                connections.data,
                connections.target,
                evaluator=LogisticRegression(),
            )


def test_excluded_columns_are_no_part_of_all_features(connections):
    """A column that gives the label away is excluded: the baseline must not have it either."""
    y = np.array(connections.target)
    X = connections.data.with_columns(leak=pl.Series((y == "attack").astype(float)))
    small = {"max_evaluations": 6, "param_groups": [{"n_estimators": 5}], "random_state": 0}
    models = {"mine": LogisticRegression(max_iter=500)}
    score = nested_score(Selector("random", exclude="leak", **small), X, y, cv=2, models=models)
    assert score.all_features.mean < 0.95
    assert score.models["mine"].all_features.mean < 0.95
    leaky = nested_score(Selector("random", **small), X, y, cv=2, models=models)
    assert leaky.all_features.mean > 0.95
