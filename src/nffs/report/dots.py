"""Charts of named rows: dots with intervals, dots joined by a line, brackets around rows.

What a row says when it is pointed at is its `data-tip`. Colours are the classes of
`templates/dots.css`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from nffs.report.axes import text, ticks
from nffs.report.names import clipped

#: Heights of a row, of what is above the rows and of what is below them.
_ROW, _TOP, _BOTTOM = 24, 12, 46
#: The margin beside names, and the width of a bracket.
_MARGIN, _LANE = 14, 11
#: Widths of a drawing for a wide window, and for a phone or a part of a window.
WIDE, NARROW = 720, 360


@dataclass(frozen=True)
class Dot:
    """A value with its interval, if it has one; `mark` is its class."""

    value: float
    mark: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval, or the value twice."""
        low = self.value if self.low is None else self.low
        return low, self.value if self.high is None else self.high


@dataclass(frozen=True)
class Row:
    """A name with dots, and what the row tells when it is asked."""

    name: str
    dots: Sequence[Dot]
    tip: str
    joined: bool = False  # by a line from the first dot to the last


def dot_rows(
    rows: Sequence[Row],
    label: str,
    x_label: str,
    *,
    level: float | None = None,
    groups: Sequence[Sequence[int]] = (),
    width: int = WIDE,
) -> Markup:
    """Draw rows below each other, the first on top.

    Parameters
    ----------
    rows : sequence of Row
        Their dots share one axis, which begins and ends where they do.
    label, x_label : str
        What the chart is, for those who do not see it, and the name of its axis.
    level : float, optional
        A value that all rows are to be seen against.
    groups : sequence of sequences of int
        Neighbouring rows that a bracket holds together, at the right.
    width : int
        Of the drawing; it is scaled to the place it gets.
    """
    ends = [end for row in rows for dot in row.dots for end in dot.ends]
    ends += [] if level is None else [level]
    low, high = min(ends), max(ends)
    pad = 0.04 * (high - low) or 0.5
    lanes = _lanes(groups)
    names = [clipped(row.name, 16 if width == NARROW else 26) for row in rows]
    left = _MARGIN + letter_width(width) * max(map(len, names))
    right = width - 10 - _LANE * (max(lanes, default=-1) + 1)
    base = _TOP + _ROW * len(rows)

    def x(value: float) -> float:
        return round(left + (value - low + pad) / (high - low + 2 * pad) * (right - left), 1)

    def y(row: int) -> float:
        return _TOP + _ROW * (row + 0.5)

    parts = []
    for value in ticks(low - pad, high + pad, 4 if width == NARROW else 6):
        parts.append(f'<path class="grid" d="M{x(value)} {_TOP}V{base}"/>')
        parts.append(text(x(value), base + 17, f"{value:g}"))
    middle = width / 2 if width == NARROW else (left + right) / 2  # a narrow one has little room
    parts.append(text(middle, base + 38, x_label, mark="name"))
    if level is not None:
        parts.append(f'<path class="level" d="M{x(level)} {_TOP}V{base}"/>')
    for place, row in enumerate(rows):
        parts.append(_row(row, y(place), x, width))
        parts.append(text(left - 9, y(place) + 4, names[place], "end", mark="name"))
    for group, lane in zip(groups, lanes, strict=True):
        at = right + 6 + _LANE * lane
        top, bottom = y(min(group)) - 7, y(max(group)) + 7
        parts.append(f'<path class="bracket" d="M{at} {top}h5V{bottom}h-5"/>')
    view = f'viewBox="0 0 {width} {base + _BOTTOM}" role="img" aria-label="{escape(label)}"'
    return Markup(f'<svg class="dots" {view}>{"".join(parts)}</svg>')


def letter_width(width: int) -> float:
    """Give the width of a letter in a drawing; it is larger in a narrow one, for phones."""
    return 8.6 if width == NARROW else 7.3


def _row(row: Row, y: float, x: Callable[[float], float], width: int) -> str:
    parts = [
        f'<rect class="catch" x="0" y="{y - _ROW / 2}" width="{width}" height="{_ROW}" rx="4" '
        f'data-tip="{escape(row.tip)}"/>',
    ]
    if row.joined:
        first, last = x(row.dots[0].value), x(row.dots[-1].value)
        parts.append(f'<path class="joint" d="M{first} {y}H{last}"/>')
    for dot in row.dots:
        mark = escape(dot.mark)
        if dot.low is not None and dot.high is not None:
            parts.append(f'<path class="reach {mark}" d="M{x(dot.low)} {y}H{x(dot.high)}"/>')
        parts.append(f'<circle class="point {mark}" cx="{x(dot.value)}" cy="{y}" r="5.5"/>')
    return "".join(parts)


def _lanes(groups: Sequence[Sequence[int]]) -> list[int]:
    """Give every group a lane, so that those in one lane do not touch.

    >>> _lanes([[0, 1, 2], [2, 3], [4, 5]])
    [0, 1, 0]
    """
    ends: list[int] = []  # the last row of every lane
    lanes = []
    for group in groups:
        free = [lane for lane, end in enumerate(ends) if end < min(group)]
        lane = free[0] if free else len(ends)
        ends[lane : lane + 1] = [max(group)]
        lanes.append(lane)
    return lanes
