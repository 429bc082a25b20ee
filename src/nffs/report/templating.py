"""The one environment that renders every page and every part of one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from nffs.report.names import counted

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
    signed = partial(_number, sign="+")
    made.filters.update(
        number=_number,
        signed=signed,
        count=mean_count,
        counted=counted,
        breakable=breakable,
        scores_together=scores_together,
        duration=_duration,
        css_variables=css_variables,
    )
    made.globals.update(bars_as_rows=bars_as_rows)
    return made


def source(name: str) -> Markup:
    """Give a file of the templates as it is: a style sheet or a script of ours."""
    return Markup((files("nffs.report") / "templates" / name).read_text(encoding="utf-8").strip())


def bars_as_rows(edges: Sequence[float], *counts: Sequence[int]) -> list[list[Any]]:
    """Give a histogram as rows of a table, without empty bars.

    >>> bars_as_rows([0.0, 0.5, 1.0], [3, 0])
    [[0.0, 0.5, 3]]
    """
    rows = [[low, high, *c] for (low, high), *c in zip(pairwise(edges), *counts, strict=True)]
    return [row for row in rows if any(row[2:])]


def css_variables(colours: Mapping[str, str]) -> Markup:
    """Write colours as the variables that style sheets use.

    >>> css_variables({"ink": "#000", "paper": "#fff"})
    Markup('--ink: #000; --paper: #fff;')
    """
    return Markup(" ".join(f"--{name}: {colour};" for name, colour in colours.items()))


def breakable(name: str) -> Markup:
    """Let a name be broken after the marks between its words.

    >>> breakable("host_<b>_rate")
    Markup('host_<wbr>&lt;b&gt;_<wbr>rate')
    """
    return Markup(re.sub(r"(?<=[_./:-])(?=[^\s_./:-])", "<wbr>", str(escape(name))))


def scores_together(sentence: str) -> Markup:
    """Keep what a sentence has in parentheses on one line, where it fits.

    >>> scores_together("5 of 9 do so (0.8 against 0.7).")
    Markup('5 of 9 do so <span class="whole">(0.8 against 0.7).</span>')
    """
    return Markup(
        re.sub(r"\([^()]*\)\.?", r'<span class="whole">\g<0></span>', str(escape(sentence)))
    )


def mean_count(mean: float) -> str:
    """Write a mean of counts, without decimals where it is whole.

    >>> mean_count(46.0), mean_count(12.4)
    ('46', '12.4')
    """
    return f"{mean:,.1f}".removesuffix(".0")


def _number(value: float | None, digits: int = 4, sign: str = "") -> str:
    return "\N{EN DASH}" if value is None else f"{value:{sign}z.{digits}f}"


def _duration(seconds: float) -> str:
    """Say a duration in the units people use.

    >>> _duration(4.21), _duration(250), _duration(7500)
    ('4.2 s', '4 min 10 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
