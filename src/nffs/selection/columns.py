"""Selected columns of a new table, as a table of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nffs.errors import InputError, quoted
from nffs.table.encoding import EncodedColumn, Encoding
from nffs.table.reading import frame_like, is_frame, read_table


def check_places(X: Any, names: Sequence[str]) -> None:
    """Refuse an array whose columns cannot be told by their places."""
    if list(names) != [f"x{i}" for i in range(len(names))]:
        raise InputError(
            "X: found an array, which has no names, but the selection was made with columns "
            f"{quoted(names, 3)}; give a frame with these names."
        )
    width = np.shape(X)[1] if len(np.shape(X)) == 2 else None
    if width != len(names):
        raise InputError(
            f"X: found an array of {width} columns, but the selection was made with {len(names)}; "
            "give it the same columns in the same order."
        )


def apply_columns(X: Any, columns: Sequence[EncodedColumn], *, as_array: bool = False) -> Any:
    """Build the given encoded columns of a table: a frame of its kind, or an array."""
    needed = list(dict.fromkeys(column.column for column in columns))
    table = read_table(X, only=needed)
    Encoding(tuple(columns)).check(table, needed=needed)
    if is_frame(X) and not as_array:
        names = list(getattr(X, "column_names", X.columns))
        if not all(isinstance(name, str) for name in names):
            names = [f"x{i}" for i in range(len(names))]
        place = {name: i for i, name in enumerate(names)}
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
