"""Running a search on a Dask cluster from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nffs.errors import ClusterError, InputError

#: Seconds to wait for the scheduler.
_PATIENCE = 10


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Let searches run on the cluster at an address; here if there is none."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            "--scheduler: needs Dask; install it with pip install distributed."
        ) from error
    from joblib import parallel_config

    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"--scheduler: no scheduler answers at {address}; start one (dask scheduler) or "
            "correct the address, such as tcp://host:8786."
        ) from error
    with client, parallel_config(backend="dask", client=client, wait_for_workers_timeout=0):
        yield
