"""Charts whose rows have names: features, outer folds. Numbers come from the summary."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from nffs.report.axes import TOP, Axes, tip

#: What the bars of the first features are, by what ranks them.
_MEASURES = {
    "weight": "weight of phase II",
    "mi": "mutual information with the label (nats)",
}


def first_chart(first: dict[str, Any]) -> Markup:
    """Draw the first features as bars, the selected ones marked, those seldom selected paler."""
    bars, measure = first["bars"], first["measure"]
    values = [bar["value"] for bar in bars]
    axes = Axes.of_rows((min(0.0, *values), max(0.0, *values)), len(bars))
    parts = axes.named_frame(_MEASURES[measure], [bar["label"] for bar in bars])
    zero = axes.x(0.0)
    for row, bar in enumerate(bars):
        said = f"{bar['text']}: {measure} {bar['value']:+z.4f}{_selected(bar)}"
        parts.append(_bar(axes, row, bar, tip(said)))
    parts.append(f'<path class="axis" d="M{zero} {TOP - 6}V{axes.base}"/>')
    n_selected = sum(bar["selected"] for bar in bars)
    said = ", ".join(bar["label"] for bar in bars[:3])
    label = f"The first {len(bars)} features by {measure}, {n_selected} of them selected: {said}"
    return axes.close(parts, f"{label} ...")


def best_and_worst_chart(counted: dict[str, Any]) -> Markup:
    """Draw how many of the best and of the worst subsets contain each feature, as dumbbells."""
    bars = counted["rows"]
    most = max(count for bar in bars for count in (bar["top"], bar["bottom"]))
    axes = Axes.of_rows((0, max(1, most)), len(bars))
    parts = axes.named_frame("subsets that contain it", [bar["label"] for bar in bars])
    for row, bar in enumerate(bars):
        y, top, bottom = axes.y(-row), axes.x(bar["top"]), axes.x(bar["bottom"])
        said = f"{bar['text']}: in {bar['top']} of the best, in {bar['bottom']} of the worst"
        parts.append(
            f'<g{_seldom(bar)}{tip(said)}><path class="span" d="M{bottom} {y}H{top}"/>'
            f'<circle class="worst" cx="{bottom}" cy="{y}" r="4.5"/>'
            f'<circle class="best" cx="{top}" cy="{y}" r="4.5"/></g>'
        )
    said = "; ".join(f"{bar['label']} {bar['top']} and {bar['bottom']}" for bar in bars[:3])
    label = f"How many of the best and of the worst subsets contain {len(bars)} features: {said}"
    return axes.close(parts, f"{label} ...")


def again_chart(again: dict[str, Any]) -> Markup:
    """Draw how often features were selected again, as dots with intervals."""
    rows = again["rows"]
    axes = Axes.of_rows((0.0, 1.0), len(rows))
    parts = axes.named_frame("share of the selections", [row["label"] for row in rows])
    chance = axes.x(again["by_chance"])
    parts.append(f'<path class="level" d="M{chance} {TOP - 6}V{axes.base}"/>')
    for number, row in enumerate(rows):
        y, low, high = axes.y(-number), axes.x(row["low"]), axes.x(row["high"])
        mark = "again selected" if row["selected"] else "again"
        said = (
            f"{row['text']}: selected in {row['share']:.0%} of the selections, interval "
            f"{row['low']:.0%} to {row['high']:.0%}{_selected(row)}"
        )
        parts.append(
            f'<g class="{mark}"{tip(said)}><path d="M{low} {y}H{high}"/>'
            f'<circle cx="{axes.x(row["share"])}" cy="{y}" r="4.5"/></g>'
        )
    said = "; ".join(f"{row['label']} {row['share']:.0%}" for row in rows[:3])
    label = f"How often {len(rows)} features are selected again: {said}"
    return axes.close(parts, f"{label} ...")


def folds_chart(nested: dict[str, Any]) -> Markup:
    """Draw the outer folds one by one: where features were chosen, unseen, of all features."""
    folds = nested["folds"]
    scores = [fold[name] for fold in folds for name in ("inner", "outer", "all_features")]
    pad = 0.06 * (max(scores) - min(scores))
    axes = Axes.of_rows((min(scores) - pad, max(scores) + pad), len(folds))
    names = [f"fold {fold['number']}: {fold['n_selected']:,} features" for fold in folds]
    parts = axes.named_frame(nested["scoring"], names)
    for row, fold in enumerate(folds):
        y = axes.y(-row)
        inner, outer, everything = (axes.x(fold[n]) for n in ("inner", "outer", "all_features"))
        said = (
            f"Fold {fold['number']}: {fold['outer']:.4f} on unseen rows, {fold['inner']:.4f} on "
            f"the rows used to choose; all features {fold['all_features']:.4f} on unseen rows"
        )
        parts.append(
            f'<g{tip(said)}><path class="span" d="M{inner} {y}H{outer}"/>'
            f'<path class="level" d="M{everything} {y - 7}v14"/>'
            f'<circle class="inner" cx="{inner}" cy="{y}" r="4.5"/>'
            f'<circle class="best" cx="{outer}" cy="{y}" r="4.5"/></g>'
        )
    label = (
        f"{len(folds)} outer folds: {nested['outer']['mean']:.4f} on unseen rows on average, "
        f"{nested['inner']['mean']:.4f} on the rows used to choose, all features "
        f"{nested['all_features']['mean']:.4f}."
    )
    return axes.close(parts, label)


def effects_chart(effects: dict[str, Any]) -> Markup:
    """Draw what features add as bars with names and intervals."""
    bars = effects["bars"]
    ends = [0.0, *(bar["low"] for bar in bars), *(bar["high"] for bar in bars)]
    axes = Axes.of_rows((min(ends), max(ends)), len(bars))
    parts = axes.named_frame("what it adds to the score", [bar["label"] for bar in bars])
    zero = axes.x(0.0)
    for row, bar in enumerate(bars):
        middle, low, high = axes.y(-row), axes.x(bar["low"]), axes.x(bar["high"])
        said = (
            f"{bar['name']['text']}: adds {bar['value']:+z.4f}, interval {bar['low']:+z.4f} to "
            f"{bar['high']:+z.4f}{_selected(bar)}"
        )
        parts.append(
            f"<g{tip(said)}>{_bar(axes, row, bar)}"
            f'<path class="whisker" d="M{low} {middle - 3:.1f}v6m0-3H{high}m0-3v6"/></g>'
        )
    parts.append(f'<path class="axis" d="M{zero} {TOP - 6}V{axes.base}"/>')
    said = "; ".join(f"{bar['label']} {bar['value']:+z.4f}" for bar in bars[:3])
    label = f"What {len(bars)} of {effects['n_features']} features add, with intervals: {said}"
    return axes.close(parts, f"{label} ...")


def _bar(axes: Axes, row: int, bar: dict[str, Any], more: str = "") -> str:
    middle, (left, right) = axes.y(-row), sorted((axes.x(0.0), axes.x(bar["value"])))
    mark = " ".join(["bar", *(name for name in ("selected", "seldom") if bar[name])])
    return (
        f'<rect class="{mark}" x="{left:.1f}" y="{middle - 6:.1f}" '
        f'width="{max(0.6, right - left):.1f}" height="12"{more}/>'
    )


def _seldom(bar: dict[str, Any]) -> str:
    return ' class="seldom"' if bar["seldom"] else ""


def _selected(row: dict[str, Any]) -> str:
    said = "; selected" if row["selected"] else "; not selected"
    return f"{said}, but rarely again" if row["selected"] and row.get("seldom") else said
