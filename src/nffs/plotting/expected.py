"""What the model of the guided search expected, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nffs.errors import InputError
from nffs.plotting._canvas import DOTS, Canvas, Width, plain, rows_caption
from nffs.plotting._display import ScoresDisplay
from nffs.selection import Selection


@dataclass(kw_only=True, eq=False, repr=False)
class ExpectedDisplay(ScoresDisplay):
    """Observed scores against those that the model of the guided search expected.

    Parameters
    ----------
    expected, fitness : array of shape (n_subsets,)
        The score that the model expected for each subset before it was evaluated, and its actual
        score. Subsets that the model did not propose are left out.
    scoring, evaluated_on : optional
        As for `NestedCurveDisplay`.

    Attributes
    ----------
    points_ : matplotlib PathCollection
        The subsets.
    diagonal_ : matplotlib Line2D
        Where scores are as expected.

    Examples
    --------
    >>> from nffs import Selector, make_connections
    >>> from nffs.plotting import ExpectedDisplay
    >>> table = make_connections(300)
    >>> selector = Selector("guided", max_evaluations=20, random_state=0)
    >>> selector = selector.fit(table.data, table.target)
    >>> len(ExpectedDisplay.from_selector(selector).points_.get_offsets())
    14
    """

    expected: Any
    fitness: Any

    def __post_init__(self) -> None:
        self.expected = np.asarray(self.expected, dtype=np.float64)
        self.fitness = np.asarray(self.fitness, dtype=np.float64)

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        learned = cls._learned(selection)
        pairs = zip(learned.expected, learned.fitness, strict=True)
        asked = [pair for pair in pairs if pair[0] is not None]
        if not asked:
            raise InputError(
                "selection: its search ended before the model proposed anything; allow more "
                "evaluations."
            )
        expected, fitness = zip(*asked, strict=True)
        return cls(expected=expected, fitness=fitness, **cls._about(selection))

    def plot(self, ax: Any = None, *, width: Width = "screen") -> Self:
        """Draw; `ax` and `width` as for `from_selection`."""
        canvas = Canvas(ax, width, 2.7)
        middle = float(np.median(self.fitness))
        self.diagonal_ = canvas.ax.axline(
            (middle, middle),
            slope=1,
            color=canvas.text_colour,
            linestyle=":",
            linewidth=1.2,
            label="as expected",
        )
        self.points_ = canvas.ax.scatter(
            self.expected, self.fitness, label="proposed subsets", **DOTS
        )
        scoring = plain(self.scoring)
        caption = rows_caption(self.evaluated_on)
        canvas.finish(f"expected {scoring}", f"observed {scoring}", caption=caption, legend="below")
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
