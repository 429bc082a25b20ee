"""Tables to files, in the format that the ending of their name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nffs.atomic import replacing
from nffs.cli.reading import format_of, packing
from nffs.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def check_format(path: Path, option: str) -> None:
    """Refuse a name whose ending no format has, before the work instead of after it."""
    if format_of(path, option) == "xlsx":
        raise InputError(f"{option}: spreadsheets are read, not written; name a .csv file, say.")


def write_file(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as its ending says, whole or not at all."""
    form = format_of(path)
    with replacing(path) as temporary, packing(temporary, path) as opened:
        if form == "parquet":
            frame.write_parquet(opened)
        elif form == "arrow":
            frame.write_ipc(opened)
        elif form == "jsonl":
            frame.write_ndjson(opened)
        else:
            frame.write_csv(opened, separator="\t" if form == "tsv" else ",")
