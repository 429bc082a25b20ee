"""BLAS held to one thread while anything here is evaluated.

The number of its threads decides the last bits of a product, and a subset's fitness must not depend
on the cores of a machine, on who else is computing, or on which thread began. The number belongs to
the whole process; so does the guard.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any

import threadpoolctl


class _OneThread:
    """A context manager that any number of threads may be in; the last one out restores."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._libraries: list[Any] = []
        self._modules = 0  # that were there when the libraries were found
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._find()
                self._before = [library.get_num_threads() for library in self._libraries]
                self._set([1] * len(self._libraries))
            self._users += 1

    def _find(self) -> None:
        """Find the libraries anew if any may have been loaded since, which modules do.

        Looking for them takes milliseconds, as long as a small table's subset.
        """
        if len(sys.modules) != self._modules:
            found = threadpoolctl.ThreadpoolController().select(user_api="blas")
            self._libraries, self._modules = found.lib_controllers, len(sys.modules)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._set(self._before)

    def _set(self, numbers: Sequence[int]) -> None:
        # From version 3.8 on threadpoolctl lets only the thread that has set OpenBLAS set it again,
        # and ignores all others. We may leave in another thread than we came in.
        openblas = getattr(threadpoolctl, "OpenBLASController", None)
        free = getattr(openblas, "clear_controlling_thread", lambda **_: None)
        free(force=True)
        for library, number in zip(self._libraries, numbers, strict=True):
            library.set_num_threads(number)
        free(force=True)


one_blas_thread = _OneThread()


def blas_kernels() -> str:
    """Name the kernels that BLAS has chosen for this processor, which decide last bits too."""
    found = threadpoolctl.ThreadpoolController().select(user_api="blas").info()
    kinds = {f"{b['internal_api']} {b.get('architecture', '')}".strip() for b in found}
    return ", ".join(sorted(kinds))
