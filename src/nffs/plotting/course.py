"""The course of a search: every score in order, and the best so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nffs.plotting._canvas import DOTS, Canvas, Width, level, plain, rows_caption
from nffs.plotting._display import ScoresDisplay
from nffs.report.palette import MARK
from nffs.selection import Selection


@dataclass(kw_only=True, eq=False, repr=False)
class CourseDisplay(ScoresDisplay):
    """Scores in the order of evaluation, and the best so far, for every method.

    Parameters
    ----------
    fitness : array of shape (n_subsets,)
        Scores in the order of evaluation.
    n_first : int, optional
        For the guided search, how many subsets were evaluated before its model proposed any; a line
        marks the place.
    all_features, scoring, evaluated_on : optional
        As for `NestedCurveDisplay`.

    Attributes
    ----------
    points_ : matplotlib PathCollection
        The scores.
    best_ : matplotlib Line2D
        The best so far.
    first_ : matplotlib Line2D or None
        Where the model starts to propose subsets.

    Examples
    --------
    >>> from nffs import Selector, make_connections
    >>> from nffs.plotting import CourseDisplay
    >>> table = make_connections(300)
    >>> selector = Selector("random", max_evaluations=12, random_state=0)
    >>> selector = selector.fit(table.data, table.target)
    >>> display = CourseDisplay.from_selector(selector)
    >>> bool(display.best_.get_ydata()[-1] == selector.archive_fitness_.max())
    True
    """

    fitness: Any
    n_first: int | None = None

    def __post_init__(self) -> None:
        self.fitness = np.asarray(self.fitness, dtype=np.float64)

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        learned = selection.learned
        return cls(
            fitness=selection.subset_fitness,
            n_first=None if learned is None else learned.expected.count(None),
            **cls._about(selection),
        )

    def plot(self, ax: Any = None, *, width: Width = "screen") -> Self:
        """Draw; `ax` and `width` as for `from_selection`."""
        canvas = Canvas(ax, width, 2.7)
        level(canvas, self.all_features)
        numbers = np.arange(1, len(self.fitness) + 1)
        self.points_ = canvas.ax.scatter(numbers, self.fitness, label="evaluated", **DOTS)
        (self.best_,) = canvas.ax.plot(
            numbers, np.maximum.accumulate(self.fitness), color=canvas.text_colour, linewidth=1.0,
            drawstyle="steps-post", label="best so far",
        )  # fmt: skip
        self.first_: Any = None
        if self.n_first:
            self.first_ = canvas.ax.axvline(
                self.n_first + 0.5, color=MARK, linestyle="--", linewidth=1.2,
                label="the model proposes",
            )  # fmt: skip
        canvas.ax.xaxis.get_major_locator().set_params(integer=True)
        caption = rows_caption(self.evaluated_on)
        canvas.finish("evaluation", plain(self.scoring), caption=caption, legend="below")
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
