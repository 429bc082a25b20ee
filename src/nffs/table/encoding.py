"""Raw table -> numeric matrix with named columns.

scikit-learn's one-hot encoder decides the categories, their order and which rare ones are folded
together; numeric and boolean columns pass untouched. What it decided is kept as plain data
(`Encoding`), so a selection can be written to JSON and applied without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from nffs.errors import InputError, quoted
from nffs.table.reading import Kind, RawColumn, RawTable, RowSource


@dataclass(frozen=True)
class EncodedColumn:
    """One column of the encoded matrix and where it comes from."""

    column: str  # the raw column
    kind: Kind  # the raw column's kind
    # The category it indicates, as it stands in the name; None for numeric and boolean columns
    category: str | None = None
    # The raw values it indicates: one, or those folded together for being rare. None is a missing
    # value.
    members: tuple[str | None, ...] = ()
    # Taken from numeric values before they become float32, which could not tell them apart
    # otherwise (times in seconds since 1970, say). Standardisation undoes it.
    offset: float = 0.0

    @property
    def name(self) -> str:
        """`column` or `column_category`."""
        return self.named({})

    def named(self, raw_names: Mapping[str, str]) -> str:
        """Name it with another name for its raw column, if one is given."""
        column = raw_names.get(self.column, self.column)
        return column if self.category is None else f"{column}_{self.category}"

    def indicator(self, raw: RawColumn) -> NDArray[np.uint8]:
        """Mark the rows whose value is one of the members."""
        values = raw.values
        hit = np.zeros(len(values), dtype=np.bool_)
        for member in self.members:
            # Element by element, for None too, which `is` could not do.
            hit |= np.asarray(values == member, dtype=np.bool_)
        return hit.astype(np.uint8)


@dataclass(frozen=True)
class Encoding:
    """What the encoder learned: the encoded columns in the raw columns' order."""

    columns: tuple[EncodedColumn, ...]

    @property
    def names(self) -> list[str]:
        """The encoded columns' names."""
        return [column.name for column in self.columns]

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The raw columns and their kinds, in order."""
        return {column.column: column.kind for column in self.columns}

    def check(self, table: RawTable, *, needed: Sequence[str] | None = None) -> None:
        """Refuse a table that lacks a needed raw column or has it in another type."""
        present = {column.name: column.kind for column in table.columns}
        wanted = list(self.kinds) if needed is None else list(needed)
        missing = [name for name in wanted if name not in present]
        if missing:
            raise InputError(
                f"X: lacks the column(s) {quoted(missing)} that the selection "
                "was made with; add them."
            )
        for name in wanted:
            if not _same_kind(self.kinds[name], present[name]):
                raise InputError(
                    f"X: column {name!r} is {present[name]} but was {self.kinds[name]} when "
                    "the selection was made; convert it."
                )

    def matrix(self, table: RawTable) -> NDArray[np.float32]:
        """Encode a table as float32; categories never seen in fit become zeros."""
        self.check(table)
        out = np.zeros((table.n_rows, len(self.columns)), dtype=np.float32)
        rows = np.arange(table.n_rows)
        for raw in table.columns:
            places = self._places[raw.name]
            if raw.kind == "categorical":
                place_of = {m: p for p in places for m in self.columns[p].members}
                codes = np.fromiter(
                    (place_of.get(v, -1) for v in raw.values), dtype=np.intp, count=table.n_rows
                )
                known = codes >= 0
                out[rows[known], codes[known]] = 1.0
            else:
                offset = self.columns[places[0]].offset
                # In float64 whatever came: equal values give equal bits.
                values = np.subtract(raw.values, offset, dtype=np.float64) if offset else raw.values
                out[:, places[0]] = values
        return out

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for i, column in enumerate(self.columns):
            places.setdefault(column.column, []).append(i)
        return places


def _same_kind(fitted: Kind, found: Kind) -> bool:
    # 0/1 written as numbers or as booleans is the same column.
    return (fitted == "categorical") == (found == "categorical")


def fit_encoding(
    rows: RowSource,
    *,
    min_frequency: int | float | None = None,
    max_categories: int | None = None,
) -> Encoding:
    """Learn the encoding of a table."""
    folding = min_frequency is not None or max_categories is not None
    columns: list[EncodedColumn] = []
    for seen in _look_through(rows):
        if seen.kind == "categorical":
            if not folding:
                _refuse_identifier(seen, rows.n_rows)
            columns += _encode_categorical(seen, min_frequency, max_categories)
        else:
            columns.append(EncodedColumn(seen.name, seen.kind, offset=_offset(seen)))
    _refuse_clashes(columns)
    return Encoding(tuple(columns))


@dataclass
class _Seen:
    """What was seen of a raw column: how often each category, or the range of the numbers."""

    name: str
    kind: Kind
    counts: Counter[str | None] = field(default_factory=Counter)
    low: float = np.inf
    high: float = -np.inf


def _look_through(rows: RowSource) -> list[_Seen]:
    found: dict[str, _Seen] = {}
    for block in rows.blocks("their categories"):
        for raw in block.columns:
            seen = found.setdefault(raw.name, _Seen(raw.name, raw.kind))
            if raw.kind == "categorical":
                seen.counts.update(raw.values.tolist())
            elif raw.kind == "numeric":
                seen.low = min(seen.low, float(raw.values.min()))
                seen.high = max(seen.high, float(raw.values.max()))
    return list(found.values())


def _encode_categorical(
    seen: _Seen, min_frequency: int | float | None, max_categories: int | None
) -> list[EncodedColumn]:
    values = np.empty(len(seen.counts), dtype=object)
    values[:] = list(seen.counts)
    if min_frequency is not None or max_categories is not None:
        values = np.repeat(values, list(seen.counts.values()))  # the encoder counts for itself
    encoder = OneHotEncoder(
        handle_unknown="ignore", min_frequency=min_frequency, max_categories=max_categories
    ).fit(values.reshape(-1, 1))
    rare: Any = encoder.infrequent_categories_[0] if _folds(encoder) else None
    folded = set() if rare is None else set(rare)
    groups = [(c,) for c in encoder.categories_[0] if c not in folded]
    if folded:
        groups.append(tuple(rare))
    prefix = len(seen.name) + 1
    names = [name[prefix:] for name in encoder.get_feature_names_out([seen.name])]
    return [
        EncodedColumn(seen.name, "categorical", category, members)
        for category, members in zip(names, groups, strict=True)
    ]


def _folds(encoder: OneHotEncoder) -> bool:
    return encoder.min_frequency is not None or encoder.max_categories is not None


def _refuse_identifier(seen: _Seen, n_rows: int) -> None:
    if n_rows > 2 and len(seen.counts) == n_rows:
        raise InputError(
            f"X: column {seen.name!r} holds {n_rows} distinct strings in {n_rows} rows, as an "
            "identifier does; drop it, or set min_frequency or max_categories to fold rare values."
        )


def _refuse_clashes(columns: Sequence[EncodedColumn]) -> None:
    twice = [n for n, count in Counter(c.name for c in columns).items() if count > 1]
    if twice:
        sources = [c.column for c in columns if c.name == twice[0]]
        raise InputError(
            f"X: columns {quoted(sources)} both encode to {twice[0]!r}; rename one of them."
        )


def _offset(seen: _Seen) -> float:
    """Shift a column whose spread float32 would lose against its size; else 0."""
    if seen.kind == "boolean":
        return 0.0
    if max(abs(seen.low), abs(seen.high)) <= 1000 * (seen.high - seen.low):
        return 0.0
    return seen.low + (seen.high - seen.low) / 2
