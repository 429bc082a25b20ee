"""Lines and columns in which nothing stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nffs.cli.reading.headers import Header
from nffs.cli.reading.how import Note
from nffs.errors import quoted

if TYPE_CHECKING:
    import polars as pl


def without_blanks(frame: pl.DataFrame, header: Header, note: Note) -> pl.DataFrame:
    """Leave out lines without a value, and columns that have neither name nor value."""
    empty = [name for name in header.made_up if frame[name].null_count() == len(frame)]
    if empty:
        frame = frame[[name for name in frame.columns if name not in empty]]
        note(f"{len(empty)} column(s) with neither name nor value left out")
    if called := [name for name in header.made_up if name not in empty]:
        note(f"column(s) without a name are called {quoted(called)}")
    if frame.width > 1 and (blank := blank_rows(frame)).any():
        frame = frame.filter(~blank)
        note(f"{blank.sum()} line(s) without a value left out")
    return frame


def blank_rows(frame: pl.DataFrame) -> pl.Series:
    """Mark the rows without any value."""
    import polars as pl

    # Without their names, which polars would take for patterns if they were '^a.*$'.
    blank = frame[:, 0].alias("").is_null() & frame[:, -1].alias("").is_null()
    if not blank.any():
        return blank
    places = blank.arg_true()  # of few rows all columns are looked at
    empty = frame[places].select(pl.all_horizontal(pl.all().is_null())).to_series()
    return pl.Series(range(len(frame)), dtype=pl.UInt32).is_in(places.filter(empty).implode())
