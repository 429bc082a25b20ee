"""Rows without a label: what an evaluation uses them for, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nffs.errors import InputError, nearest, quoted
from nffs.table.problem import Problem
from nffs.table.target import Rows, Task

#: What rows without a label can be used for.
COMPONENTS, SELF_TRAINING, LIKENESS = "components", "self-training", "likeness"
USES = (COMPONENTS, SELF_TRAINING, LIKENESS)


@dataclass(frozen=True)
class Unlabelled:
    """The rows without a label, behind all others of a matrix.

    They have no place in a target: nothing can be read there.
    """

    rows: Rows  # their numbers; none where they are used for nothing
    n_rows: int  # how many there are, or how many of them are used
    n_given: int  # the same with those beyond a sample
    uses: tuple[str, ...]  # some of `USES`, in their order
    learned: str  # what the models learn of the columns without any label
    n_old: int  # how many rows of the matrix, from the first, are not an eval_set's
    # If old rows are compared with these: how well the two are told apart, and how many rows of
    # equal weight would say as much as those weighted to look like these; None if they are not told
    # apart better than chance explains
    auc: float | None = None
    effective_rows: float | None = None

    @classmethod
    def of(cls, parameters: Any, problem: Problem, learned: str) -> Unlabelled:
        """Make it of a problem that has such rows.

        Parameters
        ----------
        parameters : object
            With `unlabelled_for` and `estimator`: a selector.
        problem : Problem
            What is selected from.
        learned : str
            What the models learn of the columns without any label; '' is nothing.
        """
        asked, task = parameters.unlabelled_for, problem.target.task
        return cls(
            rows=np.arange(len(problem.target), len(problem.matrix)),
            n_rows=problem.n_unlabelled,
            n_given=problem.n_given,
            uses=uses_of(asked, learned, task, parameters.estimator),
            learned=learned,
            n_old=problem.n_train,
        )

    def used_for(self, use: str) -> bool:
        """Whether they are used for something."""
        return use in self.uses


def uses_of(asked: Any, learned: str, task: Task, estimator: Any) -> tuple[str, ...]:
    """Give what rows without a label are used for; refuse what would have no effect.

    Parameters
    ----------
    asked : str, sequence of str or None
        The parameter `unlabelled_for`.
    learned : str
        What the models learn of the columns without any label; '' is nothing.
    task : str
        Whether classes or numbers are predicted.
    estimator : estimator or None
        The model that evaluates, if the user gave it.
    """
    names: Sequence[str] = [asked] if isinstance(asked, str) else list(asked or ())
    for name in names:
        if name not in USES:
            raise InputError(
                f"unlabelled_for: {name!r} is unknown;{nearest(str(name), USES)} choose some of "
                f"{quoted(USES)}."
            )
    if COMPONENTS in names and not learned:
        raise InputError(
            f"unlabelled_for: {COMPONENTS!r} is for models that standardise columns, which those "
            f"of evaluator do not; choose some of {quoted(USES[1:])}."
        )
    if SELF_TRAINING in names and task == "regression":
        raise InputError(
            f"unlabelled_for: {SELF_TRAINING!r} is for classes, and y holds numbers; choose some "
            f"of {quoted((COMPONENTS, LIKENESS))}."
        )
    if SELF_TRAINING in names and estimator is not None and not hasattr(estimator, "predict_proba"):
        raise InputError(
            f"unlabelled_for: {SELF_TRAINING!r} needs class probabilities, and "
            f"{type(estimator).__name__} has no predict_proba; choose another estimator."
        )
    return tuple(use for use in USES if use in names)
