"""Compiling the kernels: cached on disk, announced when it really happens.

The first call of a numba kernel compiles it, which takes seconds. Without a word that looks like a
hang; one line is enough.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

import numba
from numba.core import event, options

from nffs._kernel_cache import KernelCache

# numba's stubs know no options in a dict
_njit: Any = numba.njit

_OPTIONS = {"nogil": True, "error_model": "numpy"}

#: Switches the counting of references off. Numba has this option from 0.60 to 0.68 at least but
#: does not document it: where it is missing one day, steps of kernels count, and take longer.
UNCOUNTED = {"_nrt": False} if hasattr(options.DefaultOptions, "_nrt") else {}


def kernel(function: Any) -> Any:
    """Declare a kernel: compiled on first call, without the GIL, cached on disk if possible."""
    compiled = _njit(**_OPTIONS)(function)
    # Numba refuses to cache a function when it finds no folder to write to (a read-only
    # installation of a user without a home). Compiling in every process is slow but right.
    with contextlib.suppress(RuntimeError):
        compiled._cache = KernelCache(function)
    _announcer.watch(compiled)
    return compiled


def inlined(function: Any) -> Any:
    """Declare a helper that only kernels call; it needs no cache entry of its own."""
    return _njit(**_OPTIONS)(function)


class _Announcer(event.Listener):
    """Says on stderr, once per process, that kernels are being compiled.

    Numba raises the event only when it finds no compiled version on disk.
    """

    def __init__(self) -> None:
        self._watched: set[int] = set()
        self._told = False

    def watch(self, compiled: Any) -> None:
        self._watched.add(id(compiled))

    def on_start(self, event: Any) -> None:
        if self._told or id(event.data["dispatcher"]) not in self._watched:
            return
        self._told = True
        in_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        print(
            "\r\x1b[2K" if in_terminal else "",  # a progress bar may be there
            "nffs: compiling the kernels (only on first use; takes some seconds)",
            sep="",
            file=sys.stderr,
            flush=True,
        )

    def on_end(self, event: Any) -> None:
        pass


_announcer = _Announcer()
_register: Any = event.register
_register("numba:compile", _announcer)
