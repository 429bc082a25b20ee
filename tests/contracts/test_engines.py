"""What every model of a panel keeps to, computed either way: one suite runs for each, for panels of
them, for an estimator of the user's and for a toy model."""

import json
import pickle
import re
import tracemalloc

import numpy as np
import pytest
from fitness.gpu.simulated import COMPILER, SimulatedDevice
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from nffs import NFFS, InputError, Selector
from nffs.fitness import EVALUATORS, MODELS, Memory
from nffs.fitness.engines import Model

WEIGHTS = np.random.default_rng(0).uniform(0.5, 2.0, 1000)


class ToyEngine:
    """Guesses the class whose mean is nearest: a model in twenty lines."""

    batch = 4
    weighs = False

    def __init__(self, asked):
        self.scoring = asked.scoring

    def identity(self):
        return {"engine": "toy 1", "scoring": self.scoring.name}

    def memory(self, shape):
        return Memory(once=0, split=0, subset=8 * shape.n_rows * (3 * shape.n_columns + 40))

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


TOY = Model("the nearest mean", ToyEngine, ToyEngine)

FORESTS = {"param_groups": [{"n_estimators": 4}, {"n_estimators": 2, "max_depth": 2}]}

OF_CLASSES, OF_NUMBERS = (
    [name for name, model in MODELS.items() if task in model.tasks]
    for task in ("classification", "regression")
)

#: How each is asked for, quick enough for a test.
QUICK = {
    **{name: {"evaluator": [name], "engine": "fast", **FORESTS} for name in OF_CLASSES},
    **{
        f"reference {name}": {"evaluator": [name], "engine": "reference", **FORESTS}
        for name in OF_CLASSES
        if name != "boosting"  # scikit-learn's has threads of its own, and takes minutes here
    },
    **{
        f"evaluator {name}": {"evaluator": name, **FORESTS}
        for name in EVALUATORS
        if name != "ridge"
    },
    **{
        f"gpu {name}": {"evaluator": evaluator, "engine": "gpu", **FORESTS}
        for name, evaluator in (("forest", "forest"), ("components", "paper"), ("panel", "panel"))
    },
    "estimator": {"estimator": DecisionTreeClassifier(max_depth=3)},
    "toy": {"evaluator": "toy"},
    "panel with toy": {"evaluator": ["logistic", "toy"]},
    **{f"numbers {name}": {"evaluator": [name], **FORESTS} for name in OF_NUMBERS},
    "numbers panel": FORESTS,
    "numbers reference panel": {"engine": "reference", **FORESTS},
    "numbers estimator": {"estimator": DecisionTreeRegressor(max_depth=3)},
}
for _name, _quick in QUICK.items():
    if any(model in _name for model in ("logistic", "ridge", "boosting")):
        del _quick["param_groups"]  # they have none


def loaded(name, load):
    """Give a table, and a column of it for target where numbers are to be predicted."""
    X, y = load(return_X_y=True)
    return (X, X[:, -3].copy()) if name.startswith("numbers") else (X, y)


def scorers(name):
    """Give two scorers that suit the target."""
    return ("r2", "neg_mean_absolute_error") if name.startswith("numbers") else ("accuracy", "f1")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """A folder for kernels of the GPU, to run without one."""
    if COMPILER is None:
        pytest.skip("needs a C++ compiler to run the kernels without a GPU")
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(params=QUICK)
def name(request, monkeypatch):
    monkeypatch.setitem(MODELS, "toy", TOY)
    if request.param.startswith("gpu"):
        device = SimulatedDevice(request.getfixturevalue("compiled"))
        for module in ("choosing", "engine"):
            monkeypatch.setattr(f"nffs.fitness.gpu.{module}.find_device", lambda: device)
    return request.param


@pytest.fixture
def evaluation(name):
    """Make the evaluation of a table by an engine."""

    def make(load=load_breast_cancer, fit=None, **parameters):
        X, y = loaded(name, load)
        given = {**QUICK[name], "random_state": 0, **parameters}
        return NFFS(**given).evaluation(X, y, **(fit or {}))

    return make


def masks_of(evaluation, n=6):
    masks = np.random.default_rng(1).random((n, len(evaluation.features))) < 0.5
    masks[:, 0] = True
    return masks


def tables(found):
    return [fitness.scores.tolist() for fitness in found]


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


def test_weights_and_scorers_are_heeded(evaluation, name):
    one, other = scorers(name)
    plain = evaluation(scoring=one)
    weighted = evaluation(scoring=one, fit={"sample_weight": WEIGHTS[:569]})
    masks = masks_of(plain, 3)
    assert tables(plain.evaluator(masks)) != tables(weighted.evaluator(masks))
    assert tables(plain.evaluator(masks)) != tables(evaluation(scoring=other).evaluator(masks))


def test_evaluation_rows_do_not_train(name):
    """Wild values among them change their own scores, not those of other evaluation rows."""
    X, y = loaded(name, load_breast_cancer)
    wild = X.copy()
    wild[500:] *= 1e3
    seen = []

    def spy(estimator, Z, truth):
        seen.append(np.asarray(estimator.predict(Z))[:100].tolist())
        return 0.5

    for data in (X, wild):
        given = NFFS(**QUICK[name], random_state=0, scoring=spy)
        rows = given.evaluation(X[:400], y[:400], eval_set=(data[400:], y[400:]))
        rows.evaluator(np.ones((1, 30), dtype=bool))
    half = len(seen) // 2
    assert seen[:half] == seen[half:]


def test_its_identity_is_what_was_resolved(evaluation, name):
    identity = evaluation().engine.identity()
    assert identity["engine"]
    assert json.loads(json.dumps(identity)) == identity
    assert evaluation().engine.identity() == identity
    another = "neg_mean_absolute_error" if name.startswith("numbers") else "accuracy"
    assert evaluation(scoring=another).engine.identity() != identity


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
    X, y = loaded(name, load_wine)
    given = {**QUICK[name], "max_evaluations": 10, "random_state": 0}
    journal = {"journal": tmp_path / "j.db"}
    one = Selector("ga", **given, **journal).fit(X, y)
    two = Selector("ga", **given, n_jobs=2).fit(X, y)
    again = Selector("ga", **given, **journal).fit(X, y)
    assert one.archive_fitness_.tolist() == two.archive_fitness_.tolist()
    assert one.archive_fitness_.tolist() == again.archive_fitness_.tolist()


class TestByName:
    def engine(self, **parameters):
        X, y = load_wine(return_X_y=True)
        return NFFS(random_state=0, **parameters).evaluation(X, y).engine

    def test_by_default_a_panel_evaluates(self):
        panel = self.engine().identity()
        assert panel["engine"] == "panel of forest, logistic"
        assert panel["forest: on"] == "columns"
        assert panel["logistic: engine"].startswith("logistic")

    def test_the_paper_is_one_word(self):
        paper = self.engine(evaluator="paper").identity()
        assert (paper["engine"], paper["pca"]) == ("forest 2", "0.93")

    def test_an_estimator_gets_the_columns_themselves_or_the_papers_components(self):
        tree = DecisionTreeClassifier()
        assert self.engine(estimator=tree).identity()["pca"] == "None"
        assert self.engine(estimator=tree, evaluator="paper").identity()["pca"] == "0.93"

    def test_the_reference_of_the_default_panel(self):
        fast, reference = (self.engine(engine=e).identity() for e in ("fast", "reference"))
        assert fast["forest: param_groups"] == reference["forest: param_groups"]
        assert ".RandomForestClassifier(" in reference["forest: estimator"]
        assert ".LogisticRegression(" in reference["logistic: estimator"]

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"engine": "gpux"}, "engine: 'gpux' is not an engine; choose one of 'auto', 'fast'"),
            ({"evaluator": "pannel"}, "evaluator: 'pannel' is unknown; did you mean 'panel'?"),
            ({"evaluator": ["forest", "forest"]}, "must name at least one model, each once"),
            ({"evaluator": []}, "must name at least one model, each once"),
            ({"pca": 0.9}, "pca: 0.9 is for evaluator='paper'; 'panel' evaluates the columns"),
            (
                {"evaluator": "logistic", "param_groups": [{}]},
                "param_groups: sets parameters of forests",
            ),
            ({"evaluator": "ridge"}, "evaluator: 'ridge' is not for classification; choose some"),
            (
                {"estimator": DecisionTreeRegressor()},
                "estimator: DecisionTreeRegressor is a regressor, and y holds classes",
            ),
            (
                {"engine": "fast", "estimator": DecisionTreeClassifier()},
                "engine: 'fast' has models of its own",
            ),
        ],
    )
    def test_what_cannot_be(self, parameters, message):
        with pytest.raises(InputError, match=re.escape(message)):
            self.engine(**parameters)

    @pytest.mark.parametrize(
        ("evaluator", "depths"),
        [({}, [None]), ({"evaluator": "paper"}, [2, 4, 8, None])],
        ids=["panel", "paper"],
    )
    def test_default_groups_given_by_hand_are_the_same_search(self, tmp_path, evaluator, depths):
        """A journal made with the defaults takes the same groups given by hand."""
        X, y = load_wine(return_X_y=True)
        small = {"n_subsets": 4, "n_nested": 2, "random_state": 0, "journal": tmp_path / "j.db"}
        groups = [{"max_depth": d, "n_estimators": 30} for d in depths]
        one = NFFS(**small, **evaluator).fit(X, y)
        two = NFFS(**small, **evaluator, param_groups=groups).fit(X, y)
        assert one.nested_fitness_.tolist() == two.nested_fitness_.tolist()
