"""What all displays share: axes for the screen or for a paper, bars with names."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError
from nffs.report.names import visible
from nffs.report.palette import BAR, BLUE

Width = Literal["screen", "single", "double"] | float

#: Inches of a figure on the screen, and of one and of two columns of a paper.
WIDTHS = {"screen": 6.4, "single": 3.4, "double": 7.0}

#: What is not selected: grey and transparent, so that it is paler than blue on any background.
UNMARKED = (BAR, 0.55)

#: A subset among many.
DOTS = {"s": 16, "color": BLUE, "alpha": 0.6, "linewidths": 0}

#: Grey that is readable on white and on black, for figures without a background. Jupyter puts a box
#: behind a figure whose ticks are all dark or all light, so one axis has ticks of either kind.
_NEUTRAL, _NEUTRAL_TICKS = "#777777", {"x": "#777777", "y": "#818181"}

#: Pictures of control characters, which matplotlib's own font lacks.
_PICTURES = re.compile("[\u2400-\u2421]")

#: Font sizes of axis labels and of smaller text, and how much taller a figure is than in a column.
_PAPER, _SCREEN = (8, 7, 1.0), (10, 9, 1.35)


class Canvas:
    """Axes to draw on: the user's, left as they are, or our own, sized and labelled.

    Our own figure has the background and the text colour of matplotlib's style. If that is the
    white default, a figure for the screen has no background, and a text colour that is readable in
    any notebook, light or dark.
    """

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
        inches, on_screen = _size(width)
        self._label, self._small, stretch = _SCREEN if on_screen else _PAPER
        self.text_colour: str = pyplot.rcParams["text.color"]
        if self.own:
            size = inches, stretch * height
            figure, ax = pyplot.subplots(figsize=size, layout="constrained")
            if on_screen and pyplot.rcParams["figure.facecolor"] == "white":
                self.text_colour = _NEUTRAL
                _remove_background(figure, ax)
        self.ax, self.figure = ax, ax.figure
        self.ax.spines[["top", "right"]].set_visible(False)

    def finish(
        self, x_label: str, y_label: str, *, caption: str = "", legend: str | None = "best"
    ) -> None:
        """Label the axes; on our own figure also write the caption above and set font sizes.

        The legend goes where matplotlib's `loc` says, or "below" our own figure's axes.
        """
        ax = self.ax
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        if legend == "below" and self.own:
            shown = self.figure.legend(
                loc="outside lower center", ncols=2, frameon=False, labelcolor=self.text_colour
            )
        else:
            place = "best" if legend == "below" else legend
            shown = (
                ax.legend(loc=place, frameon=False, labelcolor=self.text_colour) if place else None
            )
        if not self.own:
            return
        if caption:
            # Over the whole figure: names at the left leave little room above the axes.
            inches = self.figure.get_size_inches()[0]
            lines = textwrap.fill(caption, int(112 * inches / self._small))
            self.figure.suptitle(
                lines, x=0.02, ha="left", fontsize=self._small, color=self.text_colour
            )
        for label in (ax.xaxis.label, ax.yaxis.label):
            label.set_fontsize(self._label)
        ax.tick_params(labelsize=self._small)
        for text in shown.get_texts() if shown else ():
            text.set_fontsize(self._small)


def _remove_background(figure: Any, ax: Any) -> None:
    figure.set_facecolor("none")
    ax.set_facecolor("none")
    for axis, label in ((ax.xaxis, ax.xaxis.label), (ax.yaxis, ax.yaxis.label)):
        axis.set_tick_params(color=_NEUTRAL, labelcolor=_NEUTRAL_TICKS[axis.axis_name])
        label.set_color(_NEUTRAL)
    for spine in ax.spines.values():
        spine.set_color(_NEUTRAL)


def named_height(n_names: int) -> float:
    """Give the height of a figure with so many names below each other."""
    return 0.75 + 0.145 * n_names


def name_rows(ax: Any, names: Sequence[str], longest: int = 26) -> None:
    """Write names at the left, the first on top; as they are: `$` does not start a formula."""
    ax.set_yticks(range(len(names)), [plain(_shorten(name, longest)) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def named_bars(canvas: Canvas, values: Any, marked: Any, names: Sequence[str], **more: Any) -> Any:
    """Draw bars with their names, the marked ones in blue."""
    colours = [BLUE if m else UNMARKED for m in marked]
    bars = canvas.ax.barh(range(len(values)), values, height=0.72, color=colours, **more)
    name_rows(canvas.ax, names)
    return bars


def mark_once(selected: NDArray[np.bool_]) -> list[str]:
    """Label the first bar of either kind; the others stay out of the legend."""
    labels = ["_"] * len(selected)
    for label, where in (("selected", selected), ("not selected", ~selected)):
        if where.any():
            labels[int(where.argmax())] = label
    return labels


def rest(n_shown: int, n_all: int) -> str:
    """Say how many features are not shown."""
    return "" if n_shown >= n_all else f"the first {n_shown} of {n_all} features"


def plain(text: str) -> str:
    """Keep matplotlib from reading a name as a formula, and files valid: no control characters."""
    return _PICTURES.sub("\N{REPLACEMENT CHARACTER}", visible(text)).replace("$", r"\$")


def rows_caption(evaluated_on: str) -> str:
    """Say which rows gave the scores, if that is known."""
    return f"evaluated on: {plain(evaluated_on)}" if evaluated_on else ""


def level(canvas: Canvas, score: float | None, *, upright: bool = False) -> None:
    """Draw the score of all features as a line, if it is known."""
    if score is not None:
        line = canvas.ax.axvline if upright else canvas.ax.axhline
        label = f"all features: {score:.3f}"
        line(score, color=canvas.text_colour, linestyle=":", linewidth=1.2, label=label)


def check_shown(n_features: int) -> int:
    """Check how many features to show."""
    if n_features < 1:
        raise InputError(f"n_features: must be 1 or more, found {n_features}.")
    return n_features


def _size(width: Width) -> tuple[float, bool]:
    """Give inches, and whether font sizes are those of a screen."""
    if not isinstance(width, str):
        return float(width), width >= 5
    if width not in WIDTHS:
        raise InputError(f"width: must be 'screen', 'single', 'double' or inches, found {width!r}.")
    return WIDTHS[width], width == "screen"


def _shorten(name: str, longest: int) -> str:
    # The middle goes: the head has the column, the tail the category.
    if len(name) <= longest:
        return name
    head = longest // 2
    return f"{name[:head]}…{name[-(longest - head - 1) :]}"
