"""The reference engine: any scikit-learn classifier on standardised and projected columns.

One fit for every parameter group. Slow and plain on purpose. Every faster engine has to agree with
this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from nffs.errors import InputError, quoted
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.randomness import derive_seed

ParamGroup = Mapping[str, Any]


@dataclass(frozen=True)
class ReferenceEngine:
    """Judge by a scikit-learn classifier.

    Parameters
    ----------
    estimator : classifier
        Cloned for every fit.
    param_groups : sequence of dict
        The parameters of every group.
    scoring : Scoring
        What is measured.
    pca : float or None
        Share of the variance kept by the components; None for standardised columns as they are.
    """

    estimator: Any
    param_groups: Sequence[ParamGroup]
    scoring: Scoring
    pca: float | None

    def __post_init__(self) -> None:
        known = self.estimator.get_params()
        for number, group in enumerate(self.param_groups):
            strange = [name for name in group if name not in known]
            if strange:
                raise InputError(
                    f"param_groups[{number}]: {type(self.estimator).__name__} has no parameter "
                    f"{quoted(strange)}; it has {quoted(sorted(known), limit=40)}."
                )

    def prepare(self, rows: SplitRows, split: Split) -> ReferenceScorer:
        """Keep the split's rows; nothing is shared between subsets here."""
        return ReferenceScorer(self, rows, split)


@dataclass(frozen=True)
class ReferenceScorer:
    """Judges subsets of columns on one split."""

    engine: ReferenceEngine
    rows: SplitRows
    split: Split

    def scores(self, columns: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
        """Fit and score every parameter group."""
        rows, split = self.rows, self.split
        scaler = StandardScaler()
        train = scaler.fit_transform(rows.matrix[np.ix_(split.train, columns)].astype(np.float64))
        judge = scaler.transform(rows.matrix[np.ix_(split.evaluation, columns)].astype(np.float64))
        if self.engine.pca is not None and train.any():
            pca = PCA(n_components=self.engine.pca, svd_solver="full")
            train = pca.fit_transform(train)
            judge = pca.transform(judge)
        return np.array(
            [
                self._score(group, derive_seed(seed, "group", number), train, judge)
                for number, group in enumerate(self.engine.param_groups)
            ]
        )

    def _score(
        self,
        group: ParamGroup,
        seed: int,
        train: NDArray[np.float64],
        judge: NDArray[np.float64],
    ) -> float:
        rows, split, scoring = self.rows, self.split, self.engine.scoring
        labels = rows.labels.decode() if scoring.wants_labels else rows.labels.codes
        estimator = clone(self.engine.estimator).set_params(**group)
        _set_seeds(estimator, seed, group)
        weights = {}
        if rows.weights is not None and has_fit_parameter(estimator, "sample_weight"):
            weights["sample_weight"] = rows.weights[split.train]
        estimator.fit(train, labels[split.train], **weights)
        judge_weights = None if rows.weights is None else rows.weights[split.evaluation]
        return scoring.of_estimator(estimator, judge, labels[split.evaluation], judge_weights)


def _set_seeds(estimator: Any, seed: int, group: ParamGroup) -> None:
    """Seed every `random_state` that is there, nested ones too, unless the group names it."""
    names = [n for n in estimator.get_params() if n.split("__")[-1] == "random_state"]
    seeds = {n: derive_seed(seed, n) for n in names if n not in group}
    if seeds:
        estimator.set_params(**seeds)
