"""What every kind of workers keeps to: the caller's thread, threads, processes, a Dask cluster."""

import time
from itertools import islice

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_wine

from nffs import NFFS
from nffs.errors import InputError
from nffs.fitness import Fitness
from nffs.search.tasks import Failure
from nffs.search.workers import InlineWorkers, workers_for

X, Y = load_wine(return_X_y=True)
EVALUATION = NFFS(param_groups=[{"n_estimators": 3}], random_state=0).evaluation(X, Y)
MASKS = np.random.default_rng(0).random((9, 13)) < 0.6


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(params=["inline", "threads", "processes", "dask"])
def workers(request):
    """Make workers of a kind for an evaluator."""
    kind = request.param
    if kind == "inline":
        yield InlineWorkers
        return
    backend = {"threads": "threading", "processes": "loky", "dask": "dask"}[kind]
    options = {"client": request.getfixturevalue("cluster")} if kind == "dask" else {}
    with joblib.parallel_config(backend=backend, **options):
        yield lambda evaluator: workers_for(evaluator, 2)


def batches(size):
    return (MASKS[i : i + size] for i in range(0, len(MASKS), size))


@pytest.mark.parametrize("size", [1, 4])
def test_every_subset_comes_back_once_with_its_own_scores(workers, size):
    recorded = []
    results = list(workers(EVALUATION.evaluator).run(batches(size), recorded.append))
    expected = {
        mask.tobytes(): fitness.scores.tolist()
        for mask, fitness in zip(MASKS, EVALUATION.evaluator(MASKS), strict=True)
    }
    found = {r.mask.tobytes(): r.found.scores.tolist() for r in results}
    assert found == expected
    assert len(results) == len(MASKS)
    assert sorted(r.mask.tobytes() for r in recorded) == sorted(r.mask.tobytes() for r in results)
    assert all(r.seconds >= 0 and ":" in r.worker for r in results)


class Sick:
    """Fails on the masks that have the first feature."""

    def __call__(self, masks):
        if masks[:, 0].any():
            raise MemoryError("too little")
        return [Fitness(np.full((1, 1), float(mask.sum()))) for mask in masks]


@pytest.mark.parametrize("size", [1, 4])
def test_a_subset_that_fails_is_given_with_its_reason_and_costs_no_other(workers, size):
    results = list(workers(Sick()).run(batches(size), None))
    assert len(results) == len(MASKS)
    for result in results:
        if result.mask[0]:
            assert isinstance(result.found, Failure)
            assert result.found.reason == "MemoryError: too little"
            assert "Traceback" in result.found.details
        else:
            assert result.found.value == result.mask.sum()


class Odd:
    """Finds that the user has to mend something."""

    def __call__(self, masks):
        raise InputError("scoring: is odd; choose another.")


def test_what_the_user_has_to_mend_is_raised(workers):
    with pytest.raises(InputError, match="odd"):
        list(workers(Odd()).run(batches(1), None))


class Slow:
    """Takes a moment."""

    def __call__(self, masks):
        time.sleep(0.01)
        return [Fitness(np.zeros((1, 1))) for _ in masks]


def test_batches_are_taken_as_workers_are_free_and_may_be_left(workers):
    """A search that is stopped takes no more batches, and those in flight are dropped."""
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield MASKS[:1]

    results = workers(Slow()).run(endless(), None)
    assert len(list(islice(results, 3))) == 3
    results.close()
    assert len(taken) < 60
