"""Mutual information of the features with the label, and the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nffs.methods.threshold import mi_histogram
from nffs.plotting._canvas import UNMARKED, Canvas, Width, named_bars, named_height, rest
from nffs.plotting._display import FeaturesDisplay
from nffs.report.palette import MARK
from nffs.selection import Selection


class MutualInformationDisplay(FeaturesDisplay):
    """Mutual information of each feature with the label, and the threshold if there is one.

    Bars with names, the largest first, or with ``kind="histogram"`` the histogram of all features
    that the threshold is read off.

    Parameters
    ----------
    mi : array of shape (n_features,)
        Mutual information in nats.
    names : sequence of str
        The features.
    threshold : float, optional
        The threshold of phase I: features above it are drawn with a probability of more than one
        half.

    Attributes
    ----------
    bars_ : matplotlib artist
        The bars, or the steps of the histogram.
    threshold_ : matplotlib Line2D or None
        The threshold.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs.plotting import MutualInformationDisplay
    >>> table = make_connections(300)
    >>> selector = NFFS(n_subsets=8, n_nested=4, random_state=0).fit(table.data, table.target)
    >>> display = MutualInformationDisplay.from_selector(selector, n_features=10)
    >>> len(display.bars_), display.ax_.get_xlabel()
    (10, 'mutual information (nats)')
    """

    KINDS = ("bars", "histogram")

    def __init__(self, *, mi: Any, names: Sequence[str], threshold: float | None = None) -> None:
        self.mi: NDArray[np.float64] = np.asarray(mi, dtype=np.float64)
        self.names = list(names)
        self.threshold = threshold

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        # Constant features have no part in the search, nor in its histogram.
        varying = [f for f in selection.features if not (f.constant or f.excluded)]
        return cls(
            mi=[f.mi for f in varying],
            names=[f.name for f in varying],
            threshold=None if selection.phases is None else selection.phases.threshold,
        )

    def _plot_first(self, ax: Any, width: Width, n_features: int) -> Canvas:
        order = np.argsort(-self.mi, kind="stable")[:n_features]
        canvas = Canvas(ax, width, named_height(len(order)))
        above = self.mi[order] > (np.inf if self.threshold is None else self.threshold)
        names = [self.names[i] for i in order]
        self.bars_: Any = named_bars(canvas, self.mi[order], above, names)
        return self._finish(canvas, "", "lower right", rest(len(order), len(self.mi)))

    def _plot_all(self, ax: Any, width: Width) -> Canvas:
        canvas, histogram = Canvas(ax, width, 2.1), mi_histogram(self.mi)
        self.bars_ = canvas.ax.stairs(
            histogram.counts, histogram.edges, fill=True, color=UNMARKED, linewidth=0
        )
        return self._finish(canvas, "features", "upper right", "")

    def _finish(self, canvas: Canvas, y_label: str, legend: str | None, caption: str) -> Canvas:
        canvas.ax.xaxis.get_major_locator().set_params(nbins=6)
        self.threshold_: Any = None
        if self.threshold is None:
            legend = None
        else:
            label = f"threshold {self.threshold:.3g}"
            self.threshold_ = canvas.ax.axvline(
                self.threshold, color=MARK, linestyle="--", linewidth=1.2, label=label
            )
        canvas.finish("mutual information (nats)", y_label, caption=caption, legend=legend)
        return canvas
