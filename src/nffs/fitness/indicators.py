"""Scores from predicted classes, without the checks that cost more than the counting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]


def confusion(
    truth: Codes, predicted: Codes, n_classes: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Count rows by true class (rows of the table) and predicted class (its columns).

    >>> confusion(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1., 0.],
           [1., 1.]])
    """
    cells = np.bincount(truth * n_classes + predicted, weights, minlength=n_classes**2)
    return cells.reshape(n_classes, n_classes).astype(np.float64)


def f_scores(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the F-score of every class; 0 for one that is neither there nor predicted."""
    hits: NDArray[np.float64] = np.diag(counts)
    total = counts.sum(axis=0) + counts.sum(axis=1)
    scores: NDArray[np.float64] = np.zeros(len(counts))
    np.divide(2 * hits, total, out=scores, where=total > 0)
    return scores


def f_score(counts: NDArray[np.float64]) -> float:
    """Compute the F-score of class 1, or its macro mean for more than two classes.

    As scikit-learn's ``f1_score(average='macro')``, the mean is over the classes that are there or
    predicted.
    """
    scores = f_scores(counts)
    if len(scores) == 2:
        return float(scores[1])
    met = (counts.sum(axis=0) + counts.sum(axis=1)) > 0
    return float(scores[met].mean())
