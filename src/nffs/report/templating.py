"""The one environment that renders every page and every part of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from nffs.report.palette import css_variables

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Give the environment of the templates in this package; all values are escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("nffs.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        number=_number, signed=_signed, duration=_duration, css_variables=_css_variables
    )
    made.globals.update(bars_as_rows=bars_as_rows)
    return made


def source(name: str) -> Markup:
    """Give a file of the templates as it is: a style sheet or a script of ours."""
    from jinja2 import PackageLoader

    loader = environment().loader
    assert isinstance(loader, PackageLoader)
    return Markup(loader.get_source(environment(), name)[0].strip())


def bars_as_rows(edges: Sequence[float], *counts: Sequence[int]) -> list[list[Any]]:
    """Give a histogram as rows of a table, without empty bars.

    >>> bars_as_rows([0.0, 0.5, 1.0], [3, 0])
    [[0.0, 0.5, 3]]
    """
    rows = [[low, high, *c] for (low, high), *c in zip(pairwise(edges), *counts, strict=True)]
    return [row for row in rows if any(row[2:])]


def _css_variables(colours: dict[str, str]) -> Markup:
    return Markup(css_variables(colours))


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
