"""The fast engine: project, bin, grow one forest, read every parameter group off it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, quoted
from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.forest import grow_and_predict
from nffs.fitness.forest.groups import Group
from nffs.fitness.forest.projection import Projection
from nffs.fitness.forest.training import TrainingRows
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import Labels

_KNOWN = ("n_estimators", "max_depth")

#: From stumps to full depth, between which the paper's best rows lie. No single depth ranks subsets
#: as well as their mean does, and three times the trees add little: see `benchmarks/groups.py`.
DEFAULT_PARAM_GROUPS = tuple({"n_estimators": 30, "max_depth": depth} for depth in (2, 4, 8, None))


@dataclass(frozen=True)
class ForestEngine:
    """Judge by the binned forest.

    Parameters
    ----------
    groups : sequence of dict
        ``{"n_estimators": T, "max_depth": d}``; what is left out is 100 trees and no limit.
    scoring : Scoring
        What is measured.
    pca : float or None
        Share of the variance kept by the components; None for standardised columns as they are.
    """

    groups: Sequence[Group]
    scoring: Scoring
    pca: float | None

    def __post_init__(self) -> None:
        if not self.groups:
            raise InputError("param_groups: is empty; give at least one group.")
        for number, group in enumerate(self.groups):
            strange = [name for name in group if name not in _KNOWN]
            if strange:
                raise InputError(
                    f"param_groups[{number}]: the binned forest has no parameter "
                    f"{quoted(strange)}; it has {quoted(_KNOWN)}. For others pass "
                    "estimator=RandomForestClassifier()."
                )
            for name, value in group.items():
                if not (isinstance(value, int) and value >= 1) and (name, value) != (
                    _KNOWN[1],
                    None,
                ):
                    raise InputError(
                        f"param_groups[{number}]: {name} must be a whole number of at least 1, "
                        f"found {value!r}."
                    )

    def prepare(self, rows: SplitRows, split: Split) -> ForestScorer:
        """Standardise and compute the covariance of the training rows, once for all subsets."""
        weights = rows.weights
        return ForestScorer(
            groups=[{"n_estimators": 100, "max_depth": None, **group} for group in self.groups],
            scoring=self.scoring,
            projection=Projection(
                rows.matrix, split.train, split.evaluation, self.pca, rows.beyond
            ),
            train=rows.labels.take(split.train),
            judge=rows.labels.take(split.evaluation),
            train_weights=None if weights is None else weights[split.train],
            judge_weights=None if weights is None else weights[split.evaluation],
        )


@dataclass(frozen=True)
class ForestScorer:
    """Judges subsets of columns on one split."""

    groups: Sequence[Group]
    scoring: Scoring
    projection: Projection
    train: Labels
    judge: Labels
    train_weights: NDArray[np.float64] | None
    judge_weights: NDArray[np.float64] | None

    def scores(self, columns: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
        """Grow one forest and score every parameter group."""
        train, judge = self.projection.project(columns)
        rows = TrainingRows(
            train,
            find_bins(train),
            self.train.codes,
            self.train.n_classes,
            self.train_weights,
        )
        predicted = grow_and_predict(rows, judge, self.groups, seed)
        return np.array(
            [
                self.scoring.of_probabilities(probabilities, self.judge, self.judge_weights)
                for probabilities in predicted
            ]
        )
