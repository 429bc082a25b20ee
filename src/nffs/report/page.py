"""The pages: one file each that opens offline, asks nobody, and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from nffs._version import __version__
from nffs.atomic import write_text
from nffs.report import palette
from nffs.report.charts import curves_chart, draw_charts
from nffs.report.journal import summarize_journal
from nffs.report.summary import summarize
from nffs.report.templating import environment, source
from nffs.selection import Selection

#: Curves in colours of their own; more cannot be told apart.
_MOST_COLOURS = 8


def render_report(selection: Selection, *, nested: Any = None, stability: Any = None) -> str:
    """Render a selection as an HTML page. Every name and value from the data is escaped.

    Parameters
    ----------
    selection : Selection
        The result, of any method.
    nested : NestedScore or mapping, optional
        What `nffs.validation.nested_score` gave: adds the optimism.
    stability : RepeatedSelection or mapping, optional
        What `nffs.validation.selection_stability` gave: adds the stability.
    """
    summary = summarize(selection, nested=nested, stability=stability)
    charts = draw_charts(summary, "curve", "weights", "subsets", "information", "spread")
    return _render("selection.html.j2", summary, charts=charts, island=_slider(summary))


def render_journal(path: str | os.PathLike[str]) -> str:
    """Render what a journal holds as an HTML page."""
    summary = summarize_journal(path)
    return _render("journal.html.j2", summary, charts=draw_charts(summary, "subsets", "spread"))


def render_comparison(document: Mapping[str, Any]) -> str:
    """Render a comparison of methods as an HTML page.

    Parameters
    ----------
    document : mapping
        What `nffs.validation.compare` gave, as plain data.
    """
    ranked = sorted(document["methods"], key=lambda row: (row["rank_unseen"], row["name"]))
    rows = [
        {**row, "mark": f"m{place}" if place < _MOST_COLOURS else "other"}
        for place, row in enumerate(ranked)
    ]
    # The best is drawn last, above the others.
    curves = [
        {"name": row["name"], "mark": row["mark"], "points": row["curve"]} for row in rows[::-1]
    ]
    title = f"{len(rows)} methods compared" if len(rows) > 1 else f"{rows[0]['name']}, evaluated"
    page = {"title": title, "document": document, "rows": rows, "test": document["ranks"]["unseen"]}
    drawn = curves_chart(curves, "subsets evaluated", document["scoring"])
    return _render("comparison.html.j2", page, charts={"curves": drawn})


def render_reproduction(
    title: str, tables: Sequence[Any], sentences: Sequence[str], figures: Mapping[str, str]
) -> str:
    """Render the tables, sentences and figures of a reproduction as an HTML page.

    Parameters
    ----------
    title : str
        Its heading.
    tables : sequence
        Each with a `title`, a `header` and `rows` of text.
    sentences : sequence of str
        What the tables say.
    figures : mapping of str to str
        SVG drawings of ours by name; they are set into the page as they are.
    """
    # A drawing within a page has no declarations before it.
    drawn = {name: Markup(svg[svg.index("<svg") :]) for name, svg in figures.items()}
    page = {"title": title, "tables": tables, "sentences": sentences, "figures": drawn}
    return _render("reproduction.html.j2", page)


def write_report(
    selection: Selection,
    path: str | os.PathLike[str],
    *,
    nested: Any = None,
    stability: Any = None,
) -> None:
    """Write the page of a selection to a file; parameters as for `render_report`."""
    write_text(path, render_report(selection, nested=nested, stability=stability))


def _slider(summary: dict[str, Any]) -> dict[str, Any]:
    """Give the script what the threshold's slider shows."""
    information = summary["information"]
    if information is None or information["threshold"] is None:
        return {}
    return {
        "steps": information["steps"],
        "features": information["n_features"],
        "selected": [[name["text"], name["mi"]] for name in summary["selected"]["shown"]],
        "of": information["n_selected"],
    }


def _render(template: str, page: Mapping[str, Any], **parts: Any) -> str:
    """Render a page in the frame that all pages share: its style, its script, its policy."""
    script = source("script.js")
    # The browser itself refuses any script but this one, and any request.
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        environment()
        .get_template(template)
        .render(
            page,
            **{"charts": {}, "island": {}, **parts},
            palette=palette,
            style=source("charts.css") + "\n" + source("page.css"),
            script=script,
            script_hash=allowed,
            nffs_version=__version__,
        )
    )
