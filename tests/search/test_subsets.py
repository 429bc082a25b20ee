"""Every mask evaluated, each distinct one once, in order, whatever the threads."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from nffs.errors import EvaluationError, InputError
from nffs.fitness import Fitness
from nffs.search import StopPhase, StopSearch
from nffs.search import subsets as subsets_module
from nffs.search import tasks as tasks_module
from nffs.search.subsets import Subsets
from nffs.search.tasks import TRIES
from nffs.search.workers import workers_for

MASKS = np.array([[c == "1" for c in row] for row in ("100", "110", "100", "111", "010")])


def search(evaluator, n_jobs=None, batch=1, **options):
    """Evaluate by a fake, with two phases of five subsets each."""
    phases = {"drawn": 5, "nested": 5}
    return Subsets(lambda: workers_for(evaluator, n_jobs), phases, batch=batch, **options)


def values(found):
    return [None if fitness is None else fitness.value for fitness in found]


class Counting:
    """Scores a subset by its size and counts how often it is asked. A fake, to see inside."""

    def __init__(self):
        self.asked = []
        self.lock = threading.Lock()

    def __call__(self, masks):
        with self.lock:
            self.asked += masks.tolist()
        return [Fitness(np.array([[mask.sum() / 10]])) for mask in masks]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 7])
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_fitness_comes_in_the_masks_order(n_jobs, batch):
    found = search(Counting(), n_jobs, batch).evaluate(MASKS, "drawn")
    assert values(found) == [0.1, 0.2, 0.1, 0.3, 0.1]


def test_the_same_mask_is_evaluated_once_over_all_phases():
    evaluator = Counting()
    subsets = search(evaluator)
    subsets.evaluate(MASKS, "drawn")
    subsets.evaluate(MASKS[::-1], "nested")
    assert len(evaluator.asked) == 4 == len(subsets.evaluated)


def test_progress_counts_phases_as_planned_and_knows_the_best():
    events = []
    subsets = search(Counting(), callbacks=[events.append])
    subsets.evaluate(MASKS, "drawn")
    subsets.evaluate(MASKS, "nested")
    # A mask that comes twice in a phase is reported once.
    assert [p.phase for p in events] == ["drawn"] * 4 + ["nested"] * 4
    assert [p.done for p in events] == [1, 2, 3, 4, 6, 7, 8, 9]
    assert [p.n_features for p in events] == [1, 2, 3, 1] * 2
    assert {p.total for p in events} == {10}
    assert [p.best for p in events] == list(np.maximum.accumulate([p.fitness for p in events]))


def test_callbacks_run_in_the_callers_thread():
    threads = set()
    note = [lambda _: threads.add(threading.get_ident())]
    search(Counting(), n_jobs=2, callbacks=note).evaluate(MASKS, "drawn")
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize("signal", [StopPhase, StopSearch])
def test_a_callback_stops_at_the_same_subset_for_any_number_of_threads(n_jobs, signal):
    def stop(progress):
        if progress.phase == "drawn" and progress.done == 2:
            raise signal

    subsets = search(Counting(), n_jobs, callbacks=[stop])
    assert values(subsets.evaluate(MASKS, "drawn")) == [0.1, 0.2]
    assert len(subsets.evaluated) == 2
    assert subsets.evaluate(MASKS[3:], "drawn") == []  # the phase is over
    assert len(subsets.evaluate(MASKS[3:], "nested")) == (2 if signal is StopPhase else 0)


class Failing(Counting):
    """Fails on some masks, for good or the first few times."""

    def __init__(self, which, times=10**9):
        super().__init__()
        self.left = dict.fromkeys(map(tuple, which), times)

    def __call__(self, masks):
        found = super().__call__(masks)
        for key in map(tuple, masks.tolist()):
            if self.left.get(key, 0) > 0:
                self.left[key] -= 1
                raise MemoryError("no such luck")
        return found


def test_a_subset_that_fails_for_a_moment_is_evaluated_after_all():
    subsets = search(Failing(MASKS.tolist(), times=2), n_jobs=2)
    assert values(subsets.evaluate(MASKS, "drawn")) == [0.1, 0.2, 0.1, 0.3, 0.1]
    assert not subsets.failed


@pytest.mark.parametrize("batch", [1, 4])
def test_a_subset_that_fails_for_good_is_left_out_and_reported(batch):
    events = []
    evaluator = Failing([MASKS[1]])
    subsets = search(evaluator, n_jobs=2, batch=batch, callbacks=[events.append])
    assert values(subsets.evaluate(MASKS, "drawn")) == [0.1, None, 0.1, 0.3, 0.1]
    (failure,) = subsets.failed.values()
    assert failure.reason == "MemoryError: no such luck"
    assert np.isnan(events[1].fitness)
    assert events[1].best == 0.1
    # A batch that fails is evaluated one by one: only the subset at fault is lost.
    asked = TRIES + (batch > 1)
    assert evaluator.asked.count(MASKS[1].tolist()) == asked
    subsets.evaluate(MASKS, "nested")  # not begun again in the same search
    assert evaluator.asked.count(MASKS[1].tolist()) == asked
    assert len(subsets.evaluated) == 3


def test_a_search_in_which_many_fail_stops_and_says_why():
    subsets = search(Failing(MASKS.tolist()), n_jobs=2)
    with pytest.raises(EvaluationError, match=r"2 of 2 .* MemoryError: no such luck") as raised:
        subsets.evaluate(MASKS, "drawn")
    assert "Traceback" in raised.value.__notes__[0]


def test_what_the_user_has_to_mend_is_not_tried_again():
    asked = []

    def broken(masks):
        asked.append(masks)
        raise InputError("scoring: is odd; choose another.")

    with pytest.raises(InputError, match="odd"):
        search(broken).evaluate(MASKS, "drawn")
    assert len(asked) == 1


class Clock:
    """Time that passes only while a subset is evaluated: a second each."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        for module in (subsets_module, tasks_module):
            fake = SimpleNamespace(perf_counter=lambda: self.now, sleep=None)
            monkeypatch.setattr(module, "time", fake)

    def __call__(self, masks):
        self.now += float(len(masks))
        return [Fitness(np.array([[0.5]])) for _ in masks]


class TestLimit:
    """Nothing is begun that would take longer."""

    @pytest.mark.parametrize(("limit", "done"), [(0.5, 1), (1.9, 1), (3.0, 3), (99.0, 4)])
    def test_the_next_subset_must_fit(self, monkeypatch, limit, done):
        clock = Clock(monkeypatch)
        subsets = search(clock, n_jobs=1, started=0.0, limit=limit)
        assert len(subsets.evaluate(MASKS[[0, 1, 3, 4]], "drawn")) == done
        assert subsets.done == {"drawn": done}
        assert subsets.is_open("drawn") is (done == 4)

    def test_a_phase_that_does_not_fit_is_not_begun(self, monkeypatch):
        clock = Clock(monkeypatch)
        subsets = search(clock, n_jobs=1, started=0.0, limit=2.5)
        subsets.evaluate(MASKS[:2], "drawn")
        assert subsets.evaluate(MASKS[3:], "nested") == []
        assert (subsets.stopped, subsets.done) == ({"nested"}, {"drawn": 2})
        assert clock.now <= 2.5

    def test_time_is_kept_for_what_must_follow(self, monkeypatch):
        clock = Clock(monkeypatch)
        subsets = search(clock, n_jobs=1, started=0.0, limit=4.0, reserves={"drawn": 2.0})
        assert len(subsets.evaluate(MASKS[[0, 1, 3, 4]], "drawn")) == 2
        assert len(subsets.evaluate(MASKS[3:], "nested")) == 2
