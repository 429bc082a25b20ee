"""Rows that no method of a comparison sees, and what they say of a selection."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from nffs._sklearn import take_rows
from nffs.errors import InputError
from nffs.fitness import Evaluation, settled_scoring
from nffs.randomness import derive_seed
from nffs.selector.selector import Selector
from nffs.table.parquet import ParquetTable
from nffs.table.problem import read_training
from nffs.validation.transfer import Transfer


@dataclass(frozen=True)
class Part:
    """The rows of one seed: those that methods see, and what scores selections on the others."""

    X: Any
    y: Any
    groups: Any
    unseen: Evaluation
    transfer: Transfer


class UnseenRows:
    """Rows beyond those to select from: given for the purpose, and the same for every seed.

    Without any, a share of the rows is held out anew for every seed: one split may be a lucky one.
    The models are those that score selections beside the evaluator, `n_jobs` of them at a time.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        test: Any,
        share: float,
        groups: Any,
        seed: int,
        parameters: Mapping[str, Any],
        models: Mapping[str, Any],
        n_jobs: int | None,
    ) -> None:
        self._rows, self._share, self._seed = (X, y, groups), share, seed
        self._models, self._n_jobs = models, n_jobs
        self._evaluator = Selector("all", random_state=seed, **parameters)
        self.pos_label = self._evaluator.pos_label
        if test is None:
            self._codes = _codes_to_split(X, y, groups, share, self._evaluator.task)
        # The rows to select from, which are only described where nothing was given beside them.
        self.whole = self._evaluation(X, y, test, groups if test is None else None)
        # The rows of a seed could disagree on which class is the rarer one, and how rare it is.
        self.pos_label = self.whole.rows.target.positive_label
        self.scoring = settled_scoring(self._evaluator.scoring, self.whole.rows.target)
        self._evaluator.set_params(scoring=self.scoring)
        self.identity = {
            **self.whole.fingerprint(),
            "random_state": repr(seed),
            "groups": _digest(groups),
            **({"held_out": repr(share)} if test is None else {}),
        }
        self._given = None if test is None else self._part(X, y, groups, self.whole)
        self.description = "test rows that no method saw"
        if test is None:
            n_rows = f"{len(self._split(0)[1])} rows"
            what = n_rows if groups is None else f"{share:.0%} of the groups"
            self.description = f"{what}, held out anew for every seed, which no method saw"

    def part(self, seed: int) -> Part:
        """Give the rows of a seed."""
        if self._given is not None:
            return self._given
        X, y, groups = self._rows
        train, held = (np.sort(rows) for rows in self._split(seed))
        test = take_rows(X, held), take_rows(y, held)
        X, y = take_rows(X, train), take_rows(y, train)
        groups = None if groups is None else take_rows(groups, train)
        return self._part(X, y, groups, self._evaluation(X, y, test))

    def _part(self, X: Any, y: Any, groups: Any, unseen: Evaluation) -> Part:
        return Part(X, y, groups, unseen, Transfer(self._models, unseen, self._n_jobs))

    def _evaluation(self, X: Any, y: Any, test: Any, groups: Any = None) -> Evaluation:
        given = {"unit": "category", "pos_label": self.pos_label}
        return self._evaluator.evaluation(X, y, eval_set=test, groups=groups, **given)

    def _split(self, seed: int) -> Any:
        rows, groups = np.arange(len(self._codes)), self._rows[2]
        how = {"test_size": self._share, "random_state": derive_seed(self._seed, "held out", seed)}
        if groups is None:
            return train_test_split(rows, stratify=self._codes, **how)
        return next(GroupShuffleSplit(1, **how).split(rows, self._codes, groups))


def _codes_to_split(X: Any, y: Any, groups: Any, share: float, task: str) -> Any:
    if not 0 < share < 1:
        raise InputError(f"held_out: must lie between 0 and 1, found {share}.")
    if isinstance(X, ParquetTable):
        raise InputError("X: the rows of a ParquetTable cannot be held out; give test.")
    # By name: which rows are held out does not depend on the positive class.
    target = read_training(X, y, task=task)[1]
    if target.task == "regression":
        return np.zeros(len(target), dtype=np.intp)  # drawn from all rows alike
    _, codes = np.unique(target.decode(), return_inverse=True)
    if groups is None and np.bincount(codes).min() < 2:
        raise InputError("y: a class has one row only, which cannot be held out; drop it.")
    return codes


def _digest(groups: Any) -> str:
    if groups is None:
        return "none"
    text = "\0".join(str(group) for group in np.asarray(groups).tolist())
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
