"""Whether a GPU evaluates: what was asked for, what it can do, and what would gain."""

from __future__ import annotations

from collections.abc import Sequence

from nffs.errors import InputError, quoted
from nffs.fitness.gpu.device import Device, find_device, has_device
from nffs.fitness.gpu.engine import gpu_bytes
from nffs.fitness.splits import SplitRows
from nffs.table.target import Labels

#: The cells of a table from which engine="auto" takes a GPU if there is one, as searches of smaller
#: tables take seconds anyway, and the columns up to which it does: components of many more columns
#: take the GPU too long (`benchmarks/gpu_scale.py`).
GAINS_FROM, GAINS_TO = 1_000_000, 512

#: Rows that are tried, and columns for whose lists a block has room on all GPUs.
MOST_ROWS, MOST_COLUMNS = 1 << 26, 1500


def on_gpu_of(
    engine: str,
    able: tuple[str, ...],
    names: Sequence[str],
    n_groups: int,
    rows: Sequence[SplitRows],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose the models that a GPU computes, and say what the user should know of it.

    Parameters
    ----------
    engine : str
        The parameter `engine`.
    able, names : tuple of str
        The models that a GPU can compute, and all that evaluate.
    n_groups : int
        How many parameter groups the forests have.
    rows : sequence of SplitRows
        The rows with the search's splits, and with others.
    """
    if engine == "auto":
        n, d = rows[0].matrix.shape
        gains = able and n * d >= GAINS_FROM and d <= GAINS_TO and not refusal(rows[0])
        takes = gains and has_device() and not _short_of_memory(n_groups, rows)
        return (able if takes else ()), ()
    if engine != "gpu":
        return (), ()
    if not able:
        raise InputError(
            f"engine: 'gpu' computes forests only, and {quoted(names)} is none; choose "
            "evaluator='forest' or 'paper', or engine='fast'."
        )
    why = refusal(rows[0])
    if why:
        return (), (f"engine: the CPU evaluates, because the GPU engine cannot: {why}",)
    lacking = _short_of_memory(n_groups, rows)
    if lacking:
        raise InputError(f"engine: 'gpu' needs {lacking}; set max_rows, or use engine='fast'.")
    others = [name for name in names if name not in able]
    if others:
        return able, (f"engine: the GPU evaluates {quoted(able)}, the CPU {quoted(others)}",)
    return able, ()


def _short_of_memory(n_groups: int, rows: Sequence[SplitRows]) -> str:
    """Say what the GPU has too little memory for; nothing if it has enough."""
    device = find_device()
    found = (_shortage(device, part, n_groups) for part in rows)
    return next(filter(None, found), "")


def _shortage(device: Device, rows: SplitRows, n_groups: int) -> str:
    """Say how much memory some rows need if the device has less; nothing if it has enough."""
    need, free = gpu_bytes(rows, n_groups), device.free_memory()
    if need <= free:
        return ""
    n, d = rows.matrix.shape
    return (
        f"{need / 2**30:.1f} GiB of GPU memory for {n:,} rows and {d:,} encoded columns in "
        f"{len(rows.splits)} split(s), and {free / 2**30:.1f} GiB are free"
    )


def refusal(rows: SplitRows) -> str:
    """Say why the GPU engine cannot evaluate some rows; nothing if it can."""
    target = rows.target
    if not isinstance(target, Labels):
        return "it does not predict numbers"
    if target.n_classes != 2:
        return f"it tells two classes apart, and y has {target.n_classes}"
    if rows.trains_weighted:
        return "it does not take weights of rows or classes"
    if rows.unlabelled is not None and rows.unlabelled.uses:
        return "it does not use rows without a label"
    if len(rows.matrix) > MOST_ROWS or rows.matrix.shape[1] > MOST_COLUMNS:
        n, d = rows.matrix.shape
        return f"it takes up to {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns, not {n:,} x {d:,}"
    return ""
