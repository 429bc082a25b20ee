"""The boosting engine: bin the columns once, boost every subset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.boosting.growth import (
    NODE,
    SUMS,
    Limits,
    boost,
    boost_numbers,
    n_slots,
    room_for,
)
from nffs.fitness.evaluator import Mask, Masks, Memory, Shape, Weighed, shares_of
from nffs.fitness.forest.binning import apply_bins, find_bins
from nffs.fitness.plain import PlainEngine
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.numbers import Numbers
from nffs.table.target import Labels

#: Raised when a change here changes any bit of a score.
REVISION = 2

#: Trees at most, over all classes, and rounds: of many classes each has a tree in every round.
MOST_TREES, ROUNDS = 60, range(6, 16)

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

    def memory(self, shape: Shape) -> Memory:
        """Bound it by a subset of all columns."""
        limits = limits_of(1)
        n_rows, n_columns = shape.n_rows, shape.n_columns
        trained, codes = min(shape.n_train, MAX_ROWS), n_rows * n_columns
        # A boolean that is missing is a third value.
        n_bins = 3 if shape.n_binary == n_columns else min(BINS, trained)
        sums = n_slots(trained, limits) * n_columns * n_bins * SUMS * 8
        subset = codes + sums + 64 * n_rows + NODE.itemsize * 2**limits.max_depth
        return Memory(once=codes + 8 * n_rows * _BATCH, split=codes, subset=subset, weighed=subset)

    def prepare(self, rows: SplitRows, split: Split) -> BoostingScorer:
        """Bin the columns by the rows that train, once for all subsets."""
        target, train = rows.target, split.train
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
        scorer = NumberScorer if isinstance(target, Numbers) else ClassScorer
        return scorer(
            scoring=self.scoring,
            codes=codes,
            evaluated=evaluated,
            n_bins=np.concatenate(counts),
            train=target.take(train),
            weights=rows.training_weights(train),
            evaluation=target.take(split.evaluation),
            evaluation_weights=rows.evaluation_weights(split),
        )


@dataclass(frozen=True)
class BoostingScorer(ABC):
    """Scores subsets of columns on one split."""

    scoring: Scoring
    codes: NDArray[np.uint8]  # (n_train, n_columns) bins of the rows that train
    evaluated: NDArray[np.uint8]  # (n_evaluation, n_columns)
    n_bins: NDArray[np.int64]  # (n_columns,)
    train: Any  # the target of these rows
    weights: Vector | None
    evaluation: Any
    evaluation_weights: Vector | None

    def scores(self, columns: Masks, seeds: Sequence[int]) -> Vector:
        """Give the score of every subset; nothing is random."""
        return np.array([[self._fitted(mask)[0]] for mask in columns])

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by what their splits gain."""
        score, gains = self._fitted(columns)
        return Weighed(np.array([score]), shares_of(gains))

    @abstractmethod
    def _fitted(self, columns: Mask) -> tuple[float, Vector]:
        """Score one subset, and give what splits of its columns gain."""

    @property
    def _weight(self) -> Vector:
        return np.ones(len(self.train)) if self.weights is None else self.weights

    def _boosted(
        self, boosting: Callable[..., Vector], n_trees: int, columns: Mask, *target: Any
    ) -> tuple[Vector, Vector]:
        """Let a kernel boost the columns of a subset; give what it predicts, and the gains."""
        limits = limits_of(n_trees)
        chosen = np.flatnonzero(columns)
        n_bins, gains = self.n_bins[chosen], np.zeros(len(chosen))
        found = boosting(
            np.ascontiguousarray(self.codes[:, chosen]),
            np.ascontiguousarray(self.evaluated[:, chosen]),
            n_bins,
            *target,
            limits,
            room_for(len(self.train), len(chosen), int(n_bins.max()), limits),
            gains,
        )
        return found, gains


class ClassScorer(BoostingScorer):
    """The same for classes."""

    train: Labels
    evaluation: Labels

    def probabilities(self, columns: Mask) -> tuple[NDArray[np.float64], Vector]:
        """Give class probabilities of the evaluation rows, and what splits of the columns gain."""
        labels, weight = self.train, self._weight
        truth = labels.codes.astype(np.int32), weight.astype(np.float32)
        first = _first_margins(labels, weight)
        margins, gains = self._boosted(boost, len(first), columns, *truth, first)
        return _probabilities(margins), gains

    def predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows, by one model."""
        return self.probabilities(columns)[0][None]

    def _fitted(self, columns: Mask) -> tuple[float, Vector]:
        predicted, gains = self.probabilities(columns)
        score = self.scoring.of_probabilities(predicted, self.evaluation, self.evaluation_weights)
        return score, gains


class NumberScorer(BoostingScorer):
    """The same for numbers."""

    train: Numbers
    evaluation: Numbers

    def predictions(self, columns: Mask) -> tuple[Vector, Vector]:
        """Give the predicted numbers of the evaluation rows, and what splits of the columns gain.

        Trees see numbers of mean 0 and variance 1, so that a penalty means the same in any unit.
        """
        values, weight = self.train.values, self._weight
        mean = float(np.average(values, weights=weight))
        scale = float(np.sqrt(np.average((values - mean) ** 2, weights=weight))) or 1.0
        truth = (values - mean) / scale, weight.astype(np.float32)
        found, gains = self._boosted(boost_numbers, 1, columns, *truth)
        return mean + scale * found, gains

    def _fitted(self, columns: Mask) -> tuple[float, Vector]:
        predicted, gains = self.predictions(columns)
        score = self.scoring.of_numbers(predicted, self.evaluation, self.evaluation_weights)
        return score, gains


def limits_of(n_trees: int) -> Limits:
    """Give how trees may grow if every round has so many: one, or of many classes one for each.

    They are about those of scikit-learn's histogram gradient boosting, far fewer and with larger
    steps: `benchmarks/panel.py` shows that subsets rank alike.

    >>> limits_of(1)
    Limits(n_rounds=15, max_depth=4, min_rows=20, rate=0.4, penalty=1.0)
    >>> limits_of(10)
    Limits(n_rounds=6, max_depth=4, min_rows=20, rate=0.8, penalty=1.0)
    """
    n_rounds = min(max(MOST_TREES // n_trees, ROUNDS[0]), ROUNDS[-1])
    return Limits(n_rounds, max_depth=4, min_rows=20, rate=min(0.8, 6.0 / n_rounds), penalty=1.0)


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
