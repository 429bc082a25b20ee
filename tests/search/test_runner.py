"""The search: every mask judged, each distinct one once, whatever the threads."""

import threading

import numpy as np
import pytest

from nffs.fitness.evaluator import Fitness
from nffs.search import Search

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
    found = Search(Counting(), total=5, n_jobs=n_jobs).evaluate(MASKS, "drawn")
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
    assert [p.phase for p in told] == ["drawn"] * 4
    assert told[-1].done == 5
    assert {p.total for p in told} == {10}
    assert [p.best for p in told] == list(np.maximum.accumulate([p.fitness for p in told]))


def test_callbacks_run_in_the_callers_thread():
    threads = set()
    Search(
        Counting(), total=5, n_jobs=2, callbacks=[lambda _: threads.add(threading.get_ident())]
    ).evaluate(MASKS, "drawn")
    assert threads == {threading.get_ident()}


def test_an_error_in_an_evaluation_is_not_swallowed():
    def broken(mask):
        raise RuntimeError("no such luck")

    with pytest.raises(RuntimeError, match="no such luck"):
        Search(broken, total=5, n_jobs=2).evaluate(MASKS, "drawn")
