"""Tables in spreadsheets: the first sheet of a workbook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nffs.cli.reading import cells
from nffs.cli.reading.blanks import without_blanks
from nffs.cli.reading.headers import Header
from nffs.cli.reading.how import How, Note
from nffs.cli.reading.sources import Bytes
from nffs.errors import InputError

if TYPE_CHECKING:
    import polars as pl

#: What fastexcel calls columns without a name.
_UNNAMED = "__UNNAMED__"


def read_spreadsheet(content: Bytes, path: Path, how: How, note: Note) -> pl.DataFrame:
    """Read the first sheet."""
    try:
        import fastexcel
    except ImportError as error:
        raise InputError(
            f"{path}: reading spreadsheets needs fastexcel; install it with pip install fastexcel."
        ) from error
    first = 0 if how.header else None
    try:
        book = fastexcel.read_excel(content[:])
        sheet = book.load_sheet(0, header_row=first, schema_sample_rows=None)
        text = book.load_sheet(0, header_row=first, dtypes="string").to_polars()
    except fastexcel.FastExcelError as error:
        raise InputError(f"{path}: not a readable spreadsheet ({error}).") from error
    if len(book.sheet_names) > 1:
        note(f"sheet {sheet.name!r} is read, the first of {len(book.sheet_names)}")
    frame = _without_losses(sheet.to_polars(), text)
    fields = ["" if name.startswith(_UNNAMED) else name for name in frame.columns]
    header = Header.of(fields, path) if how.header else Header.numbered(frame.width)
    frame.columns = header.names
    columns = cells.text_columns(frame, how)
    frame = cells.read_cells(frame, columns, how, how.decimal, note)
    return without_blanks(frame, header, note)


def _without_losses(typed: pl.DataFrame, text: pl.DataFrame) -> pl.DataFrame:
    """Take the text of columns in which cells of another type would be lost."""
    pairs = zip(typed.get_columns(), text.get_columns(), strict=True)
    lost = [as_text for found, as_text in pairs if found.null_count() > as_text.null_count()]
    return typed.with_columns(lost)
