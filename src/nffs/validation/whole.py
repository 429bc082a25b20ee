"""Searches that must come to their end: half a one is no result where results are compared."""

from __future__ import annotations

import warnings
from typing import Any

from nffs.errors import PartialWarning
from nffs.selector.base import TableSelector


def fit_whole(selector: TableSelector, X: Any, y: Any, **given: Any) -> None:
    """Fit a selector; an interrupt ends the caller's work too, not this search alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartialWarning)
        selector.fit(X, y, **given)
    if selector.partial_:
        raise KeyboardInterrupt
