"""One HTML page with all tables, sentences and figures of a reproduction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from nffs.paper.tables import Table


def write_page(
    folder: Path,
    title: str,
    tables: Sequence[Table],
    sentences: Sequence[str],
    figures: Sequence[str],
) -> Path:
    """Write the page; figures are those SVG files of the folder, set into the page itself."""
    environment = Environment(
        loader=PackageLoader("nffs.paper"), autoescape=True, undefined=StrictUndefined
    )
    drawn = [(name, _inline(folder / f"{name}.svg")) for name in figures]
    page = environment.get_template("reproduction.html.j2").render(
        title=title, tables=tables, sentences=sentences, figures=drawn
    )
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path


def _inline(path: Path) -> Markup:
    """Take the drawing without what only a file of its own may have before it."""
    drawing = path.read_text(encoding="utf-8")
    # The file is ours, drawn by matplotlib from numbers and fixed names.
    return Markup(re.sub(r"^.*?(?=<svg )", "", drawing, flags=re.DOTALL))
