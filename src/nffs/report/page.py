"""The page: one file that opens offline."""

from __future__ import annotations

import os
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from nffs.report.summary import summarize
from nffs.selection import Selection


def render_report(selection: Selection) -> str:
    """Render a selection as an HTML page. Every name and value from the data is escaped."""
    environment = Environment(
        loader=PackageLoader("nffs.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(summarize(selection))


def write_report(selection: Selection, path: str | os.PathLike[str]) -> None:
    """Write the page to a file."""
    Path(path).write_text(render_report(selection), encoding="utf-8")
