"""How far each column alone tells old rows from new ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from nffs.plotting._canvas import (
    UNMARKED,
    Canvas,
    Width,
    check_shown,
    name_rows,
    named_height,
)
from nffs.report.palette import BLUE, MARK


class ShiftDisplay:
    """How far each column alone tells old rows from new ones, and all columns together.

    Parameters
    ----------
    names : sequence of str
        The columns.
    auc : array of shape (n_columns,)
        The AUC of each column alone; 0.5 means that it does not tell them apart.
    moved : array of shape (n_columns,)
        Whether that is more than chance explains.
    together : float
        The AUC of a classifier of all columns.

    Attributes
    ----------
    bars_ : matplotlib BarContainer
        The bars, the column that moved most first.
    together_ : matplotlib Line2D
        The AUC of all columns.

    Examples
    --------
    >>> import nffs
    >>> from nffs.plotting import ShiftDisplay
    >>> old, new = [[1, 5], [2, 6], [3, 5], [4, 6]] * 50, [[5, 5], [6, 6], [7, 5], [8, 6]] * 50
    >>> display = ShiftDisplay.from_result(nffs.shift(old, new))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['x0', 'x1']
    """

    def __init__(self, *, names: Sequence[str], auc: Any, moved: Any, together: float) -> None:
        self.names = list(names)
        self.auc = np.asarray(auc, dtype=np.float64)
        self.moved = np.asarray(moved, dtype=np.bool_)
        self.together = together

    @classmethod
    def from_result(cls, result: Any, ax: Any = None, **options: Any) -> Self:
        """Draw the result of `nffs.shift`; other options as for `plot`."""
        columns = result.columns
        display = cls(
            names=[column.name for column in columns],
            auc=[column.auc for column in columns],
            moved=[column.moved for column in columns],
            together=result.auc,
        )
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, *, n_features: int = 20, width: Width = "screen") -> Self:
        """Draw; `ax` and `width` as for `FitnessDisplay.from_selection`.

        Parameters
        ----------
        n_features : int, default=20
            The most columns.
        """
        order = np.argsort(-self.auc, kind="stable")[: check_shown(n_features)]
        auc, places = self.auc[order], np.arange(len(order))
        canvas = Canvas(ax, width, named_height(len(order)) + 0.15)
        colours = [BLUE if moved else UNMARKED for moved in self.moved[order]]
        # Below one half is chance, as one half is.
        reach = np.maximum(auc, 0.5) - 0.5
        self.bars_ = canvas.ax.barh(places, reach, left=0.5, height=0.72, color=colours)
        name_rows(canvas.ax, [self.names[i] for i in order])
        self.together_ = canvas.ax.axvline(
            self.together, color=MARK, linestyle="--", linewidth=1.2,
            label=f"all columns: {self.together:.3f}",
        )  # fmt: skip
        canvas.ax.set_xlim(0.5, min(1.0, max(self.together, float(auc.max()), 0.55)) + 0.01)
        caption = f"{int(self.moved.sum())} of {len(self.names)} columns moved (blue)"
        if len(order) < len(self.names):
            caption += f"; the first {len(order)}"
        canvas.finish("AUC of telling old rows from new ones", "", caption=caption, legend="below")
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self
