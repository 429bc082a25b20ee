"""BLAS is held to one thread for as long as anyone needs it, and then given back."""

import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
import threadpoolctl

from nffs import NFFS, make_connections
from nffs.fitness.blas import one_blas_thread

SIZES = {"n_subsets": 60, "n_nested": 20, "cv": 2, "random_state": 0}


def threads():
    """Count the threads of every BLAS in this process."""
    found = threadpoolctl.ThreadpoolController().select(user_api="blas").info()
    return [library["num_threads"] for library in found]


@pytest.fixture(autouse=True)
def two_threads():
    """Have two threads to hold back, also on a machine with one core."""
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        if set(threads()) != {2}:
            pytest.skip("this BLAS has no threads")
        yield
        assert set(threads()) == {2}


def test_one_inside_and_as_before_outside():
    with one_blas_thread:
        assert set(threads()) == {1}
        with one_blas_thread:
            assert set(threads()) == {1}
        assert set(threads()) == {1}


def test_the_first_to_leave_does_not_free_the_others():
    first_in, second_in, first_out, looked = (threading.Event() for _ in range(4))
    seen = []

    def first():
        with one_blas_thread:
            first_in.set()
            second_in.wait(10)
        first_out.set()

    def second():
        first_in.wait(10)
        with one_blas_thread:
            second_in.set()
            first_out.wait(10)
            seen.append(threads())
            looked.set()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(first), pool.submit(second)]:
            done.result()
    assert looked.is_set()
    assert set(seen[0]) == {1}


def test_other_threads_again_and_again():
    # threadpoolctl itself obeys only the first thread that has set the number
    for _ in range(3):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(one_blas_thread.__enter__).result()
            assert set(threads()) == {1}
        with ThreadPoolExecutor(1) as pool:
            pool.submit(one_blas_thread.__exit__).result()
        assert set(threads()) == {2}


def test_libraries_are_looked_for_again_only_where_modules_came(monkeypatch):
    looked = []

    class Counted(threadpoolctl.ThreadpoolController):
        def __init__(self):
            looked.append(1)
            super().__init__()

    with one_blas_thread:
        pass
    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", Counted)
    for _ in range(3):
        with one_blas_thread:
            pass
    assert looked == []
    monkeypatch.setitem(sys.modules, "a_module_with_a_library", types.ModuleType("new"))
    with one_blas_thread:
        assert looked == [1]


@pytest.fixture(scope="module")
def table():
    # some of its subsets have other scores with two threads
    return make_connections(2000, random_state=1)


@pytest.fixture(scope="module")
def expected(table):
    return NFFS(**SIZES).fit(table.data, table.target).drawn_fitness_


def test_the_same_bits_in_processes_that_have_threads(table, expected):
    with joblib.parallel_config(backend="loky", inner_max_num_threads=2):
        found = NFFS(**SIZES, n_jobs=2).fit(table.data, table.target)
    np.testing.assert_array_equal(found.drawn_fitness_, expected)


def test_the_same_bits_when_two_searches_run_at_once(table, expected):
    def fit(n_subsets):
        sizes = {**SIZES, "n_subsets": n_subsets, "n_nested": 3}
        return NFFS(**sizes).fit(table.data, table.target).drawn_fitness_

    with ThreadPoolExecutor(2) as pool:
        short, long = pool.map(fit, (20, 60))
    np.testing.assert_array_equal(long, expected)
    np.testing.assert_array_equal(short, expected[:20])
