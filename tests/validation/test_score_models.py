"""Models on rows that a search never saw: with the selection, and with all columns."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB

from nffs import InputError, Selector, make_connections
from nffs.validation import MODELS, score_models
from nffs.validation.set_aside import set_aside


@pytest.fixture(scope="module")
def later():
    return make_connections(150, random_state=1)


@pytest.fixture(scope="module")
def fitted(connections):
    selector = Selector("kbest", estimator=GaussianNB(), max_evaluations=4, random_state=0)
    return selector.fit(connections.data, connections.target)


def scored(fitted, connections, later, **options):
    return score_models(
        fitted, connections.data, connections.target, later.data, later.target, **options
    )


def test_a_model_is_trained_on_the_columns_and_scored_on_unseen_rows(fitted, connections, later):
    unseen = scored(fitted, connections, later, models={"bayes": GaussianNB()})
    (model,) = unseen.models
    X, X_later = (np.asarray(fitted.transform(t.data), float) for t in (connections, later))
    predicted = GaussianNB().fit(X, connections.target).predict(X_later)
    expected = f1_score(later.target, predicted, pos_label="attack")
    assert model.name == "bayes"
    assert model.selected == pytest.approx(expected, abs=1e-3)
    assert model.difference == model.selected - model.all_features
    assert (unseen.n_rows, unseen.n_train, unseen.scoring) == (150, 400, "f1")
    assert unseen.n_selected == fitted.support_.sum()
    assert unseen.n_columns == len(fitted.support_) - 1  # one is constant


def test_threads_do_not_change_it(fitted, connections, later):
    one, two = (scored(fitted, connections, later, n_jobs=n) for n in (1, 2))
    assert one == two
    assert [model.name for model in one.models] == list(MODELS)


def test_the_class_is_the_selectors(connections, later):
    scores = []
    for label in ("attack", "normal"):
        selector = Selector(
            "kbest", estimator=GaussianNB(), max_evaluations=4, pos_label=label, random_state=0
        ).fit(connections.data, connections.target)
        scores.append(scored(selector, connections, later, models=["logistic"]).models[0].selected)
    assert scores[0] != scores[1]


def test_selectors_of_raw_columns(connections, later):
    selector = Selector(
        "kbest", estimator=GaussianNB(), unit="column", max_evaluations=4, random_state=0
    ).fit(connections.data, connections.target)
    unseen = scored(selector, connections, later, models=["logistic"])
    assert unseen.n_selected == selector.support_.sum()


def test_what_it_refuses(fitted, connections, later):
    X, y = connections.data, connections.target
    with pytest.raises(InputError, match=r"selector: found SelectKBest"):
        score_models(SelectKBest(), X, y, later.data, later.target)
    with pytest.raises(InputError, match=r"models: 'tree' is not a model"):
        scored(fitted, connections, later, models=["tree"])
    with pytest.raises(InputError, match=r"models: none are given"):
        scored(fitted, connections, later, models=[])
    with pytest.raises(InputError, match=r"X_train: its encoded columns are not those"):
        score_models(fitted, X.drop("flag"), y, later.data.drop("flag"), later.target)
    with pytest.raises(InputError, match=r"y_unseen"):
        score_models(fitted, X, y, later.data, np.full(150, "other"))


def test_models_of_the_user(fitted, connections, later):
    own = RandomForestClassifier(5)
    unseen = scored(fitted, connections, later, models={"mine": own})
    assert unseen == scored(fitted, connections, later, models={"mine": own})  # it is seeded
    assert own.random_state is None


class TestSetAside:
    labels = np.repeat(["a", "b", "c"], [100, 60, 40])

    def test_every_label_has_its_share(self):
        seen, unseen = set_aside(self.labels, 0.2, seed=5)
        assert sorted([*seen, *unseen]) == list(range(200))
        assert np.unique(self.labels[unseen], return_counts=True)[1].tolist() == [20, 12, 8]
        again, other = (set_aside(self.labels, 0.2, seed=seed)[1] for seed in (5, 6))
        assert again.tolist() == unseen.tolist() != other.tolist()

    @pytest.mark.parametrize("share", [0.2, 0.25, 0.4])
    def test_groups_stay_whole(self, share):
        groups = np.arange(200) % 25
        seen, unseen = set_aside(self.labels, share, groups=groups)
        assert not set(groups[seen]) & set(groups[unseen])
        assert len(unseen) / 200 == pytest.approx(share, abs=0.05)

    @pytest.mark.parametrize("share", [0, -0.1, 0.6, float("nan")])
    def test_other_shares(self, share):
        with pytest.raises(InputError, match="share: must lie above 0"):
            set_aside(self.labels, share)

    def test_a_label_that_fills_its_groups(self):
        groups = np.repeat(np.arange(10), 20)  # c has two groups of its own
        with pytest.raises(InputError, match="every label is on both sides"):
            set_aside(np.repeat(["a", "b"], [180, 20]), 0.2, groups=groups)
