"""Small charts as inline SVG: they open offline, scale, print, and need no script.

Drawn here rather than with a chart library: a few shapes do not pay for half a megabyte of script.
Numbers come from `series`; nothing is computed here but places. Colours are the classes of
`templates/charts.css`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

from nffs.report.axes import BASE, END, HEIGHT, LEFT, TOP, Axes, drawing


def draw_charts(summary: dict[str, Any], *names: str) -> dict[str, Markup | None]:
    """Draw charts by their keys in a summary; those that it has no numbers for are None."""
    return {name: None if summary[name] is None else _CHARTS[name](summary[name]) for name in names}


def histogram_chart(information: dict[str, Any]) -> Markup:
    """Draw the histogram of mutual information with the threshold, which a script can move."""
    counts, edges, threshold = (information[k] for k in ("counts", "edges", "threshold"))
    axes = Axes((edges[0], edges[-1]), (0, max(counts)))
    parts = axes.frame("mutual information with the label (nats)", "features")
    for count, (low, high) in zip(counts, pairwise(edges), strict=True):
        mark = "bar above" if threshold is not None and low >= threshold else "bar"
        title = f"<title>{low:.4f} to {high:.4f}: {count}</title>"
        parts.append(axes.bar(low, high, count, mark, f' data-low="{low:.8g}">{title}</rect>'))
    if threshold is None:
        n_features = information["n_features"]
        return drawing(parts, f"Histogram of the mutual information of {n_features} features.")
    place = axes.x(min(max(threshold, edges[0]), edges[-1]))
    parts += [
        f'<g class="threshold" transform="translate({place} 0)">',
        f'<path d="M0 {TOP}V{BASE}"/><circle cx="0" cy="{TOP}" r="6"/></g>',
    ]
    label = (
        f"Histogram of mutual information. {information['n_above']} of "
        f"{information['n_features']} features lie above the threshold of {threshold:.4f} nats."
    )
    return drawing(
        parts, label, f' id="information" data-scale="{LEFT} {END} {edges[0]} {edges[-1]}"'
    )


def weights_chart(weights: dict[str, Any]) -> Markup:
    """Draw the weights of phase II, largest first, selected features marked."""
    bars = weights["bars"]
    values = [bar["weight"] for bar in bars]
    axes = Axes((0.5, len(bars) + 0.5), (min(0.0, *values, 0.0), max(0.0, *values, 0.0)))
    parts = axes.frame("rank", "weight", whole_x=True)
    zero = axes.y(0.0)
    gap = 0.3 if len(bars) < 150 else 0.0
    for rank, bar in enumerate(bars, start=1):
        left, right = axes.x(rank - 0.5), axes.x(rank + 0.5)
        top, bottom = sorted((axes.y(bar["weight"]), zero))
        mark = "bar selected" if bar["selected"] else "bar"
        title = f"{rank}. {bar['name']} {bar['weight']:+.4f}"
        # many narrow bars overlap a little, lest rounding leave stripes between them
        width = (right - left) * (1 - gap) if gap else right - left + 0.4
        parts.append(
            f'<rect class="{mark}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
            f'height="{max(0.5, bottom - top):.1f}"><title>{escape(title)}</title></rect>'
        )
    parts.append(f'<path class="axis" d="M{LEFT} {zero}H{END}"/>')
    marked = sum(bar["selected"] for bar in bars)
    return drawing(
        parts,
        f"Weights of {len(bars)} features in phase II, largest first, from {max(values):+.4f} to "
        f"{min(values):+.4f}; {marked} of them are selected.",
    )


def curve_chart(curve: dict[str, Any]) -> Markup:
    """Draw scores against the number of features, their error band, and the points that matter."""
    points, level = curve["points"], curve["all_features"]
    sizes, fitness = [p["size"] for p in points], [p["fitness"] for p in points]
    errors = [p["error"] or 0.0 for p in points]
    upper = [f + e for f, e in zip(fitness, errors, strict=True)]
    lower = [f - e for f, e in zip(fitness, errors, strict=True)]
    chosen = curve["chosen"]
    marked = [] if chosen is None else [(chosen["size"], chosen["fitness"])]
    axes = _score_axes(sizes, [*upper, *lower], level, marked)
    parts = axes.frame("number of features", curve["scoring"], whole_x=True)
    if any(errors):
        around = [*zip(sizes, upper, strict=True), *zip(sizes[::-1], lower[::-1], strict=True)]
        parts.append(f'<polygon class="band" points="{_path(axes, around)}"/>')
    parts += _level(axes, level)
    line = _path(axes, list(zip(sizes, fitness, strict=True)))
    parts.append(f'<polyline class="line" points="{line}"/>')
    label = f"{curve['scoring']} of {len(points)} nested subsets."
    if curve["one_se"] is not None:
        x, y = axes.x(curve["one_se"]["size"]), axes.y(curve["one_se"]["fitness"])
        parts.append(f'<path class="one-se" d="M{x} {y - 7.5}l7.5 7.5l-7.5 7.5l-7.5-7.5z"/>')
        label += f" One standard error: {_of_size(*curve['one_se'].values())}."
    for size, score in marked:
        parts.append(_chosen(axes, size, score))
        label += f" Chosen: {_of_size(size, score)}."
    return drawing(parts, label + ("" if level is None else f" All features: {level:.4f}."))


def distribution_chart(spread: dict[str, Any]) -> Markup:
    """Draw how the scores of one or two sets of subsets are distributed."""
    edges, series = spread["edges"], spread["series"]
    shares = [[100 * c / s["n"] for c in s["counts"]] for s in series]
    axes = Axes((edges[0], edges[-1]), (0, max(max(share) for share in shares)))
    parts = axes.frame(spread["scoring"], "% of subsets")
    for (low, high), share in zip(pairwise(edges), shares[0], strict=True):
        parts.append(axes.bar(low, high, share, "bar", "/>"))
    for share in shares[1:]:
        steps = [f"M{axes.x(edges[0])} {BASE}"]
        for high, value in zip(edges[1:], share, strict=True):
            steps.append(f"V{axes.y(value)}H{axes.x(high)}")
        parts.append(f'<path class="line" d="{"".join(steps)}V{BASE}"/>')
    for mark, value in (("level", spread["all_features"]), ("mark", spread["chosen"])):
        if value is not None:
            parts.append(f'<path class="{mark}" d="M{axes.x(value)} {TOP}V{BASE}"/>')
    label = " ".join(
        f"{s['n']} {s['name']} subsets, median {s['median']:.4f}, best {s['best']:.4f}."
        for s in series
    )
    return drawing(parts, f"Distribution of scores. {label}")


def scatter_chart(subsets: dict[str, Any]) -> Markup:
    """Draw the scores of evaluated subsets against their number of features, and their front."""
    points, level, chosen = subsets["points"], subsets["all_features"], subsets["chosen"]
    front, checked = subsets["front"], subsets["checked"]
    marked = [] if chosen is None else [chosen]
    shown = [*points, *checked]
    axes = _score_axes([x for x, _ in shown], [y for _, y in shown], level, marked)
    parts = axes.frame("number of features", subsets["scoring"], whole_x=True)
    parts += _level(axes, level)
    parts += _dots(axes, points)
    parts += [
        f'<rect class="checked" x="{axes.x(x) - 2.5:.1f}" y="{axes.y(y) - 2.5:.1f}" '
        'width="5" height="5"/>'
        for x, y in checked
    ]
    parts.append(f'<path class="front" d="{_steps(axes, front)}"/>')
    label = (
        f"{subsets['scoring']} of {len(points)} evaluated subsets against their number of features."
        f" The front has {len(front)} of them, from {_of_size(*front[0])} to "
        f"{_of_size(*front[-1])}."
    )
    for size, score in marked:
        parts.append(_chosen(axes, size, score))
        label += f" Chosen: {_of_size(size, score)}."
    return drawing(parts, label)


def course_chart(course: dict[str, Any]) -> Markup:
    """Draw the score of every evaluation in its turn, and the best so far."""
    points, best, n_first = course["points"], course["best"], course["n_first"]
    numbers, scores = zip(*points, strict=True)
    axes = _score_axes(numbers, scores, course["all_features"])
    parts = axes.frame("evaluation", course["scoring"], whole_x=True)
    parts += _level(axes, course["all_features"])
    label = f"{course['scoring']} of {course['n_points']} evaluations in their order."
    if n_first:
        parts.append(f'<path class="mark" d="M{axes.x(n_first + 0.5)} {TOP}V{BASE}"/>')
        label += f" The model proposes from number {n_first + 1} on."
    parts += _dots(axes, points)
    parts.append(f'<path class="line" d="{_steps(axes, best)}"/>')
    number, score = best[-1]
    return drawing(parts, f"{label} The best, {score:.4f}, is number {number}.")


def effects_chart(effects: dict[str, Any]) -> Markup:
    """Draw what features add as bars with names and intervals."""
    bars = effects["bars"]
    ends = [0.0, *(bar["low"] for bar in bars), *(bar["high"] for bar in bars)]
    base = TOP + 19 * len(bars)
    axes = Axes((min(ends), max(ends)), (0.5 - len(bars), 0.5), left=150, base=base)
    parts = axes.named_frame("what it adds to the score", [bar["label"] for bar in bars])
    zero = axes.x(0.0)
    for row, bar in enumerate(bars):
        middle, (left, right) = axes.y(-row), sorted((zero, axes.x(bar["value"])))
        mark = "bar selected" if bar["selected"] else "bar"
        low, high = axes.x(bar["low"]), axes.x(bar["high"])
        parts.append(
            f'<rect class="{mark}" x="{left:.1f}" y="{middle - 5:.1f}" '
            f'width="{right - left:.1f}" height="10"/>'
            f'<path class="whisker" d="M{low} {middle - 3:.1f}v6m0-3H{high}m0-3v6"/>'
        )
    parts.append(f'<path class="axis" d="M{zero} {TOP}V{base}"/>')
    said = "; ".join(f"{bar['label']} {bar['value']:+.4f}" for bar in bars[:3])
    label = f"What {len(bars)} of {effects['n_features']} features add, with intervals: {said}"
    return drawing(parts, f"{label} ...", height=base + HEIGHT - BASE)


def expected_chart(expected: dict[str, Any]) -> Markup:
    """Draw observed scores against those that the model expected."""
    points, scoring = expected["points"], expected["scoring"]
    values = [value for point in points for value in point]
    both = min(values), max(values)
    axes = Axes(both, both)
    parts = axes.frame(f"expected {scoring}", f"observed {scoring}")
    parts.append(f'<path class="level" d="M{LEFT} {BASE}L{END} {TOP}"/>')
    parts += _dots(axes, points)
    return drawing(
        parts,
        f"Observed against expected {scoring} of {expected['n_points']} subsets that the model "
        f"proposed; they differ by {expected['error']:.4f} on average.",
    )


def curves_chart(curves: Sequence[dict[str, Any]], x_label: str, scoring: str) -> Markup:
    """Draw several curves: each has a name, the mark that colours it, and points."""
    xs, ys = zip(*(point for curve in curves for point in curve["points"]), strict=True)
    axes = _score_axes(xs, ys)
    parts = axes.frame(x_label, scoring, whole_x=True)
    for curve in curves:
        parts.append(
            f'<polyline class="curve {escape(curve["mark"])}" '
            f'points="{_path(axes, curve["points"])}"><title>{escape(curve["name"])}</title>'
            "</polyline>"
        )
    ends = "; ".join(f"{curve['name']} {curve['points'][-1][1]:.4f}" for curve in curves)
    return drawing(parts, f"{scoring} of {len(curves)} methods. At the end: {ends}.")


_CHARTS = {
    "information": histogram_chart,
    "weights": weights_chart,
    "curve": curve_chart,
    "subsets": scatter_chart,
    "spread": distribution_chart,
    "course": course_chart,
    "effects": effects_chart,
    "expected": expected_chart,
}


def _score_axes(
    xs: Sequence[float],
    scores: Sequence[float],
    level: float | None = None,
    marked: Sequence[Sequence[float]] = (),
) -> Axes:
    """Make axes that hold the points, a level, and marked points that may lie beside them."""
    seen = [*scores, *(y for _, y in marked)] + ([] if level is None else [level])
    sizes = [*xs, *(x for x, _ in marked)]
    pad = 0.08 * (max(seen) - min(seen))
    return Axes((min(sizes), max(sizes)), (min(seen) - pad, max(seen) + pad))


def _path(axes: Axes, places: Sequence[Sequence[float]]) -> str:
    return " ".join(f"{axes.x(x)},{axes.y(y)}" for x, y in places)


def _steps(axes: Axes, places: Sequence[Sequence[float]]) -> str:
    """Draw steps: a value holds up to the next place, the last one to the end."""
    (x, y), *others = places
    steps = [f"M{axes.x(x)} {axes.y(y)}", *(f"H{axes.x(x)}V{axes.y(y)}" for x, y in others)]
    return "".join([*steps, f"H{END}"])


def _dots(axes: Axes, points: Sequence[Sequence[float]]) -> list[str]:
    return [f'<circle class="dot" cx="{axes.x(x)}" cy="{axes.y(y)}" r="3"/>' for x, y in points]


def _level(axes: Axes, score: float | None) -> list[str]:
    return [] if score is None else [f'<path class="level" d="M{LEFT} {axes.y(score)}H{END}"/>']


def _chosen(axes: Axes, size: float, score: float) -> str:
    return f'<circle class="chosen" cx="{axes.x(size)}" cy="{axes.y(score)}" r="5.5"/>'


def _of_size(size: int, score: float, *_: object) -> str:
    return f"{size} features, {score:.4f}"
