"""How well old rows can be told from new ones, and which old rows look like the new ones.

A classifier is trained to tell them apart, and what it says of a row comes from folds in which the
row did not train. No label of what is to be predicted has a part in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from nffs.errors import InputError
from nffs.fitness.blas import one_blas_thread
from nffs.fitness.boosting.engine import BoostingEngine, ClassScorer
from nffs.fitness.scoring import resolve_scoring
from nffs.fitness.splits import SplitRows, cv_splits
from nffs.randomness import derive_seed
from nffs.table.target import Labels

Vector = NDArray[np.float64]

#: How often chance alone may tell rows apart that do not differ.
LEVEL = 0.01

#: Folds of the rows; fewer where there are fewer rows of either sort.
FOLDS = 5

#: No row weighs more than so many times the average, or less than its inverse: beyond, a weight
#: says more of the classifier than of the row.
MOST = 10.0


@dataclass(frozen=True)
class Newness:
    """What a classifier makes of old and new rows, each judged by folds that it was not in."""

    is_new: NDArray[np.bool_]  # (n_rows,) the old ones first
    fold: NDArray[np.intp]  # (n_rows,) the fold of a row
    probability: Vector  # (n_rows,) that a row is new

    @property
    def auc(self) -> float:
        """How well the two are told apart, the mean over folds: 0.5 not at all, 1 entirely."""
        return mean_auc(self.fold, self.is_new, self.probability)

    @property
    def told_apart(self) -> bool:
        """Whether they are told apart better than chance explains."""
        n_old = int((~self.is_new).sum())
        error = chance(n_old, len(self.is_new) - n_old)
        return self.auc > 0.5 + error * float(norm.ppf(1 - LEVEL))

    def weights(self) -> Vector:
        """Give weights by which the old rows stand for the new ones; their mean is 1.

        A weight is the odds that such a row is new, relative to the odds of all rows, and between
        0.1 and 10.
        """
        n_old = int((~self.is_new).sum())
        probability = self.probability[:n_old]
        odds = probability / np.maximum(1.0 - probability, 1e-12)
        ratio = np.clip(odds * n_old / (len(self.is_new) - n_old), 1.0 / MOST, MOST)
        weights: Vector = ratio / ratio.mean()
        return weights


def newness_of(matrix: NDArray[np.float32], n_old: int, seed: int) -> Newness:
    """Train classifiers to tell old rows from new ones, by gradient boosting.

    Parameters
    ----------
    matrix : (n_rows, n_columns) float32
        The rows, `n_old` old ones first; nothing is missing.
    n_old : int
        How many are old.
    seed : int
        Draws the folds.
    """
    n_new = len(matrix) - n_old
    n_folds = min(FOLDS, n_old, n_new)
    if n_folds < 2:
        raise InputError(
            f"X_new: {n_old} old and {n_new} new row(s) are too few to be compared; give at least "
            "2 of each."
        )
    is_new = np.arange(len(matrix)) >= n_old
    target = Labels(is_new.astype(np.intp), np.array(["old", "new"], dtype=object))
    splits, _ = cv_splits(n_folds, target, None, derive_seed(seed, "newness"))
    rows = SplitRows(matrix, target, None, splits, "")
    engine = BoostingEngine(resolve_scoring("roc_auc", target))
    probability, fold = np.empty(len(matrix)), np.empty(len(matrix), dtype=np.intp)
    everything = np.ones(matrix.shape[1], dtype=np.bool_)
    with one_blas_thread:
        for number, split in enumerate(splits):
            scorer = engine.prepare(rows, split)
            assert isinstance(scorer, ClassScorer)
            probability[split.evaluation] = scorer.probabilities(everything)[0][:, 1]
            fold[split.evaluation] = number
    return Newness(is_new, fold, probability)


def newness_alone(codes: NDArray[np.intp], like: Newness) -> float:
    """Tell how well one column of codes tells old rows from new ones: the mean AUC over folds.

    A code's score is its share of new rows in the other folds, smoothed by one row, so that a
    category or a number that occurs once decides nothing.

    Parameters
    ----------
    codes : (n_rows,) int
        From 0 on.
    like : Newness
        Has the folds.
    """
    n_codes, n_folds = int(codes.max()) + 1, int(like.fold.max()) + 1
    places = (like.fold * 2 + like.is_new) * n_codes + codes
    counts = np.bincount(places, minlength=n_folds * 2 * n_codes).reshape(n_folds, 2, n_codes)
    usual, total, found = like.is_new.mean(), counts.sum(axis=0), []
    for own in counts:
        others = total - own
        share = (others[1] + usual) / (others.sum(axis=0) + 1.0)
        found.append(_auc_of_counts(share, own[0], own[1]))
    return float(np.mean(found))


def chance(n_old: int, n_new: int) -> float:
    """Give the standard error of an AUC over folds where nothing differs.

    Twice the variance of the Mann-Whitney statistic: of every two rows in different folds, each has
    a part in the score of the other, so what chance gives the one it gives the other too. Ties make
    it an upper bound.
    """
    return float(np.sqrt(2.0 * (n_old + n_new + 1) / (12.0 * n_old * n_new)))


def effective_size(weights: Vector) -> float:
    """Give how many rows of equal weight would say as much (Kish).

    >>> effective_size(np.array([1.0, 1.0, 0.0]))
    2.0
    """
    return float(weights.sum() ** 2 / np.square(weights).sum())


def mean_auc(fold: NDArray[np.intp], is_new: NDArray[np.bool_], score: Vector) -> float:
    """Give the AUC of scores, the mean over folds."""
    found = []
    for number in range(int(fold.max()) + 1):
        own = fold == number
        values, places = np.unique(score[own], return_inverse=True)
        new = np.bincount(places, is_new[own], len(values))
        every = np.bincount(places, minlength=len(values))
        found.append(_auc_of_counts(values, every - new, new))
    return float(np.mean(found))


def _auc_of_counts(score: Vector, old: NDArray[np.generic], new: NDArray[np.generic]) -> float:
    """Give the AUC of scores that so many old and new rows have; equal scores count half.

    >>> _auc_of_counts(np.array([0.1, 0.9]), np.array([1, 1]), np.array([0, 2]))
    0.75
    """
    values, places = np.unique(score, return_inverse=True)
    old_at = np.bincount(places, old, len(values))
    new_at = np.bincount(places, new, len(values))
    below = np.cumsum(old_at) - old_at
    pairs = float((new_at * (below + old_at / 2)).sum())
    return pairs / float(old_at.sum() * new_at.sum())
