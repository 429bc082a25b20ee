"""Tables to files, in the format that the ending of their name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nffs.cli.reading import format_of, packing
from nffs.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def check_format(path: Path, option: str) -> None:
    """Refuse a name whose ending no format has, before the work instead of after it."""
    if format_of(path, option) == "xlsx":
        raise InputError(f"{option}: spreadsheets are read, not written; name a .csv file, say.")


def write_table(frame: pl.DataFrame, file: Path, name: Path) -> None:
    """Write a table into a file, in the format of a name, which need not be the file's own."""
    form = format_of(name)
    with packing(file, name) as opened:
        if form == "parquet":
            frame.write_parquet(opened)
        elif form == "arrow":
            frame.write_ipc(opened)
        elif form == "jsonl":
            frame.write_ndjson(opened)
        else:
            frame.write_csv(opened, separator="\t" if form == "tsv" else ",")
