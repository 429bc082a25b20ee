"""Taking less memory than a process would: what only a whole program may decide, not a library."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: It imports pandas, and pandas PyArrow, if they are installed, and uses neither.
_IMPORTER = "sklearn.utils.fixes"

#: Arrays of so many bytes are given back to the system when they are freed. By itself glibc keeps
#: ever larger ones, in pieces that later arrays do not fit into.
_GIVEN_BACK = 2**20
_MMAP_THRESHOLD = -3  # its number in malloc.h


def be_frugal() -> None:
    """Spare what libraries import without need, and keep no large arrays that were freed."""
    sys.meta_path.insert(0, _PandasLater())
    with contextlib.suppress(OSError, AttributeError, TypeError):  # not glibc
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _GIVEN_BACK)


class _PandasLater(MetaPathFinder):
    """Says that there is no pandas while scikit-learn asks for it without needing it.

    Commands read tables by polars. Whoever imports pandas otherwise gets it.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == "pandas" and _is_importing(_IMPORTER):
            raise ModuleNotFoundError("not imported for scikit-learn", name=name)
        return None


def _is_importing(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))
