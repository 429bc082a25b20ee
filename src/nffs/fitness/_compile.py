"""Compiling the kernels: cached on disk, announced when it has to happen.

The first call of a numba kernel compiles it, which takes seconds. A user who is not told so takes
it for a hang; a user who is told once, and only when it really happens, does not mind. So every
kernel is declared with :func:`kernel`, and whoever is about to call kernels calls :func:`announce`
first.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numba

# numba's stubs know no options in a dict
_njit: Any = numba.njit

_kernels: list[Any] = []
_announced = False


def kernel(function: Any) -> Any:
    """Declare a numba kernel: compiled on first call, without the GIL, cached on disk if possible.

    Parameters
    ----------
    function : callable
        The function to compile.

    Returns
    -------
    callable
        The compiled function's dispatcher.
    """
    options = {"nogil": True, "error_model": "numpy"}
    try:
        compiled = _njit(cache=True, **options)(function)
    except RuntimeError:
        # Numba refuses to cache a function when it finds no folder to write to (a read-only
        # installation of a user without a home). Compiling in every process is slow but right.
        compiled = _njit(**options)(function)
    _kernels.append(compiled)
    return compiled


def inlined(function: Any) -> Any:
    """Declare a helper that is only ever called from kernels; it needs no cache entry of its own.

    Parameters
    ----------
    function : callable
        The function to compile.

    Returns
    -------
    callable
        The compiled function's dispatcher.
    """
    return _njit(nogil=True, error_model="numpy")(function)


def is_cold() -> bool:
    """Tell whether some kernel has no compiled version on disk that is as new as its source.

    Returns
    -------
    bool
        True if the next calls will compile.
    """
    return any(_is_cold(compiled) for compiled in _kernels)


def announce() -> None:
    """Say on stderr, once per process, that kernels are about to be compiled, if they are."""
    global _announced
    if _announced:
        return
    _announced = True
    if is_cold():
        print(
            "nffs: compiling its kernels (first use on this machine, some seconds)",
            file=sys.stderr,
            flush=True,
        )


def _is_cold(compiled: Any) -> bool:
    function = compiled.py_func
    folder = compiled.stats.cache_path
    if folder is None:
        return True
    source = Path(function.__code__.co_filename)
    name = f"{source.stem}.{function.__qualname__}-{function.__code__.co_firstlineno}.*.nbi"
    try:
        newest = max((index.stat().st_mtime for index in Path(folder).glob(name)), default=0.0)
        return newest < source.stat().st_mtime
    except OSError:
        return True
