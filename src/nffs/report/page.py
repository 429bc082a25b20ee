"""The page: one file that opens offline, asks nobody, and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from nffs._version import __version__
from nffs.report import charts
from nffs.report.journal import summarize_journal
from nffs.report.summary import summarize
from nffs.selection import Selection


def render_report(selection: Selection, *, nested: Any = None, stability: Any = None) -> str:
    """Render a selection as an HTML page. Every name and value from the data is escaped.

    Parameters
    ----------
    selection : Selection
        The result.
    nested : NestedScore or mapping, optional
        What `nffs.validation.nested_score` gave: adds the optimism.
    stability : RepeatedSelection or mapping, optional
        What `nffs.validation.selection_stability` gave: adds the stability.
    """
    told = summarize(selection, nested=nested, stability=stability)
    drawn = {
        "information": charts.histogram_chart(told["information"]),
        "weights": _drawn(charts.weights_chart, told["weights"]),
        "curve": _drawn(charts.curve_chart, told["curve"]),
        "spread": _drawn(charts.distribution_chart, told["spread"]),
    }
    island = {
        "steps": told["information"]["steps"],
        "features": told["information"]["n_features"],
        "selected": [[name["text"], name["mi"]] for name in told["selected"]["shown"]],
        "of": told["information"]["n_selected"],
    }
    return render("selection.html.j2", told, drawn, island)


def render_journal(path: str | os.PathLike[str]) -> str:
    """Render what a journal holds as an HTML page."""
    told = summarize_journal(path)
    drawn = {
        "dots": charts.scatter_chart(told["dots"], told["scoring"]) if told["dots"] else None,
        "spread": _drawn(charts.distribution_chart, told["spread"]),
    }
    return render("journal.html.j2", told, drawn, {})


def write_report(
    selection: Selection,
    path: str | os.PathLike[str],
    *,
    nested: Any = None,
    stability: Any = None,
) -> None:
    """Write the page of a selection to a file; parameters as for `render_report`."""
    page = render_report(selection, nested=nested, stability=stability)
    Path(path).write_text(page, encoding="utf-8")


def _drawn(chart: Any, data: Any) -> Markup | None:
    return None if data is None else chart(data)


def render(
    template: str,
    told: dict[str, Any],
    drawn: dict[str, Any],
    island: Any,
    package: str = "nffs.report",
) -> str:
    """Render a page in the style that all pages share.

    Parameters
    ----------
    template : str
        Extends `base.html.j2`.
    told, drawn : dict
        What the page says, its title among it, and its charts.
    island : JSON-like
        Data for the script.
    package : str
        Where the template is, if not here.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("nffs.report"), PackageLoader(package)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=_number, signed=_signed, duration=_duration)
    loader = environment.loader
    assert loader is not None
    style, script = (
        loader.get_source(environment, name)[0].strip() for name in ("style.css", "script.js")
    )
    # The browser itself refuses any script but this one, and any request.
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template(template).render(
        told,
        drawn=drawn,
        island=island,
        bars_as_rows=bars_as_rows,
        style=Markup(style),
        script=Markup(script),
        script_hash=allowed,
        nffs_version=__version__,
    )


def bars_as_rows(edges: Sequence[float], *counts: Sequence[int]) -> list[list[Any]]:
    """Give a histogram as rows of a table, without empty bars.

    >>> bars_as_rows([0.0, 0.5, 1.0], [3, 0])
    [[0.0, 0.5, 3]]
    """
    rows = [[low, high, *c] for (low, high), *c in zip(pairwise(edges), *counts, strict=True)]
    return [row for row in rows if any(row[2:])]


def _number(value: float | None, digits: int = 4) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.{digits}f}"


def _signed(value: float | None, digits: int = 4) -> str:
    return "\N{EN DASH}" if value is None else f"{value:+.{digits}f}"


def _duration(seconds: float) -> str:
    """Say a duration in the units people use.

    >>> _duration(4.21), _duration(250), _duration(7500)
    ('4.2 s', '4 min 10 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
