"""How the scores of subsets are distributed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nffs.plotting._canvas import STRIPES, Canvas, Width, level, plain, rows_caption
from nffs.plotting._display import SelectionDisplay
from nffs.report.palette import BLUE, INK, LINE
from nffs.selection import Selection

#: The first histogram is filled; others lie over it, see-through.
_FILLED = {"fill": True, "facecolor": LINE, "edgecolor": INK, "linewidth": 0.6}
_STRIPED = {"fill": False, "edgecolor": BLUE, "hatch": STRIPES, "linewidth": 1.2}


class FitnessDisplay(SelectionDisplay):
    """Distributions of the scores of one or two sets of subsets.

    Parameters
    ----------
    series : mapping of str to array
        Names and scores: those drawn and those nested by the paper's method, or all subsets that
        another one evaluated.
    all_features, scoring, evaluated_on : optional
        As for `NestedCurveDisplay`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn on.
    bars_ : list of matplotlib StepPatch
        A histogram for each of the series.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs.plotting import FitnessDisplay
    >>> table = make_connections(300)
    >>> selector = NFFS(n_subsets=8, n_nested=4, random_state=0).fit(table.data, table.target)
    >>> display = FitnessDisplay.from_selector(selector, bins=10)
    >>> list(display.series), int(display.bars_[0].get_data().values.sum())
    (['drawn (phase I)', 'nested (phase II)'], 8)
    """

    def __init__(
        self,
        *,
        series: Mapping[str, Any],
        all_features: float | None = None,
        scoring: str = "fitness",
        evaluated_on: str = "",
    ) -> None:
        self.series: dict[str, NDArray[np.float64]] = {
            name: np.asarray(values, dtype=np.float64) for name, values in series.items()
        }
        self.all_features = all_features
        self.scoring = scoring
        self.evaluated_on = evaluated_on

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        phases = selection.phases
        return cls(
            series={"evaluated": selection.subset_fitness}
            if phases is None
            else {
                "drawn (phase I)": phases.drawn_fitness,
                "nested (phase II)": phases.nested_fitness,
            },
            all_features=selection.all_features_fitness,
            scoring=selection.scoring,
            evaluated_on=selection.evaluated_on,
        )

    def plot(self, ax: Any = None, *, bins: int = 24, width: Width = "single") -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        bins : int, default=24
            Bars of all histograms together.
        width : {'single', 'double'} or float, default='single'
            Width of a new figure: one column of a paper, two, or inches.

        Returns
        -------
        FitnessDisplay
            Itself.
        """
        canvas = Canvas(ax, width, 2.4)
        edges = np.histogram_bin_edges(np.concatenate(list(self.series.values())), bins)
        self.bars_ = [
            canvas.ax.stairs(
                np.histogram(values, edges)[0],
                edges,
                label=f"{name}, {len(values)}",
                **(_STRIPED if place else _FILLED),
            )
            for place, (name, values) in enumerate(self.series.items())
        ]
        level(canvas.ax.axvline, self.all_features)
        canvas.ax.yaxis.get_major_locator().set_params(integer=True)
        canvas.finish(plain(self.scoring), "subsets", caption=rows_caption(self.evaluated_on))
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
