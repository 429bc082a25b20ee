"""Rows that are set aside before a search, which never sees them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, train_test_split

from nffs.errors import InputError
from nffs.randomness import derive_seed
from nffs.table.target import read_target

Rows = NDArray[np.intp]


def set_aside(
    y: Any, share: float, *, groups: Any = None, seed: int = 0, task: str = "auto"
) -> tuple[Rows, Rows]:
    """Part rows into those that a search may see and a share that it may not.

    Parameters
    ----------
    y : array-like
        The target; every class, or stretch of numbers, has its share on either side.
    share : float
        Of the rows to set aside, above 0 and at most 0.5.
    groups : array-like, optional
        Groups that stay together: then the share is met as nearly as they allow.
    seed : int, default=0
        The same number sets the same rows aside.
    task : {'auto', 'classification', 'regression'}, default='auto'
        What the target is.

    Returns
    -------
    seen, unseen : arrays of int
        Places of the rows, ascending.
    """
    if not 0 < share <= 0.5:
        raise InputError(f"share: must lie above 0 and not above 0.5, found {share}.")
    target = read_target(y, task=task)
    strata = target.strata
    rows = np.arange(len(strata))
    number = derive_seed(seed, "set aside") % 2**32
    if groups is None:
        rarest = int(np.bincount(strata).min())
        if rarest * share < 1:
            raise InputError(
                f"share: {share:g} of the {rarest} row(s) of the rarest label is less than one "
                "row; hold out more rows, or none."
            )
        seen, unseen = train_test_split(rows, test_size=share, stratify=strata, random_state=number)
        return np.sort(seen), np.sort(unseen)
    part = Fraction(share).limit_denominator(20)
    n_groups = len(np.unique(np.asarray(groups)))
    if n_groups < part.denominator:
        raise InputError(
            f"share: {n_groups} group(s) are too few to hold out {share:g} of the rows by whole "
            "groups; hold out no rows, or leave out the groups."
        )
    folds = StratifiedGroupKFold(part.denominator, shuffle=True, random_state=number)
    taken = [fold for _, fold in folds.split(rows, strata, groups)][: part.numerator]
    unseen = np.sort(np.concatenate(taken))
    seen = np.setdiff1d(rows, unseen)
    if target.task == "classification" and any(
        len(np.unique(strata[side])) < strata.max() + 1 for side in (seen, unseen)
    ):
        raise InputError(
            "share: the groups cannot be split so that every label is on both sides; hold out no "
            "rows, or leave out the groups."
        )
    return seen, unseen
