"""`nffs transform`: apply a selection to new data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nffs.cli import files, terminal
from nffs.cli.parameters import with_groups
from nffs.cli.table import CsvOptions, check_columns
from nffs.errors import InputError


@with_groups
def transform(
    file: Annotated[Path, typer.Argument(help="Table to reduce: CSV or Parquet, CSV also .gz.")],
    selection: Annotated[Path, typer.Option(help="JSON file written by `nffs select --out`.")],
    csv: CsvOptions,
    out: Annotated[Path, typer.Option(help="Where to write; the ending says the format.")],
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Further column to carry over, the label say; may be given again."),
    ] = None,
) -> None:
    """Reduce a table to the features of a selection.

    For example:

      nffs transform new.csv --selection selection.json --out reduced.parquet --keep label
    """
    files.check_writable(out, "--out")
    if not selection.is_file():
        raise InputError(f"--selection: no such file: {selection}.")
    frame = csv.read(file)
    check_columns("--keep", file, keep or [], frame.columns)

    from nffs.selection import Selection

    with terminal.translated(X=str(file)):
        reduced = Selection.load(selection).transform(frame)
    for name in keep or []:
        if name not in reduced.columns:
            reduced = reduced.with_columns(frame[name])
    files.write_file(reduced, out)
    terminal.note(f"wrote {len(reduced)} rows x {reduced.width} columns to {out}")
