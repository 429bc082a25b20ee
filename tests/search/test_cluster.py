"""A Dask cluster of separate processes, some of which die: the answer is the local one."""

import json
import os
import pickle
import platform
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace

import joblib
import pytest
import threadpoolctl
from typer.testing import CliRunner

from nffs import NFFS, InputError
from nffs.cli.app import app
from nffs.errors import ClusterError
from nffs.search import cluster, cluster_check
from nffs.search.journal import file as journal_file

distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")

SIZES = {"n_subsets": 60, "n_nested": 20, "cv": 2, "random_state": 0}


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        self.client = distributed.Client(self.address, timeout=600, set_as_default=False)

    def _start(self, which, *arguments, **environment):
        code = f"from distributed.cli.{which} import main; main()"
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def add_worker(self, name, threads=1, **environment):
        process = self._start(
            "dask_worker", self.address, "--name", name, "--nthreads", str(threads),
            "--host", "127.0.0.1", "--no-nanny", "--no-dashboard", "--local-directory",
            str(self.folder), "--death-timeout", "120", **environment,
        )  # fmt: skip
        # by its name: a worker that has just died may still be counted
        deadline = time.monotonic() + 600
        while name not in self._names():
            assert process.poll() is None, f"worker {name} has ended"
            assert time.monotonic() < deadline, f"worker {name} has not come"
            time.sleep(0.05)
        return process

    def _names(self):
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        return {str(about["name"]) for about in workers.values()}

    def close(self):
        self.client.close()
        for process in self.processes:
            process.kill()
            process.wait()


@contextmanager
def running(folder, *threads):
    """Run a cluster with a worker for every number of threads."""
    cluster = Cluster(folder)
    try:
        cluster.workers = [cluster.add_worker(str(i), n) for i, n in enumerate(threads)]
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    with running(tmp_path_factory.mktemp("cluster"), 1, 1, 1) as cluster:
        yield cluster


def fit(connections, **parameters):
    return NFFS(**{**SIZES, **parameters}).fit(connections.data, connections.target)


def timeless(selector):
    return replace(selector.selection_, seconds=0.0)


@pytest.fixture(scope="module")
def table():
    from nffs import make_connections

    return make_connections(2000, random_state=1)


def test_one_worker_dies_and_one_joins(table, tmp_path):
    expected = timeless(fit(table, n_jobs=2))
    journal, told = tmp_path / "journal", []
    with running(tmp_path, 1, 1, 1) as cluster:

        def trouble(progress):
            told.append(progress.done)
            if progress.done == 10:
                cluster.workers[0].send_signal(signal.SIGKILL)
            if progress.done == 20:
                cluster.add_worker("new")
            if progress.done > 20:
                time.sleep(0.05)  # a search this short could end before anyone looks for newcomers

        with joblib.parallel_config(backend="dask", client=cluster.client):
            selector = fit(table, n_jobs=-1, journal=journal, callbacks=[trouble])
    assert timeless(selector) == expected
    assert selector.failures_ == []
    assert told == sorted(set(told))
    assert len(told) == selector.n_evaluations_
    with journal_file.reading(journal) as connection:
        workers = {entry.worker for entry in journal_file.entries(connection)}
    assert len(workers) == 4, "all workers took part: the first before it died, the last after"
    assert f"{socket.gethostname()}:{os.getpid()}" not in workers


def test_all_workers_die_and_others_join(table, tmp_path):
    expected = timeless(fit(table, n_jobs=2))
    with running(tmp_path, 1, 1) as cluster:

        def trouble(progress):
            if progress.done == 10:
                for worker in cluster.workers:
                    worker.send_signal(signal.SIGKILL)
                cluster.add_worker("new", threads=2)

        with joblib.parallel_config(backend="dask", client=cluster.client):
            selector = fit(table, callbacks=[trouble])
    assert timeless(selector) == expected
    assert selector.failures_ == []


def count_received():
    # Local, so that it travels by value: workers do not know this file.
    def received():
        """Count the bytes that the sockets of this process have received."""
        import pathlib

        total = 0
        for descriptor in pathlib.Path("/proc/self/fd").iterdir():
            try:
                with socket.socket(fileno=os.dup(int(descriptor.name))) as mine:
                    if mine.type == socket.SOCK_STREAM and mine.family == socket.AF_INET:
                        info = mine.getsockopt(socket.IPPROTO_TCP, 11, 256)  # TCP_INFO
                        total += struct.unpack_from("Q", info, 128)[0]  # tcpi_bytes_received
            except OSError:
                continue
        return total

    return received


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's counters of sockets")
def test_the_evaluator_travels_once(three, table):
    from nffs.fitness.evaluator import Evaluator

    sizes = []
    real = Evaluator.__init__

    def seen(self, *given):
        real(self, *given)
        sizes.append(len(pickle.dumps(self)))

    def wait(progress):
        # longer than Dask's memory manager leaves copies alone that nobody is using
        if progress.done in (20, 61):
            time.sleep(3)

    Evaluator.__init__ = seen
    try:
        before = three.client.run(count_received())
        with joblib.parallel_config(backend="dask", client=three.client):
            selector = fit(table, n_jobs=3, callbacks=[wait])
        after = three.client.run(count_received())
    finally:
        Evaluator.__init__ = real
    assert len(sizes) == 2, "one for the search, one for its final check"
    search, final = sizes
    for address, bytes_before in before.items():
        sent = after[address] - bytes_before
        # the rows, what was prepared of them; a few kilobytes for every task. What eliminates
        # features is the check's evaluator again, for the workers that do.
        most = search + 2 * final
        assert 0.9 * (search + final) < sent < 1.3 * most + selector.n_evaluations_ * 2048


def test_threads_of_a_worker_are_used(tmp_path, table):
    expected, begun = timeless(fit(table)), set()
    with running(tmp_path, 3) as cluster:

        def look(progress):
            begun.add(sum(map(len, cluster.client.processing().values())))

        with joblib.parallel_config(backend="dask", client=cluster.client):
            assert timeless(fit(table, n_jobs=2, callbacks=[look])) == expected
    assert max(begun) == 2, "n_jobs bounds what is begun"


def test_the_command_line(three, table, tmp_path):
    table.frame().write_parquet(tmp_path / "t.parquet")
    arguments = ["select", str(tmp_path / "t.parquet"), "--target", "label", "--subsets", "30",
                 "--nested", "8", "--seed", "3", "--json", "--holdout", "0"]  # fmt: skip
    there = CliRunner().invoke(app, [*arguments, "--scheduler", three.address])
    here = CliRunner().invoke(app, arguments)
    assert there.exit_code == here.exit_code == 0, there.stderr
    found = [json.loads(result.stdout) for result in (there, here)]
    for one in found:
        one.pop("seconds")
    assert found[0] == found[1]


def test_the_command_line_without_a_scheduler(table, tmp_path, monkeypatch):
    monkeypatch.setattr("nffs.cli.cluster._PATIENCE", 1)
    table.frame().write_parquet(tmp_path / "t.parquet")
    result = CliRunner().invoke(
        app,
        f"select {tmp_path / 't.parquet'} --target label --scheduler tcp://127.0.0.1:9".split(),
    )
    assert result.exit_code == 1
    assert "--scheduler: no scheduler answers at tcp://127.0.0.1:9; start one" in result.stderr


def test_workers_with_other_versions_are_named(three, monkeypatch):
    monkeypatch.setattr(cluster_check, "_DECIDING", ("nffs", "numpy", "no-such-package"))
    with pytest.raises(InputError, match=r"3 worker\(s\) .* lacks no-such-package.*Install nffs"):
        cluster_check.check_workers(three.client, list(three.client.nthreads()))


def test_a_worker_with_another_processor_is_told_of(tmp_path, caplog):
    blas = threadpoolctl.ThreadpoolController().select(internal_api="openblas").info()
    if not blas or platform.machine() != "x86_64" or blas[0]["architecture"] == "Nehalem":
        pytest.skip("needs OpenBLAS, and a processor that can do as if it were an older one")
    with running(tmp_path, 1) as mixed:
        mixed.add_worker("old", OPENBLAS_CORETYPE="Nehalem")
        cluster_check.check_workers(mixed.client, list(mixed.client.nthreads()))
    (told,) = caplog.messages
    assert told.startswith("1 worker(s) have another processor (BLAS kernels: openblas Nehalem")
    assert "set OPENBLAS_CORETYPE" in told


def test_no_workers_is_told(tmp_path, table, monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 2.0)
    with running(tmp_path) as empty:
        backend = {"backend": "dask", "client": empty.client, "wait_for_workers_timeout": 0}
        with (
            joblib.parallel_config(**backend),
            pytest.raises(ClusterError, match="has had no worker for 2 s"),
        ):
            fit(table)


def test_an_interrupt_drops_what_is_in_flight(three, table):
    def stop(progress):
        if progress.done == 12:
            raise KeyboardInterrupt

    with (
        joblib.parallel_config(backend="dask", client=three.client),
        pytest.warns(UserWarning, match="interrupted after"),
    ):
        selector = fit(table, callbacks=[stop])
    assert selector.partial_
    deadline = time.monotonic() + 600
    while any(three.client.processing().values()):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_masks_that_fail_there_are_told_here(three, table):
    from sklearn.tree import DecisionTreeClassifier

    with (
        joblib.parallel_config(backend="dask", client=three.client),
        pytest.raises(Exception, match="subsets could not be evaluated") as raised,
    ):
        fit(table, estimator=DecisionTreeClassifier(max_depth=-5), param_groups=[{}])
    assert "max_depth" in str(raised.value)
