"""The search: every mask judged, each distinct one once, whatever the threads."""

import threading

import numpy as np
import pytest

from nffs.errors import EvaluationError, InputError
from nffs.fitness.evaluator import Fitness
from nffs.search import Search, StopPhase, StopSearch
from nffs.search.tasks import TRIES

MASKS = np.array([[c == "1" for c in row] for row in ("100", "110", "100", "111", "010")])


class Counting:
    """Judges a subset by its size and counts how often it is asked. A fake, to see inside."""

    def __init__(self):
        self.asked = []
        self.lock = threading.Lock()

    def __call__(self, mask):
        with self.lock:
            self.asked.append(mask.tolist())
        return Fitness(np.array([[mask.sum() / 10]]))


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 7])
def test_fitness_comes_in_the_masks_order(n_jobs):
    places, found = Search(Counting(), total=5, n_jobs=n_jobs).evaluate(MASKS, "drawn")
    assert places.tolist() == [0, 1, 2, 3, 4]
    assert [f.value for f in found] == [0.1, 0.2, 0.1, 0.3, 0.1]


def test_the_same_mask_is_evaluated_once_over_all_phases():
    evaluator = Counting()
    search = Search(evaluator, total=10)
    search.evaluate(MASKS, "drawn")
    search.evaluate(MASKS[::-1], "nested")
    assert len(evaluator.asked) == 4 == search.n_evaluations


def test_progress_counts_to_the_total_and_knows_the_best():
    told = []
    search = Search(Counting(), total=10, callbacks=[told.append])
    search.evaluate(MASKS, "drawn")
    search.evaluate(MASKS, "nested")
    assert [p.phase for p in told] == ["drawn"] * 5 + ["nested"] * 5
    assert [p.done for p in told] == list(range(1, 11))
    assert [p.n_features for p in told] == [1, 2, 1, 3, 1] * 2
    assert {p.total for p in told} == {10}
    assert [p.best for p in told] == list(np.maximum.accumulate([p.fitness for p in told]))


def test_callbacks_run_in_the_callers_thread():
    threads = set()
    Search(
        Counting(), total=5, n_jobs=2, callbacks=[lambda _: threads.add(threading.get_ident())]
    ).evaluate(MASKS, "drawn")
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize("signal", [StopPhase, StopSearch])
def test_a_callback_stops_at_the_same_subset_for_any_number_of_threads(n_jobs, signal):
    def stop(progress):
        if progress.phase == "drawn" and progress.done == 2:
            raise signal

    search = Search(Counting(), total=5, n_jobs=n_jobs, callbacks=[stop])
    places, found = search.evaluate(MASKS, "drawn")
    assert places.tolist() == [0, 1]
    assert [f.value for f in found] == [0.1, 0.2]
    assert search.n_evaluations == 2
    places, _ = search.evaluate(MASKS[3:], "nested")
    assert len(places) == (2 if signal is StopPhase else 0)


class Failing(Counting):
    """Fails on some masks, for good or the first few times."""

    def __init__(self, which, times=10**9):
        super().__init__()
        self.left = dict.fromkeys(map(tuple, which), times)

    def __call__(self, mask):
        fitness = super().__call__(mask)
        key = tuple(mask.tolist())
        if self.left.get(key, 0) > 0:
            self.left[key] -= 1
            raise MemoryError("no such luck")
        return fitness


def test_a_subset_that_fails_for_a_moment_is_judged_after_all():
    search = Search(Failing(MASKS.tolist(), times=2), total=5, n_jobs=2)
    _, found = search.evaluate(MASKS, "drawn")
    assert [f.value for f in found] == [0.1, 0.2, 0.1, 0.3, 0.1]
    assert search.failures == []


def test_a_subset_that_fails_for_good_is_left_out_and_told():
    told = []
    evaluator = Failing([MASKS[1]])
    search = Search(evaluator, total=5, n_jobs=2, callbacks=[told.append])
    places, found = search.evaluate(MASKS, "drawn")
    assert places.tolist() == [0, 2, 3, 4]
    assert [f.value for f in found] == [0.1, 0.1, 0.3, 0.1]
    assert [failure.reason for failure in search.failures] == ["MemoryError: no such luck"]
    assert np.isnan(told[1].fitness)
    assert told[1].best == 0.1
    assert evaluator.asked.count(MASKS[1].tolist()) == TRIES
    search.evaluate(MASKS, "nested")  # not begun again in the same search
    assert evaluator.asked.count(MASKS[1].tolist()) == TRIES
    assert search.n_evaluations == 3


def test_a_search_in_which_many_fail_stops_and_says_why():
    search = Search(Failing(MASKS.tolist()), total=5, n_jobs=2)
    with pytest.raises(EvaluationError, match=r"2 of 2 .* MemoryError: no such luck") as raised:
        search.evaluate(MASKS, "drawn")
    assert "Traceback" in raised.value.__notes__[0]


def test_what_the_user_has_to_mend_is_not_tried_again():
    asked = []

    def broken(mask):
        asked.append(mask)
        raise InputError("scoring: is odd; choose another.")

    with pytest.raises(InputError, match="odd"):
        Search(broken, total=5).evaluate(MASKS, "drawn")
    assert len(asked) == 1
