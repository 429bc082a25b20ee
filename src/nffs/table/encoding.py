"""Raw table -> numeric matrix with named columns.

scikit-learn's one-hot encoder decides the categories, their order and which rare ones are folded
together; numeric and boolean columns pass untouched, with a column beside them that tells which
values are missing, if any are. What was decided is kept as plain data (`Encoding`), so a selection
can be written to JSON and applied without the encoder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from nffs.errors import InputError, quoted
from nffs.table.dates import PARTS, part_of
from nffs.table.grouped import ColumnGroups, GroupedRows, learn_groups
from nffs.table.missing import Missing, refuse_missing
from nffs.table.reading import Kind, RawColumn, RawTable, RowSource
from nffs.table.survey import Seen, survey
from nffs.table.target import Target
from nffs.table.unfit import note_of, refuse_identifiers, repeated_gaps, unfit_columns

#: A column of more categories becomes so many features at most, of so many rows at least each, if
#: the user says nothing about it.
_MANY, _FEWEST = 200, 10

#: What the column that tells where another one's numbers are missing is called: `age_missing`.
_MISSING = "missing"


@dataclass(frozen=True)
class Group:
    """Which of a column's groups of categories an encoded column indicates."""

    number: int  # from 1, in the order of what they say about the target
    of: int  # how many there are
    # Of the group that takes values never seen before: all categories that are in other groups.
    # None for the others
    outside: tuple[str | None, ...] | None = None


@dataclass(frozen=True)
class EncodedColumn:
    """One column of the encoded matrix and where it comes from."""

    column: str  # the raw column
    kind: Kind  # the raw column's kind
    # The category it indicates, or the part of a date that it is, as it stands in the name; None
    # for the values of numeric columns, booleans and durations
    category: str | None = None
    # The raw values it indicates: one, or those folded together for being rare. None is a missing
    # value. A part of a date has none.
    members: tuple[str | None, ...] = ()
    # Taken from numeric values before they become float32, which could not tell them apart
    # otherwise (times in seconds since 1970, say). Standardisation undoes it.
    offset: float = 0.0
    group: Group | None = None  # of categories, if its members are one

    @property
    def name(self) -> str:
        """`column`, `column_category` or `column in {category, ...}`."""
        return self.named({})

    def named(self, raw_names: Mapping[str, str]) -> str:
        """Name it with another name for its raw column, if one is given."""
        column = raw_names.get(self.column, self.column)
        if self.category is None:
            return column
        return f"{column}_{self.category}" if self.group is None else f"{column} in {self.category}"

    @property
    def is_whole(self) -> bool:
        """Whether it can be made of its raw column; a file may say anything."""
        if self.members:
            return self.category is not None
        if self.kind == "datetime":
            return self.category in PARTS
        return self.category is None and self.kind != "categorical"

    def values(self, raw: RawColumn) -> NDArray[Any]:
        """Give it of some rows: the values themselves, a part of dates, or an indicator."""
        if self.category is None:
            return raw.values
        return self.indicator(raw) if self.members else part_of(raw.values, self.category)

    def indicator(self, raw: RawColumn) -> NDArray[np.uint8]:
        """Mark the rows whose value is one of the members."""
        if raw.kind != "categorical":  # what numbers have to indicate is that they are missing
            return raw.missing.astype(np.uint8)
        outside = None if self.group is None else self.group.outside
        known, inside = (self.members, True) if outside is None else (outside, False)
        told = set(known)
        hits = ((value in told) is inside for value in raw.values)
        return np.fromiter(hits, dtype=np.uint8, count=len(raw.values))


@dataclass(frozen=True)
class Encoding:
    """What the encoder learned: the encoded columns in the raw columns' order."""

    columns: tuple[EncodedColumn, ...]
    # The raw columns that no feature is made of, and why
    left_out: Mapping[str, str] = field(default_factory=dict)
    # All raw columns of the table in its order; those of `columns` if it is not told
    table: tuple[str, ...] = ()
    # The groups of the columns whose categories are grouped
    groups: Mapping[str, ColumnGroups] = field(default_factory=dict)
    # The columns that are missing in the same rows as another one, which alone has an indicator
    repeated_gaps: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The encoded columns' names."""
        return [column.name for column in self.columns]

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The raw columns and their kinds, in order."""
        return {column.column: column.kind for column in self.columns}

    @property
    def raw(self) -> tuple[str, ...]:
        """All raw columns of the table, in its order."""
        return self.table or tuple(self.kinds)

    def check(self, table: RawTable, *, needed: Sequence[str] | None = None) -> None:
        """Refuse a table that lacks a needed raw column or has it in another type."""
        present = {column.name: column.kind for column in table.columns}
        wanted = list(self.kinds) if needed is None else list(needed)
        missing = [name for name in wanted if name not in present]
        if missing:
            raise InputError(
                f"{table.argument}: lacks the column(s) {quoted(missing)} that the selection "
                "was made with; add them."
            )
        for name in wanted:
            alike = _same_kind(self.kinds[name], present[name])
            # A column whose every value is missing is of any kind.
            if not alike and not table[name].missing.all():
                raise InputError(
                    f"{table.argument}: column {name!r} is {present[name]} but was "
                    f"{self.kinds[name]} when the selection was made; convert it."
                )

    def matrix(self, table: RawTable) -> NDArray[np.float32]:
        """Encode a table as float32; categories never seen in fit become zeros, or join a group.

        Missing numbers are NaN: what they count as, the rows that train decide.
        """
        self.check(table)
        out = np.zeros((table.n_rows, len(self.columns)), dtype=np.float32)
        rows = np.arange(table.n_rows)
        known = (column for column in table.columns if column.name in self.kinds)
        for raw in map(self.in_kind, known):
            places = self._places[raw.name]
            if raw.kind == "categorical":
                place_of = {m: p for p in places for m in self.columns[p].members}
                takers = (
                    p for p in places if (g := self.columns[p].group) and g.outside is not None
                )
                other = next(takers, -1)
                codes = np.fromiter(
                    (place_of.get(v, other) for v in raw.values), dtype=np.intp, count=table.n_rows
                )
                found = codes >= 0
                out[rows[found], codes[found]] = 1.0
            else:
                self._put_numbers(out, raw, places)
        return out

    def in_kind(self, raw: RawColumn) -> RawColumn:
        """Give a checked column in the kind it was learned in."""
        fitted = self.kinds[raw.name]
        return raw if _same_kind(fitted, raw.kind) else raw.as_kind(fitted)

    def grouped(self, table: RawTable) -> tuple[GroupedRows, ...]:
        """Give the categories of rows whose groups are to be learned from some of the rows."""
        return tuple(
            GroupedRows(
                found.codes(self.in_kind(table[name])),
                len(found.categories),
                found.strength,
                found.grouping.n_groups,
                dict(enumerate(self._places[name])),
            )
            for name, found in self.groups.items()
        )

    def _put_numbers(self, out: NDArray[np.float32], raw: RawColumn, places: Sequence[int]) -> None:
        missing = raw.missing
        for place in places:
            column = self.columns[place]
            values = column.values(raw)
            if column.offset:  # in float64 whatever came: equal values give equal bits
                values = np.subtract(values, column.offset, dtype=np.float64)
            out[:, place] = values
            out[:, place] += 0.0  # makes 0.0 of -0.0, which is equal and has other bits
            if not column.members:
                out[missing, place] = np.nan  # one NaN of all that there are, for equal bits

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for i, column in enumerate(self.columns):
            places.setdefault(column.column, []).append(i)
        return places


def _same_kind(fitted: Kind, found: Kind) -> bool:
    # 0/1 written as numbers or as booleans is the same column.
    numbers = ("numeric", "boolean")
    return fitted == found or (fitted in numbers and found in numbers)


def fit_encoding(
    rows: RowSource,
    *,
    min_frequency: int | float | None = None,
    max_categories: int | Literal["auto"] | None = "auto",
    missing: Missing = "indicate",
    keep_all: bool = False,
    repeat_gaps: bool = False,
    group_by: tuple[Target, NDArray[np.float64] | None] | None = None,
) -> Encoding:
    """Learn the encoding of a table.

    With `group_by`, the target of the rows and their weights, categories are grouped by what they
    say about the target. With `repeat_gaps`, columns that are missing in the same rows have an
    indicator each.
    """
    most = None if max_categories == "auto" else max_categories
    folding = min_frequency is not None or most is not None
    found = survey(rows)
    if missing == "error":
        refuse_missing([seen.name for seen in found if seen.gaps], rows.argument)
    if keep_all and not folding and group_by is None:
        refuse_identifiers(found, rows.n_rows)
    left_out = {} if keep_all else unfit_columns(found, rows.n_rows, folds=folding)
    kept = [seen for seen in found if seen.name not in left_out]
    groups: dict[str, ColumnGroups] = {}
    if group_by is not None:
        categories = {s.name: s.most_frequent for s in kept if s.kind == "categorical"}
        groups = learn_groups(rows, categories, *group_by, most)
    repeated = {} if keep_all or repeat_gaps else repeated_gaps(kept)
    columns: list[EncodedColumn] = []
    for seen in kept:
        if seen.name in groups:
            columns += _encode_groups(seen, groups[seen.name])
        elif seen.kind == "categorical":
            if max_categories == "auto" and not folding and len(seen.counts) > _MANY:
                columns += _encode_categorical(seen, max(_FEWEST, rows.n_rows // 1000), _MANY)
            else:
                columns += _encode_categorical(seen, min_frequency, most)
        else:
            columns += _encode_numbers(seen, indicator=seen.gaps and seen.name not in repeated)
    _refuse_clashes(columns)
    if not columns:
        raise InputError(f"{note_of(left_out)[0]} No feature is left; give other columns.")
    names = tuple(seen.name for seen in found)
    return Encoding(tuple(columns), left_out, names, groups, repeated)


def _encode_groups(seen: Seen, groups: ColumnGroups) -> list[EncodedColumn]:
    found, unknown = groups.members, groups.grouping.unknown
    outside = tuple(c for number, own in enumerate(found) if number != unknown for c in own)
    return [
        EncodedColumn(
            seen.name, "categorical", name, members,
            group=Group(number + 1, len(found), outside if number == unknown else None),
        )
        for number, (name, members) in enumerate(zip(groups.names, found, strict=True))
    ]  # fmt: skip


def _encode_numbers(seen: Seen, *, indicator: bool) -> list[EncodedColumn]:
    columns = [EncodedColumn(seen.name, seen.kind, offset=_offset(seen))]
    if seen.kind == "datetime":
        parts = seen.varying_parts or PARTS[:1]
        columns = [EncodedColumn(seen.name, seen.kind, part) for part in parts]
    if indicator:
        columns.append(EncodedColumn(seen.name, seen.kind, _MISSING, (None,)))
    return columns


def _encode_categorical(
    seen: Seen, min_frequency: int | float | None, max_categories: int | None
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
    if (None,) in groups and names.count(str(None)) > 1:  # a category is called None
        names[groups.index((None,))] = _MISSING
    return [
        EncodedColumn(seen.name, "categorical", category, members)
        for category, members in zip(names, groups, strict=True)
    ]


def _folds(encoder: OneHotEncoder) -> bool:
    return encoder.min_frequency is not None or encoder.max_categories is not None


def _refuse_clashes(columns: Sequence[EncodedColumn]) -> None:
    twice = [n for n, count in Counter(c.name for c in columns).items() if count > 1]
    if twice:
        sources = [c.column for c in columns if c.name == twice[0]]
        raise InputError(
            f"X: columns {quoted(sources)} both encode to {twice[0]!r}; rename one of them."
        )


def _offset(seen: Seen) -> float:
    """Shift a column whose spread float32 would lose against its size; else 0."""
    if seen.kind == "boolean" or seen.low > seen.high:
        return 0.0
    if max(abs(seen.low), abs(seen.high)) <= 1000 * (seen.high - seen.low):
        return 0.0
    return seen.low + (seen.high - seen.low) / 2
