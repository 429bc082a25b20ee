"""`nffs methods`: lists the methods."""

from __future__ import annotations

import typer

from nffs.cli import terminal
from nffs.cli.options import JSON, as_json


def methods(json: bool = JSON) -> None:
    """List the methods for --method: their names, what they are and their sources.

    All methods get the same table, evaluator and budget. Compare them on your table with `nffs
    compare`.

    For example:

      nffs methods

      nffs methods --json
    """
    from nffs.methods import METHODS

    rows = [
        {"name": name, "description": method.description, "source": method.source}
        for name, method in METHODS.items()
    ]
    if json:
        typer.echo(as_json(rows), nl=False)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for row in rows:
        table.add_row(Text(row["name"]), Text(f"{row['description']}\n{row['source']}"))
    terminal.results_console().print(table)
