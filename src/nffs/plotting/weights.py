"""The normalized frequencies of phase II, and which features they let in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError
from nffs.plotting._canvas import UNMARKED, Canvas, Width, mark_once, named_bars, named_height, rest
from nffs.plotting._display import FeaturesDisplay
from nffs.report.palette import BLUE
from nffs.selection import Selection


class WeightsDisplay(FeaturesDisplay):
    """The weights of phase II, largest first, the selected features marked.

    Bars with names for the first features, or with ``kind="ranks"`` all of them by rank.

    Parameters
    ----------
    weights : array of shape (n_features,)
        Normalized frequencies (WV2).
    names : sequence of str
        The features.
    selected : array of shape (n_features,), bool
        Which are selected.
    ranking : array of shape (n_features,), optional
        Rank of each feature, from 1; by default by weight.

    Attributes
    ----------
    bars_ : matplotlib BarContainer
        The bars, largest weight first.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs.plotting import WeightsDisplay
    >>> table = make_connections(300)
    >>> selector = NFFS(n_subsets=8, n_nested=4, random_state=0).fit(table.data, table.target)
    >>> display = WeightsDisplay.from_selector(selector, kind="ranks")
    >>> len(display.bars_) == len(selector.features_)
    True
    """

    KINDS = ("bars", "ranks")

    def __init__(
        self, *, weights: Any, names: Sequence[str], selected: Any, ranking: Any = None
    ) -> None:
        self.weights: NDArray[np.float64] = np.asarray(weights, dtype=np.float64)
        self.names = list(names)
        self.selected: NDArray[np.bool_] = np.asarray(selected, dtype=np.bool_)
        self.ranking = ranking

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        phases = cls._phases(selection)
        if selection.partial and not any(phases.weight):
            raise InputError(
                "selection: its search was stopped in phase I, before there were weights; run it "
                "to its end."
            )
        return cls(
            weights=phases.weight,
            names=[f.name for f in selection.features],
            selected=[f.selected for f in selection.features],
            ranking=phases.rank,
        )

    @property
    def _order(self) -> NDArray[np.intp]:
        ranks = -self.weights if self.ranking is None else np.asarray(self.ranking)
        return np.argsort(ranks, kind="stable")

    def _plot_first(self, ax: Any, width: Width, n_features: int) -> Canvas:
        order = self._order[:n_features]
        selected, names = self.selected[order], [self.names[i] for i in order]
        canvas = Canvas(ax, width, named_height(len(order)))
        self.bars_ = named_bars(
            canvas, self.weights[order], selected, names, label=mark_once(selected)
        )
        canvas.ax.axvline(0, color=canvas.text_colour, linewidth=0.6)
        caption = rest(len(order), len(self.weights))
        canvas.finish("weight (normalized frequency)", "", caption=caption, legend="lower right")
        return canvas

    def _plot_all(self, ax: Any, width: Width) -> Canvas:
        order = self._order
        weights, selected = self.weights[order], self.selected[order]
        canvas, places = Canvas(ax, width, 2.1), np.arange(1, len(order) + 1)
        colours = [BLUE if s else UNMARKED for s in selected]
        self.bars_ = canvas.ax.bar(places, weights, color=colours, label=mark_once(selected))
        canvas.ax.axhline(0, color=canvas.text_colour, linewidth=0.6)
        # Greys alone would not tell two colours of thin bars apart: a mark above does.
        above = np.maximum(weights[selected], 0) + 0.04 * np.ptp(weights)
        mark = {"linestyle": "none", "marker": "v", "markersize": 2.5, "color": canvas.text_colour}
        canvas.ax.plot(places[selected], above, **mark)
        canvas.ax.set_xlim(0, len(order) + 1)
        canvas.finish("rank", "weight", legend="upper right")
        return canvas
