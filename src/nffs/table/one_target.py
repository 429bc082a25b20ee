"""Targets that are more than one: each is refused with a sentence that says what it looks like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, quoted

_REMEDY = "selection has one target: give one of them, or select for each on its own."


def refuse_several(y: Any, argument: str = "y") -> None:
    """Refuse multi-label, multi-output, survival and complex targets; let all others pass."""
    if nw.dependencies.is_into_dataframe(y):
        frame = nw.from_native(y, eager_only=True)
        if len(frame.columns) > 1:
            _refuse_columns([column.to_numpy() for column in frame.iter_columns()], argument)
        return
    if nw.dependencies.is_into_series(y):
        y = nw.from_native(y, series_only=True).to_numpy()
    if isinstance(y, list | tuple) and any(isinstance(v, list | tuple | set) for v in y[:1]):
        if len({len(v) for v in y}) > 1 or isinstance(y[0], set):
            raise InputError(f"{argument}: every row holds several labels (multi-label); {_REMEDY}")
        y = np.array(y, dtype=object)
    if not isinstance(y, np.ndarray):
        return
    if y.dtype.names:
        raise InputError(
            f"{argument}: has fields {quoted(y.dtype.names)}, as a survival target has; {_REMEDY}"
        )
    if y.ndim == 2 and y.shape[1] > 1:
        _refuse_columns(list(y.T), argument)
    if y.dtype.kind == "c":
        raise InputError(f"{argument}: Complex data not supported; give classes or real numbers.")


def _refuse_columns(columns: Sequence[NDArray[Any]], argument: str) -> None:
    n_values = sorted(len(set(column.tolist())) for column in columns)
    looks = "multi-output"
    if n_values[-1] <= 2:
        looks = "multi-label"
    elif len(columns) == 2 and n_values[0] <= 2 < n_values[1]:
        looks = "an event and a time, as a survival target has"
    raise InputError(f"{argument}: found {len(columns)} columns ({looks}); {_REMEDY}")
