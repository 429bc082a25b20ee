"""Which formats are read, told by a file's ending, or by its first bytes where it has none."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nffs.cli.reading import cells
from nffs.cli.reading.delimited import read_delimited
from nffs.cli.reading.how import How, Note
from nffs.cli.reading.sources import STANDARD, Bytes, check_there, for_polars, read_bytes
from nffs.cli.reading.spreadsheets import read_spreadsheet
from nffs.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

Format = Literal["csv", "tsv", "parquet", "arrow", "jsonl", "xlsx"]

#: What the ending of a name says.
ENDINGS: dict[str, Format] = {
    **dict.fromkeys((".csv", ".txt", ".dat", ".data"), "csv"),
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "arrow"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "xlsx"),
}
#: Endings that may follow them.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")

#: What the first bytes say.
_MARKS: dict[bytes, Format] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"PK": "xlsx",
    b"{": "jsonl",
}

#: Names of columns that merely number the rows: without a name, and as pandas writes them then.
_INDEX = ("", "Unnamed: 0", "__index_level_0__")


def read_file(path: Path, how: How, note: Note) -> pl.DataFrame:
    """Read a table; without a header its columns are named f1, f2, ... as in the paper."""
    import polars as pl

    from nffs.table.dates import IMPOSSIBLE, are_impossible

    def told(message: str) -> object:
        return note(f"{path}: {message}")

    given = format_of(path)
    content: Bytes = b""
    if is_parquet(path):
        check_there(path)  # and let polars read it from the disk
    else:
        content = read_bytes(path)
    form: Format = _marked(content) if given is None else given
    try:
        frame = _READERS[form](content, path, how, told)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).strip().split("\n")[0]
        raise InputError(f"{path}: not a readable {_NAMES[form]} file ({reason}).") from error
    if not len(frame):
        raise InputError(f"{path}: the table has no rows.")
    for column in frame.iter_columns():
        if column.dtype in (pl.Date, pl.Datetime) and are_impossible(_days_of(column)):
            raise InputError(f"{path}: column {column.name!r} {IMPOSSIBLE}.")
    index = index_columns(path, frame.columns, how, note)
    if len(index) == frame.width:
        raise InputError(f"{path}: no column is left besides row numbers; give the columns names.")
    return frame[[name for name in frame.columns if name not in index]] if index else frame


def parquet_columns(path: Path) -> list[str]:
    """Read the names of a Parquet file's columns, and no rows."""
    import polars as pl

    check_there(path)
    try:
        with path.open("rb") as file:
            return list(pl.read_parquet_schema(file))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).strip().split("\n")[0]
        raise InputError(f"{path}: not a readable Parquet file ({reason}).") from error


def _days_of(column: pl.Series) -> NDArray[np.datetime64]:
    """Give dates, with or without a time, by the day."""
    days: NDArray[np.datetime64] = column.to_numpy().astype("datetime64[D]")
    return days


def format_of(path: Path, option: str | None = None) -> Format | None:
    """Tell the format by the ending; None is for a name without any, and standard input."""
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in PACKED:
        endings.pop()
    if path == STANDARD or not endings:
        return None
    if endings[-1] not in ENDINGS:
        what = "read" if option is None else "written"
        raise InputError(
            f"{option or path}: files that end in {endings[-1]!r} cannot be {what}; use "
            f"{', '.join(ENDINGS)}, also followed by {', '.join(PACKED)}."
        )
    return ENDINGS[endings[-1]]


def _marked(content: Bytes) -> Format:
    """Tell the format by the first bytes."""
    for mark, form in _MARKS.items():
        if content[: len(mark)] == mark:
            return form
    return "csv"


def is_parquet(path: Path) -> bool:
    """Tell by its ending."""
    return ENDINGS.get(path.suffix.lower()) == "parquet"


def index_columns(path: Path, columns: Sequence[str], how: How, note: Note) -> list[str]:
    """Give the columns that merely number the rows, unless the user named them; say so."""
    index = [name for name in columns if name in _INDEX and name not in how.named]
    for name in index:
        which = "the first column, which has no name," if name == "" else f"column {name!r}"
        note(f"{path}: {which} is left out as row numbers; rename it to keep it")
    return index


def _read_csv(content: Bytes, path: Path, how: How, note: Note) -> pl.DataFrame:
    return read_delimited(content, path, how, ",", note)


def _read_tsv(content: Bytes, path: Path, how: How, note: Note) -> pl.DataFrame:
    return read_delimited(content, path, how, "\t", note)


def _read_parquet(content: Bytes, path: Path, how: How, note: Note) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(content[:] if content else for_polars(path), glob=False)


def _read_arrow(content: Bytes, path: Path, how: How, note: Note) -> pl.DataFrame:
    import polars as pl

    is_file = content[:6] == b"ARROW1"
    return (pl.read_ipc if is_file else pl.read_ipc_stream)(io.BytesIO(content))


def _read_jsonl(content: Bytes, path: Path, how: How, note: Note) -> pl.DataFrame:
    import polars as pl

    frame = pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
    return cells.read_cells(frame, cells.text_columns(frame, how), how, how.decimal, note)


_READERS: dict[Format, Callable[[Bytes, Path, How, Note], pl.DataFrame]] = {
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
    "arrow": _read_arrow,
    "jsonl": _read_jsonl,
    "xlsx": read_spreadsheet,
}
_NAMES: dict[Format, str] = {
    "csv": "CSV",
    "tsv": "TSV",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "jsonl": "JSON lines",
    "xlsx": "spreadsheet",
}
