"""Selected columns of a new table, as a table of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.table.encoding import EncodedColumn, Encoding
from nffs.table.reading import frame_like, is_frame, read_table


def apply_columns(X: Any, columns: Sequence[EncodedColumn], *, as_array: bool = False) -> Any:
    """Build the given encoded columns of a table: a frame of its kind, or an array."""
    needed = list(dict.fromkeys(column.column for column in columns))
    table = read_table(X, only=needed)
    Encoding(tuple(columns)).check(table, needed=needed)
    if is_frame(X) and not as_array:
        position = {str(name): i for i, name in enumerate(_frame_names(X))}
        return frame_like(
            X,
            [
                (
                    c.name,
                    c.indicator(table[c.column]) if c.category is not None else position[c.column],
                )
                for c in columns
            ],
        )
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufb":
        return X[:, [int(column.column[1:]) for column in columns]]
    return _stack(
        [
            table[c.column].values if c.category is None else c.indicator(table[c.column])
            for c in columns
        ],
        table.n_rows,
    )


def _frame_names(X: Any) -> list[Any]:
    names = list(getattr(X, "column_names", X.columns))
    return names if all(isinstance(n, str) for n in names) else [f"x{i}" for i in range(len(names))]


def _stack(values: list[NDArray[Any]], n_rows: int) -> NDArray[np.float64]:
    out = np.empty((n_rows, len(values)))
    for i, column in enumerate(values):
        out[:, i] = column
    return out
