"""Which subsets a search may have evaluated, and what becomes of one that it may not.

Every mask is made one that is allowed before it is evaluated, so that no method needs to know of
constraints: what must be in is put in, and features are dropped or added until there are neither
too many nor too few. Which ones, an order says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Evaluation, Mask, Masks

Order = NDArray[np.intp]

#: What any feature weighs when lots are drawn, as a share of the mean weight.
OUTSIDERS = 0.1


@dataclass(frozen=True)
class Allowed:
    """What every subset keeps to, over the features of a search.

    Attributes
    ----------
    included : (n_features,) bool
        Which are in every subset.
    sizes : (n_features,) int
        For how many features each counts: those that are kept together are one feature here.
    smallest, largest : int
        The fewest and the most features of a subset, counted that way.
    """

    included: Mask
    sizes: NDArray[np.intp]
    smallest: int
    largest: int

    @classmethod
    def of(cls, evaluation: Evaluation) -> Allowed:
        """Bring the constraints of a ranked evaluation into the order of its features."""
        found = evaluation.constraints
        sizes = evaluation.placement.sizes
        return cls(evaluation.included, sizes, found.smallest, found.largest)

    @classmethod
    def everything(cls, n_features: int) -> Allowed:
        """Allow every subset of so many features but the empty one."""
        ones = np.ones(n_features, dtype=np.intp)
        return cls(np.zeros(n_features, dtype=np.bool_), ones, 1, n_features)

    def __call__(self, masks: Masks) -> NDArray[np.bool_]:
        """Tell which subsets, one mask a row, are allowed."""
        n = masks @ self.sizes
        has_all = (masks | ~self.included).all(axis=1)
        return np.asarray((n >= self.smallest) & (n <= self.largest) & has_all, dtype=np.bool_)

    def count(self, most: int) -> int:
        """Count the subsets that are allowed, up to so many; at most so few if groups differ.

        >>> Allowed.everything(4).count(100)
        15
        """
        free = self.sizes[~self.included]
        room = self.largest - self._n_included
        widest = int(free.max(initial=1))
        least = max(0, -(-(self.smallest - self._n_included) // widest))
        found = 0
        for n in range(least, min(room, len(free)) + 1):
            found += comb(len(free), n)
            if found >= most:
                return most
        return found

    def leading(self, order: Order) -> tuple[Order, range]:
        """Prepare a ranking, best first, for nested subsets.

        Returns
        -------
        order : (n,) int
            With what must be in before all others, ranked or not.
        counts : range
            How many of its first features make a subset that is allowed.
        """
        order = np.asarray(order, dtype=np.intp)
        missing = np.setdiff1d(np.flatnonzero(self.included), order)
        inside = self.included[order]
        order = np.concatenate([order[inside], missing, order[~inside]])
        sizes = np.cumsum(self.sizes[order])
        fewest = max(1, int(self.included.sum()), int(np.searchsorted(sizes, self.smallest)) + 1)
        fewest = min(fewest, len(order))
        most = int(np.searchsorted(sizes, self.largest, side="right"))
        return order, range(fewest, max(fewest, most) + 1)

    def repair(self, mask: Mask, order: Order) -> None:
        """Make a subset one that is allowed, in place.

        Of too many features those go that come last in the order; too few are filled up with those
        that come first. What is kept together goes and comes as a whole.
        """
        mask |= self.included
        n = int(mask @ self.sizes)
        if self.smallest <= n <= self.largest:
            return
        free = order[~self.included[order]]
        inside, outside = free[mask[free]], free[~mask[free]]
        if (self.sizes == 1).all():
            room = self.largest - self._n_included
            mask[inside[max(0, room) :]] = False
            mask[outside[: max(0, self.smallest - n)]] = True
            return
        self._repair_groups(mask, np.concatenate([inside, outside]))

    def _repair_groups(self, mask: Mask, free: Order) -> None:
        """Keep what is in and leave out what is out, wherever the others can make up for it."""
        total, sums = self._n_included, self._sums(free)
        for place, rest in zip(free, sums, strict=True):
            size = int(self.sizes[place])
            keep = mask[place]
            total_then = total + size if keep else total
            if not self._reaches(total_then, rest):
                keep = not keep
            mask[place] = keep
            total += size if keep else 0

    def _sums(self, free: Order) -> list[int]:
        """Give, for every feature, what those after it can add up to: a bit for every sum."""
        sums, reached, bits = [], 1, (2 << self.largest) - 1
        for place in free[::-1]:
            sums.append(reached)
            reached |= (reached << int(self.sizes[place])) & bits
        return sums[::-1]

    def _reaches(self, total: int, sums: int) -> bool:
        """Tell whether one of the sums leads from a total to an allowed number."""
        if total > self.largest:
            return False
        least = max(0, self.smallest - total)
        return bool((sums >> least) & ((2 << (self.largest - total - least)) - 1))

    @cached_property
    def _n_included(self) -> int:
        return int(self.sizes[self.included].sum())


def by_lot(mi: NDArray[np.float64], rng: np.random.Generator) -> Order:
    """Draw features one after the other, the more informative the sooner.

    Lots weigh as the square of mutual information: less than that, and of many features most lots
    fall on poor ones; by rank alone, the same few would always stay.
    """
    squares = mi**2
    weights = squares + OUTSIDERS * squares.mean() if mi.any() else np.ones(len(mi))
    return np.argsort(rng.exponential(size=len(mi)) / weights, kind="stable")
