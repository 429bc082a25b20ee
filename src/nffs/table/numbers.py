"""A target of numbers: what regression predicts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from nffs.errors import InputError
from nffs.table.target_values import as_numbers, target_values

Vector = NDArray[np.float64]
Rows = NDArray[np.intp]

#: Strata at most, and rows for each of them at least: mutual information counts in their cells.
_STRATA = 10
_ROWS_PER_STRATUM = 20


@dataclass(frozen=True)
class Numbers:
    """Numbers to predict; strata are stretches between quantiles of the training rows."""

    values: Vector
    borders: Vector  # between strata, ascending; a border belongs to the stratum above it

    task: Literal["regression"] = "regression"
    positive: None = None
    positive_label: None = None
    default_scoring: Literal["r2"] = "r2"

    @classmethod
    def of(cls, values: NDArray[Any]) -> Numbers:
        """Take the target of all training rows."""
        numbers = values.astype(np.float64)
        if numbers.min() == numbers.max():
            found = f"the same number ({numbers[0]:g}) in all {len(numbers)} rows"
            found = found if len(numbers) > 1 else "one sample only"
            raise InputError(f"y: found {found}; regression needs numbers that vary.")
        n_strata = max(2, min(_STRATA, len(numbers) // _ROWS_PER_STRATUM))
        borders = np.quantile(numbers, np.arange(1, n_strata) / n_strata, method="higher")
        # Frequent values can fill whole strata; no stratum is left without a row.
        borders = np.unique(borders[borders > numbers.min()])
        if not len(borders):
            borders = np.array([numbers[numbers > numbers.min()].min()])
        return cls(numbers, borders)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def said(self) -> str:
        """Say that numbers are predicted, and how to change that where it may be wrong."""
        whole = "" if (self.values % 1).any() else " whole"
        other = "" if not whole else "; set the task to classification to treat them as classes"
        numbers = f"{len(np.unique(self.values)):,} distinct{whole} numbers"
        return f"task: regression, because the target holds {numbers}{other}"

    @property
    def strata(self) -> NDArray[np.intp]:
        """Which of the stretches between quantiles a row's number lies in."""
        return np.searchsorted(self.borders, self.values, side="right")

    @property
    def n_strata(self) -> int:
        """How many strata there are."""
        return len(self.borders) + 1

    @property
    def classes(self) -> NDArray[Any]:
        """None: numbers have no classes."""
        return np.empty(0)

    @property
    def most_folds(self) -> int:
        """Every fold needs two rows: the score of one row says nothing of what varies."""
        return len(self) // 2

    def take(self, rows: Rows) -> Numbers:
        """Give the numbers of some rows."""
        return Numbers(self.values[rows], self.borders)

    def followed_by(self, y: Any, *, argument: str) -> Numbers:
        """Give these rows and further ones."""
        more = as_numbers(target_values(y, argument), argument)
        return Numbers(np.concatenate([self.values, more]), self.borders)

    def decode(self) -> Vector:
        """Give the numbers."""
        return self.values

    def folds(self, n_folds: int, seed: int) -> tuple[Any, str]:
        """Give shuffled folds; refuse more of them than there are pairs of rows."""
        if n_folds > self.most_folds:
            raise InputError(
                f"y: {len(self)} rows are too few for the {n_folds} folds of cv; use fewer folds, "
                "of two rows at least."
            )
        splitter = KFold(n_folds, shuffle=True, random_state=seed)
        return splitter, f"{n_folds}-fold cross-validation"

    def check_training(self, rows: Rows, split: int) -> None:
        """Refuse training rows that all have the same number."""
        if np.ptp(self.values[rows]) == 0.0:
            raise InputError(
                f"cv: the training rows of split {split} all have the same target; choose a "
                "splitter whose training parts vary."
            )

    def digest(self) -> str:
        """Name the numbers in a few characters."""
        found = hashlib.blake2b(self.values.astype("<f8").tobytes(), digest_size=8)
        return f"{found.hexdigest()} numbers"
