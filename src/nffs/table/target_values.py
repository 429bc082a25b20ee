"""The values of a target as the user gave them: one array, nothing missing."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from nffs.errors import InputError, quoted
from nffs.table.label_types import refuse_strange_labels, refuse_types


def target_values(y: Any, argument: str) -> NDArray[Any]:
    """Give the target of all rows as an array; refuse one that is missing somewhere."""
    if nw.dependencies.is_into_series(y):
        series = nw.from_native(y, series_only=True)
        if series.null_count():
            raise InputError(
                f"{argument}: missing labels in {series.null_count()} rows; drop those rows."
            )
        if series.dtype.is_temporal():
            refuse_types({type(series.dtype).__name__.lower()}, argument)
        numeric = series.dtype.is_numeric()
        y = series.to_numpy() if numeric else np.array(series.to_list(), dtype=object)
    values: NDArray[Any] = column_or_1d(y, warn=True)
    refuse_strange_labels(values, argument)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError(f"{argument}: missing labels (NaN or inf); drop those rows.")
    if values.dtype.kind == "O":
        values = _objects(values, argument)
    # -0.0 is the same value as 0.0 and becomes it: equal targets are one
    return values + 0.0 if values.dtype.kind == "f" else values


def as_numbers(values: NDArray[Any], argument: str) -> NDArray[np.float64]:
    """Give such an array as numbers; refuse anything else."""
    if values.dtype.kind not in "biuf":
        raise InputError(
            f"{argument}: holds {quoted(values[:1])} and other values that are not numbers; "
            "regression needs numbers, and task='classification' treats them as classes."
        )
    return values.astype(np.float64)


def _objects(values: NDArray[Any], argument: str) -> NDArray[Any]:
    if any(v is None or v != v for v in values):
        raise InputError(f"{argument}: missing labels; drop those rows.")
    types = {type(v) for v in values}
    if len(types) > 1 and any(issubclass(t, str) for t in types):
        found = ", ".join(sorted(t.__name__ for t in types))
        raise InputError(f"{argument}: mixes types ({found}); use one type for all labels.")
    return np.array(values.tolist())
