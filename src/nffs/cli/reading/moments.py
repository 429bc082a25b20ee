"""Text that is dates or times, or looks so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

#: A date that cannot be read in two ways.
ISO_DATE = r"^\d{4}-\d{1,2}-\d{1,2}"

#: A date with a year of four digits, or a time; `3.5.1` is more likely a version.
_MOMENT = r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{1,2}:\d{2})"
#: Days and months in numbers, either of them first: with dots it is always the day.
_DAY_AND_MONTH = r"^\d{1,2}[-/]\d{1,2}[-/](\d{4}|\d{2})\b"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_NAMED = rf"(?i)^(\d{{1,2}}[-/. ]*)?({_MONTHS})[a-z]*\.?[-/. ]+\d{{1,4}}\b"

#: No month has such a number.
_MONTHS_OF_A_YEAR = 12


def as_moments(text: pl.Series) -> pl.Series | None:
    """Read text as dates, as dates with times or as times of the day; None if a cell is neither."""
    import polars as pl

    cells = text.drop_nulls()
    if cells.is_empty() or not cells.str.contains(_MOMENT).all():
        return None
    for read in (text.str.to_date, text.str.to_datetime, text.str.to_time):
        try:
            found = read(strict=False)
        except pl.exceptions.PolarsError:  # no pattern fits the first cell
            continue
        if found.null_count() == text.null_count():
            return found
    return None


def is_day_first(cells: pl.Series, dates: pl.Series) -> bool:
    """Tell whether dates were read with the day first, and every day could be a month."""
    if not cells.str.contains(_DAY_AND_MONTH).all():
        return False
    return bool((dates.drop_nulls().dt.day() <= _MONTHS_OF_A_YEAR).all())


def looks_like_dates(cells: pl.Series) -> bool:
    """Tell whether all cells look like dates, in an order or with words that are not read."""
    if cells.is_empty():
        return False
    return bool((cells.str.contains(_DAY_AND_MONTH) | cells.str.contains(_NAMED)).all())
