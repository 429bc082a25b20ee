"""Small charts as inline SVG: they open offline, scale, print, and need no script.

Drawn here rather than with a chart library: six shapes do not pay for half a megabyte of script.
Numbers come from `summary`; nothing is computed here but places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from nffs.report.axes import BASE, END, LEFT, TOP, Axes, drawing


def histogram_chart(information: dict[str, Any]) -> Markup:
    """Draw the histogram of mutual information with the threshold, which a script can move."""
    counts, edges, threshold = (information[k] for k in ("counts", "edges", "threshold"))
    axes = Axes((edges[0], edges[-1]), (0, max(counts)))
    parts = axes.frame("mutual information with the label (nats)", "features")
    for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        mark = "bar above" if low >= threshold else "bar"
        title = f"<title>{low:.4f} to {high:.4f}: {count}</title>"
        parts.append(axes.bar(low, high, count, mark, f' data-low="{low:.8g}">{title}</rect>'))
    place = axes.x(min(max(threshold, edges[0]), edges[-1]))
    parts += [
        f'<g class="threshold" transform="translate({place} 0)">',
        f'<path d="M0 {TOP}V{BASE}"/><circle cx="0" cy="{TOP}" r="6"/></g>',
    ]
    told = (
        f"Histogram of mutual information. {information['n_above']} of "
        f"{information['n_features']} features lie above the threshold of {threshold:.4f} nats."
    )
    return drawing(
        parts, told, f' id="information" data-scale="{LEFT} {END} {edges[0]} {edges[-1]}"'
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
    """Draw fitness against the number of features, its error band, and the points that matter."""
    points = curve["points"]
    sizes, fitness = [p["size"] for p in points], [p["fitness"] for p in points]
    errors = [p["error"] or 0.0 for p in points]
    level = curve["all_features"]
    seen = [f - e for f, e in zip(fitness, errors, strict=True)]
    seen += [f + e for f, e in zip(fitness, errors, strict=True)]
    seen += [] if level is None else [level]
    pad = 0.08 * (max(seen) - min(seen))
    axes = Axes((min(sizes), max(sizes)), (min(seen) - pad, max(seen) + pad))
    parts = axes.frame("number of features", curve["scoring"], whole_x=True)
    if any(errors):
        upper = [(s, f + e) for s, f, e in zip(sizes, fitness, errors, strict=True)]
        lower = [(s, f - e) for s, f, e in zip(sizes, fitness, errors, strict=True)]
        parts.append(f'<polygon class="band" points="{_path(axes, upper + lower[::-1])}"/>')
    if level is not None:
        parts.append(f'<path class="level" d="M{LEFT} {axes.y(level)}H{END}"/>')
    line = _path(axes, list(zip(sizes, fitness, strict=True)))
    parts.append(f'<polyline class="line" points="{line}"/>')
    told = f"{curve['scoring']} of {len(points)} nested subsets."
    for name, words in (("one_se", "one standard error"), ("chosen", "chosen")):
        point = curve[name]
        if point is None:
            continue
        x, y = axes.x(point["size"]), axes.y(point["fitness"])
        shape = (
            f'<circle class="chosen" cx="{x}" cy="{y}" r="5.5"/>'
            if name == "chosen"
            else f'<path class="one-se" d="M{x} {y - 7.5}l7.5 7.5l-7.5 7.5l-7.5-7.5z"/>'
        )
        parts.append(shape)
        told += f" {words.capitalize()}: {point['size']} features, {point['fitness']:.4f}."
    return drawing(parts, told + ("" if level is None else f" All features: {level:.4f}."))


def _path(axes: Axes, places: Sequence[Sequence[float]]) -> str:
    return " ".join(f"{axes.x(x)},{axes.y(y)}" for x, y in places)


def distribution_chart(spread: dict[str, Any]) -> Markup:
    """Draw how the fitness of drawn and of nested subsets is distributed."""
    edges, series = spread["edges"], spread["series"]
    shares = [[100 * c / max(1, s["n"]) for c in s["counts"]] for s in series]
    axes = Axes((edges[0], edges[-1]), (0, max(max(share) for share in shares)))
    parts = axes.frame(spread["scoring"], "% of subsets")
    for low, high, share in zip(edges[:-1], edges[1:], shares[0], strict=True):
        parts.append(axes.bar(low, high, share, "bar", "/>"))
    for share in shares[1:]:
        steps = [f"M{axes.x(edges[0])} {BASE}"]
        for high, value in zip(edges[1:], share, strict=True):
            steps.append(f"V{axes.y(value)}H{axes.x(high)}")
        parts.append(f'<path class="line" d="{"".join(steps)}V{BASE}"/>')
    if spread["all_features"] is not None:
        parts.append(f'<path class="level" d="M{axes.x(spread["all_features"])} {TOP}V{BASE}"/>')
    if spread["chosen"] is not None:
        parts.append(f'<path class="mark" d="M{axes.x(spread["chosen"])} {TOP}V{BASE}"/>')
    told = " ".join(
        f"{s['n']} {s['name']} subsets, median {s['median']:.4f}, best {s['best']:.4f}."
        for s in series
        if s["n"]
    )
    return drawing(parts, f"Distribution of fitness. {told}")


def scatter_chart(points: list[tuple[int, float]], scoring: str) -> Markup:
    """Draw the fitness of evaluated subsets against their number of features."""
    sizes, fitness = [p[0] for p in points], [p[1] for p in points]
    pad = 0.05 * (max(fitness) - min(fitness))
    axes = Axes((min(sizes), max(sizes)), (min(fitness) - pad, max(fitness) + pad))
    parts = axes.frame("number of features", scoring, whole_x=True)
    parts += [f'<circle class="dot" cx="{axes.x(x)}" cy="{axes.y(y)}" r="3"/>' for x, y in points]
    best = max(points, key=lambda p: (p[1], -p[0]))
    parts.append(f'<circle class="chosen" cx="{axes.x(best[0])}" cy="{axes.y(best[1])}" r="5.5"/>')
    return drawing(
        parts,
        f"{scoring} of {len(points)} evaluated subsets against their number of features. Best: "
        f"{best[0]} features, {best[1]:.4f}.",
    )


def curves_chart(curves: Sequence[dict[str, Any]], x_label: str, scoring: str) -> Markup:
    """Draw several curves: each has a name, the mark that colours it, and points."""
    xs, ys = zip(*(point for curve in curves for point in curve["points"]), strict=True)
    pad = 0.05 * (max(ys) - min(ys))
    axes = Axes((min(xs), max(xs)), (min(ys) - pad, max(ys) + pad))
    parts = axes.frame(x_label, scoring, whole_x=True)
    for curve in curves:
        parts.append(
            f'<polyline class="curve {escape(curve["mark"])}" '
            f'points="{_path(axes, curve["points"])}"><title>{escape(curve["name"])}</title>'
            "</polyline>"
        )
    ends = "; ".join(f"{curve['name']} {curve['points'][-1][1]:.4f}" for curve in curves)
    return drawing(parts, f"{scoring} of {len(curves)} methods. At the end: {ends}.")
