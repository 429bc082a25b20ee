"""The charts of a comparison: blue is the first method and what cannot be told apart from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

from nffs.report.axes import text, ticks
from nffs.report.dots import NARROW, WIDE, Dot, Row, dot_rows, letter_width
from nffs.validation.comparison.verdict import alike, interval, ranked_rows, with_the_first

#: Of the chart of curves: its margins, and the height of a name.
_LEFT, _TOP, _BOTTOM, _LINE = 56, 26, 46, 16
#: Characters of a method's name at the end of its curve.
_NAME = 18


def draw_comparison(document: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a comparison: the score that ranks with its intervals, each model's, and the curves.

    What spans the page is drawn twice, for wide windows and for narrow ones.
    """
    rows, n_blue = ranked_rows(document), with_the_first(document)
    n_seeds, by = len(document["seeds"]), document["ranked_by"]
    scores = [
        _scores(row, row[by], n_seeds, place < n_blue, _size(row)) for place, row in enumerate(rows)
    ]
    level = rows[0][by]["mean"] - rows[0]["gain"]["mean"] if document["models"] else None
    scoring = document["scoring"]
    said = "; ".join(f"{row['name']} {row[by]['mean']:.4f}" for row in rows[:3])
    label = f"{scoring} on unseen rows of {len(rows)} methods, the best first: {said} ..."
    axis = f"{scoring} on unseen rows"
    axis += f", mean of {len(document['models'])} models" if len(document["models"]) > 1 else ""
    return {
        "unseen": [
            dot_rows(scores, label, axis, level=level, groups=alike(document), width=width)
            for width in (WIDE, NARROW)
        ],
        "models": {
            model: _model(rows, model, scoring, n_seeds, n_blue) for model in document["models"]
        },
        "curves": [_curves(rows, n_blue, scoring, width) for width in (WIDE, NARROW)],
    }


def _scores(row: Mapping[str, Any], spread: Any, n_seeds: int, first: bool, more: str = "") -> Row:
    reach = interval(spread, n_seeds)
    low, high = reach or (None, None)
    told = "" if reach is None else f", 95 % interval {low:.4f} to {high:.4f}"
    tip = f"{row['name']}: {spread['mean']:.4f}{told}{more}"
    return Row(row["name"], [Dot(spread["mean"], "first" if first else "", low, high)], tip)


def _size(row: Mapping[str, Any]) -> str:
    return f"; {row['n_features']['mean']:.1f} columns; mean rank {row['rank']:.2f}"


def _model(
    rows: Sequence[Mapping[str, Any]], model: str, scoring: str, n_seeds: int, n_blue: int
) -> Markup:
    scores = [
        _scores(row, row["models"][model]["selected"], n_seeds, place < n_blue)
        for place, row in enumerate(rows)
    ]
    first = rows[0]["models"][model]
    level = first["selected"]["mean"] - first["difference"]["mean"]
    said = "; ".join(f"{row.name} {row.dots[0].value:.4f}" for row in scores[:3])
    label = f"{scoring} of {model} on unseen rows with what every method selected: {said} ..."
    return dot_rows(scores, label, f"{scoring} on unseen rows", level=level, width=NARROW)


def _curves(rows: Sequence[Mapping[str, Any]], n_blue: int, scoring: str, width: int) -> Markup:
    """Draw the best score so far of every method, with its name at the end."""
    curves = [row["curve"] for row in rows]
    most = max(float(curve[-1][0]) for curve in curves)
    # A search begins low, and is of interest where it ends.
    last, high = (f(float(curve[-1][1]) for curve in curves) for f in (min, max))
    lowest = min(float(score) for curve in curves for _, score in curve)
    low = max(lowest, last - 1.5 * (high - last)) if high > lowest else high - 0.5
    height = max(250, _LINE * len(rows))
    longest = max(len(row["name"][:_NAME]) for row in rows)
    base, end = _TOP + height, width - 12 - letter_width(width) * longest

    def x(value: float) -> float:
        return round(_LEFT + (value - 1) / max(1.0, most - 1) * (end - _LEFT), 1)

    def y(value: float) -> float:
        return round(base - (max(value, low) - low) / (high - low) * height, 1)

    parts = []
    for value in ticks(low, high):
        parts.append(f'<path class="grid" d="M{_LEFT} {y(value)}H{end}"/>')
        parts.append(text(_LEFT - 7, y(value) + 4, f"{value:g}", "end"))
    parts += [text(x(n), base + 18, f"{n:g}") for n in ticks(1, most) if n == int(n)]
    parts.append(text((_LEFT + end) / 2, base + 40, "subsets evaluated", mark="name"))
    parts.append(text(4, 15, scoring, "start", mark="name"))
    labels = _apart([y(curve[-1][1]) for curve in curves], _LINE, _TOP, base)
    for place in reversed(range(len(rows))):  # the best is drawn last, above the others
        row, mark = rows[place], "" if place >= n_blue else "first" if place else "first best"
        points = " ".join(f"{x(n)},{y(score)}" for n, score in row["curve"])
        last = row["curve"][-1][1]
        tip = escape(f"{row['name']}: {last:.4f} in the end")
        parts.append(f'<polyline class="curve {mark}" points="{points}"/>')
        parts.append(f'<path class="lead" d="M{end} {y(last)}L{end + 7} {labels[place]}"/>')
        name = escape(row["name"][:_NAME])
        parts.append(
            f'<text class="ending {mark}" x="{end + 9:.1f}" y="{labels[place] + 4:.1f}" '
            f'data-tip="{tip}">{name}</text>'
        )
    said = "; ".join(f"{row['name']} {row['curve'][-1][1]:.4f}" for row in rows)
    label = escape(f"{scoring} of the best subset so far of {len(rows)} methods; at last: {said}")
    view = f'viewBox="0 0 {width} {base + _BOTTOM}" role="img" aria-label="{label}"'
    return Markup(f"<svg {view}>{''.join(parts)}</svg>")


def _apart(places: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Move places so that neighbours are so far apart, and all of them between top and bottom.

    >>> _apart([10.0, 12.0, 40.0, 40.0], 5.0, 0.0, 42.0)
    [10.0, 15.0, 37.0, 42.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = [max(place, top) for place in places]
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + gap)
    moved[order[-1]] = min(moved[order[-1]], bottom)
    for above, below in pairwise(order[::-1]):
        moved[below] = min(moved[below], moved[above] - gap)
    return moved
