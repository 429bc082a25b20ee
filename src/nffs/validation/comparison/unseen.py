"""Rows that no method of a comparison sees, and what they say of a selection."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split
from sklearn.utils import _safe_indexing

from nffs.errors import InputError
from nffs.randomness import derive_seed
from nffs.selector.selector import Selector
from nffs.table.parquet import ParquetTable
from nffs.table.problem import read_training


class UnseenRows:
    """Scores selections on rows beyond those that were given to select from.

    Parameters
    ----------
    X, y : table and labels
        The rows to select from.
    test : (X, y) or None
        The unseen rows; None where the rows to select from are only to be described.
    groups : array-like or None
        Groups of the rows to select from.
    seed : int
        Of the evaluator.
    parameters : mapping
        Parameters of `Selector`.
    """

    def __init__(
        self, X: Any, y: Any, test: Any, groups: Any, seed: int, parameters: Mapping[str, Any]
    ) -> None:
        selector = Selector("all", random_state=seed, **parameters)
        evaluation = selector.evaluation(
            X, y, eval_set=test, groups=groups if test is None else None, unit="category"
        )
        self.scoring = evaluation.scoring.name
        self.positive = evaluation.rows.target.positive
        self.n_rows = len(y)
        self.names = list(evaluation.encoding.names)
        self.identity = {
            **evaluation.fingerprint(),
            "random_state": repr(seed),
            "groups": _digest(groups),
        }
        self._evaluation = evaluation

    def __call__(self, selector: Selector) -> float:
        """Give the score of what was selected."""
        return self._evaluation.score(selector.support_)


def _digest(groups: Any) -> str:
    if groups is None:
        return "none"
    text = "\0".join(str(group) for group in np.asarray(groups).tolist())
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Part:
    """The rows of one seed: those that methods see, and the evaluator that has the others."""

    X: Any
    y: Any
    groups: Any
    unseen: UnseenRows


class GivenRows:
    """Rows that were given for the purpose: the same for every seed."""

    def __init__(
        self, X: Any, y: Any, test: Any, groups: Any, seed: int, parameters: Mapping[str, Any]
    ) -> None:
        self.all = UnseenRows(X, y, test, groups, seed, parameters)
        self.description = "test rows that no method saw"
        self.identity = self.all.identity
        self._part = Part(X, y, groups, self.all)

    def part(self, _seed: int) -> Part:
        """Give the rows of a seed."""
        return self._part


class HeldOut:
    """A share of the rows, held out anew for every seed: one split may be a lucky one."""

    def __init__(
        self, X: Any, y: Any, share: float, groups: Any, seed: int, parameters: Mapping[str, Any]
    ) -> None:
        if not 0 < share < 1:
            raise InputError(f"held_out: must lie between 0 and 1, found {share}.")
        if isinstance(X, ParquetTable):
            raise InputError("X: the rows of a ParquetTable cannot be held out; give test.")
        _, labels = read_training(X, y, None)
        if groups is None and np.bincount(labels.codes).min() < 2:
            raise InputError("y: a class has one row only, which cannot be held out; drop it.")
        self.all = UnseenRows(X, y, None, groups, seed, parameters)
        self.identity = {**self.all.identity, "held_out": repr(share)}
        self._rows = X, y, groups
        self._codes, self._share, self._seed = labels.codes, share, seed
        self._parameters = parameters
        what = f"{len(self._split(0)[1])} rows" if groups is None else f"{share:.0%} of the groups"
        self.description = f"{what}, held out anew for every seed, which no method saw"

    def part(self, seed: int) -> Part:
        """Give the rows of a seed."""
        X, y, groups = self._rows
        train, held = (np.sort(rows) for rows in self._split(seed))
        test = _safe_indexing(X, held), _safe_indexing(y, held)
        X, y = _safe_indexing(X, train), _safe_indexing(y, train)
        groups = None if groups is None else _safe_indexing(groups, train)
        return Part(X, y, groups, UnseenRows(X, y, test, groups, self._seed, self._parameters))

    def _split(self, seed: int) -> Any:
        rows, groups = np.arange(len(self._codes)), self._rows[2]
        state = derive_seed(self._seed, "held out", seed)
        if groups is None:
            return train_test_split(
                rows, test_size=self._share, stratify=self._codes, random_state=state
            )
        splitter = GroupShuffleSplit(1, test_size=self._share, random_state=state)
        return next(splitter.split(rows, self._codes, groups))
