"""Repeated selections: what is varied, and what comes out."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GroupKFold

from nffs import NFFS, InputError
from nffs.stability import nogueira
from nffs.validation import selection_stability

SMALL = {"n_subsets": 20, "n_nested": 10, "param_groups": [{"n_estimators": 10, "max_depth": 4}]}


@pytest.mark.parametrize("over", ["seeds", "bootstrap", "subsamples"])
def test_nffs(connections, over):
    selector = NFFS(**SMALL, pos_label="attack")
    found = selection_stability(selector, connections.data, connections.target, over=over, n_runs=3)
    assert found.selections.shape == (3, len(found.names))
    assert found.stability == nogueira(found.selections)
    np.testing.assert_allclose(found.share, found.selections.mean(axis=0))
    assert ((found.low <= found.share) & (found.share <= found.high)).all()
    # seeds differ: the runs are not all the same
    assert found.stability.value < 1.0


def test_a_selector_without_randomness_is_stable_over_seeds(connections):
    found = selection_stability(
        SelectKBest(k=5), connections.data, connections.target, over="seeds", n_runs=3
    )
    assert found.stability.value == found.jaccard == found.kuncheva == 1.0


def test_the_same_seed_gives_the_same_runs(connections):
    def once():
        return selection_stability(
            SelectKBest(k=5), connections.data, connections.target, n_runs=3, random_state=4
        ).selections

    np.testing.assert_array_equal(once(), once())


def test_runs_are_reported_as_they_are_done(connections):
    runs = []
    selection_stability(
        SelectKBest(k=5), connections.data, connections.target, n_runs=2, on_run=runs.append
    )
    assert [len(chosen.selected) for chosen in runs] == [5, 5]


@pytest.mark.parametrize(("over", "drawn"), [("bootstrap", 20), ("subsamples", 16), ("seeds", 20)])
def test_groups_are_drawn_and_scored_whole(connections, over, drawn, monkeypatch):
    groups = np.array([f"patient {i % 20}" for i in range(400)])
    seen = []
    fit = NFFS.fit

    def noted(self, X, y, groups=None, **more):
        seen.append(groups)
        return fit(self, X, y, groups=groups, **more)

    monkeypatch.setattr(NFFS, "fit", noted)
    selector = NFFS(**SMALL, pos_label="attack", cv=GroupKFold(3))
    X, y = connections.data, connections.target
    selection_stability(selector, X, y, over=over, n_runs=2, groups=groups)
    for held in seen:
        _, counts = np.unique(held, return_counts=True)
        assert len(held) == drawn * 20
        assert (counts % 20 == 0).all()
    assert np.array_equal(*seen) == (over == "seeds")


def test_groups_of_other_rows_are_refused(connections):
    with pytest.raises(InputError, match="groups: 3 given for 400 rows"):
        selection_stability(
            SelectKBest(k=3), connections.data, connections.target, groups=[1, 2, 3]
        )


@pytest.mark.parametrize(
    ("options", "argument"),
    [({"over": "moons"}, "over"), ({"n_runs": 1}, "n_runs"), ({"fraction": 1.5}, "fraction")],
)
def test_mistakes(connections, options, argument):
    with pytest.raises(InputError, match=argument):
        selection_stability(SelectKBest(k=3), connections.data, connections.target, **options)
