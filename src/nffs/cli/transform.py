"""`nffs transform`: apply a selection to new data."""

from __future__ import annotations

from pathlib import Path

import typer

from nffs.cli import terminal
from nffs.cli.options import option
from nffs.cli.outputs import check_outputs
from nffs.cli.reading import STANDARD
from nffs.cli.table import CsvOptions, check_columns
from nffs.cli.writing import check_format, write_file
from nffs.errors import InputError

_FILE = typer.Argument(..., help="Table to reduce: any that `nffs select` reads.")
_SELECTION = option("JSON file written by `nffs select --out`.", ...)
_OUT = option("Where to write; the file's ending sets the format. - prints CSV.", ...)
_KEEP = option("Another column to copy, such as the label; may be repeated.", [])


def transform(
    *,
    file: Path = _FILE,
    selection: Path = _SELECTION,
    csv: CsvOptions,
    out: Path = _OUT,
    keep: list[str] = _KEEP,
) -> None:
    """Reduce a table to the features of a selection.

    The table needs only the columns that the selection uses, in any order.

    For example:

      nffs transform new.csv --selection selection.json --out reduced.parquet --keep label
    """
    check_outputs({"--out": None if out == STANDARD else out}, [file, selection])
    check_format(out, "--out")
    if not selection.is_file():
        raise InputError(f"--selection: no such file: {selection}.")

    from nffs.selection import Selection

    chosen = Selection.load(selection)
    kinds = {column.column: column.kind for column in chosen.output_columns}
    frame = csv.read(file, terminal.note, named=[*kinds, *keep], kinds=kinds)
    check_columns("--keep", file, keep, frame.columns)
    with terminal.translated(X=str(file)):
        reduced = chosen.transform(frame)
    kept = [frame[name] for name in dict.fromkeys(keep) if name not in reduced.columns]
    reduced = reduced.with_columns(kept)
    if out == STANDARD:
        typer.echo(reduced.write_csv(), nl=False)
        return
    write_file(reduced, out)
    terminal.note(f"wrote {len(reduced)} rows x {reduced.width} columns to {out}")
