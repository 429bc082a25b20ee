"""How often each feature is selected when the selection is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nffs.errors import InputError
from nffs.plotting._canvas import Canvas, Width, check_shown, name_rows, named_height
from nffs.report.palette import BLUE
from nffs.stability import Stability, nogueira, selection_frequencies


@dataclass(kw_only=True, eq=False, repr=False)
class StabilityDisplay:
    """How often each feature is selected, with its interval.

    Parameters
    ----------
    names : sequence of str
        The features.
    share, low, high : array of shape (n_features,)
        Share of the selections that have the feature, and its interval.
    stability : Stability
        Nogueira's measure of all selections; written above the plot.

    Attributes
    ----------
    points_ : matplotlib ErrorbarContainer
        The shares with their intervals, the most frequent feature first.

    Examples
    --------
    >>> from nffs.plotting import StabilityDisplay
    >>> selections = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]
    >>> display = StabilityDisplay.from_selections(selections, names=["a", "b", "c", "d"])
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['a', 'b', 'c']
    """

    names: Sequence[str]
    share: Any
    low: Any
    high: Any
    stability: Stability

    def __post_init__(self) -> None:
        self.names = list(self.names)
        for name in ("share", "low", "high"):
            setattr(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    @classmethod
    def from_result(cls, result: Any, ax: Any = None, **options: Any) -> Self:
        """Draw the result of `nffs.validation.selection_stability`; other options as for `plot`."""
        parts = {name: getattr(result, name) for name in cls.__dataclass_fields__}
        return cls(**parts).plot(ax, **options)

    @classmethod
    def from_selections(
        cls,
        selections: Any,
        *,
        names: Sequence[str] | None = None,
        confidence: float = 0.95,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the stability of any table of selections.

        Parameters
        ----------
        selections : array-like of shape (n_selections, n_features)
            Which features each selection has, as booleans or 0 and 1.
        names : sequence of str, optional
            The features; by default x0, x1, ...
        confidence : float, default=0.95
            Level of the intervals.
        ax, **options
            As for `plot`.
        """
        stability = nogueira(selections, confidence)
        share, low, high = selection_frequencies(selections, confidence)
        if names is None:
            names = [f"x{i}" for i in range(len(share))]
        if len(names) != len(share):
            raise InputError(
                f"names: found {len(names)} names for {len(share)} features; give one for each."
            )
        display = cls(names=names, share=share, low=low, high=high, stability=stability)
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, *, n_features: int = 20, width: Width = "screen") -> Self:
        """Draw; `ax` and `width` as for `FitnessDisplay.from_selection`.

        Parameters
        ----------
        n_features : int, default=20
            The most features. Those that were never selected are left out.
        """
        order = np.argsort(-self.share, kind="stable")
        order = order[self.share[order] > 0]
        ever, order = len(order), order[: check_shown(n_features)]
        share, places = self.share[order], np.arange(len(order))
        canvas = Canvas(ax, width, named_height(len(order)) + 0.15)
        canvas.ax.axvline(
            self.stability.mean_size / self.stability.n_features,
            color=canvas.text_colour, linestyle=":", linewidth=1.2,
        )  # fmt: skip
        self.points_ = canvas.ax.errorbar(
            share, places, xerr=np.abs([share - self.low[order], self.high[order] - share]),
            fmt="o", markersize=5, color=BLUE, ecolor=BLUE, elinewidth=1.2, capsize=2,
        )  # fmt: skip
        name_rows(canvas.ax, [self.names[i] for i in order])
        canvas.ax.set_xlim(0, 1.03)
        measured = self.stability
        caption = (
            f"stability {measured.value:.2f} [{measured.low:.2f}, {measured.high:.2f}] over "
            f"{measured.n_selections} selections"
        )
        if len(order) < ever:
            caption += f"; {len(order)} of {ever} features that were ever selected"
        caption += "; dotted: by chance"
        level = f"{measured.confidence:.0%}".replace("%", " %")
        canvas.finish(f"share of selections, {level} interval", "", caption=caption, legend=None)
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
