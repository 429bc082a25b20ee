"""Groups of categories that say the same about the target.

Every category has a profile: the class shares of its rows, or their mean, smoothed towards those of
all rows by so many rows more, so that a rare category hardly says anything of its own. Categories
are placed on a line, and the line is cut where that loses least: the optimal grouping for two
classes and for numbers (Fisher 1958; Breiman and others 1984), and a good one for more classes. How
much is smoothed, and how many groups there are, is chosen by held-out rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.table.profiles import Profile, Sums, Vector, summed

Codes = NDArray[np.intp]

#: Raised when a change here changes which categories form a group: no journal mixes the two.
REVISION = 1

#: Groups of a column at most.
MOST_GROUPS = 24

#: Parts of the rows that are held out in turn to choose among groupings.
PARTS = 10

#: Rows by which profiles are smoothed: the candidates. Of equals the first.
STRENGTHS = (1000.0, 100.0, 10.0, 1.0)

#: Places on the line that are cut between. Of more categories, neighbours are joined first.
_PLACES = 128


@dataclass(frozen=True)
class Grouping:
    """Which group every category is in.

    Groups are numbered by what they say about the target: by the share of the positive class, or by
    the mean.
    """

    group_of: Codes  # (n_categories,)
    n_groups: int
    unknown: int  # the group of a category that no row had: the one most like all rows


def groupings(profile: Profile, sums: Sums, strength: float, most: int) -> list[Grouping]:
    """Group categories into 1, 2, ... groups, up to `most` or as many as there are places.

    Parameters
    ----------
    profile : Profile
        Reads the sums.
    sums : (n_categories, q) float
        Over the rows of every category; those without rows join the group of the unknown.
    strength : float
        Rows by which profiles are smoothed.
    most : int
        Groups at most.
    """
    present = np.flatnonzero(profile.rows(sums) > 0)
    smoothed = profile.smoothed(sums[present], strength)
    place = _places(profile.along(smoothed), profile.rows(smoothed))
    atoms = summed(smoothed, place, int(place.max(initial=0)) + 1)
    found = []
    for ends in optimal_ends(profile, atoms, most):
        group_of_atom = np.searchsorted(ends, np.arange(len(atoms)), side="right")
        joined = summed(atoms, group_of_atom, len(ends))
        order = np.argsort(profile.level(joined), kind="stable")
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        group_of = np.full(len(sums), -1, dtype=np.intp)
        group_of[present] = rank[group_of_atom[place]]
        unknown = _most_like_all(profile, summed(sums[present], group_of[present], len(order)))
        group_of[group_of < 0] = unknown
        found.append(Grouping(group_of, len(order), unknown))
    return found


def grouping(profile: Profile, sums: Sums, strength: float, n_groups: int) -> Grouping:
    """Group categories into so many groups, or fewer if fewer can be told apart."""
    return groupings(profile, sums, strength, n_groups)[-1]


def optimal_ends(profile: Profile, atoms: Sums, most: int) -> list[Codes]:
    """Cut a line of atoms into 1, 2, ... stretches so that the least is lost.

    Dynamic programming over all cuts: the best k stretches of the first j atoms are the best k - 1
    of the first i of them, and one from there to j.

    Returns
    -------
    list of (k,) int
        For every number of stretches, where each ends: the first atom behind it.
    """
    m = len(atoms)
    before = np.concatenate([np.zeros((1, atoms.shape[1])), np.cumsum(atoms, axis=0)])
    first, last = np.triu_indices(m + 1, k=1)
    cost = np.full((m + 1, m + 1), np.inf)  # of the stretch of the atoms from i to before j
    cost[first, last] = profile.spread(before[last] - before[first])
    lost, cuts = cost[0], []
    for _ in range(min(most, m) - 1):
        through = lost[:, None] + cost
        cuts.append(through.argmin(axis=0))  # of equals the earliest
        lost = through.min(axis=0)
    ends = []
    for k in range(min(most, m)):
        found = [m]
        for cut in cuts[:k][::-1]:
            found.append(int(cut[found[-1]]))
        ends.append(np.array(found[::-1], dtype=np.intp))
    return ends


def choose_grouping(profile: Profile, parts: Sums, most: int = MOST_GROUPS) -> tuple[float, int]:
    """Choose how much to smooth and how many groups to make, by held-out rows.

    Each part is held out in turn: the others make the groups and say what to expect of each. The
    fewest groups are taken whose loss is within a standard error of the least.

    Parameters
    ----------
    profile : Profile
        Reads the sums.
    parts : (n_parts, n_categories, q) float
        Sums over the rows of every category in every part.
    most : int
        Groups at most.

    Returns
    -------
    strength, n_groups
        With 1 group the categories say nothing of the target that holds for other rows.
    """
    losses = np.full((len(STRENGTHS), most, len(parts)), np.inf)
    for number, held in enumerate(parts):
        # added up, not subtracted: a category that no other part has leaves exactly nothing
        learned = np.delete(parts, number, axis=0).sum(axis=0)
        for s, strength in enumerate(STRENGTHS):
            for k, found in enumerate(groupings(profile, learned, strength, most)):
                seen = summed(learned, found.group_of, found.n_groups)
                unseen = summed(held, found.group_of, found.n_groups)
                losses[s, k, number] = profile.loss(seen, unseen)
    lost = losses.sum(axis=2)
    best_strength = lost.argmin(axis=0)
    by_number = losses[best_strength, np.arange(most)]
    fewest = fewest_within_error(by_number)
    return STRENGTHS[best_strength[fewest]], fewest + 1


def fewest_within_error(losses: Vector) -> int:
    """Give the first row that loses no more than a standard error more than the best one.

    No allowance would make groups of noise; two errors would lose half of what a few hundred rows
    tell of new ones.

    >>> fewest_within_error(np.array([[9.0, 9.0, 8.0], [5.0, 4.0, 3.0], [3.0, 4.0, 4.0]]))
    1
    """
    best = losses[losses.sum(axis=1).argmin()]
    reached = np.isfinite(losses.sum(axis=1))
    more = np.where(reached[:, None], losses, 0.0) - best
    error = more.std(axis=1, ddof=1) * np.sqrt(losses.shape[1])
    enough: NDArray[np.bool_] = more.sum(axis=1) <= error
    return int(np.flatnonzero(reached & enough)[0])


def _places(along: Vector, rows: Vector) -> Codes:
    """Give everyone a place on the line; equals share one, and of many so do neighbours."""
    values, place = np.unique(along, return_inverse=True)
    if len(values) <= _PLACES:
        return place
    weight = np.bincount(place, rows)
    middle = np.cumsum(weight) - weight / 2  # a frequent category has a place of its own
    joined = (middle * (_PLACES / weight.sum())).astype(np.intp)
    return np.unique(joined, return_inverse=True)[1][place]


def _most_like_all(profile: Profile, groups: Sums) -> int:
    """Give the group whose profile is nearest to that of all rows."""
    apart = profile.values(groups) - profile.values(groups.sum(axis=0))
    return int((apart * apart).sum(axis=1).argmin())
