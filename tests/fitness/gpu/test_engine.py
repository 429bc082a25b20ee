"""`engine="gpu"` as users ask for it. Where there is no GPU, a simulated one takes its place."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nffs import NFFS, InputError, Selector, make_connections
from nffs.fitness.gpu import choosing
from nffs.fitness.gpu import device as gpu_device
from nffs.fitness.gpu import engine as gpu_engine

QUICK = {
    "evaluator": "paper",
    "n_subsets": 5,
    "n_nested": 3,
    "param_groups": [{"n_estimators": 2, "max_depth": 3}],
    "random_state": 0,
}


@pytest.fixture
def a_gpu(simulated, monkeypatch):
    """A machine with a GPU."""
    for module in (gpu_engine, choosing):
        monkeypatch.setattr(module, "find_device", lambda: simulated)
    monkeypatch.setattr(choosing, "has_device", lambda: True)
    return simulated


@pytest.fixture(scope="module")
def table():
    made = make_connections(150)
    return made.data.select(made.data.columns[:8]), made.target


def test_a_search_on_a_gpu_says_so_in_its_identity(a_gpu, table, tmp_path):
    found = NFFS(engine="gpu", journal=tmp_path / "a.db", **QUICK).fit(*table)
    assert "grow_forests" in a_gpu.launches
    evaluation = found.evaluation(*table)
    assert evaluation.identity()["engine"].startswith("gpu forest")


def test_a_journal_never_mixes_a_gpu_and_a_cpu(a_gpu, table, tmp_path):
    NFFS(engine="gpu", journal=tmp_path / "a.db", **QUICK).fit(*table)
    with pytest.raises(InputError, match="engine"):
        NFFS(engine="fast", journal=tmp_path / "a.db", **QUICK).fit(*table)


def test_a_journal_goes_on_to_the_same_bits(a_gpu, table, tmp_path):
    whole = NFFS(engine="gpu", **QUICK).fit(*table)
    NFFS(engine="gpu", journal=tmp_path / "a.db", **{**QUICK, "n_subsets": 3}).fit(*table)
    a_gpu.launches.clear()
    again = NFFS(engine="gpu", journal=tmp_path / "a.db", **QUICK).fit(*table)
    assert a_gpu.launches.count("grow_forests") == 3  # a batch of new subsets in three splits
    np.testing.assert_array_equal(again.drawn_fitness_, whole.drawn_fitness_)
    np.testing.assert_array_equal(again.ranking_, whole.ranking_)


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_take_turns_and_change_nothing(a_gpu, table, n_jobs, monkeypatch):
    monkeypatch.setattr(gpu_engine.GpuComponents, "batch", 1)
    at_work = []

    def launch(kernel, *arguments, **options):
        at_work.append(kernel)
        assert len(at_work) == 1, "two threads at a time"
        real(kernel, *arguments, **options)
        at_work.pop()

    real = a_gpu.launch
    monkeypatch.setattr(a_gpu, "launch", launch)
    one = NFFS(engine="gpu", **QUICK).fit(*table)
    many = NFFS(engine="gpu", n_jobs=n_jobs, **QUICK).fit(*table)
    np.testing.assert_array_equal(many.drawn_fitness_, one.drawn_fitness_)


def test_other_methods_search_on_it_too(a_gpu, table):
    selector = Selector(
        "random", max_evaluations=4, engine="gpu", evaluator="paper",
        param_groups=QUICK["param_groups"], random_state=0,
    )  # fmt: skip
    assert selector.fit(*table).n_evaluations_ >= 4
    assert "grow_forests" in a_gpu.launches


def test_members_of_a_panel_that_it_cannot_compute_are_the_cpus(a_gpu, table):
    small = {**QUICK, "evaluator": "panel"}
    with pytest.warns(UserWarning, match="the GPU evaluates 'forest', the CPU 'logistic'"):
        found = NFFS(engine="gpu", **small).fit(*table)
    assert "grow_forests" in a_gpu.launches
    assert found.support_.any()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"class_weight": "balanced"}, "it does not take weights"),
        ({"task": "regression", "evaluator": "forest"}, "it does not predict numbers"),
    ],
)
def test_what_it_cannot_do_the_cpu_does_and_says_so(a_gpu, table, given, why):
    X, y = table
    y = np.linspace(0, 1, len(y)) if "task" in given else y
    with pytest.warns(UserWarning, match=f"the CPU evaluates.*{why}"):
        NFFS(engine="gpu", **{**QUICK, **given}).fit(X, y)
    assert "grow_forests" not in a_gpu.launches


def test_rows_without_a_label_are_the_cpus(a_gpu, table):
    X, y = table
    with pytest.warns(UserWarning, match="the CPU evaluates.*rows without a label"):
        NFFS(engine="gpu", unlabelled_for="components", **QUICK).fit(X, y, unlabelled=X)
    assert "grow_forests" not in a_gpu.launches


def test_more_than_two_classes_are_the_cpus(a_gpu):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="it tells two classes apart, and y has 3"):
        NFFS(engine="gpu", **QUICK).fit(X, y)
    assert "grow_forests" not in a_gpu.launches


def test_auto_takes_it_for_large_tables_only(a_gpu, table, monkeypatch):
    NFFS(**QUICK).fit(*table)
    assert "grow_forests" not in a_gpu.launches
    monkeypatch.setattr(choosing, "GAINS_FROM", 1)
    NFFS(**QUICK).fit(*table)
    assert "grow_forests" in a_gpu.launches


def test_auto_does_not_look_for_it_where_it_cannot_help(table, monkeypatch):
    def looked():
        raise AssertionError("it was looked for")

    monkeypatch.setattr(choosing, "has_device", looked)
    NFFS(**QUICK).fit(*table)  # a small table
    monkeypatch.setattr(choosing, "GAINS_FROM", 1)
    NFFS(**{**QUICK, "evaluator": "logistic", "param_groups": None}).fit(*table)
    X, y = load_iris(return_X_y=True)
    NFFS(**QUICK).fit(X, y)


def test_without_cupy_one_sentence_says_what_to_install(table, monkeypatch):
    monkeypatch.setattr(gpu_device, "find_spec", lambda name: None)
    gpu_device.find_device.cache_clear()
    with pytest.raises(InputError, match=r"engine: 'gpu' needs CuPy.*nffs\[cuda\].*engine='fast'"):
        NFFS(engine="gpu", **QUICK).fit(*table)


def test_without_a_gpu_one_sentence_says_so(table, monkeypatch):
    class NoDriver:
        def __getattr__(self, name):
            raise RuntimeError("cudaErrorInsufficientDriver:\n CUDA driver version is insufficient")

    monkeypatch.setitem(sys.modules, "cupy", NoDriver())
    monkeypatch.setattr(gpu_device, "find_spec", lambda name: name)
    gpu_device.find_device.cache_clear()
    try:
        with pytest.raises(InputError, match=r"finds no NVIDIA GPU.*insufficient\); use engine="):
            NFFS(engine="gpu", **QUICK).fit(*table)
        assert not gpu_device.has_device()
    finally:
        gpu_device.find_device.cache_clear()


def test_a_table_that_does_not_fit_gets_one_sentence(a_gpu, table):
    a_gpu.free = 10_000
    message = r"engine: 'gpu' needs .* GiB of GPU memory for 150 rows.* in 3 split.*set max_rows"
    with pytest.raises(InputError, match=message):
        NFFS(engine="gpu", **QUICK).fit(*table)


def test_auto_leaves_what_does_not_fit_to_the_cpu(a_gpu, table, monkeypatch):
    monkeypatch.setattr(choosing, "GAINS_FROM", 1)
    a_gpu.free = 10_000
    NFFS(**QUICK).fit(*table)
    assert "grow_forests" not in a_gpu.launches


def test_models_without_a_forest_are_refused(table):
    with pytest.raises(InputError, match="'gpu' computes forests only"):
        NFFS(engine="gpu", evaluator="logistic").fit(*table)


def test_an_estimator_is_refused_beside_it(table):
    from sklearn.naive_bayes import GaussianNB

    with pytest.raises(InputError, match="engine: 'gpu' has models of its own"):
        NFFS(engine="gpu", estimator=GaussianNB()).fit(*table)
