"""Feature selection for tabular data via normalized frequencies."""

from __future__ import annotations

import importlib

from nffs._version import __version__

TYPE_CHECKING = False  # typing itself would take as long as all the rest of this module
if TYPE_CHECKING:
    from typing import Any

    from nffs.datasets import make_connections
    from nffs.errors import AdjustedWarning, InputError, PartialWarning
    from nffs.fitness import BinnedForestClassifier
    from nffs.report.progress import ProgressBar
    from nffs.search import Progress, StopPhase, StopSearch
    from nffs.search.stopping import EarlyStopping, TimeBudget
    from nffs.selection import Selection
    from nffs.selector import NFFS, Selector
    from nffs.table.parquet import ParquetTable
    from nffs.validation.shifted import shift

# Imported when first asked for: `import nffs` and `nffs --help` stay quick.
_HOME = {
    "NFFS": "nffs.selector",
    "AdjustedWarning": "nffs.errors",
    "BinnedForestClassifier": "nffs.fitness",
    "EarlyStopping": "nffs.search.stopping",
    "InputError": "nffs.errors",
    "ParquetTable": "nffs.table.parquet",
    "PartialWarning": "nffs.errors",
    "Progress": "nffs.search",
    "ProgressBar": "nffs.report.progress",
    "Selection": "nffs.selection",
    "Selector": "nffs.selector",
    "StopPhase": "nffs.search",
    "StopSearch": "nffs.search",
    "TimeBudget": "nffs.search.stopping",
    "make_connections": "nffs.datasets",
    "shift": "nffs.validation.shifted",
}

__all__ = [
    "NFFS",
    "AdjustedWarning",
    "BinnedForestClassifier",
    "EarlyStopping",
    "InputError",
    "ParquetTable",
    "PartialWarning",
    "Progress",
    "ProgressBar",
    "Selection",
    "Selector",
    "StopPhase",
    "StopSearch",
    "TimeBudget",
    "__version__",
    "make_connections",
    "shift",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'nffs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
