"""Feature selection for tabular data via normalized frequencies."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from nffs._version import __version__

if TYPE_CHECKING:
    from nffs.datasets import make_connections
    from nffs.errors import AdjustedWarning, InputError, PartialWarning
    from nffs.fitness.classifier import BinnedForestClassifier
    from nffs.parquet import ParquetTable
    from nffs.progress import ProgressBar
    from nffs.search import Progress, StopPhase, StopSearch
    from nffs.selection import Selection
    from nffs.selector import NFFS

# Imported when first asked for: `import nffs` and `nffs --help` stay quick.
_HOME = {
    "NFFS": "nffs.selector",
    "AdjustedWarning": "nffs.errors",
    "BinnedForestClassifier": "nffs.fitness.classifier",
    "InputError": "nffs.errors",
    "ParquetTable": "nffs.parquet",
    "PartialWarning": "nffs.errors",
    "Progress": "nffs.search",
    "ProgressBar": "nffs.progress",
    "Selection": "nffs.selection",
    "StopPhase": "nffs.search",
    "StopSearch": "nffs.search",
    "make_connections": "nffs.datasets",
}

__all__ = [
    "NFFS",
    "AdjustedWarning",
    "BinnedForestClassifier",
    "InputError",
    "ParquetTable",
    "PartialWarning",
    "Progress",
    "ProgressBar",
    "Selection",
    "StopPhase",
    "StopSearch",
    "__version__",
    "make_connections",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'nffs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
