"""The nested curve: fitness against the number of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nffs.plotting._canvas import Canvas
from nffs.plotting._display import SizesDisplay
from nffs.report.palette import BLUE, MARK
from nffs.selection import Selection


@dataclass(kw_only=True, eq=False, repr=False)
class NestedCurveDisplay(SizesDisplay):
    """Fitness of the nested subsets against their size.

    Parameters
    ----------
    sizes, fitness : array of shape (n_nested,)
        Features in each nested subset, and its fitness.
    standard_errors : array of shape (n_nested,), optional
        Standard errors of the fitness, from folds and parameter groups; drawn as a band.
    chosen : int
        Size of the subset that was kept.
    chosen_fitness : float, optional
        Its fitness, if it is not the nested subset of this size, or was scored on other rows: by
        default the nested subset's.
    one_se : int, optional
        Size of the smallest subset within one standard error of the best.
    all_features : float, optional
        Fitness of all features together.
    scoring, evaluated_on : str
        What is measured, and on which rows; these are written above the plot.
    checked : bool, default=False
        Whether a final check, on other rows, scored the chosen subset; the caption says so.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib FillBetweenPolyCollection or None
        One standard error to either side.
    chosen_, one_se_ : matplotlib Line2D or None
        The marked points.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs.plotting import NestedCurveDisplay
    >>> table = make_connections(300)
    >>> selector = NFFS(n_subsets=8, n_nested=4, random_state=0).fit(table.data, table.target)
    >>> display = NestedCurveDisplay.from_selector(selector)
    >>> display.sizes.tolist(), display.chosen == len(selector.selected_features_)
    ([1, 2, 3, 4], True)
    """

    sizes: Any
    fitness: Any
    chosen: int
    chosen_fitness: float | None = None
    one_se: int | None = None
    standard_errors: Any = None

    def __post_init__(self) -> None:
        self.sizes = np.asarray(self.sizes)
        self.fitness = np.asarray(self.fitness, dtype=np.float64)
        if self.standard_errors is not None:
            self.standard_errors = np.asarray(self.standard_errors)

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        phases = cls._phases(selection)
        return cls(
            sizes=phases.nested_sizes,
            fitness=phases.nested_fitness,
            standard_errors=phases.nested_standard_errors or None,
            chosen=len(selection.selected_features),
            chosen_fitness=selection.fitness,
            one_se=len(phases.one_se_features) or None,
            **cls._about(selection),
        )

    def _plot_scores(self, canvas: Canvas) -> None:
        ax = canvas.ax
        order = np.argsort(self.sizes)
        sizes, fitness = self.sizes[order], self.fitness[order]
        self.band_: Any = None
        if self.standard_errors is not None:
            reach = self.standard_errors[order]
            self.band_ = ax.fill_between(
                sizes, fitness - reach, fitness + reach, color=BLUE, alpha=0.2, linewidth=0,
                label="± 1 standard error",
            )  # fmt: skip
        (self.line_,) = ax.plot(sizes, fitness, color=BLUE, linewidth=1.2)
        # A ring around a dot: both are seen where they are the same point.
        self.one_se_: Any = None
        self.chosen_: Any = None
        score = self._of_size(self.one_se)
        if score is not None:
            (self.one_se_,) = ax.plot(
                self.one_se, score, linestyle="none", marker="s", color=MARK, markersize=8,
                markerfacecolor="none", label=f"one SE: {self.one_se} features, {score:.3f}",
            )  # fmt: skip
        score = self._of_size(self.chosen) if self.chosen_fitness is None else self.chosen_fitness
        if score is not None:
            (self.chosen_,) = ax.plot(
                self.chosen, score, linestyle="none", marker="o", color=MARK, markersize=5,
                label=f"chosen: {self.chosen} features, {score:.3f}",
            )  # fmt: skip

    def _of_size(self, size: int | None) -> float | None:
        found = np.flatnonzero(self.sizes == size)
        return float(self.fitness[found[0]]) if len(found) else None
