"""Selected columns of a new table, as a table of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from nffs.errors import InputError, quoted
from nffs.table.encoding import EncodedColumn, Encoding
from nffs.table.missing import Missing, refuse_missing
from nffs.table.reading import frame_like, is_frame, read_table
from nffs.table.sparse import sparse_like


def check_places(X: Any, names: Sequence[str]) -> None:
    """Refuse a table without names whose columns cannot be told by their places."""
    if list(names) != _positional(len(names)):
        raise InputError(
            "X: has no column names, but the selection was made from a table whose columns are "
            f"called {quoted(names, 3)}; give a frame with these names."
        )
    width = np.shape(X)[1] if len(np.shape(X)) == 2 else None
    if width != len(names):
        raise InputError(
            f"X: found an array of {width} columns, but the selection was made with {len(names)}; "
            "give it the same columns in the same order."
        )


def apply_columns(
    X: Any,
    columns: Sequence[EncodedColumn],
    *,
    fitted: Sequence[str] = (),
    as_array: bool = False,
    missing: Missing = "indicate",
) -> Any:
    """Build encoded columns of a table: of its kind, or an array.

    Parameters
    ----------
    X : table
        A frame, an array or a sparse matrix.
    columns : sequence of EncodedColumn
        What to build.
    fitted : sequence of str
        The raw columns that the selection was made from, where they are known: a table without
        names cannot stand for one with names.
    as_array : bool, default=False
        Whether to give an array for a frame, too.
    missing : {'indicate', 'error'}, default='indicate'
        Whether numbers that are missing stay missing, or are refused.
    """
    names = _names(X)
    if names is None and fitted:
        check_places(X, fitted)
    needed = list(dict.fromkeys(column.column for column in columns))
    table = read_table(X, only=needed)
    encoding = Encoding(tuple(columns))
    encoding.check(table, needed=needed)
    if missing == "error":
        refuse_missing(table.with_gaps, table.argument)
    raw = {column.name: encoding.in_kind(column) for column in table.columns}
    if is_frame(X) and not as_array:
        place = {name: i for i, name in enumerate(names or _positional(len(X.columns)))}
        made = [
            place[c.column] if _passes(c) else np.asarray(c.values(raw[c.column])) for c in columns
        ]
        return frame_like(X, list(zip((c.name for c in columns), made, strict=True)))
    if issparse(X):
        return sparse_like(
            X, [int(c.column[1:]) if _passes(c) else c.values(raw[c.column]) for c in columns]
        )
    plain = isinstance(X, np.ndarray) and X.dtype.kind in "iufb"
    if plain and all(column.category is None for column in columns):
        return X[:, [int(column.column[1:]) for column in columns]]
    out = np.empty((table.n_rows, len(columns)), dtype=X.dtype if plain else np.float64)
    for i, c in enumerate(columns):
        out[:, i] = c.values(raw[c.column])
    return out


def _passes(column: EncodedColumn) -> bool:
    """Tell whether it is a raw column as it is."""
    return column.category is None and column.kind in ("numeric", "boolean")


def _names(X: Any) -> list[str] | None:
    """Give the names of a frame's columns; None for what has none, or has numbers for names."""
    if not is_frame(X):
        return None
    names = list(getattr(X, "column_names", X.columns))
    return names if all(isinstance(name, str) for name in names) else None


def _positional(n: int) -> list[str]:
    return [f"x{i}" for i in range(n)]
