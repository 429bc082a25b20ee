"""Cells of text that are numbers, dates or truth values, or missing, or look so.

polars takes a column for numbers if every cell is one. Here those are found in which some cells
say that a value is missing, or in which numbers are written with a decimal comma; and dates. What
is decided is told, and so is what merely looks like numbers or dates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from nffs.cli.reading.how import How, Note
from nffs.cli.reading.moments import ISO_DATE, as_moments, is_day_first, looks_like_dates
from nffs.errors import quoted

if TYPE_CHECKING:
    import polars as pl

#: Cells that say that a number or a date is missing, in small letters.
MISSING = ("", "na", "n/a", "nan", "null", "none", "?", "-", "--", ".", "#n/a", "<na>")

#: Numbers by what stands before their decimals; the other of the two may part thousands.
_NUMBER = {
    ",": r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)?(,\d*)?([eE][+-]?\d+)?$",
    ".": r"^[+-]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?([eE][+-]?\d+)?$",
}
#: A comma in these is as likely to part thousands.
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(,\d{3})+$"
_UNIT = r"(?:[$€£¥₹%‰]|[A-Z]{3})?"
_LIKE_NUMBERS = rf"^{_UNIT}\s*[+-]?\d{{1,3}}(?:[.,' \x{{a0}}]?\d{{3}})*(?:[.,]\d+)?\s*{_UNIT}$"

#: Text of which this share are numbers, and so many different ones, was meant to be numbers.
_MOST, _MANY = 0.9, 10


class TextColumn:
    """A column of text, by the different cells in it."""

    def __init__(self, series: pl.Series, missing: Sequence[str]) -> None:
        self.name, self.missing = series.name, list(missing)
        # Without its name, which polars would take for a pattern if it were '^a.*$'.
        self.series = series.alias("")

    @cached_property
    def cells(self) -> pl.Series:
        """The different cells that are not missing, without blanks around them."""
        cells = self.series.drop_nulls().unique(maintain_order=True).str.strip_chars()
        return cells.filter(~self._are_missing(cells))

    @property
    def has_decimal_commas(self) -> bool:
        """Whether all cells are numbers, and a comma in one of them cannot part thousands."""
        commas = self.cells.filter(self.cells.str.contains(",", literal=True))
        return (
            len(commas) > 0
            and bool(self.cells.str.contains(_NUMBER[","]).all())
            and not commas.str.contains(_THOUSANDS).all()
        )

    def as_numbers(self, decimal: str | None) -> pl.Series | None:
        """Read it as numbers, or give None if a cell is neither a number nor missing."""
        if self.cells.is_empty():
            return None
        for sign in (decimal, None):
            if _numbers(self.cells, sign).null_count() == 0:
                return _read(_plain(self._blanked, sign))
        return None

    @cached_property
    def as_dates(self) -> pl.Series | None:
        """It as dates or times, or None if a cell is neither one nor missing."""
        return None if as_moments(self.cells) is None else as_moments(self._blanked)

    def as_truth(self) -> pl.Series | None:
        """Read it as truth values, or give None if a cell is neither one nor missing."""
        if (
            self.cells.is_empty()
            or not self.cells.str.to_lowercase().is_in(["true", "false"]).all()
        ):
            return None
        return self._blanked.str.to_lowercase() == "true"

    @property
    def _blanked(self) -> pl.Series:
        """The cells without blanks around them, null where one says that it is missing."""
        text = self.series.str.strip_chars()
        return text.zip_with(~self._are_missing(text), text.clear(len(text)))

    def missing_texts(self) -> Counter[str]:
        """Count the cells whose text says that they are missing; empty ones say nothing."""
        text = self.series.str.strip_chars().drop_nulls()
        return Counter(t for t in text.filter(self._are_missing(text)).to_list() if t)

    def odd_cells(self) -> list[str]:
        """Give those that are not numbers, if nearly all are numbers; the same of dates."""
        known = _numbers(self.cells, None).is_not_null()
        if not known.any():
            known = self.cells.str.contains(ISO_DATE)
        odd = self.cells.filter(~known)
        if known.sum() <= _MANY:
            return []
        n_odd = self.series.str.strip_chars().is_in(odd.implode()).sum()
        n_filled = len(self.series) - self.series.null_count()
        return odd.to_list() if n_odd <= (1 - _MOST) * n_filled else []

    @property
    def looks_like_numbers(self) -> bool:
        """Whether all cells are amounts, with a currency, a percent sign or parted thousands."""
        return len(self.cells) > 0 and bool(self.cells.str.contains(_LIKE_NUMBERS).all())

    def _are_missing(self, text: pl.Series) -> pl.Series:
        return text.str.to_lowercase().is_in(self.missing)


def text_columns(frame: pl.DataFrame, how: How) -> list[TextColumn]:
    """Give the columns of text that need not stay text."""
    import polars as pl

    missing = MISSING if how.missing is None else ["", *(m.lower() for m in how.missing)]
    return [
        TextColumn(frame[name], missing)
        for name, dtype in frame.schema.items()
        if dtype == pl.String and how.kinds.get(name) != "categorical"
    ]


def with_decimal_commas(columns: Sequence[TextColumn]) -> list[str]:
    """Name the columns whose numbers are written with a decimal comma, beyond doubt."""
    return [column.name for column in columns if column.has_decimal_commas]


def read_cells(
    frame: pl.DataFrame, columns: Sequence[TextColumn], how: How, decimal: str | None, note: Note
) -> pl.DataFrame:
    """Turn columns of text into numbers, dates or truth values if all cells are, or are missing."""
    import polars as pl

    numbers: dict[str, pl.Series] = {}
    others: dict[str, pl.Series] = {}
    for column in columns:
        found = column.as_numbers(decimal)
        if found is None and column.cells.is_empty() and how.kinds.get(column.name):
            found = pl.Series([None] * len(frame), dtype=pl.Float64)
        if found is not None:
            numbers[column.name] = found.alias(column.name)
            continue
        found = column.as_truth()
        found = column.as_dates if found is None else found
        if found is not None:
            others[column.name] = found.alias(column.name)
    read = {**numbers, **others}
    if decimal is not None:
        _tell_of_thousands([c for c in columns if c.name in numbers], decimal, note)
    if how.missing is None:
        _tell_of_missing([c for c in columns if c.name in read], note)
    _tell_of_day_first([c for c in columns if c.name in others], note)
    _tell_of_text([c for c in columns if c.name not in read], note)
    return frame.with_columns(read.values())


def _tell_of_thousands(columns: Sequence[TextColumn], decimal: str, note: Note) -> None:
    """Tell of signs that are not before decimals: they part thousands, or are so all the same."""
    sign, called = (".", "points") if decimal == "," else (",", "commas")
    with_sign = [c for c in columns if c.cells.str.contains(sign, literal=True).any()]
    parted = [c.name for c in with_sign if c.cells.str.contains(_NUMBER[decimal]).all()]
    if parted:
        note(f"{called} separate thousands in {quoted(parted)}")
    if others := [c.name for c in with_sign if c.name not in parted]:
        note(f"decimal {called} in {quoted(others)}, unlike in other columns")


def _tell_of_missing(columns: Sequence[TextColumn], note: Note) -> None:
    counts, names = Counter[str](), dict[str, list[str]]()
    for column in columns:
        for text, count in column.missing_texts().items():
            counts[text] += count
            names.setdefault(text, []).append(column.name)
    for text, count in counts.items():
        note(
            f"{count} cell(s) {text!r} in {quoted(names[text])} read as missing; --na '' keeps them"
        )


def _tell_of_day_first(columns: Sequence[TextColumn], note: Note) -> None:
    """Tell of dates in which days could be months."""
    unclear = [c for c in columns if c.as_dates is not None and is_day_first(c.cells, c.as_dates)]
    if unclear:
        note(
            f"dates such as {unclear[0].cells[0]!r} in {quoted(c.name for c in unclear)} read as "
            "day, month, year; write dates as 2024-01-31 if that is wrong"
        )


def _tell_of_text(columns: Sequence[TextColumn], note: Note) -> None:
    amounts = [column for column in columns if column.looks_like_numbers]
    if amounts:
        unclear = any(
            _numbers(c.cells, sign).null_count() == 0 for c in amounts for sign in _NUMBER
        )
        note(
            f"text that looks like numbers in {quoted(c.name for c in amounts)}, such as "
            f"{amounts[0].cells[0]!r}: each value is a category; write plain numbers instead"
            f"{', or give --decimal' if unclear else ''}"
        )
    dates = [column for column in columns if looks_like_dates(column.cells)]
    if dates:
        note(
            f"text that looks like dates in {quoted(c.name for c in dates)}, such as "
            f"{dates[0].cells[0]!r}: each value is a category; write dates as 2024-01-31 instead"
        )
    for column in columns:
        if column not in (*amounts, *dates) and (odd := column.odd_cells()):
            note(
                f"{column.name!r} is text because of {quoted(odd, 3)}; --na {odd[0]!r} reads such "
                "cells as missing"
            )


def _numbers(text: pl.Series, decimal: str | None) -> pl.Series:
    """Read cells as numbers, by a decimal sign or as polars does; null if they are none."""
    import polars as pl

    if decimal is not None and not text.str.contains(_NUMBER[decimal]).all():
        return pl.Series([None] * len(text), dtype=pl.Float64)
    return _plain(text, decimal).cast(pl.Float64, strict=False)


def _plain(text: pl.Series, decimal: str | None) -> pl.Series:
    """Write numbers plainly, without signs that part thousands and with a decimal point."""
    if decimal is None:
        return text
    thousands = "." if decimal == "," else ","
    text = text.str.replace_all(thousands, "", literal=True)
    return text.str.replace(decimal, ".", literal=True)


def _read(text: pl.Series) -> pl.Series:
    """Read numbers, whole ones exactly, as polars does where no cell is missing."""
    import polars as pl

    whole = text.cast(pl.Int64, strict=False)
    exact = whole.null_count() == text.null_count()
    return whole if exact else text.cast(pl.Float64)
