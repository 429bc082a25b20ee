"""Files that a command writes: refused before the work, written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nffs.atomic import replacing
from nffs.cli.writing import write_table
from nffs.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def write_file(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as its ending says, whole or not at all."""
    with replacing(path) as temporary:
        write_table(frame, temporary, path)


def check_writable(path: Path | None, option: str) -> None:
    """Refuse an output path before the work instead of after it."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{option}: {path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise InputError(f"{option}: the folder {path.parent} does not exist; make it first.")
