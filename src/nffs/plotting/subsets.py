"""Scores of all evaluated subsets against their number of features, and their front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nffs.plotting._canvas import DOTS, Canvas
from nffs.plotting._display import SizesDisplay
from nffs.report.palette import MARK
from nffs.selection import Selection, front_places


@dataclass(kw_only=True, eq=False, repr=False)
class SubsetsDisplay(SizesDisplay):
    """Scores of the subsets that a method evaluated, against their size, and their front.

    The front is the best score for each number of features or fewer; `Selection.at_most` takes any
    of its points. After a final check it is the front of the candidates, which are drawn next to
    the subsets of the search.

    Parameters
    ----------
    sizes, fitness : array of shape (n_subsets,)
        Features in each subset, and its score.
    chosen : (int, float)
        Size and score of the subset that was selected.
    candidates : array of shape (n_candidates, 2), optional
        Sizes and scores of the candidates of a final check.
    front : array of shape (n_points, 2), optional
        Sizes and scores of the front; by default that of the subsets.
    all_features, scoring, evaluated_on, checked : optional
        As for `NestedCurveDisplay`.

    Attributes
    ----------
    points_ : matplotlib PathCollection
        The subsets.
    candidates_ : matplotlib PathCollection or None
        The candidates of the final check.
    front_ : matplotlib Line2D
        The front.
    chosen_ : matplotlib Line2D
        The selected subset.

    Examples
    --------
    >>> from nffs import Selector, make_connections
    >>> from nffs.plotting import SubsetsDisplay
    >>> table = make_connections(300)
    >>> selector = Selector("random", max_evaluations=12, random_state=0)
    >>> selector = selector.fit(table.data, table.target)
    >>> display = SubsetsDisplay.from_selector(selector)
    >>> len(display.points_.get_offsets())
    12
    """

    sizes: Any
    fitness: Any
    chosen: tuple[int, float]
    candidates: Any = None
    front: Any = None

    def __post_init__(self) -> None:
        self.sizes = np.asarray(self.sizes)
        self.fitness = np.asarray(self.fitness, dtype=np.float64)
        if self.front is None:
            places = front_places(self.sizes.tolist(), self.fitness.tolist())
            self.front = np.c_[self.sizes, self.fitness][places]
        self.front = np.asarray(self.front, dtype=np.float64)
        if self.candidates is not None:
            self.candidates = np.asarray(self.candidates, dtype=np.float64)

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        final, front = selection.final, selection.front
        return cls(
            sizes=selection.subset_sizes,
            fitness=selection.subset_fitness,
            chosen=(len(selection.selected_features), selection.fitness),
            candidates=None if final is None else np.c_[final.sizes, final.fitness],
            front=None if front is None else [(p.size, p.fitness) for p in front.points],
            **cls._about(selection),
        )

    def _plot_scores(self, canvas: Canvas) -> None:
        ax = canvas.ax
        self.points_ = ax.scatter(self.sizes, self.fitness, label="evaluated", **DOTS)
        self.candidates_: Any = None
        if self.candidates is not None:
            self.candidates_ = ax.scatter(
                *self.candidates.T, s=18, marker="s",
                facecolors="none", edgecolors=canvas.text_colour,
                linewidths=0.7, label="in the final check",
            )  # fmt: skip
        # The last point is the best of any larger number too.
        known = [
            self.sizes,
            self.front[:, 0],
            [] if self.candidates is None else self.candidates[:, 0],
        ]
        end = (max(np.concatenate(known)), self.front[-1, 1])
        (self.front_,) = ax.plot(
            *np.array([*self.front, end]).T, color=canvas.text_colour, linewidth=1.0,
            drawstyle="steps-post", label="front",
        )  # fmt: skip
        size, score = self.chosen
        (self.chosen_,) = ax.plot(
            size, score, linestyle="none", marker="D", markersize=5, color=MARK,
            label=f"chosen: {size} features, {score:.3f}",
        )  # fmt: skip
