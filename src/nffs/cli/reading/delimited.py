"""Tables in lines of text: CSV and its kin."""

from __future__ import annotations

import csv
import io
import mmap
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nffs.cli.reading import cells
from nffs.cli.reading.blanks import blank_rows, without_blanks
from nffs.cli.reading.dialects import Dialect, find_dialect
from nffs.cli.reading.encodings import as_utf8
from nffs.cli.reading.headers import Header
from nffs.cli.reading.how import How, Note
from nffs.cli.reading.sources import Bytes, blocks, for_polars
from nffs.errors import InputError, quoted

if TYPE_CHECKING:
    import polars as pl


def read_delimited(content: Bytes, path: Path, how: How, usual: str, note: Note) -> pl.DataFrame:
    """Read a table from text; usual is the separator that its ending lets expect."""
    content = as_utf8(content, path, how.encoding, note)
    if content.find(b"\n") < 0:
        content = content[:].replace(b"\r", b"\n")  # lines as they end on old Macs
    text = _Text(content, path, how, usual)
    if how.separator is None and (unusual := text.dialect.unusual(usual)):
        note(f"read with {unusual}")
    frame = text.read(how.decimal)
    columns, decimal = cells.text_columns(frame, how), how.decimal
    if decimal is None and (commas := cells.with_decimal_commas(columns)):
        note(f"decimal comma in {quoted(commas)}; --decimal . turns this off")
        decimal = ","
        if text.dialect.separator != ",":
            # What has points was taken for fractions; the points may part thousands.
            frame = text.read(decimal)
            columns = cells.text_columns(frame, how)
    frame = cells.read_cells(frame, columns, how, decimal, note)
    return without_blanks(frame, text.header, note)


class _Text:
    """A text in UTF-8 that is a table."""

    def __init__(self, content: Bytes, path: Path, how: How, usual: str) -> None:
        self.content, self.path, self.how = content, path, how
        self.dialect: Dialect = find_dialect(content, how.separator, usual)
        self._refuse_opening_quote()
        self.first = next(self._lines(), [])
        fields = ["", *self.first] if self.dialect.row_names else self.first
        self.header = Header.of(fields, path) if how.header else Header.numbered(len(fields))

    def read(self, decimal: str | None) -> pl.DataFrame:
        """Read it, with the types that polars finds."""
        import polars as pl

        how, names = self.how, self.header.names
        # A header that has no field for the row names would be one field too short for polars.
        has_header = how.header and not self.dialect.row_names
        source = for_polars(self.path) if isinstance(self.content, mmap.mmap) else self.content
        read = partial(
            pl.read_csv,
            source,
            glob=False,
            has_header=has_header,
            skip_rows=int(how.header and not has_header),
            separator=self.dialect.separator,
            quote_char=self.dialect.quote,
            infer_schema_length=None,
        )
        as_text = [i for i, name in enumerate(names) if how.kinds.get(name) == "categorical"]
        try:
            called = self.first if has_header else read(n_rows=1).columns if as_text else []
            frame = read(
                schema_overrides={called[i]: pl.String for i in as_text},
                null_values=None if how.missing is None else list(how.missing),
                decimal_comma=decimal == "," != self.dialect.separator,
            )
        except pl.exceptions.NoDataError:
            return pl.DataFrame(schema=names)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            self._refuse_broken_line()
            reason = str(error).strip().split("\n")[0]
            raise InputError(f"{self.path}: not readable as CSV ({reason}).") from error
        if frame.width != len(names):
            self._refuse_broken_line()
        frame.columns = names
        if frame[:, -1].null_count() and not self._is_whole(frame):
            # polars fills a line that is too short with nulls; a cut-off line is no missing value.
            self._refuse_broken_line()
        return frame

    def _is_whole(self, frame: pl.DataFrame) -> bool:
        """Tell quickly that no line is too short, if there are neither quotes nor blank lines."""
        quote = self.dialect.quote.encode()
        if any(quote in block for block in blocks(self.content)) or blank_rows(frame).any():
            return False
        n_rows = len(frame) + self.how.header
        separator = self.dialect.separator.encode()
        found = sum(block.count(separator) for block in blocks(self.content))
        return found >= n_rows * (frame.width - 1) - self.dialect.row_names

    def _refuse_opening_quote(self) -> None:
        """Refuse a file that ends where text in quotes begins, at which polars would panic."""
        quote, separator = self.dialect.quote, self.dialect.separator
        end = self.content[-8:].decode(errors="replace").rstrip("\r\n")
        if not (end.endswith(quote) and end[-2:-1] in ("", "\n", "\r", separator)):
            return
        if sum(block.count(quote.encode()) for block in blocks(self.content)) % 2:  # not closed
            raise InputError(
                f"{self.path}: the last line ends where text in quotes begins: the file is cut "
                "short; copy it again."
            )

    def _refuse_broken_line(self) -> None:
        n_fields = len(self.header.names)
        for number, fields in enumerate(self._lines(), start=1):
            is_header = number == 1 and self.how.header
            if fields and len(fields) != n_fields and not is_header:
                raise InputError(
                    f"{self.path}: line {number} has {len(fields)} fields where {n_fields} are "
                    "expected; repair or remove it."
                )

    def _lines(self) -> Iterator[list[str]]:
        file = io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content
        file.seek(0)
        lines = (line.decode().removeprefix("\ufeff") for line in iter(file.readline, b""))
        reader = csv.reader(lines, delimiter=self.dialect.separator, quotechar=self.dialect.quote)
        try:
            yield from reader
        except csv.Error as error:
            raise InputError(
                f"{self.path}: line {reader.line_num} is not readable ({error})."
            ) from error
