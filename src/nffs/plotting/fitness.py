"""How the scores of subsets are distributed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nffs.plotting._canvas import UNMARKED, Canvas, Width, level, plain, rows_caption
from nffs.plotting._display import ScoresDisplay
from nffs.report.palette import BLUE
from nffs.selection import Selection

#: The first histogram is filled; others lie over it as outlines.
_FILLED = {"fill": True, "color": UNMARKED, "linewidth": 0}
_OUTLINED = {"fill": False, "color": BLUE, "linewidth": 1.6}


@dataclass(kw_only=True, eq=False, repr=False)
class FitnessDisplay(ScoresDisplay):
    """Distributions of the scores of one or two sets of subsets.

    Parameters
    ----------
    series : mapping of str to array
        Names and scores: the drawn and the nested subsets of the paper's method, or all subsets
        that another method evaluated.
    all_features, scoring, evaluated_on : optional
        As for `NestedCurveDisplay`.

    Attributes
    ----------
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

    series: Mapping[str, Any]

    def __post_init__(self) -> None:
        self.series = {name: np.asarray(v, dtype=np.float64) for name, v in self.series.items()}

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
            **cls._about(selection),
        )

    def plot(self, ax: Any = None, *, bins: int = 24, width: Width = "screen") -> Self:
        """Draw; `ax` and `width` as for `from_selection`, in `bins` common to all histograms."""
        canvas = Canvas(ax, width, 2.4)
        edges = np.histogram_bin_edges(np.concatenate(list(self.series.values())), bins)
        self.bars_ = [
            canvas.ax.stairs(
                np.histogram(values, edges)[0],
                edges,
                label=f"{name}, {len(values)}",
                **(_OUTLINED if place else _FILLED),
            )
            for place, (name, values) in enumerate(self.series.items())
        ]
        level(canvas, self.all_features, upright=True)
        canvas.ax.yaxis.get_major_locator().set_params(integer=True)
        canvas.finish(plain(self.scoring), "subsets", caption=rows_caption(self.evaluated_on))
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
