"""Ridge regression of any subset of columns, at the price of one small factorisation.

The objective is scikit-learn's: standardised columns, alpha = 1, an intercept without penalty. The
products of the columns with one another and with the target are computed once for all subsets; a
subset's coefficients solve a submatrix of them. Where columns outnumber the training rows, the
products of the rows with one another are solved instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

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
from nffs.table.numbers import Numbers

#: Raised when a change here changes any bit of a score.
REVISION = 1

#: The penalty, as in scikit-learn's `Ridge`.
ALPHA = 1.0


@dataclass(frozen=True)
class RidgeEngine(PlainEngine):
    """Evaluate by ridge regression."""

    name: ClassVar[str] = "ridge"
    revision: ClassVar[int] = REVISION

    def memory(self, shape: Shape) -> Memory:
        """Bound it by a subset of all columns."""
        n_rows, n_columns = shape.n_rows, shape.n_columns
        cells, smaller = n_rows * n_columns, min(n_rows, n_columns)
        shared = 8 * n_columns**2 if shares_products(n_columns, n_rows) else 0
        subset = (4 + 8) * cells + 3 * 8 * smaller**2
        return Memory(
            once=shared + (4 + 8 + 8) * min(cells, max(CELLS, 2 * n_rows)),
            split=shared + 4 * cells,
            subset=subset,
            weighed=subset,
        )

    def prepare(self, rows: SplitRows, split: Split) -> RidgeScorer:
        """Standardise the rows and multiply the columns with one another, once for all subsets."""
        target, train = rows.target, split.train
        assert isinstance(target, Numbers)  # it predicts numbers
        weights = rows.training_weights(train)
        weight = np.ones(len(train)) if weights is None else weights
        mean, scale = column_moments(rows.matrix, rows.standardising(train))
        X, y = standardised(rows.matrix, train, mean, scale), target.values[train]
        centre = float(y @ weight / weight.sum())
        return RidgeScorer(
            scoring=self.scoring,
            X=X,
            X_evaluation=standardised(rows.matrix, split.evaluation, mean, scale),
            y=y - centre,
            centre=centre,
            weight=weight,
            evaluation=target.take(split.evaluation),
            evaluation_weights=rows.evaluation_weights(split),
            products=column_products(X, weight) if shares_products(*X.shape) else None,
            sums=np.array([column @ (weight * (y - centre)) for column in X]),
        )


@dataclass(frozen=True)
class RidgeScorer:
    """Scores subsets of columns on one split."""

    scoring: Scoring
    X: Rows32  # (n_columns, n_train) the standardised columns of the rows that train
    X_evaluation: Rows32  # (n_columns, n_evaluation)
    y: Matrix  # (n_train,) minus their weighted mean
    centre: float  # that mean
    weight: Matrix  # (n_train,)
    evaluation: Numbers
    evaluation_weights: NDArray[np.float64] | None
    # (n_columns + 1, n_columns + 1) products of the columns, and of a last one of ones
    products: Matrix | None
    sums: Matrix  # (n_columns,) products of the columns with the weighted target

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Give the score of every subset; nothing is random."""
        return np.array([[self._fitted(mask)[0]] for mask in columns])

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by the size of their coefficients."""
        score, coefficients = self._fitted(columns)
        return Weighed(np.array([score]), shares_of(np.abs(coefficients)))

    def _fitted(self, columns: Mask) -> tuple[float, Matrix]:
        """Give the score, and the columns' coefficients."""
        chosen = np.flatnonzero(columns)
        solve = self._by_columns if len(chosen) <= len(self.y) else self._by_rows
        coefficients, intercept = solve(chosen)
        predicted = coefficients.astype(np.float32) @ self.X_evaluation[chosen]
        score = self.scoring.of_numbers(
            predicted.astype(np.float64) + intercept, self.evaluation, self.evaluation_weights
        )
        return score, coefficients

    def _by_columns(self, chosen: NDArray[np.intp]) -> tuple[Matrix, float]:
        """Solve for coefficients by the products of the columns; the intercept is the last."""
        if self.products is None:
            products = column_products(self.X[chosen], self.weight)
        else:
            places = np.append(chosen, len(self.products) - 1)
            products = self.products[np.ix_(places, places)]
        products[np.diag_indices(len(chosen))] += ALPHA
        sums = np.append(self.sums[chosen], 0.0)  # the target adds up to 0
        found = cho_solve(cho_factor(products, lower=True), sums)
        return found[:-1], self.centre + float(found[-1])

    def _by_rows(self, chosen: NDArray[np.intp]) -> tuple[Matrix, float]:
        """Solve for the rows' own coefficients by the products of the rows with one another."""
        X = self.X[chosen].astype(np.float64)
        root = np.sqrt(self.weight)
        means = X @ self.weight / self.weight.sum()
        X -= means[:, None]
        X *= root
        gram = X.T @ X
        gram[np.diag_indices_from(gram)] += ALPHA
        own = cho_solve(cho_factor(gram, lower=True), root * self.y)
        coefficients: Matrix = X @ own
        return coefficients, self.centre - float(means @ coefficients)
