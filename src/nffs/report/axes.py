"""The frame of a chart: from values to places in the drawing, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from markupsafe import Markup, escape

WIDTH, HEIGHT = 480, 268
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 26, 46
BASE, END = HEIGHT - BOTTOM, WIDTH - RIGHT

#: Where rows with names begin, and how high a row is.
NAMED_LEFT, ROW = 168, 19

#: How values are spread along an axis; 'counts' is logarithmic and has a zero.
Scale = Literal["linear", "log", "counts"]
_SCALES: dict[Scale, Callable[[float], float]] = {
    "linear": float,
    "log": math.log10,
    "counts": math.log1p,
}


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Choose round numbers between two values.

    >>> ticks(0.0, 1.0)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(
        (m * power for m in (1, 2, 2.5, 5, 10) if (high - low) / (m * power) <= most - 1 + 1e-9),
        10 * power,
    )
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.10g}") for i in range(first, last + 1)] or [low]


def ratio_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Choose numbers at equal ratios, for a logarithmic axis.

    >>> ratio_ticks(1, 7129), ratio_ticks(0, 30)
    ([1, 10, 100, 1000], [0, 1, 2, 5, 10, 20])
    """
    for steps in ((1, 2, 5), (1, 3), (1,)):
        found = [
            step * 10**power
            for power in range(math.floor(math.log10(max(high, 1))) + 1)
            for step in steps
            if low <= step * 10**power <= high
        ]
        if len(found) <= most:
            break
    return [0, *found] if low <= 0 else found


def text(x: float, y: float, words: str, anchor: str = "middle", mark: str = "") -> str:
    """Write words at a place."""
    marked = f' class="{mark}"' if mark else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text{marked} {place}>{escape(words)}</text>"


def tip(words: str) -> str:
    """Give the attribute that makes a mark say something when it is pointed at."""
    return f' data-tip="{escape(words)}"'


class Axes:
    """Maps values to places, and draws the frame; values beyond a range are at its end.

    `left` and `base` are where the axes begin: further in for names, further down for many rows.
    """

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        left: float = LEFT,
        base: float = BASE,
        x_scale: Scale = "linear",
        y_scale: Scale = "linear",
    ) -> None:
        self.x_range = x if x[1] > x[0] else (x[0] - 0.5, x[0] + 0.5)
        self.y_range = y if y[1] > y[0] else (y[0] - 0.5, y[0] + 0.5)
        self.left, self.base = left, base
        self._x_scale, self._y_scale = x_scale, y_scale

    @classmethod
    def of_rows(cls, x: tuple[float, float], n_rows: int) -> Axes:
        """Make axes for rows with names, the first on top: rows are at 0, -1, -2, ..."""
        return cls(x, (0.5 - n_rows, 0.5), left=NAMED_LEFT, base=TOP + ROW * n_rows)

    def x(self, value: float) -> float:
        """Give the place of a value on the horizontal axis."""
        share = _share(value, self.x_range, self._x_scale)
        return round(self.left + share * (END - self.left), 1)

    def y(self, value: float) -> float:
        """Give the place of a value on the vertical axis."""
        share = _share(value, self.y_range, self._y_scale)
        return round(self.base - share * (self.base - TOP), 1)

    def frame(self, x_label: str, y_label: str, *, whole_x: bool = False) -> list[str]:
        """Draw grid, ticks and labels; `whole_x` leaves out ticks that are no whole numbers."""
        parts = []
        for value in _ticks(self.y_range, self._y_scale):
            place = self.y(value)
            parts.append(f'<path class="grid" d="M{LEFT} {place}H{END}"/>')
            parts.append(text(LEFT - 7, place + 4, f"{value:g}", "end"))
        for value in _ticks(self.x_range, self._x_scale):
            if whole_x and value != int(value):
                continue
            parts.append(text(self.x(value), BASE + 18, f"{value:g}"))
        parts.append(f'<path class="axis" d="M{LEFT} {BASE}H{END}"/>')
        parts.append(text((LEFT + END) / 2, HEIGHT - 6, x_label, mark="name"))
        parts.append(text(4, 12, y_label, "start", mark="name"))
        return parts

    def named_frame(self, x_label: str, names: Sequence[str]) -> list[str]:
        """Draw a frame whose rows have names, the first on top; see `of_rows`."""
        parts = []
        for value in ticks(*self.x_range):
            place = self.x(value)
            parts.append(f'<path class="grid" d="M{place} {TOP - 6}V{self.base}"/>')
            parts.append(text(place, self.base + 18, f"{value:g}"))
        for row, name in enumerate(names):
            parts.append(text(self.left - 8, self.y(-row) + 4, name, "end", mark="name row"))
        middle = (self.left + END) / 2
        parts.append(text(middle, self.base + HEIGHT - 6 - BASE, x_label, mark="name"))
        return parts

    def bar(self, low: float, high: float, value: float, mark: str, more: str = "") -> str:
        """Draw a bar between two values of the horizontal axis."""
        left, right = self.x(low), self.x(high)
        gap = 1.0 if right - left > 3 else 0.0
        top, bottom = sorted((self.y(value), self.y(max(0.0, self.y_range[0]))))
        size = f'width="{max(0.6, right - left - gap):.1f}" height="{bottom - top:.1f}"'
        return f'<rect class="{mark}" x="{left + gap / 2:.1f}" y="{top:.1f}" {size}{more}'

    def close(self, parts: list[str], label: str) -> Markup:
        """Close a drawing of rows with names; it is as high as they need."""
        return drawing(parts, label, height=self.base + HEIGHT - BASE)


def drawing(parts: list[str], label: str, more: str = "", height: float = HEIGHT) -> Markup:
    """Close a drawing; `label` is what a screen reader says of it."""
    view = f'viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(label)}"'
    return Markup(f"<svg {view}{more}>{''.join(parts)}</svg>")


def _share(value: float, ends: tuple[float, float], scale: Scale) -> float:
    low, high = ends
    at, first, last = map(_SCALES[scale], (min(max(value, low), high), low, high))
    return (at - first) / (last - first)


def _ticks(ends: tuple[float, float], scale: Scale) -> list[float]:
    return ticks(*ends) if scale == "linear" else ratio_ticks(*ends)
