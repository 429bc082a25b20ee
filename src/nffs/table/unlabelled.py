"""Rows without a label: read beside a training table, so that no label can enter."""

from __future__ import annotations

from typing import Any

import numpy as np

from nffs.errors import InputError
from nffs.randomness import generator
from nffs.table.missing import Missing, refuse_missing
from nffs.table.parquet import ParquetTable
from nffs.table.reading import RawTable, RowSource, is_frame, read_table

_NAME = "unlabelled"


def read_unlabelled(
    X: Any, beside: RowSource, target: str | None, *, max_rows: int | None, seed: int,
    missing: Missing,
) -> tuple[RawTable, int]:  # fmt: skip
    """Read rows without a label, or a sample of them; say how many there are.

    Parameters
    ----------
    X : table
        As `nffs.NFFS.fit` takes them: columns belong together by their names, those of arrays by
        their places.
    beside : RowSource
        The training table.
    target : str or None
        The name that the labels of the training table carry, if any: a column of that name would be
        labels.
    max_rows : int or None
        The most rows to use; of more a sample is drawn.
    seed : int
        Draws the sample.
    missing : {'indicate', 'error'}
        Whether numbers may be missing.
    """
    if isinstance(X, tuple):
        raise InputError(
            f"{_NAME}: found a tuple of {len(X)}; give the table alone, because labels of these "
            "rows are not accepted."
        )
    table: RowSource = X if isinstance(X, ParquetTable) else read_table(X, argument=_NAME)
    if target in table.names and target not in beside.names:
        raise InputError(
            f"{_NAME}: column {target!r} has the name of the target; drop it, because labels of "
            "these rows are not accepted."
        )
    named = is_frame(X) or isinstance(X, ParquetTable)
    if not named and len(table.names) != len(beside.names):
        raise InputError(
            f"{_NAME}: found {len(table.names)} columns, but X has {len(beside.names)}; give the "
            "same columns in the same order."
        )
    drawn = None
    if max_rows is not None and max_rows < table.n_rows:
        drawn = np.sort(generator(seed, _NAME).choice(table.n_rows, max_rows, replace=False))
    rows = table.take(drawn)
    if missing == "error":
        refuse_missing(rows.with_gaps, rows.argument)
    return rows, table.n_rows
