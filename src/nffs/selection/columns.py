"""Selected columns of a new table, as a table of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nffs.errors import InputError, quoted
from nffs.table.encoding import EncodedColumn, Encoding
from nffs.table.reading import frame_like, is_frame, read_table


def apply_columns(
    X: Any,
    columns: Sequence[EncodedColumn],
    *,
    fitted: Sequence[str] = (),
    as_array: bool = False,
) -> Any:
    """Build encoded columns of a table: a frame of its kind, or an array.

    Parameters
    ----------
    X : table
        A frame or an array.
    columns : sequence of EncodedColumn
        What to build.
    fitted : sequence of str
        The raw columns that the selection was made from, in their order, where that is known: a
        table without names cannot stand for one with names.
    as_array : bool, default=False
        Whether to give an array for a frame, too.
    """
    names = _names(X)
    if names is None:
        _refuse_unnamed(fitted)
    needed = list(dict.fromkeys(column.column for column in columns))
    table = read_table(X, only=needed)
    Encoding(tuple(columns)).check(table, needed=needed)
    if is_frame(X) and not as_array:
        place = {name: i for i, name in enumerate(names or _positional(len(X.columns)))}
        made = [
            place[c.column] if c.category is None else c.indicator(table[c.column]) for c in columns
        ]
        return frame_like(X, list(zip((c.name for c in columns), made, strict=True)))
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufb":
        return X[:, [int(column.column[1:]) for column in columns]]
    out = np.empty((table.n_rows, len(columns)))
    for i, c in enumerate(columns):
        raw = table[c.column]
        out[:, i] = raw.values if c.category is None else c.indicator(raw)
    return out


def _names(X: Any) -> list[str] | None:
    """Give the names of a frame's columns; None for what has none, or has numbers for names."""
    if not is_frame(X):
        return None
    names = list(getattr(X, "column_names", X.columns))
    return names if all(isinstance(name, str) for name in names) else None


def _positional(n: int) -> list[str]:
    return [f"x{i}" for i in range(n)]


def _refuse_unnamed(fitted: Sequence[str]) -> None:
    """Refuse a table without names where columns are known by names, not by their places."""
    if list(fitted) != _positional(len(fitted)):
        raise InputError(
            "X: has no column names, but the selection was made from a table whose columns are "
            f"called {quoted(fitted)}; give a frame with these names."
        )
