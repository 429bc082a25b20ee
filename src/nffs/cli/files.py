"""Tables from and to files: CSV and Parquet, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nffs.atomic import replacing
from nffs.errors import InputError, quoted

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

_PARQUET = (".parquet", ".pq")


def read_file(path: Path, *, header: bool = True, separator: str = ",") -> pl.DataFrame:
    """Read a table; without a header its columns are named f1, f2, ... as in the paper.

    Parameters
    ----------
    path : Path
        CSV or Parquet; CSV may be gzipped.
    header : bool
        Whether the first line of a CSV file names the columns.
    separator : str
        What stands between the fields of a CSV line.
    """
    import polars as pl

    _check_file(path)
    if is_parquet(path):
        frame = _of_parquet(path, pl.read_parquet)
    else:
        frame = _read_csv(path, header, separator)
    if not len(frame):
        raise InputError(f"{path}: the table has no rows.")
    return frame


def parquet_columns(path: Path) -> list[str]:
    """Read the names of a Parquet file's columns, and no rows."""
    import polars as pl

    _check_file(path)
    return list(_of_parquet(path, pl.read_parquet_schema))


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


def check_writable(path: Path | None, option: str) -> None:
    """Refuse an output path before the work instead of after it."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{option}: {path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise InputError(f"{option}: the folder {path.parent} does not exist; make it first.")


def is_parquet(path: Path) -> bool:
    """Tell by its ending."""
    return path.suffix.lower() in _PARQUET


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path}: no such file.")
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; give a table with a header and rows.")


def _of_parquet(path: Path, read: Callable[[Path], T]) -> T:
    import polars as pl

    try:
        return read(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({_first_line(error)}).") from error


def _read_csv(path: Path, header: bool, separator: str) -> pl.DataFrame:
    import polars as pl

    lines = _lines(path, separator)
    try:
        first = next(lines, [])
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not readable as CSV ({_first_line(error)}).") from error
    if header:
        twice = [name for name, count in Counter(first).items() if count > 1]
        if twice:
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
    except pl.exceptions.PolarsError as error:
        _refuse_broken_line(path, len(names), separator)
        raise InputError(f"{path}: not readable as CSV ({_first_line(error)}).") from error
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


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]
