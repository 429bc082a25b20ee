"""How good the subsets of both phases are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nffs.plotting._canvas import BLUE, INK, LIGHT, ORANGE, Canvas, Width, plain
from nffs.plotting._display import SelectionDisplay


class FitnessDisplay(SelectionDisplay):
    """Distributions of fitness of the drawn and of the nested subsets.

    Parameters
    ----------
    drawn, nested : array of shape (n_subsets,)
        Fitness of the subsets of phase I and of phase II.
    all_features : float, optional
        Fitness of all features together.
    scoring : str, default='fitness'
        What is measured.
    evaluated_on : str, default=''
        Which rows judged; written above the plot.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn on.
    drawn_, nested_ : matplotlib StepPatch
        The two histograms.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs.plotting import FitnessDisplay
    >>> table = make_connections(300)
    >>> selector = NFFS(n_subsets=8, n_nested=4, random_state=0).fit(table.data, table.target)
    >>> display = FitnessDisplay.from_selector(selector, bins=10)
    >>> int(display.drawn_.get_data().values.sum()), display.ax_.get_ylabel()
    (8, 'subsets')
    """

    def __init__(
        self,
        *,
        drawn: Any,
        nested: Any,
        all_features: float | None = None,
        scoring: str = "fitness",
        evaluated_on: str = "",
    ) -> None:
        self.drawn: NDArray[np.float64] = np.asarray(drawn, dtype=np.float64)
        self.nested: NDArray[np.float64] = np.asarray(nested, dtype=np.float64)
        self.all_features = all_features
        self.scoring = scoring
        self.evaluated_on = evaluated_on

    @classmethod
    def _from_document(cls, document: Mapping[str, Any]) -> Self:
        return cls(
            drawn=document["drawn_fitness"],
            nested=document["nested_fitness"],
            all_features=document["all_features_fitness"],
            scoring=document["scoring"],
            evaluated_on=document["evaluated_on"],
        )

    def plot(self, ax: Any = None, *, bins: int = 24, width: Width = "single") -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        bins : int, default=24
            Bars of both histograms together.
        width : {'single', 'double'} or float, default='single'
            Width of a new figure: one column of a paper, two, or inches.

        Returns
        -------
        FitnessDisplay
            Itself.
        """
        canvas = Canvas(ax, width, 2.4)
        ax = canvas.ax
        edges = np.histogram_bin_edges(np.concatenate([self.drawn, self.nested]), bins)
        self.drawn_ = ax.stairs(
            np.histogram(self.drawn, edges)[0], edges, fill=True, facecolor=LIGHT, edgecolor=INK,
            linewidth=0.6, label=f"drawn (phase I), {len(self.drawn)}",
        )  # fmt: skip
        # See-through stripes: what lies behind them is still seen.
        self.nested_ = ax.stairs(
            np.histogram(self.nested, edges)[0], edges, fill=False, edgecolor=BLUE, hatch="/////",
            linewidth=1.2, label=f"nested (phase II), {len(self.nested)}",
        )  # fmt: skip
        if self.all_features is not None:
            ax.axvline(
                self.all_features, color=ORANGE, linestyle="--", linewidth=1.2,
                label=f"all features: {self.all_features:.3f}",
            )  # fmt: skip
        ax.yaxis.get_major_locator().set_params(integer=True)
        told = f"judged on: {plain(self.evaluated_on)}" if self.evaluated_on else ""
        canvas.finish(plain(self.scoring), "subsets", told=told)
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
