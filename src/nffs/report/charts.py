"""Small charts as inline SVG: they open offline, scale, and print.

Drawn here rather than with a chart library: three shapes do not pay for half a megabyte of script.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 36
BASE, END = HEIGHT - BOTTOM, WIDTH - RIGHT

#: More bars than this cannot be told apart, nor do they fit a small page.
MOST_BARS = 600


class _Axes:
    """Maps values to places in the drawing."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.x_range = x
        self.y_range = (y[0], y[1] if y[1] > y[0] else y[0] + 1e-9)

    def x(self, value: float) -> float:
        low, high = self.x_range
        share = (value - low) / (high - low) if high > low else 0.5
        return round(LEFT + share * (END - LEFT), 1)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return round(BASE - (value - low) / (high - low) * (BASE - TOP), 1)

    def frame(self, x_label: str, x_format: str, y_format: str) -> list[str]:
        """Draw the axes, with the ends of both ranges."""
        return [
            f'<path class="axis" d="M{LEFT} {TOP}V{BASE}H{END}"/>',
            _text(LEFT - 6, BASE, f"{self.y_range[0]:{y_format}}", "end"),
            _text(LEFT - 6, TOP + 10, f"{self.y_range[1]:{y_format}}", "end"),
            _text(LEFT, BASE + 16, f"{self.x_range[0]:{x_format}}", "start"),
            _text(END, BASE + 16, f"{self.x_range[1]:{x_format}}", "end"),
            _text((LEFT + END) / 2, BASE + 30, x_label, "middle"),
        ]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _bar(x: float, width: float, top: float, bottom: float, mark: str, name: str = "") -> str:
    title = f"<title>{escape(name[:80])}</title>" if name else ""
    place = f'x="{x:.1f}" y="{min(top, bottom):.1f}"'
    size = f'width="{width:.1f}" height="{abs(top - bottom):.1f}"'
    return f'<rect class="{mark}" {place} {size}>{title}</rect>'


def _svg(parts: Sequence[str], told: str) -> Markup:
    view = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(told)}"'
    return Markup(f"<svg {view}>{''.join(parts)}</svg>")


def nested_chart(fitness: Sequence[float], all_features: float, chosen: int) -> Markup:
    """Draw fitness against the number of features, the chosen point and all features' score."""
    low, high = min(*fitness, all_features), max(*fitness, all_features)
    pad = 0.05 * (high - low)
    axes = _Axes((1, max(2, len(fitness))), (low - pad, high + pad))
    points = " ".join(f"{axes.x(i)},{axes.y(f)}" for i, f in enumerate(fitness, start=1))
    best, level = fitness[chosen - 1], axes.y(all_features)
    parts = [
        *axes.frame("number of features", ".0f", ".3f"),
        f'<path class="level" d="M{LEFT} {level}H{END}"/>',
        _text(END, level - 4, "all features", "end"),
        f'<polyline class="line" points="{points}"/>',
        f'<circle class="chosen" cx="{axes.x(chosen)}" cy="{axes.y(best)}" r="5"/>',
    ]
    return _svg(parts, f"fitness of the nested subsets; best with {chosen} features: {best:.4f}")


def weights_chart(features: Sequence[dict[str, Any]]) -> Markup:
    """Draw the phase II weights, largest first, selected features marked."""
    shown = features[:MOST_BARS]
    weights = [float(f["weight"]) for f in shown]
    axes = _Axes((1, max(2, len(weights))), (min(0.0, *weights), max(0.0, *weights)))
    width = max(0.8, 0.8 * (END - LEFT) / len(weights))
    parts = axes.frame("rank", ".0f", "+.3f")
    for rank, feature in enumerate(shown, start=1):
        mark = "bar selected" if feature["selected"] else "bar"
        left, top = axes.x(rank) - width / 2, axes.y(float(feature["weight"]))
        parts.append(_bar(left, width, top, axes.y(0.0), mark, str(feature["name"])))
    return _svg(parts, "weights of the features in phase II, largest first")


def histogram_chart(counts: Sequence[int], edges: Sequence[float], threshold: float) -> Markup:
    """Draw the histogram of mutual information with the threshold."""
    axes = _Axes((edges[0], edges[-1]), (0, max(counts)))
    parts = axes.frame("mutual information with the label (nats)", ".3f", ".0f")
    for count, start, end in zip(counts, edges[:-1], edges[1:], strict=True):
        left, width = axes.x(start) + 0.5, axes.x(end) - axes.x(start) - 1
        parts.append(_bar(left, width, axes.y(count), BASE, "bar"))
    place = axes.x(min(max(threshold, edges[0]), edges[-1]))
    parts.append(f'<path class="threshold" d="M{place} {TOP}V{BASE}"/>')
    parts.append(_text(place + 4, TOP + 10, f"threshold {threshold:.4f}", "start"))
    return _svg(parts, f"mutual information of the features; threshold {threshold:.4f}")


def curves_chart(
    curves: Sequence[tuple[str, str, Sequence[Sequence[float]]]], x_label: str
) -> Markup:
    """Draw several curves, each with its name, its colour and its points."""
    xs = [float(x) for _, _, points in curves for x, _ in points]
    ys = [float(y) for _, _, points in curves for _, y in points]
    pad = 0.05 * (max(ys) - min(ys))
    axes = _Axes((min(xs), max(max(xs), min(xs) + 1)), (min(ys) - pad, max(ys) + pad))
    parts = axes.frame(x_label, ".0f", ".3f")
    for name, colour, points in curves:
        places = " ".join(f"{axes.x(float(x))},{axes.y(float(y))}" for x, y in points)
        parts.append(
            f'<polyline class="curve" stroke="{escape(colour)}" points="{places}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return _svg(parts, f"{len(curves)} curves")
