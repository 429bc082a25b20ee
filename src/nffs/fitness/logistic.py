"""Logistic regression of any subset of columns, at the price of one small factorisation.

The objective is scikit-learn's: standardised columns, L2 penalty, C = 1. The curvature of the loss
is at most that of least squares, so the products of the columns with one another, computed once for
all subsets, bound it (Böhning and Lindsay 1988). The Cholesky factor of a submatrix is all that the
conjugate gradients need to arrive in a few steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.blas import ssyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from nffs.fitness import softmax
from nffs.fitness.evaluator import Mask, Masks, Memory, Shape, Weighed, shares_of
from nffs.fitness.plain import PlainEngine
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.fitness.standardised import (
    CELLS,
    Matrix,
    Rows32,
    column_moments,
    column_products,
    shares_products,
    standardised,
)
from nffs.table.target import Labels

#: Raised when a change here changes any bit of a score.
REVISION = 3

#: After so many steps, for two classes and for more, scores are about those of scikit-learn's
#: solution: `benchmarks/panel.py`. Too few would be unkind to many columns.
STEPS = {True: 8, False: 12}

#: The step before which the curvature is looked at anew.
TURN = 4

#: How often the loss is looked at in a step's direction.
LOOKS = 2

#: Rows that train at most, evenly spaced among the split's: coefficients of so few columns gain
#: nothing from more.
MAX_ROWS = 16_384

#: Added to the diagonal of products, relative to their size, so that they can be factorised.
_JITTER = 1e-6

#: In place of a zero that would be divided by.
_TINY = 1e-30


@dataclass(frozen=True)
class LogisticEngine(PlainEngine):
    """Evaluate by logistic regression."""

    name: ClassVar[str] = "logistic"
    revision: ClassVar[int] = REVISION

    def memory(self, shape: Shape) -> Memory:
        """Bound it by a subset of all columns."""
        n_rows, n_columns = shape.n_rows, shape.n_columns
        trained, cells = min(n_rows, MAX_ROWS), n_rows * n_columns
        shared = 8 * n_columns**2 if shares_products(n_columns, trained) else 0
        # A subset's columns are copied, and as float64 where they are rotated.
        if n_columns > trained:
            subset = (4 + 8) * cells + 4 * 8 * trained**2
        else:
            subset = (4 + 4) * cells + 5 * 8 * n_columns**2
        return Memory(
            once=shared + (4 + 8 + 8) * min(cells, max(CELLS, 2 * n_rows)),
            split=shared + 4 * cells,
            subset=subset,
            weighed=subset,
        )

    def prepare(self, rows: SplitRows, split: Split) -> LogisticScorer:
        """Standardise the rows and multiply the columns with one another, once for all subsets."""
        target = rows.target
        assert isinstance(target, Labels)  # it predicts classes
        train = split.train
        if len(train) > MAX_ROWS:
            train = train[np.linspace(0, len(train) - 1, MAX_ROWS).astype(np.intp)]
        matrix, weights = rows.matrix, rows.training_weights(train)
        weight = np.ones(len(train)) if weights is None else weights
        learned = rows.standardising(split.train)
        mean, scale = column_moments(matrix, train if learned is split.train else learned)
        X = standardised(matrix, train, mean, scale)
        return LogisticScorer(
            scoring=self.scoring,
            X=X,
            X_evaluation=standardised(matrix, split.evaluation, mean, scale),
            train=target.take(train),
            weight=weight,
            evaluation=target.take(split.evaluation),
            evaluation_weights=rows.evaluation_weights(split),
            products=column_products(X, weight) if shares_products(*X.shape) else None,
        )


@dataclass(frozen=True)
class LogisticScorer:
    """Scores subsets of columns on one split."""

    scoring: Scoring
    X: Rows32  # (n_columns, n_train) the standardised columns of the rows that train
    X_evaluation: Rows32  # (n_columns, n_evaluation)
    train: Labels
    weight: Matrix  # (n_train,)
    evaluation: Labels
    evaluation_weights: NDArray[np.float64] | None
    # (n_columns + 1, n_columns + 1) products of the columns, and of a last one of ones
    products: Matrix | None

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Give the score of every subset; nothing is random."""
        return np.array([[self._score(mask)] for mask in columns])

    def _score(self, columns: Mask) -> float:
        return self.scoring.of_probabilities(
            self.probabilities(columns), self.evaluation, self.evaluation_weights
        )

    def probabilities(self, columns: Mask) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows."""
        return self._fitted(columns)[0]

    def predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows, by one model."""
        return self.probabilities(columns)[None]

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by the size of their coefficients."""
        predicted, coefficients = self._fitted(columns)
        score = self.scoring.of_probabilities(predicted, self.evaluation, self.evaluation_weights)
        size = np.sqrt((coefficients.astype(np.float64) ** 2).sum(axis=0))
        return Weighed(np.array([score]), shares_of(size))

    def _fitted(self, columns: Mask) -> tuple[NDArray[np.float64], Rows32]:
        """Give class probabilities of the evaluation rows, and the columns' coefficients."""
        chosen = np.flatnonzero(columns)
        X, X_evaluation = self.X[chosen], self.X_evaluation[chosen]
        rotation, products = None, None
        if X.shape[0] > X.shape[1]:
            rotation = _Rotation(X)
            X, X_evaluation = rotation.train, rotation(X_evaluation)
        elif self.products is not None:
            places = np.append(chosen, len(self.products) - 1)
            products = self.products[np.ix_(places, places)]
        if products is None:
            products = column_products(X, self.weight)
        coefficients = _fit(X, self.train, self.weight, products)
        margins = _margins(coefficients, X_evaluation)
        found = np.empty((margins.shape[1], max(2, len(margins))))
        softmax.probabilities(margins, found)
        own = coefficients[:, :-1]
        return found, own if rotation is None else rotation.back(own)


def _bent(X: Rows32, weight: Rows32) -> Matrix:
    """Give the same in single precision, enough for a preconditioner; the lower triangle only."""
    k, n = X.shape
    root = np.sqrt(weight)
    rows = np.empty((k + 1, n), dtype=np.float32)
    np.multiply(X, root, out=rows[:-1])
    rows[-1] = root
    return np.asarray(ssyrk(1.0, rows.T, trans=1, lower=1), dtype=np.float64)


class _Rotation:
    """Gives rows with the same products among them in as many columns as there are training rows.

    Penalised regression depends on the rows by these products only.
    """

    def __init__(self, X: Rows32) -> None:
        self._X = X.astype(np.float64)
        gram = self._X.T @ self._X
        gram[np.diag_indices_from(gram)] += _JITTER * (np.trace(gram) / len(gram) + 1.0)
        self._factor = np.linalg.cholesky(gram)

    @property
    def train(self) -> Rows32:
        """The training rows, rotated."""
        return np.ascontiguousarray(self._factor.T, dtype=np.float32)

    def __call__(self, rows: Rows32) -> Rows32:
        """Rotate other rows."""
        across = solve_triangular(self._factor, self._X.T @ rows.astype(np.float64), lower=True)
        return np.asarray(across, dtype=np.float32)

    def back(self, coefficients: Rows32) -> Rows32:
        """Turn coefficients of rotated columns into those of the columns themselves."""
        turned = solve_triangular(self._factor, coefficients.T, lower=True, trans="T")
        return np.asarray((self._X @ turned).T, dtype=np.float32)


def _fit(X: Rows32, labels: Labels, weight: Matrix, products: Matrix) -> Rows32:
    """Give the coefficients of the columns, the intercept last; of two classes those of class 1.

    Conjugate gradients. First they are preconditioned by the bound of the curvature: a quarter of
    the products for two classes, a half for more; then once by the curvature where they arrived.
    """
    two, n = labels.n_classes == 2, X.shape[1]
    codes, weights = labels.codes.astype(np.int32), weight.astype(np.float32)
    factor = _factor(products * (0.25 if two else 0.5))
    margins = np.zeros((1 if two else labels.n_classes, n), dtype=np.float32)
    along, residual, curvature = (
        np.zeros_like(margins),
        np.empty_like(margins),
        np.empty_like(weights),
    )
    found = direction = before = np.zeros((len(margins), len(X) + 1))
    length, far = 1.0, 0.0
    for step in range(STEPS[two]):
        softmax.advance(margins, along, np.float32(far), codes, weights, residual, curvature)
        if step == TURN:
            factor = _factor(_bent(X, curvature))
            direction = np.zeros_like(found)
        gradient = np.empty_like(found)
        gradient[:, :-1] = (X @ residual.T).T  # quicker than the other way round
        gradient[:, :-1] -= found[:, :-1]
        gradient[:, -1] = residual.sum(axis=1)
        ahead = dpotrs(factor, gradient.T, lower=1)[0].T
        # Polak and Ribiere's share of the direction before; none of it if that is negative
        share = max(0.0, float(np.vdot(gradient - before, ahead)) / length)
        direction = ahead + share * direction
        slope = float(np.vdot(gradient, direction))
        if slope <= 0.0:
            direction, slope = ahead, float(np.vdot(gradient, ahead))
        before, length = gradient, max(float(np.vdot(gradient, ahead)), _TINY)
        along = _margins(direction.astype(np.float32), X)
        far = _far(margins, along, codes, weights, found[:, :-1], direction[:, :-1])
        found = found + far * direction
    return found.astype(np.float32)


def _margins(coefficients: Rows32, X: Rows32) -> Rows32:
    """Give the margins of all rows: a class a row."""
    margins: Rows32 = coefficients[:, :-1] @ X
    margins += coefficients[:, -1:]
    return margins


def _factor(curvature: Matrix) -> Matrix:
    """Factorise a curvature with the penalty; the intercept, the last one, has none."""
    diagonal = np.diag_indices_from(curvature)
    curvature[diagonal] += _JITTER * (np.trace(curvature) / len(curvature) + 1.0)
    curvature[np.diag_indices(len(curvature) - 1)] += 1.0
    factor, failed = dpotrf(curvature, lower=1)
    if failed:
        raise np.linalg.LinAlgError("the curvature has no Cholesky factor")
    return np.asarray(factor)


def _far(
    margins: Rows32,
    along: Rows32,
    codes: NDArray[np.int32],
    weight: Rows32,
    found: Matrix,
    direction: Matrix,
) -> float:
    """Find how far to go in a direction: Newton's method on the line, kept within bounds.

    The loss is convex: where it rises again, the way is shorter, and it is never backwards.
    """
    far, low, high = 0.0, 0.0, np.inf
    penalty, slope_of_penalty = (
        float(np.vdot(direction, direction)),
        float(np.vdot(found, direction)),
    )
    for _ in range(LOOKS):
        slope, curvature = softmax.look(margins, along, np.float32(far), codes, weight)
        slope -= slope_of_penalty + far * penalty
        low, high = (far, high) if slope > 0.0 else (low, far)
        ahead = far + slope / max(curvature + penalty, _TINY)
        far = ahead if low < ahead < high else (low + high) / 2
    return far
