"""Two tables side by side: the columns that both have, each as whole numbers that compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, quoted
from nffs.table.reading import Kind, RawColumn, RawTable

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class PairedColumn:
    """A column that two tables have, with its values in both.

    Numbers and dates become the numbers of their values in ascending order, categories the numbers
    of theirs by how frequent they are; what is missing is -1. None of it depends on which of the
    tables a row is in.
    """

    name: str
    kind: Kind  # categorical too where the two tables disagree: then as text
    old: NDArray[Any]
    new: NDArray[Any]
    kinds: tuple[Kind, Kind]  # what it is in either table
    codes: Codes  # (n_old + n_new,)
    values: NDArray[Any]  # (n_codes,) what the codes stand for


def paired(old: RawTable, new: RawTable, what: str = "X_new") -> list[PairedColumn]:
    """Pair the columns of two tables by their names, in the order of the first.

    Parameters
    ----------
    old, new : RawTable
        The tables.
    what : str
        What messages call the second one.
    """
    there = {column.name: column for column in new.columns}
    found = [_pair(column, there[column.name]) for column in old.columns if column.name in there]
    if not found:
        raise InputError(
            f"{what}: has none of the columns {quoted(old.names)}, but {quoted(new.names)}; give a "
            "table of the same columns."
        )
    return found


def side_by_side(columns: Sequence[PairedColumn]) -> NDArray[np.float32]:
    """Give the codes of some columns as a matrix, rows of the first table first."""
    return np.column_stack([column.codes for column in columns]).astype(np.float32)


def _pair(old: RawColumn, new: RawColumn) -> PairedColumn:
    kinds = old.kind, new.kind
    if _empty(new) and not _empty(old):
        new = new.as_kind(old.kind)
    elif _empty(old) and not _empty(new):
        old = old.as_kind(new.kind)
    numbers = ("numeric", "boolean")
    if old.kind != new.kind and not (old.kind in numbers and new.kind in numbers):
        old, new = _as_text(old), _as_text(new)
    kind: Kind = "numeric" if old.kind != new.kind else old.kind
    gone = np.concatenate([old.missing, new.missing])
    both: NDArray[Any] = np.concatenate([old.values, new.values])
    codes = np.full(len(both), -1, dtype=np.intp)
    values, places = np.unique(both[~gone], return_inverse=True)
    if kind == "categorical":
        order = np.argsort(-np.bincount(places, minlength=len(values)), kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        values, places = values[order], rank[places]
    codes[~gone] = places
    return PairedColumn(old.name, kind, old.values, new.values, kinds, codes, values)


def _empty(column: RawColumn) -> bool:
    return bool(column.missing.all())


def _as_text(column: RawColumn) -> RawColumn:
    """Give a column as categories, as `1` and `1.0` would be written alike."""
    gone = column.missing
    texts = np.full(len(column.values), None, dtype=object)
    texts[~gone] = [_text(value) for value in column.values[~gone]]
    return RawColumn(column.name, "categorical", texts)


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
