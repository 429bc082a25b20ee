"""The reference engine: any scikit-learn estimator on standardised and projected columns.

One fit for every parameter group. Slow and plain on purpose. Every faster engine has to agree with
this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from nffs._sklearn import LinearClassifierMixin, LinearModel
from nffs.errors import InputError, quoted
from nffs.fitness.evaluator import Mask, Masks, Memory, Shape, Weighed, shares_of
from nffs.fitness.forest.projection import Projection
from nffs.fitness.naming import name_of
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.randomness import derive_seed
from nffs.table.target import Labels, Rows

ParamGroup = Mapping[str, Any]
Matrix = NDArray[np.float64]

#: Raised when a change here changes any bit of a score.
REVISION = 2


@dataclass(frozen=True)
class ReferenceEngine:
    """Evaluate by a scikit-learn classifier, or of numbers by a regressor.

    Parameters
    ----------
    estimator : classifier or regressor
        Cloned for every fit.
    param_groups : sequence of dict
        The parameters of every group.
    scoring : Scoring
        What is measured.
    pca : float or None
        Share of the variance kept by the components; None for standardised columns as they are.
    keeps_gaps : bool, default=False
        Whether the estimator is given missing numbers as they are, if its tags allow them and there
        are no components. Otherwise they are filled, as for faster engines.
    """

    estimator: Any
    param_groups: Sequence[ParamGroup]
    scoring: Scoring
    pca: float | None
    keeps_gaps: bool = False

    batch: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not self.param_groups:
            raise InputError("param_groups: is empty; give at least one group.")
        known = self.estimator.get_params()
        for number, group in enumerate(self.param_groups):
            strange = [name for name in group if name not in known]
            if strange:
                raise InputError(
                    f"param_groups[{number}]: {type(self.estimator).__name__} has no parameter "
                    f"{quoted(strange)}; it has {quoted(sorted(known), limit=40)}."
                )

    @property
    def weighs(self) -> bool:
        """Whether the estimator, once it is fitted, says how much a column counts."""
        told = _is_linear(self.estimator) or hasattr(type(self.estimator), "feature_importances_")
        return self.pca is None and told

    def identity(self) -> dict[str, str]:
        """Name estimator, groups, scorer and components."""
        return {
            "engine": f"reference {REVISION}",
            "estimator": name_of(self.estimator, "estimator"),
            "param_groups": f"[{', '.join(map(_group_name, self.param_groups))}]",
            "scoring": self.scoring.identity(),
            "pca": repr(self.pca),
        }

    def memory(self, shape: Shape) -> Memory:
        """Bound what scaling and components take; the estimator's own memory is not known."""
        n_rows, n_columns = shape.n_rows, shape.n_columns
        # Raw, standardised and centred rows, and the factors of their decomposition.
        return Memory(0, 0, 8 * (6 * n_rows * n_columns + 2 * min(n_rows, n_columns) * n_columns))

    def prepare(self, rows: SplitRows, split: Split) -> ReferenceScorer:
        """Keep the split's rows; only the moments of rows beyond a sample are shared."""
        beyond = None
        if rows.beyond is not None:
            beyond = Projection(
                rows.matrix,
                split.train,
                split.evaluation,
                self.pca,
                rows.beyond,
                rows.standardising(split.train),
            )
        elif self.keeps_gaps and self.pca is None:
            rows = replace(rows, matrix=rows.given_to(self.estimator))
        return (WeighingReference if self.weighs else ReferenceScorer)(self, rows, split, beyond)


@dataclass(frozen=True)
class ReferenceScorer:
    """Scores subsets of columns on one split."""

    engine: ReferenceEngine
    rows: SplitRows
    split: Split
    beyond: Projection | None

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Fit and score every parameter group of every subset."""
        return np.array([self._scores(c, seed) for c, seed in zip(columns, seeds, strict=True)])

    def _scores(self, columns: Mask, seed: int) -> list[float]:
        train, evaluation = self._projected(columns)
        return [
            self._score(group, derive_seed(seed, "group", number), train, evaluation)
            for number, group in enumerate(self.engine.param_groups)
        ]

    def _projected(self, columns: Mask) -> tuple[Matrix, Matrix]:
        if self.beyond is not None:
            train32, evaluation32 = self.beyond.project(columns)
            return train32.astype(np.float64), evaluation32.astype(np.float64)
        matrix, split = self.rows.matrix, self.split
        learned = self.rows.standardising(split.train)
        if learned is not split.train:
            return self._projected_by(learned, columns)
        scaler = StandardScaler()
        train = scaler.fit_transform(matrix[np.ix_(split.train, columns)].astype(np.float64))
        evaluation = scaler.transform(matrix[np.ix_(split.evaluation, columns)].astype(np.float64))
        if self.engine.pca is not None and train.any():
            pca = PCA(n_components=self.engine.pca, svd_solver="full")
            train = pca.fit_transform(train)
            evaluation = pca.transform(evaluation)
        return train, evaluation

    def _projected_by(self, learned: Rows, columns: Mask) -> tuple[Matrix, Matrix]:
        """Project by what other rows than those that train say."""
        parts = [
            self.rows.matrix[np.ix_(rows, columns)].astype(np.float64)
            for rows in (self.split.train, self.split.evaluation, learned)
        ]
        scaler = StandardScaler().fit(parts[2])
        train, evaluation, others = (scaler.transform(part) for part in parts)
        if self.engine.pca is not None and others.any():
            pca = PCA(n_components=self.engine.pca, svd_solver="full").fit(others)
            train, evaluation = pca.transform(train), pca.transform(evaluation)
        return train, evaluation

    def predicted(self, columns: Mask, seed: int) -> Matrix:
        """Give class probabilities of the evaluation rows, the mean over parameter groups."""
        train, evaluation = self._projected(columns)
        labels = self.rows.target
        assert isinstance(labels, Labels)
        names = labels.classes if self.engine.scoring.wants_labels else np.arange(labels.n_classes)
        place_of = {name: place for place, name in enumerate(names.tolist())}
        total = np.zeros((len(evaluation), labels.n_classes))
        for number, group in enumerate(self.engine.param_groups):
            fitted = self._fitted(group, derive_seed(seed, "group", number), train)
            places = [place_of[name] for name in fitted.classes_.tolist()]
            total[:, places] += fitted.predict_proba(evaluation)
        return (total / len(self.engine.param_groups))[None]

    def _score(self, group: ParamGroup, seed: int, train: Matrix, evaluation: Matrix) -> float:
        return self._scored(self._fitted(group, seed, train), evaluation)

    def _fitted(self, group: ParamGroup, seed: int, train: Matrix) -> Any:
        rows, split, scoring = self.rows, self.split, self.engine.scoring
        target = rows.target.decode() if scoring.wants_labels else rows.target.values
        estimator = clone(self.engine.estimator).set_params(**group)
        _set_seeds(estimator, seed, group)
        weights = {}
        if rows.trains_weighted and has_fit_parameter(estimator, "sample_weight"):
            weights["sample_weight"] = rows.training_weights(split.train)
        return estimator.fit(train, target[split.train], **weights)

    def _scored(self, estimator: Any, evaluation: Matrix) -> float:
        rows, split, scoring = self.rows, self.split, self.engine.scoring
        target = rows.target.decode() if scoring.wants_labels else rows.target.values
        return scoring.of_estimator(
            estimator, evaluation, target[split.evaluation], rows.evaluation_weights(split)
        )


@dataclass(frozen=True)
class WeighingReference(ReferenceScorer):
    """Scores subsets of columns by an estimator that tells how much each column counts."""

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by the estimator's importances or coefficients."""
        train, evaluation = self._projected(columns)
        scores, weights = [], np.zeros(train.shape[1])
        for number, group in enumerate(self.engine.param_groups):
            fitted = self._fitted(group, derive_seed(seed, "group", number), train)
            scores.append(self._scored(fitted, evaluation))
            told = fitted.coef_ if _is_linear(fitted) else fitted.feature_importances_
            weights += shares_of(np.abs(told).reshape(-1, train.shape[1]).sum(axis=0))
        return Weighed(np.array(scores), shares_of(weights))


def _group_name(group: ParamGroup) -> str:
    named = (f"{key!r}: {name_of(value, 'param_groups')}" for key, value in group.items())
    return f"{{{', '.join(named)}}}"


def _is_linear(estimator: Any) -> bool:
    return isinstance(estimator, LinearClassifierMixin | LinearModel)


def _set_seeds(estimator: Any, seed: int, group: ParamGroup) -> None:
    """Seed every `random_state` that is there, nested ones too, unless the group names it."""
    names = [n for n in estimator.get_params() if n.split("__")[-1] == "random_state"]
    seeds = {n: derive_seed(seed, n) for n in names if n not in group}
    if seeds:
        estimator.set_params(**seeds)
