"""Which rows train and which rows judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from nffs.errors import InputError, quoted
from nffs.fitness.moments import Moments
from nffs.table.target import Labels

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """The rows a classifier is trained on and the rows it is judged by."""

    train: Rows
    evaluation: Rows


@dataclass(frozen=True)
class SplitRows:
    """All rows that take part, encoded, with the splits over them.

    Attributes
    ----------
    matrix : (n_rows, n_columns) float32
        The encoded training rows, followed by those of an eval_set if there is one.
    labels : Labels
        Their classes.
    weights : (n_rows,) float64 or None
        Their sample weights.
    splits : sequence of Split
        Over the rows of `matrix`.
    evaluated_on : str
        For results: which rows judged.
    beyond : Moments or None
        Of further training rows, of every split, that are too many to be here.
    """

    matrix: NDArray[np.float32]
    labels: Labels
    weights: NDArray[np.float64] | None
    splits: Sequence[Split]
    evaluated_on: str
    beyond: Moments | None = None

    def with_columns(self, columns: NDArray[np.intp]) -> SplitRows:
        """Give the same rows with some of the columns, in the given order."""
        # take, not an index: that may lay the result out by columns, and the engine needs rows.
        return replace(
            self,
            matrix=np.take(self.matrix, columns, axis=1),
            beyond=None if self.beyond is None else self.beyond.take(columns),
        )


def cv_splits(cv: Any, labels: Labels, groups: Any, seed: int) -> tuple[list[Split], str]:
    """Split the training rows by folds, or by any scikit-learn splitter.

    An integer means stratified folds of shuffled rows: files are often sorted by label or time.
    """
    n_rows = len(labels.codes)
    if isinstance(cv, int):
        _refuse_small_classes(labels, cv)
        splitter = StratifiedKFold(cv, shuffle=True, random_state=seed)
        told = f"{cv}-fold stratified cross-validation of the training rows"
    else:
        splitter = check_cv(cv, labels.codes, classifier=True)
        told = f"splits of the training rows by {type(cv).__name__}"
    try:
        pairs = list(splitter.split(np.empty((n_rows, 1)), labels.codes, groups))
    except ValueError as error:
        raise InputError(f"cv: {type(cv).__name__} cannot split these rows: {error}") from error
    splits = [Split(np.sort(train), np.sort(judge)) for train, judge in pairs]
    for number, split in enumerate(splits):
        if len(np.unique(labels.codes[split.train])) < 2:
            raise InputError(
                f"cv: the training rows of split {number} hold one class only; choose a splitter "
                "that keeps at least two classes in every training part."
            )
    return splits, told


def eval_split(n_train: int, n_judge: int) -> tuple[list[Split], str]:
    """Train on all training rows and judge by the rows of an eval_set that follow them."""
    split = Split(np.arange(n_train), np.arange(n_train, n_train + n_judge))
    return [split], f"eval_set ({n_judge} rows given to fit)"


def _refuse_small_classes(labels: Labels, n_folds: int) -> None:
    counts = np.bincount(labels.codes)
    small = counts < n_folds
    if small.any():
        found = ", ".join(str(c) for c in counts[small][:5])
        raise InputError(
            f"y: class(es) {quoted(labels.classes[small])} have {found} rows, fewer than the "
            f"{n_folds} folds of cv; use fewer folds, or merge or drop rare classes."
        )
