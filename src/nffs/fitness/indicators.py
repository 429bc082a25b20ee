"""Scores from what was predicted, without checks that cost more than counting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Indicators:
    """The paper's five indicators; for more than two classes the means over the classes."""

    precision: float
    recall: float
    accuracy: float
    f_score: float
    auc: float


@dataclass(frozen=True)
class NumberIndicators:
    """What people ask of predicted numbers."""

    r2: float
    rmse: float
    mae: float
    median_error: float
    correlation: float


def number_indicators(truth: Floats, predicted: Floats) -> NumberIndicators:
    """Compute all indicators of numbers: R2, errors, and the correlation with the truth."""
    errors = np.abs(truth - predicted)
    varies = np.ptp(truth) > 0 and np.ptp(predicted) > 0
    return NumberIndicators(
        r2=r2(truth, predicted),
        rmse=float(np.sqrt(np.mean(errors**2))),
        mae=float(errors.mean()),
        median_error=float(np.median(errors)),
        correlation=float(np.corrcoef(truth, predicted)[0, 1]) if varies else 0.0,
    )


def r2(truth: Floats, predicted: Floats, weights: Floats | None = None) -> float:
    """Compute the share of the truth's variance that is predicted, as scikit-learn's ``r2_score``.

    It is 0 for the mean of these rows, and below 0 for anything worse.

    >>> r2(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    mean = np.average(truth, weights=weights)
    missed = float(np.average((truth - predicted) ** 2, weights=weights))
    spread = float(np.average((truth - mean) ** 2, weights=weights))
    if spread == 0.0:
        return 1.0 if missed == 0.0 else 0.0
    return 1.0 - missed / spread


def indicators_of(truth: Codes, probabilities: Floats) -> Indicators:
    """Compute all indicators; a row's class is its most probable one, the first of equals."""
    n_classes = probabilities.shape[1]
    counts = confusion(truth, probabilities.argmax(axis=1), n_classes)
    shown = [1] if n_classes == 2 else list(range(n_classes))
    return Indicators(
        precision=float(_share(np.diag(counts), counts.sum(axis=0))[shown].mean()),
        recall=float(_share(np.diag(counts), counts.sum(axis=1))[shown].mean()),
        accuracy=float(np.diag(counts).sum() / counts.sum()),
        f_score=f_score(counts),
        auc=float(np.mean([auc(truth == c, probabilities[:, c]) for c in shown])),
    )


def confusion(
    truth: Codes, predicted: Codes, n_classes: int, weights: Floats | None = None
) -> Floats:
    """Count rows by true class (rows of the table) and predicted class (its columns).

    >>> confusion(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[1., 0.],
           [1., 1.]])
    """
    cells = np.bincount(truth * n_classes + predicted, weights, minlength=n_classes**2)
    return cells.reshape(n_classes, n_classes).astype(np.float64)


def f_score(counts: Floats) -> float:
    """Compute the F-score of class 1, or its macro mean for more than two classes.

    As scikit-learn's ``f1_score(average='macro')``, the mean is over the classes that are there or
    predicted.
    """
    total = counts.sum(axis=0) + counts.sum(axis=1)
    scores = _share(2 * np.diag(counts), total)
    return float(scores[1]) if len(scores) == 2 else float(scores[total > 0].mean())


def auc(positive: NDArray[np.bool_], score: Floats) -> float:
    """Compute the area under the ROC curve; a tie counts half. NaN if one class is missing.

    >>> auc(np.array([False, True, True]), np.array([0.2, 0.2, 0.9]))
    0.75
    """
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return float("nan")
    ranks = float(rankdata(score)[positive].sum())
    return (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


def average_precision(
    positive: NDArray[np.bool_], score: Floats, weights: Floats | None = None
) -> float:
    """Compute the mean of the precisions at which positive rows are found, highest scores first.

    Rows with the same score are found together. The bits are those of scikit-learn's
    ``average_precision_score``; 0 if no row is positive.

    >>> average_precision(np.array([False, True, True]), np.array([0.3, 0.2, 0.9]))
    0.8333333333333333
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)  # of the rows with its score
    found = positive[order].astype(np.float64)
    weight = np.ones(len(score)) if weights is None else weights[order]
    hits = np.cumsum(found * weight)[last]
    looked_at: Floats = hits + np.cumsum((1.0 - found) * weight)[last]
    if not hits[-1]:
        return 0.0
    recall = np.append((hits / hits[-1])[::-1], 0.0)
    return float(max(0.0, -np.sum(np.diff(recall) * _share(hits, looked_at)[::-1])))


def _share(part: Floats, whole: Floats) -> Floats:
    """Divide, and give 0 where there is nothing to divide by."""
    shares: Floats = np.zeros(len(part))
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
