"""Logistic regression of any subset of columns, at the price of one small factorisation.

The objective is scikit-learn's: standardised columns, L2 penalty, C = 1. The curvature of the loss
is at most that of least squares, so the products of the columns with one another, computed once for
all subsets, bound it (Böhning and Lindsay 1988). The Cholesky factor of a submatrix is all that the
conjugate gradients need to arrive in a few steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from nffs.fitness.blas import one_blas_thread
from nffs.fitness.evaluator import Mask, Masks, Memory, Weighed, shares_of
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import Labels

#: Raised when a change here changes any bit of a score.
REVISION = 1

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

#: With more columns than this the products are computed for every subset instead of once.
_SHARED_COLUMNS = 2048

#: Added to the diagonal of products, relative to their size, so that they can be factorised.
_JITTER = 1e-6

#: In place of a zero that would be divided by.
_TINY = 1e-30

Rows32 = NDArray[np.float32]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class LogisticEngine:
    """Evaluate by logistic regression.

    Parameters
    ----------
    scoring : Scoring
        What is measured.
    """

    scoring: Scoring

    batch: ClassVar[int] = 1

    def identity(self) -> dict[str, str]:
        """Name the scorer."""
        return {"engine": f"logistic {REVISION}", "scoring": self.scoring.name}

    def memory(self, n_rows: int, n_columns: int) -> Memory:
        """Bound it by a subset of all columns."""
        trained = min(n_rows, MAX_ROWS)
        smaller = min(trained, n_columns)
        shared = 8 * n_columns**2 if n_columns <= _SHARED_COLUMNS else 0
        # A subset's columns are copied and standardised.
        copied = (4 + 8) * (trained + n_rows) * n_columns
        once = shared + 12 * trained * n_columns
        return Memory(once=once, split=shared, subset=copied + 4 * 8 * smaller**2)

    def prepare(self, rows: SplitRows, split: Split) -> LogisticScorer:
        """Standardise the rows and multiply the columns with one another, once for all subsets."""
        target, weights = rows.target, rows.weights
        assert isinstance(target, Labels)  # it predicts classes
        train = split.train
        if len(train) > MAX_ROWS:
            train = train[np.linspace(0, len(train) - 1, MAX_ROWS).astype(np.intp)]
        matrix, weight = rows.matrix, np.ones(len(train)) if weights is None else weights[train]
        mean, scale = _moments(matrix[train])
        products = None
        if matrix.shape[1] <= _SHARED_COLUMNS:
            everything = np.arange(matrix.shape[1])
            products = _products(_standardised(matrix, train, everything, mean, scale), weight)
        return LogisticScorer(
            scoring=self.scoring,
            matrix=matrix,
            train_rows=train,
            evaluation_rows=split.evaluation,
            mean=mean,
            scale=scale,
            train=target.take(train),
            weight=weight,
            evaluation=target.take(split.evaluation),
            evaluation_weights=None if weights is None else weights[split.evaluation],
            products=products,
        )


@dataclass(frozen=True)
class LogisticScorer:
    """Scores subsets of columns on one split."""

    scoring: Scoring
    matrix: Rows32  # (n_rows, n_columns) the table, as it is
    train_rows: NDArray[np.intp]
    evaluation_rows: NDArray[np.intp]
    mean: Matrix  # (n_columns,) of the training rows
    scale: Matrix
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

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by the size of their coefficients."""
        predicted, coefficients = self._fitted(columns)
        score = self.scoring.of_probabilities(predicted, self.evaluation, self.evaluation_weights)
        size = np.sqrt((coefficients.astype(np.float64) ** 2).sum(axis=1))
        return Weighed(np.array([score]), shares_of(size))

    def _fitted(self, columns: Mask) -> tuple[NDArray[np.float64], Rows32]:
        """Give class probabilities of the evaluation rows, and the columns' coefficients."""
        chosen = np.flatnonzero(columns)
        X, X_evaluation = (
            _standardised(self.matrix, rows, chosen, self.mean, self.scale)
            for rows in (self.train_rows, self.evaluation_rows)
        )
        rotation, products = None, None
        if len(chosen) > len(X):
            rotation = _Rotation(X)
            X, X_evaluation = rotation.train, rotation(X_evaluation)
        elif self.products is not None:
            places = np.append(chosen, len(self.products) - 1)
            products = self.products[np.ix_(places, places)]
        if products is None:
            products = _products(X, self.weight)
        coefficients = _fit(X, self.train, self.weight, products)
        margins = (X_evaluation @ coefficients[:-1] + coefficients[-1]).astype(np.float64)
        own = coefficients[:-1] if rotation is None else rotation.back(coefficients[:-1])
        if margins.shape[1] > 1:
            return np.asarray(_softmax(margins)), own
        positive = _positive(margins)
        return np.hstack([1.0 - positive, positive]), own


def _moments(X: Rows32) -> tuple[Matrix, Matrix]:
    """Give means and scales of the columns; of a constant one the scale is 1."""
    mean = X.mean(axis=0, dtype=np.float64)
    deviation = np.sqrt(np.mean((X - mean) ** 2, axis=0, dtype=np.float64))
    tiny = 10 * np.finfo(np.float32).eps * np.abs(mean)
    return mean, np.where(deviation <= tiny, 1.0, deviation)


def _standardised(
    X: Rows32, rows: NDArray[np.intp], columns: NDArray[np.intp], mean: Matrix, scale: Matrix
) -> Rows32:
    """Give some rows of some columns, standardised."""
    mean, scale = mean[columns], scale[columns]
    out = np.empty((len(rows), len(columns)), dtype=np.float32)
    for start in range(0, len(rows), 2048):
        some = rows[start : start + 2048]
        out[start : start + 2048] = (X[np.ix_(some, columns)] - mean) / scale
    return out


def _products(X: Rows32, weight: Matrix) -> Matrix:
    """Give the weighted products of the columns with one another, and with a column of ones."""
    n, k = X.shape
    products = np.zeros((k + 1, k + 1))
    with one_blas_thread:
        for start in range(0, n, 2048):
            rows = np.ones((min(2048, n - start), k + 1))
            rows[:, :-1] = X[start : start + 2048]
            products += rows.T @ (rows * weight[start : start + 2048, None])
    return products


class _Rotation:
    """Gives rows with the same products among them in as many columns as there are training rows.

    Penalised regression depends on the rows by these products only.
    """

    def __init__(self, X: Rows32) -> None:
        self._X = X.astype(np.float64)
        gram = self._X @ self._X.T
        gram[np.diag_indices_from(gram)] += _JITTER * (np.trace(gram) / len(gram) + 1.0)
        self._factor = np.linalg.cholesky(gram)

    @property
    def train(self) -> Rows32:
        """The training rows, rotated."""
        return self._factor.astype(np.float32)

    def __call__(self, rows: Rows32) -> Rows32:
        """Rotate other rows."""
        across = solve_triangular(self._factor, self._X @ rows.T.astype(np.float64), lower=True)
        return np.ascontiguousarray(across.T, dtype=np.float32)

    def back(self, coefficients: Rows32) -> Rows32:
        """Turn coefficients of rotated columns into those of the columns themselves."""
        found = self._X.T @ solve_triangular(self._factor, coefficients, lower=True, trans="T")
        return np.asarray(found, dtype=np.float32)


def _fit(X: Rows32, labels: Labels, weight: Matrix, products: Matrix) -> Rows32:
    """Give the coefficients of the columns, the intercept last; of two classes those of class 1.

    Conjugate gradients. First they are preconditioned by the bound of the curvature: a quarter of
    the products for two classes, a half for more; then once by the curvature where they arrived.
    """
    two = labels.n_classes == 2
    truth = labels.codes[:, None] == (np.ones(1) if two else np.arange(labels.n_classes))
    loss = _Loss(truth.astype(np.float32), weight[:, None].astype(np.float32))
    factor = _factor(products * (0.25 if two else 0.5))
    found = direction = np.zeros((X.shape[1] + 1, truth.shape[1]))
    margins, before, length = np.zeros_like(loss.truth), found, 1.0
    for step in range(STEPS[two]):
        shares = loss.shares(margins)
        if step == TURN:
            factor = _factor(_products(X, loss.curvature(shares)))
            direction = np.zeros_like(found)
        residual = (loss.truth - shares) * loss.weight
        gradient = np.vstack([X.T @ residual, residual.sum(axis=0)]).astype(np.float64)
        gradient[:-1] -= found[:-1]
        ahead = cho_solve(factor, gradient, check_finite=False)
        # Polak and Ribiere's share of the direction before; none of it if that is negative
        share = max(0.0, float(((gradient - before) * ahead).sum()) / length)
        direction = ahead + share * direction
        if float((gradient * direction).sum()) <= 0.0:
            direction = ahead
        before, length = gradient, max(float((gradient * ahead).sum()), _TINY)
        along = X @ direction[:-1].astype(np.float32) + direction[-1].astype(np.float32)
        far = loss.step(margins, shares, along, found[:-1], direction[:-1])
        found, margins = found + far * direction, margins + np.float32(far) * along
    return found.astype(np.float32)


def _factor(curvature: Matrix) -> Any:
    """Factorise a curvature with the penalty; the intercept, the last one, has none."""
    diagonal = np.diag_indices_from(curvature)
    curvature[diagonal] += _JITTER * (np.trace(curvature) / len(curvature) + 1.0)
    curvature[np.diag_indices(len(curvature) - 1)] += 1.0
    return cho_factor(curvature, lower=True, overwrite_a=True, check_finite=False)


@dataclass(frozen=True)
class _Loss:
    """The penalised loss of some rows, as a function of their margins."""

    truth: Rows32  # (n, n_classes) 1 where a row is of the class; of two classes class 1 only
    weight: Rows32  # (n, 1)

    def shares(self, margins: Rows32) -> Any:
        """Turn margins into class probabilities."""
        return _positive(margins) if margins.shape[1] == 1 else _softmax(margins)

    def curvature(self, shares: Any) -> Matrix:
        """Give the curvature of every row; of more than two classes the mean over the classes."""
        each: Matrix = (shares * (1.0 - shares) * self.weight).mean(axis=1, dtype=np.float64)
        return each

    def step(
        self, margins: Rows32, shares: Any, along: Rows32, found: Matrix, direction: Matrix
    ) -> float:
        """Find how far to go in a direction: Newton's method on the line, kept within bounds.

        The loss is convex: where it rises again, the way is shorter, and it is never backwards.
        """
        far, low, high = 0.0, 0.0, np.inf
        penalty, slope_of_penalty = float((direction**2).sum()), float((found * direction).sum())
        for look in range(LOOKS):
            if look > 0:
                shares = self.shares(margins + np.float32(far) * along)
            slope = float(((self.truth - shares) * along * self.weight).sum(dtype=np.float64))
            slope -= slope_of_penalty + far * penalty
            curved = shares * along
            curved *= along - (curved if along.shape[1] == 1 else curved.sum(axis=1, keepdims=True))
            curvature = float((curved * self.weight).sum(dtype=np.float64)) + penalty
            low, high = (far, high) if slope > 0.0 else (low, far)
            ahead = far + slope / max(curvature, _TINY)
            far = ahead if low < ahead < high else (low + high) / 2
        return far


def _positive(margins: Any) -> Any:
    """Turn margins of class 1 into its probability."""
    return 1.0 / (1.0 + np.exp(-np.clip(margins, -60.0, 60.0)))


def _softmax(margins: Any) -> Any:
    """Turn margins of all classes into probabilities."""
    shares = np.exp(margins - margins.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)
