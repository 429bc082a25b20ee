"""Scores of all evaluated subsets against their number of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nffs.plotting._display import SizesDisplay
from nffs.report.palette import BLUE, INK, MARK
from nffs.selection import Selection


@dataclass(kw_only=True, eq=False, repr=False)
class SubsetsDisplay(SizesDisplay):
    """Scores of the subsets that a method evaluated, against their size.

    Parameters
    ----------
    sizes, fitness : array of shape (n_subsets,)
        Features in each subset, and its score.
    chosen : (int, float)
        Size and score of the subset that was selected.
    all_features, scoring, evaluated_on, checked : optional
        As for `NestedCurveDisplay`.

    Attributes
    ----------
    points_ : matplotlib PathCollection
        The subsets.
    front_ : matplotlib Line2D
        The best score of every size.
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

    def __post_init__(self) -> None:
        self.sizes = np.asarray(self.sizes)
        self.fitness = np.asarray(self.fitness, dtype=np.float64)

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        return cls(
            sizes=selection.subset_sizes,
            fitness=selection.subset_fitness,
            chosen=(len(selection.selected_features), selection.fitness),
            **cls._about(selection),
        )

    def _plot_scores(self, ax: Any) -> None:
        self.points_ = ax.scatter(
            self.sizes, self.fitness, s=9, color=BLUE, alpha=0.45, linewidths=0, label="evaluated"
        )
        sizes = np.unique(self.sizes)
        best = [self.fitness[self.sizes == size].max() for size in sizes]
        (self.front_,) = ax.plot(sizes, best, color=INK, linewidth=0.8, label="best of each size")
        size, score = self.chosen
        (self.chosen_,) = ax.plot(
            size, score, linestyle="none", marker="D", markersize=5, color=MARK,
            label=f"chosen: {size} features, {score:.3f}",
        )  # fmt: skip
