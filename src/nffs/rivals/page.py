"""A comparison as an HTML page: one file that opens offline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from nffs.report.charts import curves_chart


def render_page(document: Mapping[str, Any]) -> str:
    """Render a comparison; everything that comes from data is escaped."""
    environment = Environment(
        loader=PackageLoader("nffs.rivals"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rows = sorted(document["methods"], key=lambda row: (row["rank_unseen"], row["name"]))
    coloured = [
        {**row, "colour": f"hsl({round(360 * i / len(rows))} 65% 45%)"}
        for i, row in enumerate(rows)
    ]
    chart = curves_chart(
        [(row["name"], row["colour"], row["curve"]) for row in coloured],
        "subsets judged",
    )
    return environment.get_template("comparison.html.j2").render(
        document=document, rows=coloured, chart=chart, test=document["ranks"]["unseen"]
    )


def write_page(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page to a file."""
    Path(path).write_text(render_page(document), encoding="utf-8")
