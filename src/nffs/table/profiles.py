"""What rows say about the target when they are taken together: class shares, or a mean.

Rows are summed, category by category, so that grouping never handles a row twice: for classes how
many rows each class has, for numbers how many rows there are, their sum and their sum of squares.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from nffs.table.target import Labels, Target

Vector = NDArray[np.float64]
#: (..., q) sums over the rows of a category, or of a group of them.
Sums = NDArray[np.float64]

#: Steps by which the direction is found in which the shares of many classes differ most.
_STEPS = 30


class Profile(Protocol):
    """How sums over rows are read."""

    def origin(self, target: Target) -> float:
        """Give what profiles are measured from."""
        ...

    def each(self, target: Target, origin: float) -> Sums:
        """Give what every row adds to the sums."""
        ...

    def rows(self, sums: Sums) -> Vector:
        """Give how many rows were summed."""
        ...

    def values(self, sums: Sums) -> Vector:
        """Give the profiles: (..., n_classes) class shares, or (..., 1) the mean."""
        ...

    def smoothed(self, sums: Sums, strength: float) -> Sums:
        """Give as many rows of every category, as if so many more had the profile of all."""
        ...

    def spread(self, sums: Sums) -> Vector:
        """Give what is lost if the rows of each are described by one profile."""
        ...

    def loss(self, learned: Sums, held: Sums) -> float:
        """Give the loss over held-out rows, group by group, of what the other rows say."""
        ...

    def along(self, sums: Sums) -> Vector:
        """Place categories on a line on which like is beside like."""
        ...

    def level(self, sums: Sums) -> Vector:
        """Give the number that groups are ordered by, the same wherever it is learned."""
        ...


class ClassShares:
    """Profiles of classes: the shares of a category's rows. What is lost is likelihood."""

    def origin(self, target: Target) -> float:
        """Measure shares from nothing."""
        return 0.0

    def each(self, target: Target, origin: float) -> Sums:
        """Mark the class of every row."""
        return np.eye(target.n_strata)[target.strata]

    def rows(self, sums: Sums) -> Vector:
        """Add the classes up."""
        found: Vector = sums.sum(axis=-1)
        return found

    def values(self, sums: Sums) -> Vector:
        """Give the shares; of no rows 0."""
        return _ratio(sums, self.rows(sums)[..., None])

    def smoothed(self, sums: Sums, strength: float) -> Sums:
        """Pull the shares of every category towards those of all rows (Dirichlet's prior)."""
        n, overall = self.rows(sums)[:, None], self.values(sums.sum(axis=0))
        return n * (sums + strength * overall) / (n + strength)

    def spread(self, sums: Sums) -> Vector:
        """Give the entropy of the classes times the rows."""
        n = self.rows(sums)
        found: Vector = xlogy(n, n) - xlogy(sums, sums).sum(axis=-1)
        return found

    def loss(self, learned: Sums, held: Sums) -> float:
        """Give the logarithmic loss; one row with the shares of all keeps it finite."""
        q, total = learned.shape[-1], learned.sum(axis=0)
        overall = (total + 1.0) / (total.sum() + q)
        shares = (learned + overall) / (self.rows(learned)[:, None] + 1.0)
        return -float((held * np.log(shares)).sum())

    def along(self, sums: Sums) -> Vector:
        """Give the share of the positive one of two classes.

        Of more classes it is the place along the direction in which shares differ most
        (Coppersmith, Hong and Hosking 1999).
        """
        shares = self.values(sums)
        if sums.shape[-1] == 2:
            return shares[:, 1]
        apart = shares - self.values(sums.sum(axis=0))
        # By sums alone, whose bits do not depend on the number of threads.
        weight, direction = self.rows(sums), np.linspace(-1.0, 1.0, sums.shape[-1])
        for _ in range(_STEPS):
            places = (apart * direction).sum(axis=1)
            found = ((weight * places)[:, None] * apart).sum(axis=0)
            length = float(np.sqrt((found * found).sum()))
            if length == 0.0:
                break
            direction = found / length
        along: Vector = (apart * direction).sum(axis=1)
        return along

    def level(self, sums: Sums) -> Vector:
        """Give the mean of the class codes: of two classes the share of the positive one."""
        codes = np.arange(sums.shape[-1])
        mean: Vector = (self.values(sums) * codes).sum(axis=-1)
        return mean


class Means:
    """Profiles of numbers: the mean of a category's rows. What is lost is squared error."""

    def origin(self, target: Target) -> float:
        """Measure means from that of all rows, so that squares stay small."""
        return float(target.values.astype(np.float64).mean())

    def each(self, target: Target, origin: float) -> Sums:
        """Give 1, the number and its square for every row."""
        apart = target.values.astype(np.float64) - origin
        return np.stack([np.ones(len(apart)), apart, apart * apart], axis=1)

    def rows(self, sums: Sums) -> Vector:
        """Give the number of rows."""
        return sums[..., 0]

    def values(self, sums: Sums) -> Vector:
        """Give the mean."""
        return _ratio(sums[..., 1:2], sums[..., :1])

    def smoothed(self, sums: Sums, strength: float) -> Sums:
        """Pull the mean of every category towards that of all rows."""
        n, overall = sums[:, 0], self.values(sums.sum(axis=0))[0]
        mean = (sums[:, 1] + strength * overall) / (n + strength)
        return np.stack([n, n * mean, n * mean * mean], axis=1)

    def spread(self, sums: Sums) -> Vector:
        """Give the squared error of the mean."""
        return sums[..., 2] - _ratio(sums[..., 1] ** 2, sums[..., 0])

    def loss(self, learned: Sums, held: Sums) -> float:
        """Give the squared error; one row with the mean of all steadies the means."""
        overall = self.values(learned.sum(axis=0))[0]
        mean = (learned[:, 1] + overall) / (learned[:, 0] + 1.0)
        return float((held[:, 2] - 2.0 * mean * held[:, 1] + mean * mean * held[:, 0]).sum())

    def along(self, sums: Sums) -> Vector:
        """Give the mean."""
        return self.values(sums)[:, 0]

    def level(self, sums: Sums) -> Vector:
        """Give the mean."""
        return self.values(sums)[..., 0]


def profile_of(target: Target) -> Profile:
    """Give the profile that suits a target."""
    return ClassShares() if isinstance(target, Labels) else Means()


def summed(
    each: Sums, codes: NDArray[np.intp], n_codes: int, weights: Vector | None = None
) -> Sums:
    """Sum what rows add, code by code; rows with a negative code are left out."""
    known = codes >= 0
    each = each if weights is None else each * weights[:, None]
    if not known.all():
        each, codes = each[known], codes[known]
    return np.stack([np.bincount(codes, part, minlength=n_codes) for part in each.T], axis=1)


def _ratio(part: Vector, whole: Vector) -> Vector:
    """Divide; nothing by nothing is 0."""
    whole = np.broadcast_to(whole, part.shape)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
