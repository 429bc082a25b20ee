"""What every method keeps to, NFFS among them: one suite runs for each of METHODS."""

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import GroupKFold, ShuffleSplit
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from nffs import (
    NFFS,
    InputError,
    ParquetTable,
    PartialWarning,
    Selector,
    StopPhase,
    StopSearch,
    memory,
)
from nffs.errors import EvaluationError, FailedWarning
from nffs.fitness import Evaluator
from nffs.methods import METHODS, Choice
from nffs.methods.baselines import RandomSearch
from nffs.methods.established import Boruta, ForestRFECV, FromModel
from nffs.methods.guided import START
from nffs.methods.nffs import DRAWN
from nffs.methods.sizes import share_budget
from nffs.search import workers

BUDGET = 25

# The quickest evaluator there is.
QUICK = [{"n_estimators": 3, "max_depth": 4}]

# Forests of other libraries take their time.
SMALL = {
    "rfecv": ForestRFECV(trees=2, step=0.5),
    "from-model": FromModel(trees=10),
    "boruta": Boruta(iterations=4, trees=10),
}


@pytest.fixture(params=list(METHODS))
def name(request):
    return request.param


@pytest.fixture
def make(name):
    """Make selectors that are done in a moment."""

    def selector(**parameters):
        defaults = {"param_groups": QUICK, "max_evaluations": BUDGET, "random_state": 0}
        return Selector(SMALL.get(name, name), **{**defaults, **parameters})

    return selector


def test_it_says_what_it_is(name):
    method = METHODS[name]
    assert method.name == name
    assert method.description
    assert method.source
    assert method() == method()


def test_the_answer_was_evaluated_and_has_that_score(make, connections):
    selector = make().fit(connections.data, connections.target)
    n = len(selector.archive_fitness_)
    assert 1 <= n <= BUDGET
    assert selector.n_evaluations_ in (n, n + 1)  # all features are evaluated beside the budget
    assert selector.archive_masks_.shape == (n, len(selector.features_))
    assert len(np.unique(selector.archive_masks_, axis=0)) == n
    assert selector.archive_masks_.any(axis=1).all()
    mask = selector.archive_masks_[selector.chosen_]
    assert selector.selected_features_ == list(np.array(selector.features_)[mask])
    assert selector.fitness_ == selector.archive_fitness_[selector.chosen_]
    assert selector.support_.sum() == len(selector.selected_features_)
    assert list(selector.transform(connections.data).columns) == selector.selected_features_
    # Asked again, the evaluator says the same of the same subset.
    again = Selector(Only(tuple(mask)), param_groups=QUICK, random_state=0)
    again.fit(connections.data, connections.target)
    assert again.fitness_ == selector.fitness_


def test_the_smallest_within_one_standard_error_and_any_point_of_the_front(make, connections):
    selector = make(max_evaluations=6, choose="one_se")
    selector.fit(connections.data, connections.target)
    final, selection = selector.final_, selector.selection_
    scored = list(zip(final.sizes, final.fitness, strict=True))
    assert final.choose == "one_se"
    assert (len(selection.selected_features), selection.fitness) in scored
    assert len(selection.selected_features) <= max(scored, key=lambda one: one[1])[0]
    for point in selection.front.points:
        assert point.fitness == max(f for size, f in scored if size <= point.size)
        small = selection.at_most(point.size)
        assert len(small.selected_features) <= point.size
        assert list(small.transform(connections.data).columns) == list(small.selected_features)


def test_threads_and_copies_do_not_change_the_answer(make, connections):
    one = make().fit(connections.data, connections.target)
    two = clone(make()).set_params(n_jobs=2).fit(connections.data, connections.target)
    assert one.support_.tolist() == two.support_.tolist()
    assert one.archive_masks_.tolist() == two.archive_masks_.tolist()
    assert one.archive_fitness_.tolist() == two.archive_fitness_.tolist()


@pytest.fixture(scope="module")
def dask():
    """Give a Dask cluster of one worker with two threads, in this process."""
    distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def test_a_cluster_does_not_change_the_answer(make, connections, dask):
    X, y = connections.data, connections.target
    here = make().fit(X, y)
    with joblib.parallel_config(backend="dask", client=dask):
        there = make().fit(X, y)
    assert there.selected_features_ == here.selected_features_
    np.testing.assert_array_equal(there.archive_fitness_, here.archive_fitness_)


def test_any_table_splits_and_scores(make, connections):
    y = np.array(connections.target)
    grouping = {"cv": GroupKFold(2), "scoring": make_scorer(recall_score, pos_label="attack")}
    grouped = make(**grouping, unit="column", pos_label="attack", max_evaluations=6)
    grouped.fit(connections.data.to_pandas(), y, groups=np.arange(400) // 20)
    assert set(grouped.selected_features_) <= set(connections.data.columns)
    assert "GroupKFold" in grouped.evaluated_on_
    half = make(max_evaluations=6).fit(
        connections.data[:200], y[:200], eval_set=(connections.data[200:], y[200:])
    )
    assert half.evaluated_on_ == "eval_set (200 rows given to fit)"
    weighted = make(max_evaluations=6)
    weighted.fit(connections.data, y, sample_weight=np.arange(1, 401))
    assert len(weighted.archive_fitness_) <= 6


def test_the_labels_of_an_eval_set_only_evaluate(make, connections):
    """They must not steer what is proposed before anything is evaluated."""
    X, y = connections.data, np.array(connections.target)
    given = make(max_evaluations=1).fit(X[:200], y[:200], eval_set=(X[200:], y[200:]))
    other = make(max_evaluations=1).fit(X[:200], y[:200], eval_set=(X[200:], y[:199:-1]))
    assert given.archive_masks_.tolist() == other.archive_masks_.tolist()


def test_a_budget_of_one_and_a_table_of_two(make, connections):
    once = make(max_evaluations=1).fit(connections.data, connections.target)
    assert len(once.archive_fitness_) == 1
    X = connections.data[["duration", "flag"]].with_columns(constant=pl.lit(1.0))
    few = make().fit(X, connections.target)
    assert len(few.archive_fitness_) <= BUDGET
    assert "constant" not in few.selected_features_
    two = make(unit="column").fit(X, connections.target)
    assert len(two.archive_fitness_) <= 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.ones((400, 2))}, "are constant"),
        ({"y": ["a"] * 400}, "one class only"),
        ({"y": ["a", "b"]}, "has 2 labels but X has 400 rows"),
        ({"scoring": "f2"}, "'f2' is not a scorer"),
        ({"pos_label": "strange"}, "pos_label"),
    ],
)
def test_bad_input_gets_the_same_sentence(make, connections, change, message):
    change = dict(change)
    X, y = change.pop("X", connections.data), change.pop("y", connections.target)
    with pytest.raises(InputError, match=message):
        make(**change).fit(X, y)


def test_an_interrupt_keeps_what_was_evaluated(make, connections):
    def stop(progress):
        raise KeyboardInterrupt

    with pytest.warns(PartialWarning, match="interrupted after 1 of"):
        stopped = make(callbacks=[stop]).fit(connections.data, connections.target)
    assert stopped.partial_
    assert stopped.n_evaluations_ == 1


def test_a_journal_holds_every_evaluation(make, connections, tmp_path, monkeypatch):
    journal = {"journal": tmp_path / "j.db"}
    first = make(**journal).fit(connections.data, connections.target)
    monkeypatch.setattr(workers.JoblibWorkers, "run", None)  # nothing is left to evaluate
    second = make(**journal).fit(connections.data, connections.target)
    assert first.archive_fitness_.tolist() == second.archive_fitness_.tolist()


@pytest.mark.parametrize("signal", [StopPhase, StopSearch])
def test_a_callback_that_stops_stops_at_the_same_subset(make, connections, tmp_path, signal):
    def stop(progress):
        # Some go on with a second phase when the first is ended: ask them to end the search.
        if progress.done == 3:
            raise StopSearch if progress.phase in (DRAWN, START) else signal

    def fit(**changes):
        return make(**changes).fit(connections.data, connections.target)

    whole = fit(journal=tmp_path / "j.db")
    n = min(3, len(whole.archive_fitness_))
    # A journal that knows what would have come next must not add to the answer.
    for changes in ({}, {"n_jobs": 2}, {"journal": tmp_path / "j.db"}):
        stopped = fit(callbacks=[stop], **changes)
        assert stopped.archive_masks_.tolist() == whole.archive_masks_[:n].tolist()
        assert stopped.fitness_ == stopped.archive_fitness_[stopped.chosen_]
        assert not stopped.partial_


def test_a_sample_evaluates(make, connections):
    selector = make(max_rows=200, max_evaluations=4).fit(connections.data, connections.target)
    assert "a stratified sample of 200 of the 400 training rows" in selector.evaluated_on_


def test_nffs_under_the_contract_is_nffs(connections):
    selector = Selector("nffs", max_evaluations=40, param_groups=QUICK, random_state=3)
    selector.fit(connections.data, connections.target)
    n_subsets, n_nested = share_budget(40, selector.archive_masks_.shape[1])
    sizes = {"n_subsets": n_subsets, "n_nested": n_nested}
    nffs = NFFS(**sizes, param_groups=QUICK, choose="method", random_state=3)
    nffs.fit(connections.data, connections.target)
    assert selector.support_.tolist() == nffs.support_.tolist()
    assert selector.fitness_ == nffs.fitness_
    assert selector.archive_masks_.tolist() == nffs.archive_masks_.tolist()
    assert selector.n_evaluations_ == nffs.n_evaluations_
    # and the final check that NFFS has by default is the same
    selector.set_params(choose="best").fit(connections.data, connections.target)
    nffs.set_params(choose="auto").fit(connections.data, connections.target)
    assert selector.final_ == nffs.final_ is not None
    assert selector.support_.tolist() == nffs.support_.tolist()


def test_a_parquet_file_gives_the_same_bits(connections, tmp_path):
    path = tmp_path / "t.parquet"
    connections.frame().write_parquet(path)
    table = ParquetTable(path, target="label")
    small = {"max_evaluations": 8, "max_rows": 200, "param_groups": QUICK, "random_state": 0}
    there = Selector("mrmr", **small).fit(table, table.labels())
    here = Selector("mrmr", **small).fit(connections.data, connections.target)
    assert there.archive_masks_.tolist() == here.archive_masks_.tolist()
    assert there.archive_fitness_.tolist() == here.archive_fitness_.tolist()
    assert there.fingerprint_ == here.fingerprint_
    assert list(there.transform(connections.data).columns) == there.selected_features_


def test_more_memory_than_there_is_is_refused(connections, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2**16)
    with pytest.raises(InputError, match="would fit"):
        Selector("random", random_state=0).fit(connections.data, connections.target)


class Broken:
    """An evaluator that fails for some subsets, always the same ones."""

    def __init__(self, monkeypatch, is_bad):
        self.failed = []
        evaluate = Evaluator.__call__

        def one(evaluator, masks):
            if is_bad(masks[0]):
                self.failed.append(masks.tobytes())
                raise MemoryError("too little")
            return evaluate(evaluator, masks)

        monkeypatch.setattr(Evaluator, "__call__", one)


@pytest.mark.parametrize("name", ["ga", "pso", "wwo", "cosine-pio", "nffs", "sequential", "ig"])
def test_a_subset_that_cannot_be_evaluated_is_left_out(name, connections, monkeypatch):
    whole = Selector(name, max_evaluations=BUDGET, param_groups=QUICK, random_state=0)
    whole.fit(connections.data, connections.target)
    order = []
    Broken(monkeypatch, lambda mask: order.append(mask.tobytes()) or mask.tobytes() == order[0])
    selector = Selector(name, max_evaluations=BUDGET, param_groups=QUICK, random_state=0)
    with pytest.warns(FailedWarning, match="1 of 26 subsets could not be evaluated .* MemoryError"):
        selector.fit(connections.data, connections.target)
    assert selector.failures_ == ["MemoryError: too little"]
    assert len(selector.archive_fitness_) == BUDGET - 1  # it cost its evaluation
    assert selector.archive_masks_[0].tolist() == whole.archive_masks_[1].tolist()
    assert np.isfinite(selector.archive_fitness_).all()


def test_a_method_none_of_whose_subsets_can_be_evaluated(connections, monkeypatch):
    Broken(monkeypatch, lambda mask: True)
    with pytest.raises(EvaluationError, match="no subset could be evaluated; the first"):
        Selector("all", random_state=0).fit(connections.data, connections.target)


def test_an_unknown_method(connections):
    with pytest.raises(InputError, match="method: 'pzo' is not a method; did you mean 'pso'"):
        Selector("pzo").fit(connections.data, connections.target)


class Only(RandomSearch):
    """Propose one mask over the table's features."""

    name = "only"

    def __init__(self, mask):
        object.__setattr__(self, "mask", mask)

    def propose(self, space, rng, budget):
        mask = np.array([self.mask[columns[0]] for columns in space.features.columns])
        yield self.round(mask[None])
        return Choice(mask)


@parametrize_with_checks(
    [
        Selector(
            method,
            max_evaluations=5,
            cv=ShuffleSplit(n_splits=2, test_size=0.3, random_state=0),
            estimator=DecisionTreeClassifier(max_depth=3),
        )
        for method in ("random", "mrmr")
    ],
    expected_failed_checks=lambda _: {
        f"check_sample_weight_equivalence_on_{kind}_data": (
            "a row given twice may train in a split that its twin evaluates"
        )
        for kind in ("dense", "sparse")
    },
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
