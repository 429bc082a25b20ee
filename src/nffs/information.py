"""Mutual information of every feature with the label (eq. 1), in nats.

Counts are exact for columns with few values; the others are counted in the bins that the forest
uses too. The plug-in estimate is then corrected for its bias (Miller and Madow), without which a
column of row numbers would look informative.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.binning import MAX_BINS, bin_column
from nffs.fitness.splits import JudgedRows

Vector = NDArray[np.float64]

#: Bins hold about this many rows at least. With fewer, the bias correction fails: noise in 256
#: bins of 5 rows each scores 0.03.
ROWS_PER_BIN = 32
FEWEST_BINS = 8


def mutual_information(
    codes: NDArray[np.intp],
    classes: NDArray[np.intp],
    *,
    weights: Vector | None = None,
) -> float:
    """Estimate the mutual information of a discrete column and the label.

    Parameters
    ----------
    codes, classes : (n_rows,) int
        The column's values and the label, numbered from 0.
    weights : (n_rows,) float, optional
        Sample weights.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> same = np.array([0, 1] * 500)
    >>> round(mutual_information(same, same), 2)  # ln 2
    0.69
    """
    n_classes = int(classes.max()) + 1
    n_cells = (int(codes.max()) + 1) * n_classes
    counts = np.bincount(codes * n_classes + classes, weights, minlength=n_cells)
    joint = counts.reshape(-1, n_classes) / counts.sum()
    occurs = joint > 0
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    plug_in = float(np.sum(joint[occurs] * np.log(joint[occurs] / expected[occurs])))
    # Degrees of freedom over twice the rows; weighted rows count as their effective number.
    spare = occurs.sum() - occurs.any(axis=1).sum() - occurs.any(axis=0).sum() + 1
    n_rows = len(codes) if weights is None else weights.sum() ** 2 / np.square(weights).sum()
    return max(0.0, plug_in - float(spare) / (2 * float(n_rows)))


def feature_information(rows: JudgedRows, features: Sequence[NDArray[np.intp]]) -> Vector:
    """Score every feature on the training rows of the splits; the mean where there are several.

    Parameters
    ----------
    rows : JudgedRows
        Encoded rows and splits. Rows that judge are never looked at.
    features : sequence of int arrays
        The encoded columns of every feature: one, or all indicators of a categorical column.
    """
    scores = np.zeros(len(features))
    for split in rows.splits:
        classes = rows.labels.codes[split.train]
        weights = None if rows.weights is None else rows.weights[split.train]
        for number, columns in enumerate(features):
            codes = feature_codes(rows.matrix[np.ix_(split.train, columns)])
            scores[number] += mutual_information(codes, classes, weights=weights)
    return scores / len(rows.splits)


def feature_codes(block: NDArray[np.float32], max_bins: int = MAX_BINS) -> NDArray[np.intp]:
    """Give a feature's values as numbers: bins of a column, or categories of several.

    Parameters
    ----------
    block : (n_rows, n_columns) float32
        The feature's encoded columns: one, or all indicators of a categorical column.
    max_bins : int, default=256
        The most bins of a single column; fewer where there are few rows.
    """
    if block.shape[1] == 1:
        enough = max(FEWEST_BINS, len(block) // ROWS_PER_BIN)
        return bin_column(block[:, 0], min(max_bins, enough))[0].astype(np.intp)
    # Indicators of one categorical column: at most one of them is 1.
    return np.where(block.any(axis=1), block.argmax(axis=1) + 1, 0)
