"""What all displays share: axes of a paper's size, colours that survive print, bars with names."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError
from nffs.report.palette import BLUE, LINE, SOFT

Width = Literal["single", "double"] | float

#: Inches of one and of two columns of a paper.
WIDTHS = {"single": 3.4, "double": 7.0}

#: Stripes mark what matters where colours are lost.
STRIPES = "/////"

_LABEL, _SMALL = 8, 7


class Canvas:
    """Axes to draw on: the user's, left as they are, or our own, sized and labelled for print."""

    def __init__(self, ax: Any, width: Width, height: float) -> None:
        # Imported when something is drawn: `import nffs.plotting` stays quick.
        try:
            import matplotlib.pyplot as pyplot
        except ImportError as error:
            raise ImportError(
                "nffs.plotting needs matplotlib, a dependency of nffs that is missing here; "
                "install it with `pip install matplotlib`."
            ) from error
        self.own = ax is None
        if self.own:
            _, ax = pyplot.subplots(figsize=(_inches(width), height), layout="constrained")
        self.ax, self.figure = ax, ax.figure
        self.ax.spines[["top", "right"]].set_visible(False)

    def finish(
        self, x_label: str, y_label: str, *, caption: str = "", legend: str | None = "best"
    ) -> None:
        """Label the axes; on our own figure also write the caption above and set the letters small.

        The legend goes where matplotlib's `loc` says, or "below" our own figure's axes.
        """
        ax = self.ax
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        if legend == "below" and self.own:
            shown = self.figure.legend(loc="outside lower center", ncols=2, frameon=False)
        else:
            place = "best" if legend == "below" else legend
            shown = ax.legend(loc=place, edgecolor="none", framealpha=0.85) if place else None
        if not self.own:
            return
        if caption:
            # Over the whole figure: names at the left leave little room above the axes.
            lines = textwrap.fill(caption, int(16 * self.figure.get_size_inches()[0]))
            self.figure.suptitle(lines, x=0.02, ha="left", fontsize=_SMALL, color=SOFT)
        for label in (ax.xaxis.label, ax.yaxis.label):
            label.set_fontsize(_LABEL)
        ax.tick_params(labelsize=_SMALL)
        for text in shown.get_texts() if shown else ():
            text.set_fontsize(_SMALL)


def named_height(n_names: int) -> float:
    """Give the height of a figure with so many names below each other."""
    return 0.75 + 0.145 * n_names


def name_rows(ax: Any, names: Sequence[str], longest: int = 26) -> None:
    """Write names at the left, the first on top; they are data, never mathematics."""
    ax.set_yticks(range(len(names)), [plain(_shorten(name, longest)) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def named_bars(canvas: Canvas, values: Any, marked: Any, names: Sequence[str], **more: Any) -> Any:
    """Draw bars with their names, the marked ones in blue and striped."""
    bars = canvas.ax.barh(
        range(len(values)),
        values,
        height=0.72,
        color=[BLUE if m else LINE for m in marked],
        hatch=[STRIPES if m else "" for m in marked],
        edgecolor="white",
        linewidth=0,
        **more,
    )
    name_rows(canvas.ax, names)
    return bars


def mark_once(selected: NDArray[np.bool_]) -> list[str]:
    """Label the first bar of either sort; the others stay out of the legend."""
    labels = ["_"] * len(selected)
    for label, where in (("selected", selected), ("not selected", ~selected)):
        if where.any():
            labels[int(where.argmax())] = label
    return labels


def rest(n_shown: int, n_all: int) -> str:
    """Say how many features are not shown."""
    return "" if n_shown >= n_all else f"the first {n_shown} of {n_all} features"


def plain(text: str) -> str:
    """Keep matplotlib from reading a name as mathematics."""
    return text.replace("$", r"\$")


def rows_caption(evaluated_on: str) -> str:
    """Say which rows gave the scores, if that is known."""
    return f"evaluated on: {plain(evaluated_on)}" if evaluated_on else ""


def level(line: Any, score: float | None) -> None:
    """Draw the score of all features with `axhline` or `axvline`, if it is known."""
    if score is not None:
        label = f"all features: {score:.3f}"
        line(score, color=SOFT, linestyle=":", linewidth=1.2, label=label)


def check_shown(n_features: int) -> int:
    """Check how many features to show."""
    if n_features < 1:
        raise InputError(f"n_features: must be 1 or more, found {n_features}.")
    return n_features


def _inches(width: Width) -> float:
    if isinstance(width, str):
        if width not in WIDTHS:
            raise InputError(f"width: must be 'single', 'double' or inches, found {width!r}.")
        return WIDTHS[width]
    return float(width)


def _shorten(name: str, longest: int) -> str:
    # The middle goes: the head has the column, the tail the category.
    if len(name) <= longest:
        return name
    head = longest // 2
    return f"{name[:head]}…{name[-(longest - head - 1) :]}"
