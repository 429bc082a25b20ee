"""What a selector chooses from some rows, and what that is worth on others.

The selectors of nffs take raw tables. Any other scikit-learn selector gets the same rows one-hot
encoded, with an encoding learned from those rows alone. One evaluator scores what they choose.
"""

from __future__ import annotations

import os
import warnings
from copy import copy
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from nffs.errors import AdjustedWarning, InputError
from nffs.fitness import settled_scoring
from nffs.selector.base import TableSelector
from nffs.selector.nffs import NFFS
from nffs.table.missing import filled
from nffs.table.problem import read_training
from nffs.table.target import Target
from nffs.validation.whole import fit_whole


@dataclass(frozen=True)
class Chosen:
    """A fitted selector, the encoded columns there are, and which of them it chose.

    Those that it was not to choose from are no part of all features either.
    """

    selector: Any
    names: list[str]
    mask: NDArray[np.bool_]
    excluded: NDArray[np.bool_]

    @property
    def selected(self) -> list[str]:
        """The names of the columns it chose."""
        return list(compress(self.names, self.mask))


def evaluator_for(selector: Any, evaluator: TableSelector | None) -> TableSelector:
    """Give the evaluator that was named, or the selector itself if it is one, or the default."""
    if evaluator is None:
        return selector if isinstance(selector, TableSelector) else NFFS(random_state=0)
    if not isinstance(evaluator, TableSelector):
        raise InputError(
            f"evaluator: found {type(evaluator).__name__}; give an NFFS or a Selector, whose "
            "parameters say how to evaluate."
        )
    return evaluator


def of_one_class(
    selector: Any, evaluator: TableSelector, X: Any, y: Any
) -> tuple[Any, TableSelector, Target]:
    """Read the target of the whole table, and let both take its positive class, task and score.

    Parts of the rows could disagree on which class is the rarer one and how rare it is, or on
    whether there are enough values for numbers. The class is the one that the evaluator names, else
    the selector, else the rarer one of the table; so is the task. Whoever names a class keeps it.
    """
    pos_label = evaluator.pos_label
    if pos_label is None and isinstance(selector, TableSelector):
        pos_label = selector.pos_label
    task = evaluator.task
    if task == "auto" and isinstance(selector, TableSelector):
        task = selector.task
    _, target = read_training(X, y, pos_label, task)
    return _about(selector, target), _about(evaluator, target), target


def _about(selector: Any, target: Target) -> Any:
    if not isinstance(selector, TableSelector):
        return selector
    pos_label = target.positive_label if selector.pos_label is None else selector.pos_label
    scoring = settled_scoring(selector.scoring, target)
    # A shallow copy: the user's keeps its parameters, and they share what draws random numbers.
    return copy(selector).set_params(pos_label=pos_label, task=target.task, scoring=scoring)


def choose(
    selector: Any, evaluator: TableSelector, X: Any, y: Any, groups: Any = None, part: str = ""
) -> Chosen:
    """Fit a copy of a selector on the rows it may see.

    The encoding options of the evaluator serve selectors that need numbers. A selector with a
    journal has one of its own for every part of the rows, named after it: ``search.db.fold-1``.
    """
    fitted = clone(selector)
    with warnings.catch_warnings():
        # Sizes that shrink to fit the folds are as expected here.
        warnings.simplefilter("ignore", AdjustedWarning)
        if isinstance(fitted, TableSelector):
            if fitted.journal is not None:
                fitted.set_params(journal=f"{os.fspath(fitted.journal)}.{part}")
            fit_whole(fitted, X, y, groups=groups)
            names = list(fitted.encoded_feature_names_)
            return Chosen(fitted, names, fitted.support_, fitted.excluded_)
        evaluation = evaluator.evaluation(X, y, groups=groups, unit="category")
        fitted.fit(filled(evaluation.rows.matrix).astype(np.float64), np.asarray(y))
    if not hasattr(fitted, "get_support"):
        raise InputError(
            f"selector: {type(selector).__name__} has no get_support(); give a feature selector."
        )
    mask = np.asarray(fitted.get_support(), dtype=np.bool_)
    if not mask.any():
        raise InputError(f"selector: {type(selector).__name__} selected no feature at all.")
    return Chosen(fitted, list(evaluation.encoding.names), mask, np.zeros_like(mask))


def inner_score(
    chosen: Chosen, evaluator: TableSelector, X: Any, y: Any, groups: Any = None
) -> float:
    """Give the score of what was chosen on the very rows that it was chosen by.

    Of a selector that has none it is the cross-validated score of its choice, as people compute it.
    """
    if isinstance(chosen.selector, TableSelector):
        return float(chosen.selector.fitness_)
    return fitness(evaluator, chosen.mask, X, y, groups=groups)


def fitness(
    evaluator: TableSelector,
    mask: NDArray[np.bool_],
    X: Any,
    y: Any,
    eval_set: Any = None,
    groups: Any = None,
) -> float:
    """Score encoded columns on the rows of ``eval_set``, or by the evaluator's folds of X."""
    evaluation = evaluator.evaluation(X, y, eval_set=eval_set, groups=groups, unit="category")
    return evaluation.score(mask)
