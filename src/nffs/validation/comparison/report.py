"""A comparison as an HTML page: one file that opens offline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nffs.report.charts import curves_chart
from nffs.report.page import render

#: Curves in colours of their own; the eye tells no more apart.
MOST_COLOURS = 8


def render_comparison(document: Mapping[str, Any]) -> str:
    """Render a comparison; everything that comes from data is escaped."""
    ranked = sorted(document["methods"], key=lambda row: (row["rank"], row["name"]))
    rows = [
        {**row, "mark": f"m{place}" if place < MOST_COLOURS else "other"}
        for place, row in enumerate(ranked)
    ]
    # The best is drawn last, above the others.
    curves = [
        {"name": row["name"], "mark": row["mark"], "points": row["curve"]} for row in rows[::-1]
    ]
    title = f"{len(rows)} methods compared" if len(rows) > 1 else f"{rows[0]['name']}, evaluated"
    test = document["ranks"][document["ranked_by"]]
    context = {"title": title, "document": document, "rows": rows, "test": test}
    charts = {"curves": curves_chart(curves, "subsets evaluated", document["scoring"])}
    return render("comparison.html.j2", context, charts=charts)
