"""`nffs report`: a page about a selection or a journal."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import typer

from nffs.atomic import write_text
from nffs.cli import terminal
from nffs.cli.options import option
from nffs.cli.outputs import check_outputs
from nffs.cli.printable import on_one_line
from nffs.errors import InputError

#: Every SQLite file, hence every journal, begins like this.
_SQLITE = b"SQLite format 3\0"

_SOURCE = typer.Argument(
    ..., help="A selection written by `nffs select --out`, or the journal of a search."
)
_OUT = option("Where to write the report.", Path("report.html"))
_VALIDATION = option("File of `nffs validate --out`: adds optimism and the scores of models.")
_STABILITY = option("File of `nffs stability --out`: adds the stability.")


def report(
    source: Path = _SOURCE,
    out: Path = _OUT,
    validation: Path | None = _VALIDATION,
    stability: Path | None = _STABILITY,
) -> None:
    """Write an HTML report: one file that opens offline.

    The report of a journal shows what the journal holds: evaluations, features, runs and settings.

    For example:

      nffs report selection.json --out report.html

      nffs report selection.json --validation validation.json --stability stability.json

      nffs report search.db --out search.html
    """
    check_outputs({"--out": out}, [source, validation, stability])
    if not source.is_file():
        raise InputError(f"{source}: no such file.")
    with source.open("rb") as file:
        start = file.read(64)
    is_journal = start.startswith(_SQLITE)
    if not is_journal and not start.lstrip().startswith(b"{"):
        words = ["nffs", "select", str(source), "--target", "COLUMN", "--report", str(out)]
        raise InputError(
            f"{source}: is neither a selection, the JSON file of `nffs select --out`, nor the "
            f"journal of a search; select from a table first: {shlex.join(words)}"
        )
    if is_journal and (validation or stability):
        raise InputError(
            "--validation and --stability belong to a selection; "
            f"{source} is a journal, give the selection instead."
        )

    from nffs.report import render_journal, render_report
    from nffs.selection import Selection

    if is_journal:
        page = render_journal(source)
    else:
        with terminal.translated(nested=str(validation), stability=str(stability)):
            page = render_report(
                Selection.load(source),
                nested=_read(validation, "--validation"),
                stability=_read(stability, "--stability"),
            )
    write_text(out, page)
    typer.echo(on_one_line(out))


def _read(path: Path | None, option: str) -> dict[str, Any] | None:
    if path is None:
        return None
    if not path.is_file():
        raise InputError(f"{option}: no such file: {path}.")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{option}: {path} is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise InputError(f"{option}: {path} holds no result; give the file that --out wrote.")
    return found
