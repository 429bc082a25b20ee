"""Small charts as inline SVG: they open offline, scale, print, and need no script.

Drawn here rather than with a chart library: a few shapes do not pay for half a megabyte of script.
Numbers come from `series`; nothing is computed here but places. Colours are the classes of
`templates/charts.css`; what a mark says when it is pointed at is its `data-tip`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from nffs.report.axes import BASE, END, LEFT, TOP, Axes, Scale, drawing, tip
from nffs.report.named_charts import (
    again_chart,
    best_and_worst_chart,
    effects_chart,
    first_chart,
    folds_chart,
)
from nffs.report.names import counted

#: Sizes beyond which an axis is logarithmic: of a wide table the small ones are of interest.
_MOST_LINEAR = 200

#: Features in a bar of a histogram beyond which its height is logarithmic.
_MOST_IN_A_BAR = 20


def draw_charts(summary: dict[str, Any], *names: str) -> dict[str, Markup | None]:
    """Draw charts by their keys in a summary; those that it has no numbers for are None."""
    return {name: None if summary[name] is None else _CHARTS[name](summary[name]) for name in names}


def histogram_chart(information: dict[str, Any]) -> Markup:
    """Draw the histogram of mutual information with the threshold, which a script can move."""
    counts, edges, threshold = (information[k] for k in ("counts", "edges", "threshold"))
    # On most tables nearly all features tell next to nothing, and lie in one bar.
    scale: Scale = "counts" if max(counts) > _MOST_IN_A_BAR else "linear"
    axes = Axes((edges[0], edges[-1]), (0, max(counts)), y_scale=scale)
    parts = axes.frame("mutual information with the label (nats)", "features")
    for count, (low, high) in zip(counts, pairwise(edges), strict=True):
        mark = "bar above" if threshold is not None and low >= threshold else "bar"
        said = tip(f"{low:z.4f} to {high:z.4f} nats: {counted(count, 'feature')}") if count else ""
        parts.append(axes.bar(low, high, count, mark, f' data-low="{low:.8g}"{said}/>'))
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
        f"{information['n_features']} features lie above the threshold of {threshold:z.4f} nats."
    )
    return drawing(
        parts, label, f' id="information" data-scale="{LEFT} {END} {edges[0]} {edges[-1]}"'
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
    axes = _score_axes([*sizes, *(size for size, _ in marked)], curve["range"])
    parts = axes.frame("number of features", curve["scoring"], whole_x=True)
    if any(errors):
        around = [*zip(sizes, upper, strict=True), *zip(sizes[::-1], lower[::-1], strict=True)]
        parts.append(f'<polygon class="band" points="{_path(axes, around)}"/>')
    parts += _level(axes, level)
    line = _path(axes, list(zip(sizes, fitness, strict=True)))
    parts.append(f'<polyline class="line" points="{line}"/>')
    parts += [
        f'<circle class="spot" cx="{axes.x(size)}" cy="{axes.y(score)}" r="3"'
        f"{tip(f'the first {_of_size(size, score)}')}/>"
        for size, score in zip(sizes, fitness, strict=True)
    ]
    label = f"{curve['scoring']} of {len(points)} nested subsets."
    if curve["one_se"] is not None:
        x, y = axes.x(curve["one_se"]["size"]), axes.y(curve["one_se"]["fitness"])
        parts.append(f'<path class="one-se" d="M{x} {y - 7.5}l7.5 7.5l-7.5 7.5l-7.5-7.5z"/>')
        label += f" One standard error: {_of_size(*curve['one_se'].values())}."
    for size, score in marked:
        parts.append(_chosen(axes, size, score))
        label += f" Chosen: {_of_size(size, score)}."
    return drawing(parts, label + ("" if level is None else f" All features: {level:z.4f}."))


def distribution_chart(spread: dict[str, Any]) -> Markup:
    """Draw how the scores of one or two sets of subsets are distributed."""
    edges, series = spread["edges"], spread["series"]
    shares = [[100 * c / s["n"] for c in s["counts"]] for s in series]
    axes = Axes((edges[0], edges[-1]), (0, max(max(share) for share in shares)))
    parts = axes.frame(spread["scoring"], "% of subsets")
    for (low, high), share in zip(pairwise(edges), shares[0], strict=True):
        said = tip(f"{low:z.4f} to {high:z.4f}: {share:.1f} % of the subsets") if share else ""
        parts.append(axes.bar(low, high, share, "bar", f"{said}/>"))
    for share in shares[1:]:
        steps = [f"M{axes.x(edges[0])} {BASE}"]
        for high, value in zip(edges[1:], share, strict=True):
            steps.append(f"V{axes.y(value)}H{axes.x(high)}")
        parts.append(f'<path class="line" d="{"".join(steps)}V{BASE}"/>')
    for mark, value in (("level", spread["all_features"]), ("mark", spread["chosen"])):
        if value is not None:
            parts.append(f'<path class="{mark}" d="M{axes.x(value)} {TOP}V{BASE}"/>')
    label = " ".join(
        f"{s['n']} {s['name']} subsets, median {s['median']:z.4f}, best {s['best']:z.4f}."
        for s in series
    )
    return drawing(parts, f"Distribution of scores. {label}")


def front_chart(subsets: dict[str, Any]) -> Markup:
    """Draw the scores of evaluated subsets against their number of features, and their front.

    The places of the slider are there too, each a mark that a script can show.
    """
    points, chosen, front = subsets["points"], subsets["chosen"], subsets["front"]
    checked, picks = subsets["checked"], subsets["picks"]
    sizes = [size for size, _ in (*points, *checked, *front)] + ([chosen[0]] if chosen else [])
    axes = _score_axes(sizes, subsets["range"])
    parts = axes.frame("number of features", subsets["scoring"], whole_x=True)
    parts += _level(axes, subsets["all_features"])
    parts += _dots(axes, points, "{:,} features, {:z.4f}")
    parts += [
        f'<rect class="checked" x="{axes.x(x) - 2.5:.1f}" y="{axes.y(y) - 2.5:.1f}" '
        f'width="5" height="5"{tip(f"in the final check: {_of_size(x, y)}")}/>'
        for x, y in checked
        if y >= axes.y_range[0]
    ]
    parts.append(f'<path class="front" d="{_steps(axes, front)}"/>')
    label = (
        f"{subsets['scoring']} of {len(points)} evaluated subsets against their number of features."
        f" The front has {len(front)} of them, from {_of_size(*front[0])} to "
        f"{_of_size(*front[-1])}."
    )
    for step, (size, score) in enumerate(picks):
        said = tip(f"available: {_of_size(size, score)}")
        place = f'cx="{axes.x(size)}" cy="{axes.y(score)}"'
        mark = "pick" if score >= axes.y_range[0] else "pick below"
        parts.append(f'<circle class="{mark}" data-step="{step}" {place} r="3.5"{said}/>')
    if chosen is not None:
        parts.append(_chosen(axes, *chosen))
        label += f" Chosen: {_of_size(*chosen)}."
    if picks and chosen is not None:
        place = f'cx="{axes.x(chosen[0])}" cy="{axes.y(chosen[1])}"'
        parts.append(f'<circle class="picked" {place} r="9"/>')
    return drawing(parts, label, ' id="front-chart"' if picks else "")


def course_chart(course: dict[str, Any]) -> Markup:
    """Draw the score of every evaluation in order, and the best so far."""
    points, best, n_first = course["points"], course["best"], course["n_first"]
    numbers = [number for number, _ in points]
    axes = Axes((min(numbers), max(numbers)), _padded(course["range"]))
    parts = axes.frame("evaluation", course["scoring"], whole_x=True)
    parts += _level(axes, course["all_features"])
    label = f"{course['scoring']} of {course['n_points']} evaluations in order."
    if n_first:
        parts.append(f'<path class="mark" d="M{axes.x(n_first + 0.5)} {TOP}V{BASE}"/>')
        label += f" The model proposes from number {n_first + 1} on."
    parts += _dots(axes, points, "number {:,}: {:z.4f}")
    parts.append(f'<path class="line" d="{_steps(axes, best)}"/>')
    number, score = best[-1]
    return drawing(parts, f"{label} The best, {score:z.4f}, is number {number}.")


def expected_chart(expected: dict[str, Any]) -> Markup:
    """Draw observed scores against those that the model expected."""
    points, scoring = expected["points"], expected["scoring"]
    axes = Axes(_padded(expected["range"]), _padded(expected["range"]))
    parts = axes.frame(f"expected {scoring}", f"observed {scoring}")
    parts.append(f'<path class="level" d="M{LEFT} {BASE}L{END} {TOP}"/>')
    parts += _dots(axes, points, "expected {:z.4f}, observed {:z.4f}")
    return drawing(
        parts,
        f"Observed against expected {scoring} of {expected['n_points']} subsets that the model "
        f"proposed; they differ by {expected['error']:z.4f} on average.",
    )


_CHARTS = {
    "information": histogram_chart,
    "first": first_chart,
    "best_and_worst": best_and_worst_chart,
    "again": again_chart,
    "nested": folds_chart,
    "curve": curve_chart,
    "subsets": front_chart,
    "spread": distribution_chart,
    "course": course_chart,
    "effects": effects_chart,
    "expected": expected_chart,
}


def _score_axes(sizes: Sequence[float], scores: Sequence[float]) -> Axes:
    """Make axes of sizes against scores; of a wide table the sizes are logarithmic."""
    scale: Scale = "log" if max(sizes) > _MOST_LINEAR else "linear"
    return Axes((min(sizes), max(sizes)), _padded(scores), x_scale=scale)


def _padded(scores: Sequence[float]) -> tuple[float, float]:
    low, high = scores
    pad = 0.08 * (high - low)
    return low - pad, high + pad


def _path(axes: Axes, places: Sequence[Sequence[float]]) -> str:
    return " ".join(f"{axes.x(x)},{axes.y(y)}" for x, y in places)


def _steps(axes: Axes, places: Sequence[Sequence[float]]) -> str:
    """Draw steps: a value holds up to the next place, the last one to the end."""
    (x, y), *others = places
    steps = [f"M{axes.x(x)} {axes.y(y)}", *(f"H{axes.x(x)}V{axes.y(y)}" for x, y in others)]
    return "".join([*steps, f"H{END}"])


def _dots(axes: Axes, points: Sequence[Sequence[float]], said: str) -> list[str]:
    """Draw points that are within the axes; `said` is what each says of its two values."""
    low, _ = axes.y_range
    return [
        f'<circle class="dot" cx="{axes.x(x)}" cy="{axes.y(y)}" r="3"{tip(said.format(x, y))}/>'
        for x, y in points
        if y >= low
    ]


def _level(axes: Axes, score: float | None) -> list[str]:
    return [] if score is None else [f'<path class="level" d="M{LEFT} {axes.y(score)}H{END}"/>']


def _chosen(axes: Axes, size: float, score: float) -> str:
    said = tip(f"chosen: {_of_size(size, score)}")
    return f'<circle class="chosen" cx="{axes.x(size)}" cy="{axes.y(score)}" r="5.5"{said}/>'


def _of_size(size: float, score: float, *_: object) -> str:
    return f"{counted(int(size), 'feature')}, {score:z.4f}"
