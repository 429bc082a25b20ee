"""The pages: one file each that opens offline, loads nothing and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from typing import Any

from nffs._version import __version__
from nffs.atomic import write_text
from nffs.report import palette
from nffs.report.charts import draw_charts
from nffs.report.journal import summarize_journal
from nffs.report.summary import summarize
from nffs.report.templating import environment, source
from nffs.selection import Selection

#: The charts of a selection's page, by their keys in its summary.
_CHARTS = (
    "subsets", "nested", "again", "first", "best_and_worst", "effects", "curve", "course",
    "expected", "spread", "information",
)  # fmt: skip


def render_report(selection: Selection, *, nested: Any = None, stability: Any = None) -> str:
    """Render a selection as an HTML page. Every name and value from the data is escaped.

    Parameters
    ----------
    selection : Selection
        The result, of any method.
    nested : NestedScore or mapping, optional
        The result of `nffs.validation.nested_score`: adds the optimism.
    stability : RepeatedSelection or mapping, optional
        The result of `nffs.validation.selection_stability`: adds the stability.
    """
    summary = summarize(selection, nested=nested, stability=stability)
    charts = draw_charts(summary, *_CHARTS)
    island = {"picks": summary["picks"], "threshold": _threshold(summary)}
    return render("selection.html.j2", summary, charts=charts, island=island)


def render_journal(path: str | os.PathLike[str]) -> str:
    """Render what a journal holds as an HTML page."""
    summary = summarize_journal(path)
    return render("journal.html.j2", summary, charts=draw_charts(summary, "subsets", "spread"))


def write_report(
    selection: Selection,
    path: str | os.PathLike[str],
    *,
    nested: Any = None,
    stability: Any = None,
) -> None:
    """Write the page of a selection to a file; parameters as for `render_report`."""
    write_text(path, render_report(selection, nested=nested, stability=stability))


def _threshold(summary: dict[str, Any]) -> dict[str, Any] | None:
    """Give the script what the threshold's slider shows."""
    information = summary["information"]
    if information is None or information["threshold"] is None:
        return None
    return {
        "steps": information["steps"],
        "features": information["n_features"],
        "selected": [[name["text"], name["mi"]] for name in summary["selected"]["shown"]],
        "of": information["n_selected"],
    }


def render(template: str, page: Mapping[str, Any], **parts: Any) -> str:
    """Render a page in the frame that all pages share: its style, its script, its policy."""
    script = source("script.js")
    # The browser itself refuses any script but this one, and any request.
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    frame = environment().get_template(template)
    return frame.render(
        page,
        **{"charts": {}, "island": {}, **parts},
        palette=palette,
        style=source("charts.css") + "\n" + source("page.css"),
        script=script,
        script_hash=allowed,
        nffs_version=__version__,
    )
