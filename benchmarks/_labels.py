"""Names next to the points and lines of a picture, placed so that none overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: Places to try around a point, in points of the page: to the right first, then all around.
_AROUND = [
    (distance * x, distance * y)
    for distance in (5, 9, 14, 20, 27, 35)
    for x, y in (
        *((1, 0), (-1, 0), (0, 1), (0, -1)),
        *((0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7)),
    )
]

#: Lines that pass under a name leave it readable.
_BEHIND = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.4}

#: From this distance a thin line leads to the point.
_FAR = 12


def label_points(
    ax: Any,
    x: Sequence[float],
    y: Sequence[float],
    names: Sequence[str],
    colours: Sequence[str],
    radius: float = 3,
) -> None:
    """Write a name beside every point, the first ones nearest to theirs.

    Call it last: places depend on the limits of the axes. The radius is that of the largest point.
    """
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    points = ax.transData.transform(np.column_stack([x, y]))
    inside = ax.get_window_extent(renderer)
    # Boxes as x0, y0, x1, y1: the points themselves come first.
    taken = [np.array([*(point - radius), *(point + radius)]) for point in points]
    for place, name in enumerate(names):
        best: tuple[float, Any, np.ndarray] | None = None
        for dx, dy in _AROUND:
            dx, dy = dx + np.sign(dx) * (radius - 3), dy + np.sign(dy) * (radius - 3)
            text = ax.annotate(
                name, (x[place], y[place]), (dx, dy), textcoords="offset points", fontsize=6.5,
                color=colours[place], va="center", annotation_clip=False,
                ha="left" if dx > 0.5 else "right" if dx < -0.5 else "center",
                arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": colours[place]}
                if np.hypot(dx, dy) > _FAR
                else None,
                bbox=_BEHIND,
            )  # fmt: skip
            extent = text.get_window_extent(renderer)
            box = np.array([extent.x0, extent.y0, extent.x1, extent.y1])
            crossed = sum(_shared(box, other) for i, other in enumerate(taken) if i != place)
            crossed += 3 * max(0.0, box[2] - inside.x1) + 3 * max(0.0, inside.x0 - box[0])
            crossed += 3 * max(0.0, box[3] - inside.y1) + 3 * max(0.0, inside.y0 - box[1])
            if best is None or crossed < best[0]:
                if best is not None:
                    best[1].remove()
                best = (crossed, text, box)
            else:
                text.remove()
            if crossed == 0:
                break
        if best is not None:
            taken.append(best[2])


def label_ends(
    ax: Any, x: float, y: Sequence[float], names: Sequence[str], colours: Sequence[str]
) -> None:
    """Write names to the right of where lines end, moved apart where they would touch."""
    if not names:
        return
    low, high = ax.get_ylim()
    height = ax.get_position().height * ax.figure.get_size_inches()[1] * 72
    apart = 7.5 * (high - low) / height
    order = np.argsort(y)
    places = np.array(y, dtype=np.float64)[order]
    for _ in range(200):  # neighbours push each other until all have room
        gaps = np.diff(places)
        close = np.flatnonzero(gaps < apart * 0.999)
        if not len(close):
            break
        for i in close:
            push = (apart - (places[i + 1] - places[i])) / 2
            if push > 0:
                places[i] -= push
                places[i + 1] += push
    for place, i in zip(places, order, strict=True):
        ax.annotate(
            names[i], (x, y[i]), (8, (place - y[i]) / (high - low) * height),
            textcoords="offset points", fontsize=6.5, color=colours[i], va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": colours[i], "shrinkB": 2},
        )  # fmt: skip


def _shared(one: np.ndarray, other: np.ndarray) -> float:
    """Give the area that two boxes share."""
    sides = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    return float(sides.prod()) if (sides > 0).all() else 0.0
