"""What a selector chooses from some rows, and what that is worth on others.

`NFFS` takes raw tables. Any other scikit-learn selector gets the same rows one-hot encoded, with an
encoding learned from those rows alone. All are judged by the same judge.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from nffs.errors import AdjustedWarning, InputError
from nffs.selector.nffs import NFFS


@dataclass(frozen=True)
class Chosen:
    """A selection from some rows.

    Attributes
    ----------
    selector : estimator
        The fitted selector.
    names : list of str
        The encoded columns it chose from.
    mask : ndarray of shape (n_columns,), bool
        Which it chose.
    """

    selector: Any
    names: list[str]
    mask: NDArray[np.bool_]

    @property
    def selected(self) -> list[str]:
        """The names of the columns it chose."""
        return [name for name, kept in zip(self.names, self.mask, strict=True) if kept]


def choose(selector: Any, judge: NFFS, X: Any, y: Any, groups: Any = None) -> Chosen:
    """Fit a copy of a selector on rows.

    Parameters
    ----------
    selector : NFFS or scikit-learn selector
        Not changed.
    judge : NFFS
        Its encoding options serve selectors that need numbers.
    X, y : table and labels
        The rows it may see.
    groups : array-like, optional
        For an `NFFS` whose splitter keeps groups together.

    Returns
    -------
    Chosen
        What it chose.
    """
    fitted = clone(selector)
    with warnings.catch_warnings():
        # Sizes that shrink to fit the folds are as expected here.
        warnings.simplefilter("ignore", AdjustedWarning)
        if isinstance(fitted, NFFS):
            fitted.fit(X, y, groups=groups)
            return Chosen(fitted, list(fitted.encoded_feature_names_), fitted.support_)
        evaluation = judge.evaluation(X, y, unit="category")
        fitted.fit(evaluation.rows.matrix.astype(np.float64), np.asarray(y))
    if not hasattr(fitted, "get_support"):
        raise InputError(
            f"selector: {type(selector).__name__} has no get_support(); give a feature selector."
        )
    mask = np.asarray(fitted.get_support(), dtype=np.bool_)
    if not mask.any():
        raise InputError(f"selector: {type(selector).__name__} selected no feature at all.")
    return Chosen(fitted, list(evaluation.encoding.names), mask)


def believed(chosen: Chosen, judge: NFFS, X: Any, y: Any, groups: Any = None) -> float:
    """Tell the score a user would believe: judged on the rows that were selected on.

    An `NFFS` says it itself. Of any other selector it is the cross-validated score of what it chose
    on the rows it chose by, which is what people compute.
    """
    if isinstance(chosen.selector, NFFS):
        return float(chosen.selector.fitness_)
    return fitness(judge, chosen.mask, X, y, groups=groups)


def fitness(
    judge: NFFS, mask: NDArray[np.bool_], X: Any, y: Any, eval_set: Any = None, groups: Any = None
) -> float:
    """Judge encoded columns: by the rows of ``eval_set``, or by the judge's folds of the rows."""
    evaluation = judge.evaluation(X, y, eval_set=eval_set, groups=groups, unit="category")
    return evaluation.score(mask)
