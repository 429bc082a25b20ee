"""Tables from and to files: CSV and Parquet, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nffs.atomic import replacing
from nffs.errors import InputError, quoted

if TYPE_CHECKING:
    import polars as pl


def read_file(path: Path, header: bool, separator: str) -> pl.DataFrame:
    """Read a table; without a header its columns are named f1, f2, ... as in the paper."""
    import polars as pl

    with _readable(path):
        frame = pl.read_parquet(path) if is_parquet(path) else _read_csv(path, header, separator)
    if not len(frame):
        raise InputError(f"{path}: the table has no rows.")
    return frame


def parquet_columns(path: Path) -> list[str]:
    """Read the names of a Parquet file's columns, and no rows."""
    import polars as pl

    with _readable(path):
        return list(pl.read_parquet_schema(path))


def write_file(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as its ending says, whole or not at all."""
    with replacing(path) as temporary:
        if is_parquet(path):
            frame.write_parquet(temporary)
        elif path.suffix == ".gz":
            with gzip.open(temporary, "wb") as file:
                file.write(frame.write_csv().encode())
        else:
            frame.write_csv(temporary)


def is_parquet(path: Path) -> bool:
    """Tell by its ending."""
    return path.suffix.lower() in (".parquet", ".pq")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Refuse a file that is not there, is empty, or turns out not to be what it should."""
    import polars as pl

    if not path.is_file():
        raise InputError(f"{path}: no such file.")
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; give a table with a header and rows.")
    try:
        yield
    except (pl.exceptions.PolarsError, OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        what = "a readable Parquet file" if is_parquet(path) else "readable as CSV"
        reason = str(error).strip().split("\n")[0]
        raise InputError(f"{path}: not {what} ({reason}).") from error


def _read_csv(path: Path, header: bool, separator: str) -> pl.DataFrame:
    import polars as pl

    first = next(_lines(path, separator), [])
    twice = [name for name, count in Counter(first).items() if count > 1]
    if header and twice:
        raise InputError(
            f"{path}: duplicate column names {quoted(twice)}; give every column its own name."
        )
    names = first if header else [f"f{i + 1}" for i in range(len(first))]
    try:
        frame = pl.read_csv(
            path,
            has_header=header,
            new_columns=names,
            separator=separator,
            infer_schema_length=None,
        )
    except pl.exceptions.PolarsError:
        _refuse_broken_line(path, len(names), separator)
        raise
    if frame[:, -1].null_count():
        # polars fills a line that is too short with nulls; a cut-off line is no missing value.
        _refuse_broken_line(path, len(names), separator)
    return frame


def _refuse_broken_line(path: Path, n_fields: int, separator: str) -> None:
    number = 0
    try:
        for number, fields in enumerate(_lines(path, separator), start=1):
            if fields and len(fields) != n_fields:
                raise InputError(
                    f"{path}: line {number} has {len(fields)} fields where {n_fields} are "
                    "expected; repair or remove it."
                )
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: line {number + 1} is not readable ({error}).") from error


def _lines(path: Path, separator: str) -> Iterator[list[str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        yield from csv.reader(file, delimiter=separator)
