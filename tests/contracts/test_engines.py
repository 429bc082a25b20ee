"""What every engine keeps to: one suite runs for each of ENGINES, and for a toy one."""

import json
import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.tree import DecisionTreeClassifier

from nffs import NFFS, InputError, Selector
from nffs.fitness import ENGINES, Memory

WEIGHTS = np.random.default_rng(0).uniform(0.5, 2.0, 1000)


class ToyEngine:
    """Guesses the class whose mean is nearest: an engine in twenty lines."""

    batch = 4

    def __init__(self, estimator, param_groups, scoring, pca):
        self.scoring = scoring

    def identity(self):
        return {"engine": "toy 1", "scoring": self.scoring.name}

    def memory(self, n_rows, n_columns):
        return Memory(once=0, split=0, subset=8 * n_rows * (3 * n_columns + 40))

    def prepare(self, rows, split):
        return ToyScorer(self.scoring, rows, split)


class ToyScorer:
    def __init__(self, scoring, rows, split):
        self.scoring, self.rows, self.split = scoring, rows, split

    def scores(self, columns, seeds):
        return np.array([[self.score(mask)] for mask in columns])

    def score(self, mask):
        X, (train, evaluation) = self.rows.matrix[:, mask], self.split_rows()
        centres = np.array([X[train][self.rows.target.codes[train] == c].mean(axis=0)
                            for c in range(self.rows.target.n_classes)])  # fmt: skip
        away = ((X[evaluation][:, None] - centres) ** 2).sum(axis=2)
        sure = (away == away.min(axis=1, keepdims=True)).astype(float)
        weights = None if self.rows.weights is None else self.rows.weights[evaluation]
        return self.scoring.of_probabilities(sure, self.rows.target.take(evaluation), weights)

    def split_rows(self):
        return self.split.train, self.split.evaluation


#: How each is asked for, quick enough for a test.
QUICK = {
    "forest": {"param_groups": [{"n_estimators": 4}, {"n_estimators": 2, "max_depth": 2}]},
    "reference": {"estimator": DecisionTreeClassifier(max_depth=3)},
    "toy": {},
}


@pytest.fixture(params=[*ENGINES, "toy"])
def name(request, monkeypatch):
    monkeypatch.setitem(ENGINES, "toy", ToyEngine)
    return request.param


@pytest.fixture
def evaluation(name):
    """Make the evaluation of a table by an engine."""

    def make(load=load_breast_cancer, fit=None, **parameters):
        X, y = load(return_X_y=True)
        given = {"engine": name, **QUICK[name], "random_state": 0, **parameters}
        return NFFS(**given).evaluation(X, y, **(fit or {}))

    return make


def masks_of(evaluation, n=6):
    masks = np.random.default_rng(1).random((n, len(evaluation.features))) < 0.5
    masks[:, 0] = True
    return masks


def tables(found):
    return [fitness.scores.tolist() for fitness in found]


def test_every_engine_has_quick_settings_here():
    assert set(ENGINES) <= set(QUICK)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine], ids=["two", "three classes"])
def test_one_score_for_every_subset_split_and_group(evaluation, load):
    made = evaluation(load)
    found = made.evaluator(masks_of(made))
    assert len(found) == 6
    shapes = {fitness.scores.shape for fitness in found}
    assert len(shapes) == 1
    assert shapes.pop()[0] == 3
    assert all(0 <= fitness.value <= 1 for fitness in found)


def test_a_score_depends_on_the_mask_alone(evaluation):
    made = evaluation()
    masks = masks_of(made)
    together = tables(made.evaluator(masks))
    assert tables(made.evaluator(masks[::-1])) == together[::-1]
    assert [tables(made.evaluator(mask[None]))[0] for mask in masks] == together
    assert tables(evaluation().evaluator(masks)) == together


def test_it_travels_to_other_processes(evaluation):
    made = evaluation()
    masks = masks_of(made, 2)
    there = pickle.loads(pickle.dumps(made.evaluator))
    assert tables(there(masks)) == tables(made.evaluator(masks))
    assert there.batch == made.evaluator.batch >= 1


def test_informative_columns_score_higher(evaluation):
    made = evaluation()
    noise = np.zeros((2, 30), dtype=bool)
    noise[0, 7] = noise[1, 9] = True  # concave points, and the least telling one
    good, bad = made.evaluator(noise)
    assert good.value > bad.value


def test_weights_and_scorers_are_heeded(evaluation):
    plain = evaluation(scoring="accuracy")
    weighted = evaluation(scoring="accuracy", fit={"sample_weight": WEIGHTS[:569]})
    masks = masks_of(plain, 3)
    assert tables(plain.evaluator(masks)) != tables(weighted.evaluator(masks))
    assert tables(plain.evaluator(masks)) != tables(evaluation(scoring="f1").evaluator(masks))


def test_evaluation_rows_do_not_train(evaluation):
    """Wild values among them change their own scores, not those of other evaluation rows."""
    X, y = load_breast_cancer(return_X_y=True)
    wild = X.copy()
    wild[500:] *= 1e3
    seen = []

    def spy(estimator, Z, truth):
        seen.append(np.asarray(estimator.predict(Z))[:100].tolist())
        return 0.5

    for data in (X, wild):
        made = evaluation(scoring=spy)
        given = NFFS(**{**made_parameters(made), "scoring": spy})
        rows = given.evaluation(X[:400], y[:400], eval_set=(data[400:], y[400:]))
        rows.evaluator(np.ones((1, 30), dtype=bool))
    half = len(seen) // 2
    assert seen[:half] == seen[half:]


def made_parameters(made):
    name = made.engine.identity()["engine"].split()[0]
    return {"engine": name, **QUICK[name], "random_state": 0}


def test_its_identity_is_what_was_resolved(evaluation, name):
    identity = evaluation().engine.identity()
    assert identity["engine"].startswith(name)
    assert json.loads(json.dumps(identity)) == identity
    assert evaluation().engine.identity() == identity
    assert evaluation(scoring="accuracy").engine.identity() != identity


def test_it_stays_within_the_memory_it_announces(evaluation):
    made = evaluation()
    masks = np.ones((1, 30), dtype=bool)
    made.evaluator(masks)  # compiled, imported
    fresh = evaluation()
    tracemalloc.start()
    fresh.evaluator(masks)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The estimators' own memory is not known beforehand, and small things do not count.
    assert peak <= fresh.memory(1) + 2**20


def test_a_whole_search_by_it(evaluation, name, tmp_path):
    X, y = load_wine(return_X_y=True)
    given = {"engine": name, **QUICK[name], "max_evaluations": 10, "random_state": 0}
    journal = {"journal": tmp_path / "j.db"}
    one = Selector("ga", **given, **journal).fit(X, y)
    two = Selector("ga", **given, n_jobs=2).fit(X, y)
    again = Selector("ga", **given, **journal).fit(X, y)
    assert one.archive_fitness_.tolist() == two.archive_fitness_.tolist()
    assert one.archive_fitness_.tolist() == again.archive_fitness_.tolist()


class TestByName:
    def test_auto_is_the_forest_unless_there_is_an_estimator(self):
        X, y = load_wine(return_X_y=True)
        plain = NFFS(random_state=0).evaluation(X, y)
        assert plain.engine.identity()["engine"].startswith("forest")
        tree = NFFS(estimator=DecisionTreeClassifier(), random_state=0).evaluation(X, y)
        assert tree.engine.identity()["engine"].startswith("reference")

    def test_the_reference_of_the_default_groups(self):
        X, y = load_wine(return_X_y=True)
        forest, reference = (
            NFFS(engine=engine, random_state=0).evaluation(X, y).engine.identity()
            for engine in ("forest", "reference")
        )
        assert forest["param_groups"] == reference["param_groups"]
        assert reference["estimator"].startswith("RandomForestClassifier")

    def test_what_cannot_be(self):
        X, y = load_wine(return_X_y=True)
        with pytest.raises(InputError, match="engine: 'gpux' is not an engine; choose 'auto' or"):
            NFFS(engine="gpux").evaluation(X, y)
        with pytest.raises(InputError, match="engine: 'forest' has an estimator of its own"):
            NFFS(engine="forest", estimator=DecisionTreeClassifier()).evaluation(X, y)

    def test_default_groups_given_by_hand_are_the_same_search(self, tmp_path):
        """A journal made with the defaults takes the same groups given by hand."""
        X, y = load_wine(return_X_y=True)
        small = {"n_subsets": 4, "n_nested": 2, "random_state": 0, "journal": tmp_path / "j.db"}
        groups = [{"max_depth": d, "n_estimators": 30} for d in (2, 4, 8, None)]
        one = NFFS(**small).fit(X, y)
        two = NFFS(**small, param_groups=groups).fit(X, y)
        assert one.nested_fitness_.tolist() == two.nested_fitness_.tolist()
