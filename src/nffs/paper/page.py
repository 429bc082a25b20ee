"""One HTML page with all tables, sentences and figures of a reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nffs.atomic import write_text
from nffs.paper.tables import Table
from nffs.report import render_reproduction


def write_page(
    folder: Path,
    title: str,
    tables: Sequence[Table],
    sentences: Sequence[str],
    figures: Sequence[str],
) -> Path:
    """Write the page; figures are those SVG files of the folder, set into the page itself."""
    drawn = {name: (folder / f"{name}.svg").read_text(encoding="utf-8") for name in figures}
    path = folder / "index.html"
    write_text(path, render_reproduction(title, tables, sentences, drawn))
    return path
