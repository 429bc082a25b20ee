"""Old rows are compared with rows without a label, and weighted by how much they look like them.

A score on rows weighted so estimates the score on the new rows, as far as only the features moved
and not what they say about the target (Shimodaira 2000; Sugiyama, Krauledat and Mueller 2007).
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.newness import Newness, effective_size, newness_of
from nffs.fitness.splits import SplitRows
from nffs.fitness.unlabelled import Unlabelled
from nffs.randomness import derive_seed
from nffs.table.missing import filled


def weighted_by_likeness(rows: SplitRows, columns: NDArray[np.intp], seed: int) -> SplitRows:
    """Weigh the rows that train or evaluate in folds; those of an eval_set weigh as before.

    Where old and new rows cannot be told apart, all weigh as before.

    Parameters
    ----------
    rows : SplitRows
        With rows without a label among them.
    columns : (n_columns,) int
        The columns by which rows may be told apart.
    seed : int
        Draws the folds in which they are.
    """
    like, told = _compared(rows, columns, seed)
    if told.effective_rows is None:  # weights would be noise
        return replace(rows, unlabelled=told)
    weights = np.ones(len(rows.target)) if rows.weights is None else rows.weights.copy()
    weights[: told.n_old] *= like.weights()
    told = replace(told, effective_rows=effective_size(weights[: told.n_old]))
    return replace(rows, weights=weights, unlabelled=told)


def only_compared(rows: SplitRows, columns: NDArray[np.intp], seed: int) -> SplitRows:
    """Say how well old and new rows are told apart, and leave out the new ones."""
    _, told = _compared(rows, columns, seed)
    n = len(rows.target)
    grouped = tuple(replace(column, codes=column.codes[:n]) for column in rows.grouped)
    told = replace(told, rows=told.rows[:0])
    return replace(rows, matrix=rows.matrix[:n], grouped=grouped, unlabelled=told)


def _compared(rows: SplitRows, columns: NDArray[np.intp], seed: int) -> tuple[Newness, Unlabelled]:
    """Tell old rows from new ones by some columns, and say how well."""
    assert rows.unlabelled is not None
    n_old = rows.unlabelled.n_old
    shown = np.concatenate([np.arange(n_old), rows.unlabelled.rows])
    like = newness_of(
        _unordered(_by_category(rows, columns)[shown]), n_old, derive_seed(seed, "likeness")
    )
    n_like = effective_size(like.weights()) if like.told_apart else None
    return like, replace(rows.unlabelled, auc=like.auc, effective_rows=n_like)


def _by_category(rows: SplitRows, columns: NDArray[np.intp]) -> NDArray[np.float32]:
    """Give the columns, filled; for groups of categories, which labels decide, the categories."""
    grouped = {place for column in rows.grouped for place in column.columns.values()}
    kept = [column for column in columns.tolist() if column not in grouped]
    codes = [
        column.codes.astype(np.float32)
        for column in rows.grouped
        if set(column.columns.values()) & set(columns.tolist())
    ]
    return filled(np.column_stack([rows.matrix[:, kept], *codes]).astype(np.float32))


def _unordered(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Order columns by their contents: their order in the table is to decide nothing."""
    found = [np.ascontiguousarray(column) for column in matrix.T]
    found.sort(key=lambda column: hashlib.blake2b(column.tobytes(), digest_size=16).digest())
    return np.ascontiguousarray(np.column_stack(found))
