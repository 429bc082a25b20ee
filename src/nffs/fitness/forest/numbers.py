"""The forest engines for numbers: the same bins and growth, splits by variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.evaluator import Mask, Masks, Memory, Shape, Weighed, shares_of
from nffs.fitness.forest.engine import ColumnForests, ComponentForests, Presenter, forest_memory
from nffs.fitness.forest.groups import Group, Plan
from nffs.fitness.forest.importance import add_variance_importance
from nffs.fitness.forest.kernels.sorted_room import FEATURE_BYTES
from nffs.fitness.forest.number_rows import (
    NumberGrower,
    NumberRows,
    numbers_of,
    predict_numbers,
)
from nffs.fitness.forest.tree import tree_seeds
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.numbers import Numbers

#: Raised when a change of the forest changes any bit of a score, so that no journal mixes the two.
REVISION = 1


@dataclass(frozen=True)
class NumberComponentForests(ComponentForests):
    """Forests for numbers on principal components of the standardised columns."""

    in_sklearn: ClassVar[str] = "RandomForestRegressor"

    def identity(self) -> dict[str, str]:
        """Name groups, scorer and components."""
        return {**super().identity(), "engine": f"number forest {REVISION}"}

    def memory(self, shape: Shape) -> Memory:
        """Bound it by a subset of all columns, none of which depends on others."""
        return with_lists(super().memory(shape), min(shape.n_train, shape.n_columns))

    def prepare(self, rows: SplitRows, split: Split) -> NumberScorer:
        """Standardise and compute the covariance of the training rows, once for all subsets."""
        return NumberScorer.of(self, self._presenter(rows, split), rows, split)


@dataclass(frozen=True)
class NumberColumnForests(ColumnForests):
    """Forests for numbers on the columns themselves."""

    in_sklearn: ClassVar[str] = "RandomForestRegressor"

    def identity(self) -> dict[str, str]:
        """Name groups and scorer."""
        return {**super().identity(), "engine": f"number forest {REVISION}"}

    def memory(self, shape: Shape) -> Memory:
        """Bound it by a subset of all columns."""
        return with_lists(forest_memory(shape), shape.n_columns)

    def prepare(self, rows: SplitRows, split: Split) -> NumberScorer:
        """Bin the training rows, once for all subsets."""
        return WeighingNumbers.of(self, self._presenter(rows, split), rows, split)


def with_lists(memory: Memory, n_features: int) -> Memory:
    """Add what the lists of small nodes take, by which forests for numbers grow."""
    lists = FEATURE_BYTES * n_features
    return replace(memory, subset=memory.subset + lists, weighed=memory.weighed + lists)


@dataclass(frozen=True)
class NumberScorer:
    """Scores subsets of columns on one split."""

    groups: Sequence[Group]
    scoring: Scoring
    presenter: Presenter
    train: Numbers
    evaluation: Numbers
    train_weights: NDArray[np.float64] | None
    evaluation_weights: NDArray[np.float64] | None

    @classmethod
    def of(
        cls,
        engine: NumberColumnForests | NumberComponentForests,
        presenter: Presenter,
        rows: SplitRows,
        split: Split,
    ) -> NumberScorer:
        """Make it of what all subsets of a split share."""
        target = rows.target
        assert isinstance(target, Numbers)  # these forests predict numbers
        return cls(
            groups=engine.resolved,
            scoring=engine.scoring,
            presenter=presenter,
            train=target.take(split.train),
            evaluation=target.take(split.evaluation),
            train_weights=rows.training_weights(split.train),
            evaluation_weights=rows.evaluation_weights(split),
        )

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Grow one forest for every subset and score every parameter group."""
        return np.array(
            [
                self._scored(self.subset(mask).predictions(self.groups, seed))
                for mask, seed in zip(columns, seeds, strict=True)
            ]
        )

    def _scored(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        given = self.evaluation, self.evaluation_weights
        return np.array([self.scoring.of_numbers(p, *given) for p in predicted])

    def subset(self, columns: Mask) -> NumberSubset:
        """Present and bin the rows of one subset, for forests of any seeds."""
        shown = self.presenter.present(columns)
        rows = NumberRows(
            shown.train, shown.bins, self.train.values, self.train_weights, shown.codes
        )
        return NumberSubset(rows=rows, train=shown.train, evaluation=shown.evaluation)


@dataclass(frozen=True)
class WeighingNumbers(NumberScorer):
    """Scores subsets of columns on one split, and weighs the columns by what they do for it."""

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by the variance that their splits take away."""
        subset, plan, target = self.subset(columns), Plan(self.groups), self.train.values
        weights = np.ones(len(target)) if self.train_weights is None else self.train_weights
        rows = subset.rows
        totals = plan.zeros(len(subset.evaluation), rows.n_classes)
        importance = np.zeros(rows.n_features)
        grower = NumberGrower(rows, rows.n_features, plan.max_depth, bootstrap=True)
        for number, tree_seed in enumerate(tree_seeds(seed, plan.n_trees)):
            tree = grower.grow(tree_seed)
            plan.add(number, tree, subset.evaluation, totals)
            add_variance_importance(tree, subset.train, target, weights, importance)
        return Weighed(self._scored(numbers_of(plan, totals, rows)), shares_of(importance))


@dataclass(frozen=True)
class NumberSubset:
    """A subset's training and evaluation rows, binned for growing forests."""

    rows: NumberRows
    train: NDArray[np.float32]
    evaluation: NDArray[np.float32]

    def predictions(self, groups: Sequence[Group], seed: int) -> NDArray[np.float64]:
        """Give the predicted numbers of the evaluation rows: groups, rows."""
        return predict_numbers(self.rows, self.evaluation, groups, seed)
