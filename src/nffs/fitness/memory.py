"""How much memory a search needs and how much there is, told before it starts."""

from __future__ import annotations

from pathlib import Path

import psutil

from nffs.errors import InputError

#: Bytes for every row that a thread at work holds beside what grows with the columns: lists of
#: drawn rows, the nodes of a tree, sums of class shares.
_ROW_BYTES = 96

#: Bytes for every row and column: the projection (4) and the bins by row and by column (1 each).
_CELL_BYTES = 6

#: Of the encoded matrix.
_VALUE_BYTES = 4

#: Where a container's limit and use stand: cgroups of the second and of the first version.
_CONTAINER = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def memory_need(n_rows: int, n_columns: int, n_threads: int) -> int:
    """Bound the bytes that a search with the binned forest holds at its peak.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the encoded matrix.
    n_threads : int
        Subsets judged at a time.

    Returns
    -------
    int
        The encoded matrix twice, while its columns are put in order, and what the threads hold if
        each judges all columns at once without dropping a component.
    """
    matrix = _VALUE_BYTES * n_rows * n_columns
    return 2 * matrix + n_threads * n_rows * (_CELL_BYTES * n_columns + _ROW_BYTES)


def available_memory() -> int:
    """Give the bytes that this process may still take, of the machine's and its container's."""
    free = int(psutil.virtual_memory().available)
    for limit, used in _CONTAINER:
        try:
            left = int(Path(limit).read_text()) - int(Path(used).read_text())
        except (OSError, ValueError):
            continue  # no container, or "max"
        free = min(free, max(0, left))
    return free


def check_memory(n_rows: int, n_columns: int, n_threads: int = 1, held: int = 0) -> None:
    """Refuse a search that needs more memory than there is, and say what would fit.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the encoded matrix.
    n_threads : int
        Subsets judged at a time.
    held : int
        Bytes of the need that are taken already.
    """
    need, there = memory_need(n_rows, n_columns, n_threads), available_memory() + held
    if need <= there:
        return
    per_thread = memory_need(n_rows, n_columns, 1) - memory_need(n_rows, n_columns, 0)
    threads = (there - memory_need(n_rows, n_columns, 0)) // per_thread
    fits = [f"n_jobs={threads}"] if 1 <= threads < n_threads else []
    fits.append(f"max_rows={_round_down(n_rows * there // need)}")
    raise InputError(
        f"n_jobs: searching {n_rows} rows and {n_columns} encoded columns, {n_threads} subset(s) "
        f"at a time, needs up to {_gib(need)}, and {_gib(there)} are free; "
        f"{' or '.join(fits)} would fit."
    )


def _round_down(n: int) -> int:
    """Keep two digits.

    >>> _round_down(123456)
    120000
    """
    step = 10 ** max(0, len(str(n)) - 2)
    return int(n // step * step)


def _gib(n: int) -> str:
    return f"{n / 2**30:.1f} GiB" if n >= 2**27 else f"{n / 2**20:.1f} MiB"
