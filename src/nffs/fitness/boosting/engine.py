"""The boosting engine: bin the columns once, boost every subset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.boosting.growth import NODE, SUMS, Limits, boost, room_for
from nffs.fitness.evaluator import Mask, Masks, Memory, Weighed, shares_of
from nffs.fitness.forest.binning import apply_bins, find_bins
from nffs.fitness.plain import PlainEngine
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import Labels

#: Raised when a change here changes any bit of a score.
REVISION = 1

#: About the trees of scikit-learn's HistGradientBoostingClassifier, fewer and with larger steps:
#: `benchmarks/panel.py` shows that subsets rank alike.
LIMITS = Limits(n_rounds=30, max_depth=4, min_rows=20, rate=0.3, penalty=1.0)

#: Bins of a column, at most: a quarter of what it has, for a quarter of the looking.
BINS = 64

#: Rows that train at most, evenly spaced among the split's.
MAX_ROWS = 16_384

#: Columns binned at a time: a copy of so many is made.
_BATCH = 64

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class BoostingEngine(PlainEngine):
    """Evaluate by gradient boosting."""

    name: ClassVar[str] = "boosting"
    revision: ClassVar[int] = REVISION

    def memory(self, n_rows: int, n_columns: int) -> Memory:
        """Bound it by a subset of all columns."""
        codes = n_rows * n_columns
        sums = (LIMITS.max_depth + 1) * n_columns * BINS * SUMS * 8
        subset = codes + sums + 64 * n_rows + NODE.itemsize * 2**LIMITS.max_depth
        return Memory(once=codes + 8 * n_rows * _BATCH, split=codes, subset=subset, weighed=subset)

    def prepare(self, rows: SplitRows, split: Split) -> BoostingScorer:
        """Bin the columns by the rows that train, once for all subsets."""
        target, weights, train = rows.target, rows.weights, split.train
        assert isinstance(target, Labels)  # it predicts classes
        if len(train) > MAX_ROWS:
            train = train[np.linspace(0, len(train) - 1, MAX_ROWS).astype(np.intp)]
        d = rows.matrix.shape[1]
        codes = np.empty((len(train), d), dtype=np.uint8)
        evaluated = np.empty((len(split.evaluation), d), dtype=np.uint8)
        counts = []
        for start in range(0, d, _BATCH):
            some = slice(start, start + _BATCH)
            values = rows.matrix[train, some]
            bins = find_bins(values, BINS)
            codes[:, some] = apply_bins(values, bins)
            evaluated[:, some] = apply_bins(rows.matrix[split.evaluation, some], bins)
            counts.append(bins.count)
        return BoostingScorer(
            scoring=self.scoring,
            codes=codes,
            evaluated=evaluated,
            n_bins=np.concatenate(counts),
            train=target.take(train),
            weights=None if weights is None else weights[train],
            evaluation=target.take(split.evaluation),
            evaluation_weights=None if weights is None else weights[split.evaluation],
        )


@dataclass(frozen=True)
class BoostingScorer:
    """Scores subsets of columns on one split."""

    scoring: Scoring
    codes: NDArray[np.uint8]  # (n_train, n_columns) bins of the rows that train
    evaluated: NDArray[np.uint8]  # (n_evaluation, n_columns)
    n_bins: NDArray[np.int64]  # (n_columns,)
    train: Labels
    weights: Vector | None
    evaluation: Labels
    evaluation_weights: Vector | None

    def scores(self, columns: Masks, seeds: Sequence[int]) -> Vector:
        """Give the score of every subset; nothing is random."""
        return np.array([[self._fitted(mask)[0]] for mask in columns])

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by what their splits gain."""
        score, gains = self._fitted(columns)
        return Weighed(np.array([score]), shares_of(gains))

    def probabilities(self, columns: Mask) -> tuple[NDArray[np.float64], Vector]:
        """Give class probabilities of the evaluation rows, and what splits of the columns gain."""
        chosen = np.flatnonzero(columns)
        n_bins, labels = self.n_bins[chosen], self.train
        weights = np.ones(len(labels)) if self.weights is None else self.weights
        gains = np.zeros(len(chosen))
        margins = boost(
            np.ascontiguousarray(self.codes[:, chosen]),
            np.ascontiguousarray(self.evaluated[:, chosen]),
            n_bins,
            labels.codes.astype(np.int32),
            weights.astype(np.float32),
            _first_margins(labels, weights),
            LIMITS,
            room_for(len(labels), len(chosen), int(n_bins.max()), LIMITS.max_depth),
            gains,
        )
        return _probabilities(margins), gains

    def _fitted(self, columns: Mask) -> tuple[float, Vector]:
        predicted, gains = self.probabilities(columns)
        score = self.scoring.of_probabilities(predicted, self.evaluation, self.evaluation_weights)
        return score, gains


def _first_margins(labels: Labels, weights: Vector) -> Vector:
    """Give the margins of no tree at all: those of the classes' shares."""
    shares = np.bincount(labels.codes, weights, labels.n_classes) / weights.sum()
    logs: Vector = np.log(np.clip(shares, 1e-6, 1.0))
    return logs[1:] - logs[:1] if labels.n_classes == 2 else logs


def _probabilities(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn margins into class probabilities, rows first; of two classes both."""
    if len(margins) == 1:
        margins = np.concatenate([np.zeros_like(margins), margins])
    powers = np.exp(margins - margins.max(axis=0))
    shares: NDArray[np.float64] = (powers / powers.sum(axis=0)).T
    return shares
