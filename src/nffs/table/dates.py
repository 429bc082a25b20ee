"""Dates, times and durations as numbers."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: What becomes a feature of a date, if it varies: days since 1970, Monday as 0, January as 1, and
#: the hour of the day.
PARTS = ("day", "weekday", "month", "hour")

#: Durations are seconds.
_SECOND = np.timedelta64(1, "s")

Moments = NDArray[np.datetime64]

#: A date as text, with or without a time.
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
#: The first and the last day that Python knows, and what is said of others.
_DAYS = (np.datetime64("0001-01-01"), np.datetime64("9999-12-31"))
IMPOSSIBLE = "holds dates outside the years 1 to 9999; correct them, or leave the column out"

#: So many strings are looked at to tell whether a column holds such text.
_SOME = 100


def are_dates_as_text(strings: Iterable[str | None]) -> bool:
    """Tell whether strings are dates, by some of them.

    >>> are_dates_as_text(["2024-01-31", None]), are_dates_as_text(["2024-01-31", "later"])
    (True, False)
    """
    some = list(islice((text for text in strings if text is not None), _SOME))
    return bool(some) and all(map(_ISO.fullmatch, some))


def are_impossible(days: NDArray[Any]) -> bool:
    """Tell whether dates are outside the years 1 to 9999, as no date of Python is.

    >>> [are_impossible(np.array([day, "NaT"], "M8[D]")) for day in ("9999-12-31", "20260-11-18")]
    [False, True]
    """
    return days.dtype.kind == "M" and bool(((days < _DAYS[0]) | (days > _DAYS[1])).any())


def part_of(moments: Moments, part: str) -> NDArray[np.float64]:
    """Give a part of dates as numbers, NaN where the date is missing.

    >>> moments = np.array(["2026-11-18T02:30", "NaT"], dtype="datetime64[us]")
    >>> [part_of(moments, part).tolist() for part in PARTS]
    [[20775.0, nan], [2.0, nan], [11.0, nan], [2.0, nan]]
    """
    days = moments.astype("datetime64[D]")
    numbers: NDArray[Any]
    if part == "day":
        numbers = days.astype(np.int64)
    elif part == "weekday":
        numbers = (days.astype(np.int64) + 3) % 7  # the first day of 1970 was a Thursday
    elif part == "month":
        numbers = moments.astype("datetime64[M]").astype(np.int64) % 12 + 1
    else:
        with np.errstate(invalid="ignore"):  # where the date is missing
            numbers = (moments - days) // np.timedelta64(1, "h")
    return np.where(np.isnat(moments), np.nan, numbers.astype(np.float64))


def moments_of(values: Sequence[Any], missing: NDArray[np.bool_]) -> Moments:
    """Read Python's dates and times; of a time zone, what its clocks say."""
    out = np.full(len(values), np.datetime64("NaT"), dtype="datetime64[us]")
    for i in np.flatnonzero(~missing).tolist():
        value = values[i]
        out[i] = value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value
    return out


def seconds_of(durations: NDArray[Any]) -> NDArray[np.float64]:
    """Give durations as seconds, NaN where they are missing."""
    return np.asarray(durations / _SECOND, dtype=np.float64)


def durations_of(values: Sequence[Any], missing: NDArray[np.bool_]) -> NDArray[np.timedelta64]:
    """Read Python's durations, and times of the day as durations since midnight."""
    out = np.full(len(values), np.timedelta64("NaT"), dtype="timedelta64[us]")
    for i in np.flatnonzero(~missing).tolist():
        value = values[i]
        if isinstance(value, dt.time):
            value = dt.datetime.combine(dt.date.min, value.replace(tzinfo=None)) - dt.datetime.min
        out[i] = value
    return out
