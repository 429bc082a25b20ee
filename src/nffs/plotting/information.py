"""Mutual information of the features with the label, and the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nffs.methods.threshold import mi_histogram
from nffs.plotting._canvas import (
    BLUE,
    INK,
    LINE,
    MARK,
    STRIPES,
    Canvas,
    Width,
    check_kind,
    check_shown,
    name_rows,
    named_height,
    rest,
)
from nffs.plotting._display import SelectionDisplay
from nffs.selection import Selection


class MutualInformationDisplay(SelectionDisplay):
    """Mutual information of each feature with the label, and the threshold if there is one.

    Parameters
    ----------
    mi : array of shape (n_features,)
        Mutual information in nats.
    names : sequence of str
        The features.
    threshold : float, optional
        Of phase I: above it features are drawn with more than even probability.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        What was drawn on.
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

    def __init__(self, *, mi: Any, names: Sequence[str], threshold: float | None = None) -> None:
        self.mi: NDArray[np.float64] = np.asarray(mi, dtype=np.float64)
        self.names = list(names)
        self.threshold = threshold

    @classmethod
    def _of(cls, selection: Selection) -> Self:
        # Constant features have no part in the search, nor in its histogram.
        varying = [f for f in selection.features if not f.constant]
        return cls(
            mi=[f.mi for f in varying],
            names=[f.name for f in varying],
            threshold=None if selection.phases is None else selection.phases.threshold,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "bars",
        n_features: int = 20,
        width: Width = "single",
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        kind : {'bars', 'histogram'}, default='bars'
            A bar with its name for each feature, the largest first, or the histogram of all
            features that the threshold is read off.
        n_features : int, default=20
            The most bars.
        width : {'single', 'double'} or float, default='single'
            Width of a new figure: one column of a paper, two, or inches.

        Returns
        -------
        MutualInformationDisplay
            Itself.
        """
        check_kind(kind, ("bars", "histogram"))
        caption, y_label, legend = "", "", "lower right"
        if kind == "histogram":
            canvas = Canvas(ax, width, 2.1)
            histogram = mi_histogram(self.mi)
            self.bars_: Any = canvas.ax.stairs(
                histogram.counts, histogram.edges, fill=True, facecolor=LINE, edgecolor=INK,
                linewidth=0.6,
            )  # fmt: skip
            y_label, legend = "features", "upper right"
        else:
            order = np.argsort(-self.mi, kind="stable")[: check_shown(n_features)]
            canvas = Canvas(ax, width, named_height(len(order)))
            above = self.mi[order] > (np.inf if self.threshold is None else self.threshold)
            self.bars_ = canvas.ax.barh(
                range(len(order)),
                self.mi[order],
                height=0.72,
                color=[BLUE if a else LINE for a in above],
                hatch=[STRIPES if a else "" for a in above],
                edgecolor="white",
                linewidth=0,
            )
            name_rows(canvas.ax, [self.names[i] for i in order])
            caption = rest(len(order), len(self.mi))
        canvas.ax.xaxis.get_major_locator().set_params(nbins=6)
        self.threshold_: Any = None
        if self.threshold is not None:
            label = f"threshold {self.threshold:.3g}"
            self.threshold_ = canvas.ax.axvline(
                self.threshold, color=MARK, linestyle="--", linewidth=1.2, label=label
            )
        canvas.finish(
            "mutual information (nats)",
            y_label,
            caption=caption,
            legend=None if self.threshold is None else legend,
        )
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
