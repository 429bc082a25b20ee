"""What every feature adds, by the model of the guided search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nffs.plotting._canvas import UNMARKED, Canvas, Width, mark_once, named_bars, named_height, rest
from nffs.plotting._display import FeaturesDisplay
from nffs.report.learned import REACH
from nffs.report.palette import BAR, BLUE
from nffs.selection import Selection


class EffectsDisplay(FeaturesDisplay):
    """What every feature adds to the score of the subsets it is in, with 95 % intervals.

    Bars with names for the largest effects, from the most helpful to the most harmful, the selected
    features marked; or with ``kind="ranks"`` all of them in that order.

    Parameters
    ----------
    effects, errors : array of shape (n_features,)
        What each feature adds, and its standard error.
    names : sequence of str
        The features.
    selected : array of shape (n_features,), bool
        Which are selected.

    Attributes
    ----------
    bars_ : matplotlib BarContainer
        The effects.
    intervals_ : matplotlib LineCollection
        Their intervals.

    Examples
    --------
    >>> from nffs import Selector, make_connections
    >>> from nffs.plotting import EffectsDisplay
    >>> table = make_connections(300)
    >>> selector = Selector("guided", max_evaluations=20, random_state=0)
    >>> selector = selector.fit(table.data, table.target)
    >>> display = EffectsDisplay.from_selector(selector, n_features=5)
    >>> len(display.bars_), display.ax_.get_xlabel()
    (5, 'what it adds to the score')
    """

    KINDS = ("bars", "ranks")

    def __init__(self, *, effects: Any, errors: Any, names: Sequence[str], selected: Any) -> None:
        self.effects: NDArray[np.float64] = np.asarray(effects, dtype=np.float64)
        self.errors: NDArray[np.float64] = np.asarray(errors, dtype=np.float64)
        self.names = list(names)
        self.selected: NDArray[np.bool_] = np.asarray(selected, dtype=np.bool_)

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        learned = cls._learned(selection)
        found = zip(selection.features, learned.effect, learned.effect_error, strict=True)
        # Constant and excluded features are in no subset.
        tried = [one for one in found if not (one[0].constant or one[0].excluded)]
        return cls(
            effects=[effect for _, effect, _ in tried],
            errors=[error for *_, error in tried],
            names=[feature.name for feature, *_ in tried],
            selected=[feature.selected for feature, *_ in tried],
        )

    def _plot_first(self, ax: Any, width: Width, n_features: int) -> Canvas:
        largest = np.argsort(-np.abs(self.effects), kind="stable")[:n_features]
        order = largest[np.argsort(-self.effects[largest], kind="stable")]
        names, selected = [self.names[i] for i in order], self.selected[order]
        canvas = Canvas(ax, width, named_height(len(order)) + 0.15)
        self.bars_ = named_bars(
            canvas, self.effects[order], selected, names, label=mark_once(selected), alpha=0.5
        )
        low, high = self._interval(order)
        self.intervals_ = canvas.ax.hlines(
            np.arange(len(order)), low, high, color=_line_colours(selected), linewidth=1.6
        )
        canvas.ax.axvline(0, color=canvas.text_colour, linewidth=0.6)
        canvas.ax.xaxis.get_major_locator().set_params(nbins=6)
        caption = rest(len(order), len(self.effects)).replace("first", "largest")
        caption += "; " if caption else ""
        canvas.finish(
            "what it adds to the score", "", caption=f"{caption}lines: 95 % intervals",
            legend="lower right",
        )  # fmt: skip
        return canvas

    def _plot_all(self, ax: Any, width: Width) -> Canvas:
        order = np.argsort(-self.effects, kind="stable")
        selected, places = self.selected[order], np.arange(1, len(order) + 1)
        canvas = Canvas(ax, width, 2.1)
        low, high = self._interval(order)
        self.intervals_ = canvas.ax.vlines(
            places, low, high, color=_line_colours(selected), linewidth=0.8
        )
        self.bars_ = canvas.ax.bar(
            places, self.effects[order], color=[BLUE if s else UNMARKED for s in selected],
            label=mark_once(selected), alpha=0.5,
        )  # fmt: skip
        canvas.ax.axhline(0, color=canvas.text_colour, linewidth=0.6)
        # Greys alone would not tell two colours of thin bars apart: a mark above does.
        above = np.maximum(high[selected], 0) + 0.04 * np.ptp([low, high])
        mark = {"linestyle": "none", "marker": "v", "markersize": 2.5, "color": canvas.text_colour}
        canvas.ax.plot(places[selected], above, **mark)
        canvas.ax.set_xlim(0, len(order) + 1)
        canvas.finish("rank", "what it adds", caption="lines: 95 % intervals", legend="upper right")
        return canvas

    def _interval(self, order: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        reach = REACH * self.errors[order]
        return self.effects[order] - reach, self.effects[order] + reach


def _line_colours(selected: NDArray[np.bool_]) -> list[str]:
    """Give intervals the colour of their bars, which are paler."""
    return [BLUE if s else BAR for s in selected]
