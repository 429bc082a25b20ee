"""The rows that a forest for numbers grows on, and the trees that it grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.binning import MAX_BINS, Bins, apply_bins
from nffs.fitness.forest.groups import Group, Plan
from nffs.fitness.forest.kernels import summed
from nffs.fitness.forest.kernels.lanes import SUMS
from nffs.fitness.forest.kernels.sorted_room import sorted_room
from nffs.fitness.forest.training import TrainingRows, row_bytes
from nffs.fitness.forest.tree import Grower, tree_seeds

#: Bits of a number at most. More rows leave fewer: a sum and a count of rows share 64 bits.
_BITS = 40


class NumberRows(TrainingRows):
    """Rows with a number to predict, prepared once for all trees of a forest.

    Numbers are taken as whole ones, in steps of at most 2^-20 of their range for a million rows
    and far less for fewer.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features), float32
        The rows.
    bins : Bins
        Their bins, from :func:`nffs.fitness.forest.binning.find_bins`.
    y : ndarray of shape (n_rows,)
        Their numbers.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of the rows: a tree draws a row the more often the more it weighs.
    codes : ndarray of shape (n_rows, row_bytes), uint8, optional
        The numbers of the rows' bins, if they are known.
    """

    def __init__(
        self,
        Z: NDArray[np.float32],
        bins: Bins,
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None = None,
        codes: NDArray[np.uint8] | None = None,
    ) -> None:
        self.n_drawn, self.n_features = Z.shape
        # A number is to growth what the share of the second of two classes is.
        self.n_rows, self.n_classes, self.packed = self.n_drawn, 2, True
        self.bins, self.width = bins, row_bytes(self.n_features)
        Z = np.ascontiguousarray(Z, dtype=np.float32)
        if codes is None:
            codes = apply_bins(Z, bins, self.width)
        self.bits = Z.reshape(-1).view(np.uint32)
        self.codes = codes.reshape(-1)
        self.columns = np.ascontiguousarray(codes[:, : self.n_features].T)
        self.slot = np.arange(self.n_drawn, dtype=np.uint32)
        self.cumulative = None if sample_weight is None else np.cumsum(sample_weight)
        count_bits = self.n_drawn.bit_length()
        number_bits = min(_BITS, 64 - 2 * count_bits)
        self.shift, self.top = np.uint64(count_bits + number_bits), float(2**number_bits - 1)
        self.low, self.span = float(y.min()), float(np.ptp(y)) or 1.0
        self.numbers = np.rint((y - self.low) / self.span * self.top).astype(np.uint64)


class NumberGrower(Grower):
    """Grows trees that predict numbers."""

    rows: NumberRows

    def _tally(self, batch: int) -> summed.SummedTally:
        rows = self.rows
        # One entry more than there are rows: they are written before it is known if they stay.
        sums, listed = (np.empty(rows.n_rows + 1, dtype=np.uint64) for _ in range(2))
        below, bins, gains, weights = (
            np.empty(MAX_BINS + SUMS, kind) for kind in (np.uint64, np.uint64, float, float)
        )
        return summed.SummedTally(
            sums, listed, np.zeros(1, np.bool_), np.zeros(batch << 8, np.uint64), below, bins,
            gains, weights, rows.bins.count.astype(np.int64), rows.shift, rows.top,
            sorted_room(rows.n_features),
        )  # fmt: skip

    def _draw(self, seed: np.uint64) -> None:
        if self.rows.cumulative is None:
            super()._draw(seed)
        else:
            summed.draw_by_weight(seed, self.rows.n_drawn, self.rows.cumulative, self.counts)

    def _list_rows(self) -> Any:
        rows, tally = self.rows, self.tally
        return summed.list_rows(
            self.counts, rows.numbers, rows.shift, self.room.order, tally.sums, tally.numbers
        )


def predict_numbers(
    rows: NumberRows, Z: NDArray[np.float32], groups: Sequence[Group], seed: int = 0
) -> NDArray[np.float64]:
    """Grow a forest, predict the numbers of other rows by it and forget it: groups, rows.

    A node looks at all features, as in scikit-learn's `RandomForestRegressor`.
    """
    plan = Plan(groups)
    totals = plan.zeros(len(Z), rows.n_classes)
    grower = NumberGrower(rows, rows.n_features, plan.max_depth, bootstrap=True)
    for number, tree_seed in enumerate(tree_seeds(seed, plan.n_trees)):
        plan.add(number, grower.grow(tree_seed), Z, totals)
    return numbers_of(plan, totals, rows)


def numbers_of(plan: Plan, totals: NDArray[np.int64], rows: NumberRows) -> NDArray[np.float64]:
    """Turn the sums of all trees into predicted numbers: groups, rows."""
    shares = plan.probabilities([totals], rows.n_classes)[:, :, 1]
    predicted: NDArray[np.float64] = rows.low + rows.span * shares
    return predicted
