"""Which rows train and which rows evaluate."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from nffs._sklearn import takes_gaps
from nffs.errors import InputError, quoted
from nffs.fitness.moments import Moments
from nffs.fitness.unlabelled import COMPONENTS, Unlabelled
from nffs.randomness import derive_seed
from nffs.table.grouped import GroupedRows
from nffs.table.missing import Filling, has_gaps
from nffs.table.problem import Problem
from nffs.table.target import Rows, Target

#: Folds of a final check: models train on more rows then, nearly as many as in the end.
FINAL_FOLDS = 10

#: With so many rows half of them are enough.
MANY_ROWS = 20_000


@dataclass(frozen=True)
class Split:
    """The rows a model is trained on and the rows it is evaluated on."""

    train: Rows
    evaluation: Rows


@dataclass(frozen=True)
class SplitRows:
    """All rows that take part, encoded, with the splits over them."""

    # (n_rows, n_columns) the encoded training rows, followed by those of an eval_set if there is
    # one, and by rows without a label
    matrix: NDArray[np.float32]
    target: Target  # of the rows that have a label
    weights: NDArray[np.float64] | None  # sample weights of the same rows
    splits: Sequence[Split]  # over the rows of `matrix`
    evaluated_on: str  # for results: which rows evaluate
    # Of further training rows, of every split, that are too many to be here
    beyond: Moments | None = None
    # The matrix as it was before numbers that are missing were filled; None if it was not
    unfilled: NDArray[np.float32] | None = None
    # Whether all classes weigh the same for the models that train, however many rows they have
    class_weight: Literal["balanced"] | None = None
    # The columns whose groups of categories every split learns from its own training rows
    grouped: tuple[GroupedRows, ...] = ()
    # The rows without a label, and what they are used for
    unlabelled: Unlabelled | None = None

    @property
    def n_evaluated(self) -> float:
        """How many rows evaluate, over all splits; with weights, what they add up to."""
        if self.weights is None:
            return sum(len(split.evaluation) for split in self.splits)
        return float(sum(self.weights[split.evaluation].sum() for split in self.splits))

    @property
    def trains_weighted(self) -> bool:
        """Whether some rows count more than others for the models that train."""
        return self.weights is not None or self.class_weight is not None

    def training_weights(self, rows: Rows) -> NDArray[np.float64] | None:
        """Give the weights of the rows that a model trains on; None if all count the same.

        Balanced classes weigh the same among these rows, as scikit-learn has it: all together as
        much as before.
        """
        own = None if self.weights is None else self.weights[rows]
        if self.class_weight is None:
            return own
        own, classes = np.ones(len(rows)) if own is None else own, self.target.strata[rows]
        totals = np.bincount(classes, own)
        there = totals > 0
        factors = np.zeros(len(totals))
        factors[there] = own.sum() / there.sum() / totals[there]
        balanced: NDArray[np.float64] = own * factors[classes]
        return balanced

    def evaluation_weights(self, split: Split) -> NDArray[np.float64] | None:
        """Give the weights by which a split's evaluation rows count in a score."""
        return None if self.weights is None else self.weights[split.evaluation]

    @property
    def training(self) -> Rows:
        """The rows that train in at least one split; never those of an eval_set."""
        return np.unique(np.concatenate([split.train for split in self.splits]))

    def standardising(self, train: Rows) -> Rows:
        """Give the rows by which columns are standardised where some rows train."""
        if self.unlabelled is None or not self.unlabelled.used_for(COMPONENTS):
            return train
        return np.union1d(train, self.unlabelled.rows)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether numbers are missing."""
        return has_gaps(self.matrix)

    @property
    def n_copies(self) -> int:
        """How many matrices of its own a split has, where its training rows decide on values."""
        return int(self.has_gaps) + bool(self.grouped)

    def filled(self, split: Split) -> SplitRows:
        """Give the same rows, filled with what the rows that train say.

        Numbers that are missing are their mean; groups of categories are by their labels. Where
        nothing is missing or grouped, these are the rows themselves.
        """
        rows = self.grouped_by(split)
        if not rows.has_gaps:
            return rows
        matrix = Filling(rows.matrix[split.train])(rows.matrix)
        return replace(rows, matrix=matrix, unfilled=rows.matrix)

    def grouped_by(self, split: Split) -> SplitRows:
        """Give the same rows with groups of categories as the labels of the rows that train say."""
        if not self.grouped:
            return self
        matrix = self.matrix.copy()
        for column in self.grouped:
            column.put(matrix, column.learned(self.target, self.weights, split.train))
        return replace(self, matrix=matrix)

    def given_to(self, estimator: Any) -> NDArray[np.float32]:
        """Give the matrix as an estimator takes it: with its gaps, if its tags allow them."""
        return self.matrix if self.unfilled is None or not takes_gaps(estimator) else self.unfilled

    def with_columns(self, columns: NDArray[np.intp]) -> SplitRows:
        """Give the same rows with some of the columns, in the given order; none are beyond yet."""
        # take, not an index: that may lay the result out by columns, and the engine needs rows.
        matrix = np.take(self.matrix, columns, axis=1)
        grouped = (column.taken(columns) for column in self.grouped)
        # Where no group is left, as of an identifier's only one, nothing is to be learned.
        return replace(self, matrix=matrix, grouped=tuple(own for own in grouped if own.columns))


def cv_splits(cv: Any, target: Target, groups: Any, seed: int) -> tuple[list[Split], str]:
    """Split the training rows by folds, or by any scikit-learn splitter.

    An integer means stratified folds of shuffled rows: files are often sorted by label or time.

    Returns
    -------
    splits, name
        The splits, and what they are called in results.
    """
    if isinstance(cv, int):
        splitter, name = target.folds(cv, seed)
        name = f"{name} of the training rows"
    else:
        splitter = check_cv(cv, target.strata, classifier=True)
        name = f"splits of the training rows by {type(cv).__name__}"
    try:
        with warnings.catch_warnings():  # of rare classes `rare_classes` tells
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            pairs = list(splitter.split(np.empty((len(target), 1)), target.strata, groups))
    except ValueError as error:
        raise InputError(f"cv: {type(cv).__name__} cannot split these rows: {error}") from error
    splits = [Split(np.sort(train), np.sort(evaluation)) for train, evaluation in pairs]
    for number, split in enumerate(splits):
        target.check_training(split.train, number)
    return splits, name


def rare_classes(cv: Any, target: Target) -> list[str]:
    """Say which classes have too few rows to be evaluated in every one of a number of folds."""
    if target.task != "classification" or not isinstance(cv, int):
        return []
    counts = np.bincount(target.strata, minlength=target.n_strata)
    rare = np.flatnonzero(counts < cv)
    if len(rare) == 0:
        return []
    found = ", ".join(str(count) for count in counts[rare][:5])
    return [
        f"y: class(es) {quoted(target.classes[rare])} have {found} rows, fewer than the {cv} folds "
        "of cv: not every fold evaluates them."
    ]


def final_cv(cv: Any, target: Target, seed: int) -> Any:
    """Give the splitter of a final check: more folds, or the same kind with another seed.

    A splitter that shuffles gets a seed of its own. Of any other one, and of splits given row by
    row, there is nothing else to be had: they are used again.
    """
    if isinstance(cv, int):
        wanted = FINAL_FOLDS if len(target) < MANY_ROWS else FINAL_FOLDS // 2
        return max(cv, min(wanted, target.most_folds))
    if isinstance(getattr(cv, "random_state", None), Integral) and getattr(cv, "shuffle", True):
        other = copy(cv)
        other.random_state = derive_seed(seed, "final") % 2**32
        return other
    return cv


def eval_split(n_train: int, n_evaluation: int) -> tuple[list[Split], str]:
    """Train on all training rows and evaluate on the rows of an eval_set that follow them."""
    split = Split(np.arange(n_train), np.arange(n_train, n_train + n_evaluation))
    return [split], f"eval_set ({n_evaluation} rows given to fit)"


def split_rows(
    problem: Problem,
    cv: Any,
    seed: int,
    class_weight: Literal["balanced"] | None,
    unlabelled: Unlabelled | None,
    what: str = "folds",
) -> SplitRows:
    """Decide which rows of a problem train and which evaluate."""
    if problem.n_evaluation:
        splits, name = eval_split(problem.n_train, problem.n_evaluation)
    else:
        sampled = problem.n_train < problem.n_table
        if sampled and not isinstance(cv, int) and not hasattr(cv, "split"):
            raise InputError(
                "max_rows: cv lists rows of the whole table, but only a sample is evaluated; "
                "give a number of folds or a splitter."
            )
        folds = derive_seed(seed, what)
        splits, name = cv_splits(cv, problem.target, problem.groups, folds)
        if sampled:
            sample = f"a stratified sample of {problem.n_train} of the {problem.n_table}"
            name = name.replace("the training rows", f"{sample} training rows")
    if class_weight is not None and problem.target.task == "regression":
        raise InputError(
            "class_weight: is for classes, and y holds numbers; leave it out, or treat the "
            "numbers as classes with task='classification'."
        )
    return SplitRows(
        problem.matrix, problem.target, problem.weights, splits, name,
        class_weight=class_weight, grouped=problem.grouped, unlabelled=unlabelled,
    )  # fmt: skip
