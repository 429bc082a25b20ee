"""The forest engines: present, bin, grow one forest, read every parameter group off it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, quoted
from nffs.fitness.columns import CELLS, FEW
from nffs.fitness.evaluator import (
    Mask,
    Masks,
    Memory,
    Shape,
    SplitScorer,
    Weighed,
    shares_of,
)
from nffs.fitness.forest.binning import MAX_BINS, find_bins
from nffs.fitness.forest.columns import BinnedColumns, Presented
from nffs.fitness.forest.cuts import split as cuts
from nffs.fitness.forest.cuts.forest import CutScorer
from nffs.fitness.forest.cuts.split import CutColumns
from nffs.fitness.forest.cuts_or_bins import CutsOrBins
from nffs.fitness.forest.forest import default_n_try, grow_and_predict
from nffs.fitness.forest.groups import Group, Plan
from nffs.fitness.forest.importance import add_importance
from nffs.fitness.forest.projection import WIDE_BLOCK, WIDE_CELL_BYTES, Projection
from nffs.fitness.forest.training import TrainingRows, row_bytes
from nffs.fitness.forest.tree import Grower, tree_seeds
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import Labels

#: Raised when a change of the forest changes any bit of a score, so that no journal mixes the two.
REVISION = 2

#: The same for forests on columns.
COLUMNS_REVISION = 3

#: Of forests on components: from stumps to full depth, between which the paper's best rows lie. No
#: single depth ranks subsets as well as their mean does, and three times the trees add little: see
#: `benchmarks/groups.py`.
DEFAULT_PARAM_GROUPS = tuple({"n_estimators": 30, "max_depth": depth} for depth in (2, 4, 8, None))

#: Trees of unlimited depth, as people deploy them.
DEEP_GROUPS = ({"n_estimators": 30, "max_depth": None},)

#: What a group leaves out.
_DEFAULTS: dict[str, int | None] = {"n_estimators": 100, "max_depth": None}

#: Bytes for every row that a thread at work holds beside what grows with the columns: lists of
#: drawn rows, the nodes of a tree, sums of class shares.
_ROW_BYTES = 96

#: Bytes for every row and column: the projection (4), a copy of it while equal rows are merged (4),
#: and the bins by column (1). Bins by row come to this, padded, and are copied then too.
_CELL_BYTES = 9

#: Matrices of columns by columns that a subset of all columns takes: a part of the correlation, its
#: eigenvectors, the work space of the decomposition, and the components, folded and as float32.
_SQUARES = 8


@dataclass(frozen=True)
class ForestEngine(ABC):
    """Evaluate by the binned forest.

    Parameters
    ----------
    groups : sequence of dict
        ``{"n_estimators": T, "max_depth": d}``; what is left out is 100 trees and no limit.
    scoring : Scoring
        What is measured.
    """

    groups: Sequence[Group]
    scoring: Scoring

    batch: ClassVar[int] = 1
    weighs: ClassVar[bool] = False
    #: The estimator of scikit-learn with more parameters.
    in_sklearn: ClassVar[str] = "RandomForestClassifier"

    @property
    def _scorer(self) -> type[ForestScorer]:
        return ForestScorer

    def __post_init__(self) -> None:
        if not self.groups:
            raise InputError("param_groups: is empty; give at least one group.")
        for number, group in enumerate(self.groups):
            strange = [name for name in group if name not in _DEFAULTS]
            if strange:
                raise InputError(
                    f"param_groups[{number}]: the binned forest has no parameter "
                    f"{quoted(strange)}; it has {quoted(_DEFAULTS)}. For others pass "
                    f"estimator={self.in_sklearn}()."
                )
            for name, value in group.items():
                if not _is_size(value) and (name, value) != ("max_depth", None):
                    raise InputError(
                        f"param_groups[{number}]: {name} must be a whole number of at least 1, "
                        f"found {value!r}."
                    )

    @property
    def resolved(self) -> list[Group]:
        """The groups with what they leave out."""
        return [{**_DEFAULTS, **group} for group in self.groups]

    def identity(self) -> dict[str, str]:
        """Name groups and scorer."""
        return {
            "engine": f"forest {REVISION}",
            "param_groups": repr(self.resolved),
            "scoring": self.scoring.identity(),
        }

    @abstractmethod
    def memory(self, shape: Shape) -> Memory:
        """Bound the memory for encoded rows of this shape."""

    @abstractmethod
    def _presenter(self, rows: SplitRows, split: Split) -> Presenter:
        """Do once what presenting any subset of a split to a forest needs."""

    def prepare(self, rows: SplitRows, split: Split) -> SplitScorer:
        """Do once what all subsets of a split share."""
        target = rows.target
        assert isinstance(target, Labels)  # this forest predicts classes
        return self._scorer(
            groups=self.resolved,
            scoring=self.scoring,
            presenter=self._presenter(rows, split),
            train=target.take(split.train),
            evaluation=target.take(split.evaluation),
            train_weights=rows.training_weights(split.train),
            evaluation_weights=rows.evaluation_weights(split),
        )


@dataclass(frozen=True)
class ColumnForests(ForestEngine):
    """Forests on the columns themselves."""

    weighs: ClassVar[bool] = True

    @property
    def _scorer(self) -> type[ForestScorer]:
        return ColumnScorer

    def identity(self) -> dict[str, str]:
        """Name groups and scorer."""
        return {**super().identity(), "engine": f"forest {COLUMNS_REVISION}", "on": "columns"}

    def memory(self, shape: Shape) -> Memory:
        """Bound it by a subset of all columns."""
        n_rows, n_columns, n_binary = shape.n_rows, shape.n_columns, shape.n_binary
        binned, n_few = forest_memory(shape), max(n_binary, shape.n_few)
        n_cuts = n_binary + (FEW - 1) * (n_few - n_binary)
        bits = (shape.n_train // 8 + 8) * n_cuts
        numbers = cuts.NUMBER_BYTES * shape.n_train * (n_columns - n_few)
        edges = _edge_bytes(replace(shape, n_columns=n_columns - n_few, n_binary=0))
        cut = numbers + bits + 4 * shape.n_evaluation * n_columns + edges + 4 * n_cuts
        return Memory(
            once=min(n_rows * n_columns, CELLS) * cuts.PREPARING,
            split=max(cut, binned.split),
            # A subset's cuts are there by row, and in every patch of a tree.
            subset=_ROW_BYTES * n_rows + 16 * n_columns + 4 * bits,
            weighed=binned.weighed,
        )

    def prepare(self, rows: SplitRows, split: Split) -> SplitScorer:
        """Find the cuts of the columns, once for all subsets; with weights, their bins."""
        if rows.trains_weighted or len(split.train) > cuts.MAX_ROWS:
            return super().prepare(rows, split)
        return CutsOrBins(partial(self._cut, rows, split), partial(super().prepare, rows, split))

    def _cut(self, rows: SplitRows, split: Split) -> CutScorer:
        """Find the cuts of the columns."""
        target = rows.target
        assert isinstance(target, Labels)  # this forest predicts classes
        train, evaluation = target.take(split.train), target.take(split.evaluation)
        columns = CutColumns(rows.matrix, split.train, split.evaluation, train)
        return CutScorer(self.resolved, self.scoring, columns, evaluation)

    def _presenter(self, rows: SplitRows, split: Split) -> Presenter:
        """Bin the training rows, once for all subsets."""
        return BinnedColumns(rows.matrix, split.train, split.evaluation)


@dataclass(frozen=True)
class ComponentForests(ForestEngine):
    """Forests on principal components of the standardised columns: the paper's way.

    Parameters
    ----------
    pca : float or None
        Share of the variance kept by the components; None for standardised columns as they are.
    """

    pca: float | None

    def identity(self) -> dict[str, str]:
        """Name groups, scorer and components."""
        return {**super().identity(), "pca": repr(self.pca)}

    def memory(self, shape: Shape) -> Memory:
        """Bound it by a subset of all columns, none of which depends on others."""
        n_rows, n_columns = shape.n_rows, shape.n_columns
        cells = n_rows * n_columns
        # The largest of n components explain as much as their number, at least.
        kept = n_columns if self.pca is None else ceil(self.pca * min(shape.n_train, n_columns))
        subset = n_rows * (_CELL_BYTES * kept + 2 * row_bytes(kept) + _ROW_BYTES)
        subset += 2 * 4 * MAX_BINS * kept
        squares = 0 if self.pca is None else _SQUARES
        if n_columns > n_rows:  # a subset's own rows are standardised and multiplied
            subset += WIDE_CELL_BYTES * cells + 4 * WIDE_BLOCK * n_columns + 4 * squares * n_rows**2
            return Memory(once=20 * cells, split=16 * n_columns, subset=subset)
        square = 8 * n_columns**2
        # While the correlation is computed, three more of its size are there.
        return Memory(once=3 * square, split=square, subset=subset + squares * square)

    def _presenter(self, rows: SplitRows, split: Split) -> Presenter:
        """Standardise and compute the covariance of the training rows, once for all subsets."""
        return ProjectedColumns(
            Projection(
                rows.matrix,
                split.train,
                split.evaluation,
                self.pca,
                rows.beyond,
                rows.standardising(split.train),
            )
        )


class Presenter(Protocol):
    """Gives the rows of a subset as a forest is to see them."""

    def present(self, columns: Mask) -> Presented:
        """Give training and evaluation rows of a subset of columns, with bins."""
        ...


@dataclass(frozen=True)
class ProjectedColumns:
    """Presents principal components; their bins differ from subset to subset."""

    projection: Projection

    def present(self, columns: Mask) -> Presented:
        """Project the rows and find the bins of the components."""
        train, evaluation = self.projection.project(columns)
        return Presented(train, evaluation, find_bins(train))


@dataclass(frozen=True)
class ForestScorer:
    """Scores subsets of columns on one split."""

    groups: Sequence[Group]
    scoring: Scoring
    presenter: Presenter
    train: Labels
    evaluation: Labels
    train_weights: NDArray[np.float64] | None
    evaluation_weights: NDArray[np.float64] | None

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Grow one forest for every subset and score every parameter group."""
        return np.array([self._scores(c, seed) for c, seed in zip(columns, seeds, strict=True)])

    def predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows, the mean over parameter groups."""
        found = self.subset(columns).probabilities(self.groups, seed)
        mean: NDArray[np.float64] = found.mean(axis=0, keepdims=True)
        return mean

    def _scores(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        return self._scored(self.subset(columns).probabilities(self.groups, seed))

    def _scored(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array(
            [
                self.scoring.of_probabilities(p, self.evaluation, self.evaluation_weights)
                for p in predicted
            ]
        )

    def subset(self, columns: Mask) -> PreparedSubset:
        """Present and bin the rows of one subset, for forests of any seeds."""
        shown, labels = self.presenter.present(columns), self.train
        rows = TrainingRows(
            shown.train, shown.bins, labels.codes, labels.n_classes, self.train_weights,
            codes=shown.codes,
        )  # fmt: skip
        return PreparedSubset(rows=rows, train=shown.train, evaluation=shown.evaluation)


@dataclass(frozen=True)
class ColumnScorer(ForestScorer):
    """Scores subsets of columns on one split, and weighs the columns by what they do for it."""

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by what their splits do for the forest."""
        subset, labels = self.subset(columns), self.train
        given = self.train_weights
        weights = np.ones(len(labels)) if given is None else given
        plan = Plan(self.groups)
        totals = plan.zeros(len(subset.evaluation), labels.n_classes)
        importance = np.zeros(subset.train.shape[1])
        grower = Grower(subset.rows, default_n_try(subset.rows), plan.max_depth, bootstrap=True)
        for number, tree_seed in enumerate(tree_seeds(seed, plan.n_trees)):
            tree = grower.grow(tree_seed)
            plan.add(number, tree, subset.evaluation, totals)
            add_importance(tree, subset.train, labels.codes, weights, labels.n_classes, importance)
        predicted = plan.probabilities([totals], labels.n_classes)
        return Weighed(self._scored(predicted), shares_of(importance))


@dataclass(frozen=True)
class PreparedSubset:
    """The components of a subset's training and evaluation rows, binned for growing forests."""

    rows: TrainingRows
    train: NDArray[np.float32]
    evaluation: NDArray[np.float32]

    def probabilities(self, groups: Sequence[Group], seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows: groups, rows, classes."""
        return grow_and_predict(self.rows, self.evaluation, groups, seed)


def forest_memory(shape: Shape) -> Memory:
    """Bound the memory of forests on binned columns."""
    n_rows, n_columns, edges = shape.n_rows, shape.n_columns, _edge_bytes(shape)
    subset = n_rows * (_CELL_BYTES * n_columns + 2 * row_bytes(n_columns) + _ROW_BYTES) + edges
    split = n_rows * n_columns + edges
    return Memory(once=split, split=split, subset=subset, weighed=subset)


def _edge_bytes(shape: Shape) -> int:
    """Count the edges of bins: where every value has its own, its smallest is its largest."""
    if shape.n_binary == shape.n_columns:  # a boolean that is missing is a third value
        return 4 * shape.n_columns * 2 * 3
    n_edges = shape.n_train if shape.n_train <= MAX_BINS else 2 * MAX_BINS
    return 4 * shape.n_columns * n_edges


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and value >= 1
