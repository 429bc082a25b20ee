"""The pictures of the comparison study, in the colours and fonts of our other plots."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from _kept import points
from _labels import label_ends, label_points
from _study import OURS, AtBudget, curves, gain, score_by_budget
from matplotlib import pyplot
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from nffs.plotting._canvas import Canvas
from nffs.report.palette import BAR, BLUE, GREEN, INK, LINE, MARK, PURPLE, SOFT
from nffs.validation.comparison.ranks import not_apart

#: Methods with a colour of their own; the others are grey.
COLOURS = {OURS: BLUE, "nffs": MARK, "ga": GREEN, "spsa": PURPLE, "all": INK}

#: A difference to all columns at which the heat map's colours end.
_END = 0.08

_WIDTH, _SMALL = 7.0, 6.5


def colour(method: str) -> str:
    """Give a method its colour."""
    return COLOURS.get(method, SOFT)


def critical_difference(at: AtBudget) -> Figure:
    """Draw mean ranks on a line; a bar joins methods that the tables cannot tell apart."""
    methods, ranks = at.methods, at.ranks
    n = len(methods)
    groups = [
        [ranks.mean[i] for i in group]
        for group in not_apart(ranks.mean, ranks.critical_difference or 0.0)
    ]
    rows = -(-n // 2)
    figure, ax = pyplot.subplots(figsize=(_WIDTH, 0.75 + 0.1 * len(groups) + 0.15 * rows))
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.99)
    low, high = 1.0, float(max(n, 2))
    margin = 0.28 * (high - low)
    bars = 0.45 * len(groups)
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(bars + 0.9 + rows, -2.2)
    ax.axis("off")
    ax.plot([low, high], [0, 0], color=INK, linewidth=1)
    step = max(1, n // 10)
    for tick in range(1, n + 1, step):
        ax.plot([tick, tick], [0, -0.25], color=INK, linewidth=0.8)
        ax.text(tick, -0.4, str(tick), ha="center", va="bottom", fontsize=_SMALL, color=SOFT)
    for place, group in enumerate(groups):
        level = 0.4 + 0.45 * place
        ax.plot([min(group) - 0.04, max(group) + 0.04], [level, level], color=BAR, linewidth=2.6,
                solid_capstyle="round")  # fmt: skip
    for place, (method, mean) in enumerate(zip(methods, ranks.mean, strict=True)):
        is_left = place < rows
        level = bars + 0.9 + (place if is_left else n - 1 - place)
        end = low - 0.03 * margin if is_left else high + 0.03 * margin
        ax.plot([mean, mean, end], [0, level, level], color=colour(method), linewidth=0.8)
        ax.text(
            end, level, f"{method}  {mean:.2f} " if is_left else f" {mean:.2f}  {method}",
            ha="right" if is_left else "left", va="center", fontsize=7, color=colour(method),
            fontweight="bold" if method == OURS else "normal",
        )  # fmt: skip
    if ranks.critical_difference is not None:
        ruler = min(ranks.critical_difference, high - low)
        ax.plot([low, low + ruler], [-1.5, -1.5], color=INK, linewidth=1.2, marker="|")
        ax.text(
            low + ruler + 0.01 * (high - low), -1.5,
            f" critical difference {ranks.critical_difference:.2f}", va="center",
            fontsize=_SMALL, color=SOFT,
        )  # fmt: skip
    return figure


def heat_map(at: AtBudget, marked: Collection[str]) -> Figure:
    """Draw what every selection adds to all columns: methods by tables, the best method first."""
    values = at.means(gain).T
    order = np.argsort(-values.mean(axis=0), kind="stable")
    tables = [at.tables[i] for i in order]
    height = 1.1 + 0.15 * len(at.methods)
    figure, ax = pyplot.subplots(figsize=(_WIDTH, height), layout="constrained")
    colours = LinearSegmentedColormap.from_list("difference", [MARK, "#ffffff", BLUE])
    drawn = ax.pcolormesh(values[:, order], cmap=colours, vmin=-_END, vmax=_END,
                          edgecolors="white", linewidth=0.6)  # fmt: skip
    names = [f"{table} *" if table in marked else table for table in tables]
    ax.set_xticks(np.arange(len(tables)) + 0.5, names, rotation=90, fontsize=_SMALL)
    ax.set_yticks(np.arange(len(at.methods)) + 0.5, at.methods, fontsize=_SMALL)
    for label, method in zip(ax.get_yticklabels(), at.methods, strict=True):
        label.set_color(colour(method))
    ax.invert_yaxis()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = figure.colorbar(drawn, ax=ax, fraction=0.025, pad=0.01, extend="both")
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=_SMALL, length=0)
    bar.set_label("deployed models' score minus all columns'", fontsize=_SMALL)
    return figure


def by_evaluations(study: Sequence[AtBudget]) -> Figure:
    """Draw what more evaluations buy: what the search sees, and what deployed models get of it."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(_WIDTH, 3.1))
    figure.subplots_adjust(0.09, 0.15, 0.88, 0.9, wspace=0.62)
    last = study[-1]
    at = points(last.budget)
    seen = curves(last, at)
    tables, deployed = score_by_budget(study)
    budgets = [at.budget for at in study]
    for ax, title in (
        (left, f"best score so far, {len(last.tables)} tables"),
        (right, f"deployed models on unseen rows, {len(tables)} tables"),
    ):
        Canvas(ax, "double", 3.1)
        _logarithmic(ax)
        ax.axhline(0, color=INK, linestyle=":", linewidth=1)
        ax.set_title(title, fontsize=7, color=SOFT, loc="left")
        ax.set_xlabel("evaluations", fontsize=8)
        ax.tick_params(labelsize=7)
    left.set_ylabel("minus all columns'", fontsize=8)
    for method, values in seen.items():
        left.plot(at, values, **_line(method))
    # All curves start with one subset: what is far below would flatten the rest.
    lowest = min((values[len(at) // 3] for values in seen.values()), default=-0.1)
    highest = max((values.max() for values in seen.values()), default=0.1)
    left.set_ylim(lowest, highest + 0.05 * (highest - lowest))
    shown = {method: values for method, values in deployed.items() if method != "all"}
    for method, values in shown.items():
        right.plot(budgets, values, marker="o", markersize=3, **_line(method))
    right.set_xticks(budgets, [str(budget) for budget in budgets])
    right.minorticks_off()
    for ax, ends, x in ((left, {m: v[-1] for m, v in seen.items()}, last.budget),
                        (right, {m: v[-1] for m, v in shown.items()}, budgets[-1])):  # fmt: skip
        label_ends(ax, x, list(ends.values()), list(ends), [colour(m) for m in ends])
    return figure


def by_seconds(study: Sequence[AtBudget]) -> Figure:
    """Draw what a search costs and what deployed models get of it; budgets of a method joined."""
    figure, ax = pyplot.subplots(figsize=(_WIDTH, 3.6))
    figure.subplots_adjust(0.1, 0.13, 0.97, 0.97)
    Canvas(ax, "double", 3.6)
    ways: dict[str, list[tuple[float, float]]] = {}
    for at in study:
        seconds = np.exp(np.log(at.means(lambda run: max(run["seconds"], 1e-3))).mean(axis=0))
        gains = at.means(gain).mean(axis=0)
        for method, x, y in zip(at.methods, seconds, gains, strict=True):
            ways.setdefault(method, []).append((float(x), float(y)))
    ways.pop("all", None)
    _logarithmic(ax)
    ax.axhline(0, color=INK, linestyle=":", linewidth=1)
    for method, way in ways.items():
        x, y = np.transpose(way)
        ax.plot(x, y, **_line(method))
        sizes = np.linspace(10, 34, len(way)) if len(way) > 1 else [22.0]
        ax.scatter(x, y, s=sizes, color=colour(method), zorder=3, linewidth=0)
    _finish(ax, "seconds of a search, geometric mean over tables",
            "deployed models' score minus all columns'")  # fmt: skip
    names = sorted(ways, key=lambda method: method not in COLOURS)
    ends = [ways[name][-1] for name in names]
    label_points(ax, [x for x, _ in ends], [y for _, y in ends], names, list(map(colour, names)))
    return figure


def by_stability(at: AtBudget) -> Figure:
    """Draw how alike the selections of several seeds are, and what deployed models get of them."""
    figure, ax = pyplot.subplots(figsize=(_WIDTH, 3.6))
    figure.subplots_adjust(0.1, 0.13, 0.97, 0.97)
    Canvas(ax, "double", 3.6)
    x, y = at.means(gain).mean(axis=0), np.nanmean(at.stability(), axis=0)
    shares = at.shares().mean(axis=0)
    kept = [i for i, method in enumerate(at.methods) if method != "all"]
    names = [at.methods[i] for i in kept]
    colours = [colour(name) for name in names]
    ax.scatter(x[kept], y[kept], s=12 + 130 * shares[kept], color=colours, alpha=0.75, linewidth=0)
    ax.axvline(0, color=INK, linestyle=":", linewidth=1)
    _finish(ax, "deployed models' score minus all columns'",
            "stability over seeds (Nogueira)")  # fmt: skip
    label_points(ax, list(x[kept]), list(y[kept]), names, colours, radius=5)
    return figure


def _logarithmic(ax: Any) -> None:
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _finish(ax: Any, x_label: str, y_label: str) -> None:
    ax.margins(0.08)
    ax.set_xlabel(x_label, fontsize=8)
    ax.set_ylabel(y_label, fontsize=8)
    ax.tick_params(labelsize=7)


def _line(method: str) -> dict[str, Any]:
    is_ours = method == OURS
    return {
        "color": colour(method) if method in COLOURS else LINE,
        "linewidth": 2.0 if is_ours else 1.2,
        "zorder": 3 if is_ours else 2 if method in COLOURS else 1,
    }
