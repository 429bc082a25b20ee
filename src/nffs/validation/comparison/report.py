"""A comparison as an HTML page: one file that opens offline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nffs.report.page import render
from nffs.validation.comparison.charts import draw_comparison
from nffs.validation.comparison.verdict import (
    alike,
    interval,
    ranked_rows,
    verdict,
    with_the_first,
)


def render_comparison(document: Mapping[str, Any]) -> str:
    """Render a comparison; everything that comes from data is escaped."""
    rows, by = ranked_rows(document), document["ranked_by"]
    best = rows[0][by]
    context = {
        "title": verdict(document),
        "document": document,
        "rows": rows,
        "best": best,
        "interval": interval(best, len(document["seeds"])),
        "all_columns": best["mean"] - rows[0]["gain"]["mean"] if document["models"] else None,
        "test": document["ranks"][by],
        "has_groups": bool(alike(document)),
        "some_behind": with_the_first(document) < len(rows),
    }
    return render("comparison.html.j2", context, charts=draw_comparison(document))
