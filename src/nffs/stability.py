"""How stable selections are: measures over several selections from the same features.

A selection is a row of a 0/1 matrix, its features are the columns. The measure to use is
Nogueira's (JMLR 18, 2018): it takes selections of any sizes, corrects for what chance would agree
on, and has a variance, hence an interval. Kuncheva's index is its value for pairs of equal size;
Jaccard's does not correct for chance and is there for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from nffs.errors import InputError


@dataclass(frozen=True)
class Stability:
    """Nogueira's stability of some selections.

    Attributes
    ----------
    value, variance : float
        1 if all selections are the same, about 0 if they agree no more than chance would; and its
        variance, as an estimate from the selections.
    low, high, confidence : float
        Confidence interval by the normal approximation, and its level.
    n_selections, n_features : int
        How many selections, from how many features.
    mean_size : float
        Features in a selection, on average.
    """

    value: float
    variance: float
    low: float
    high: float
    confidence: float
    n_selections: int
    n_features: int
    mean_size: float


def nogueira(selections: Any, confidence: float = 0.95) -> Stability:
    """Measure stability (Nogueira, Sechidis and Brown 2018, definition 4 and theorem 7).

    Parameters
    ----------
    selections : array-like of shape (n_selections, n_features)
        Which features each selection has, as booleans or 0 and 1.
    confidence : float, default=0.95
        Level of the interval.

    Examples
    --------
    >>> nogueira([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value
    0.333...
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence: must lie between 0 and 1, found {confidence}.")
    Z = _read(selections)
    m, d = Z.shape
    sizes, share = Z.sum(axis=1), Z.mean(axis=0)
    mean_size = float(sizes.mean())
    if mean_size in (0.0, float(d)):
        # Nothing or everything, every time: the same selection, with no chance to correct for.
        return Stability(1.0, 0.0, 1.0, 1.0, confidence, m, d, mean_size)
    filled = mean_size / d
    by_chance = filled * (1 - filled)
    spread = (share * (1 - share)).sum() * m / (m - 1)
    value = 1 - spread / d / by_chance
    parts = (
        Z @ share / d
        - sizes * mean_size / d**2
        + value / 2 * (2 * sizes * mean_size / d**2 - sizes / d - filled + 1)
    ) / by_chance
    variance = 4 / m**2 * ((parts - parts.mean()) ** 2).sum()
    reach = norm.ppf((1 + confidence) / 2) * np.sqrt(variance)
    low, high = float(value - reach), float(min(1.0, value + reach))
    return Stability(float(value), float(variance), low, high, confidence, m, d, mean_size)


def kuncheva(selections: Any) -> float:
    """Give Kuncheva's consistency index, the mean over all pairs of selections of equal size.

    Selections are given as for `nogueira`.
    """
    Z = _read(selections)
    sizes = np.unique(Z.sum(axis=1))
    if len(sizes) > 1:
        raise InputError(
            f"selections: Kuncheva's index needs selections of equal size, found {sizes.min():g} "
            f"to {sizes.max():g} features; use nogueira."
        )
    d, k = Z.shape[1], float(sizes[0])
    if k in (0.0, float(d)):
        return 1.0
    shared = np.array([a @ b for a, b in combinations(Z, 2)])
    return float(np.mean((shared * d - k**2) / (k * (d - k))))


def jaccard(selections: Any) -> float:
    """Give the mean Jaccard index over all pairs; two empty selections are the same.

    Selections, of any sizes, are given as for `nogueira`.
    """
    Z = _read(selections)
    pairs = []
    for a, b in combinations(Z, 2):
        either = np.maximum(a, b).sum()
        pairs.append(1.0 if either == 0 else a @ b / either)
    return float(np.mean(pairs))


def selection_frequencies(
    selections: Any, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Give how often each feature is selected, with Wilson's interval.

    Parameters are those of `nogueira`.

    Returns
    -------
    share, low, high : ndarray of shape (n_features,)
        Share of the selections that have the feature, and its interval.
    """
    Z = _read(selections)
    m, share = len(Z), Z.mean(axis=0)
    z = norm.ppf((1 + confidence) / 2)
    centre = (share + z**2 / (2 * m)) / (1 + z**2 / m)
    reach = z / (1 + z**2 / m) * np.sqrt(share * (1 - share) / m + z**2 / (4 * m**2))
    return share, np.clip(centre - reach, 0.0, 1.0), np.clip(centre + reach, 0.0, 1.0)


def _read(selections: Any) -> NDArray[np.float64]:
    Z = np.asarray(selections)
    if Z.ndim != 2 or Z.shape[1] == 0:
        raise InputError(
            f"selections: must be a table of selections by features, found shape {Z.shape}."
        )
    if len(Z) < 2:
        raise InputError("selections: stability needs at least two selections, found one.")
    if not np.isin(Z, (0, 1)).all():
        raise InputError("selections: must hold booleans or 0 and 1 only.")
    return Z.astype(np.float64)
