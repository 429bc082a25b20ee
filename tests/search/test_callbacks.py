"""Ending a search early: the same subset whatever the workers, what was judged is used."""

import time

import numpy as np
import pytest

from nffs import NFFS, InputError, Selector, StopSearch, make_connections
from nffs.search.stopping import EarlyStopping, TimeBudget

DATA = make_connections(300, random_state=0)
SMALL = {"n_subsets": 40, "n_nested": 12, "cv": 2, "random_state": 0}


def fit(**changes):
    return NFFS(**{**SMALL, **changes}).fit(DATA.data, DATA.target)


@pytest.fixture(scope="module")
def whole():
    return fit()


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_early_stopping_ends_each_phase_at_the_same_subset(whole, n_jobs):
    selector = fit(callbacks=[EarlyStopping(5)], n_jobs=n_jobs)
    for all_of_them, some in (
        (whole.drawn_fitness_, selector.drawn_fitness_),
        (selector.nested_fitness_, selector.nested_fitness_),
    ):
        assert np.array_equal(all_of_them[: len(some)], some)
        best = int(np.argmax(some))
        assert len(some) == best + 6 or len(some) == len(all_of_them)
    assert len(selector.drawn_fitness_) < 40
    assert not selector.partial_
    assert selector.top_counts_.sum() > 0
    assert len(selector.selected_features_) >= 1


def test_early_stopping_can_be_used_again(whole):
    stop = EarlyStopping(5)
    first, again = fit(callbacks=[stop]), fit(callbacks=[stop])
    assert first.selected_features_ == again.selected_features_
    assert first.n_evaluations_ == again.n_evaluations_


def test_early_stopping_stops_where_it_did_after_a_restart(tmp_path):
    journal = tmp_path / "j"
    first = fit(callbacks=[EarlyStopping(5)], journal=journal)
    again = fit(callbacks=[EarlyStopping(5)], journal=journal)
    assert len(first.drawn_fitness_) == len(again.drawn_fitness_)
    assert first.selected_features_ == again.selected_features_
    assert first.n_evaluations_ == again.n_evaluations_


def test_more_patience_than_subsets_changes_nothing(whole):
    selector = fit(callbacks=[EarlyStopping(1000)])
    assert selector.selected_features_ == whole.selected_features_
    assert selector.n_evaluations_ == whole.n_evaluations_


def test_a_time_budget_is_kept_and_leaves_time_for_phase_two():
    started = time.perf_counter()
    selector = fit(n_subsets=5000, n_top=100, n_bottom=100, callbacks=[TimeBudget(2)])
    assert time.perf_counter() - started > 1.3
    assert 1 < len(selector.drawn_fitness_) < 5000
    assert len(selector.nested_fitness_) >= 1
    assert selector.top_counts_.sum() > 0, "phase II was begun"
    assert not selector.partial_


def test_an_elimination_is_not_begun_if_the_limit_leaves_no_time():
    class Late:
        seconds, phases = np.inf, []

        def __call__(self, progress):
            self.phases.append(progress.phase)
            if progress.phase == "final check":
                self.seconds = progress.elapsed

    late = Late()
    selector = fit(callbacks=[late])
    assert "elimination" not in late.phases
    assert selector.final_ is not None
    assert not selector.partial_


def test_a_search_stopped_in_phase_one_keeps_the_best_drawn_subset(whole):
    def stop(progress):
        if progress.done == 7:
            raise StopSearch

    selector = fit(callbacks=[stop], n_jobs=2)
    assert selector.n_evaluations_ == 7
    assert selector.fitness_ == whole.drawn_fitness_[:7].max()
    assert np.isnan(selector.all_features_fitness_)
    assert selector.final_ is None


class Recorder:
    """A callback in scikit-learn's manner."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.ended = []

    def setup(self, estimator, context):
        self.up = True

    def on_fit_task_begin(self, estimator, context):
        assert self.up

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)
        return self.ended.count("subset") == self.stop_after and context.task_name == "subset"

    def teardown(self, estimator, context):
        self.up = False


class TestOfScikitLearn:
    @pytest.fixture(autouse=True)
    def needs_callbacks(self):
        pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")

    def fit(self, *callbacks):
        selector = NFFS(**SMALL)
        selector.set_callbacks(*callbacks)
        return selector.fit(DATA.data, DATA.target)

    def test_the_fit_its_phases_and_subsets_are_tasks(self, whole):
        recorder = Recorder()
        assert self.fit(recorder).selected_features_ == whole.selected_features_
        assert recorder.ended.count("subset") == whole.n_evaluations_
        assert [task for task in recorder.ended if task != "subset"] == [
            "drawn subsets", "nested subsets", "all features", "final check", "elimination",
            "fit",
        ]  # fmt: skip
        assert not recorder.up

    def test_an_answer_of_true_ends_the_phase(self, whole):
        selector = self.fit(Recorder(stop_after=9))
        assert np.array_equal(selector.drawn_fitness_, whole.drawn_fitness_[:9])
        assert len(selector.nested_fitness_) == 12

    def test_a_method_that_starts_again_comes_back_to_its_phases(self):
        """As one with two phases does whose table is too small for its budget."""
        names = ("duration", "error_rate", "noise_01", "noise_02")
        recorder = Recorder()
        options = {"include": names[0], "param_groups": [{"n_estimators": 3}], "cv": 2}
        selector = Selector("guided", max_evaluations=14, random_state=0, **options)
        selector.set_callbacks(recorder)
        selector.fit(DATA.data.select(names), DATA.target)
        phases = [task for task in recorder.ended if task.endswith("subsets")]
        assert len(phases) > len(set(phases)) == 2
        assert recorder.ended[-1] == "fit"

    def test_its_progress_bar_works(self, capfd):
        from sklearn.callback import ProgressBar

        assert self.fit(ProgressBar()).n_evaluations_ > 40


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: EarlyStopping(0), "patience: must be at least 1, found 0"),
        (lambda: EarlyStopping(1, -1), "min_delta"),
        (lambda: TimeBudget(0), "seconds: must be more than 0"),
    ],
)
def test_arguments_are_checked(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_a_time_budget_that_is_over_before_the_search_still_gives_one_subset(tmp_path):
    """Also if a journal has it already: it costs nothing then."""
    for _ in range(2):
        selector = fit(callbacks=[TimeBudget(1e-6)], journal=tmp_path / "search.db")
        assert selector.n_evaluations_ == 1
        assert selector.selected_features_
