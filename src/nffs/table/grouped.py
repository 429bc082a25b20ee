"""Columns whose categories are grouped: learned from all training rows, and again from any of them.

From all training rows comes what a user sees: how many groups a column has, and which categories
are in each. Wherever a subset is scored, only the rows that train there may say which category is
in which group: the rows that evaluate would tell their labels otherwise. So the groups of a split
are formed anew (`GroupedRows`), as many as there are, and known by their order: the first group is
the one with the smallest share of the positive class, or the smallest mean, in every split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nffs.randomness import generator
from nffs.table.grouping import MOST_GROUPS, PARTS, Codes, Grouping, choose_grouping, grouping
from nffs.table.profiles import Profile, Sums, Vector, profile_of, summed
from nffs.table.reading import RawColumn, RowSource
from nffs.table.target import Rows, Target

Category = str | None

#: Characters of a group's name that list categories, and of a category in it.
_LISTED, _LONGEST = 40, 24


@dataclass(frozen=True)
class ColumnGroups:
    """The groups of a column's categories, learned from all training rows."""

    categories: tuple[Category, ...]  # the most frequent first
    strength: float  # rows by which profiles were smoothed
    grouping: Grouping
    rows: tuple[float, ...]  # of every group: its training rows, or their weights
    profiles: tuple[tuple[float, ...], ...]  # of every group: class shares, or the mean

    @property
    def members(self) -> list[tuple[Category, ...]]:
        """The categories of every group, the most frequent first."""
        found: list[list[Category]] = [[] for _ in range(self.grouping.n_groups)]
        for category, group in zip(self.categories, self.grouping.group_of, strict=True):
            found[group].append(category)
        return [tuple(group) for group in found]

    @property
    def names(self) -> list[str]:
        """What the groups are called after their column: their categories in braces."""
        found = [_listed(members) for members in self.members]
        if len(found) == 1:
            return ["{any}"]
        # Long categories can be cut to the same beginning.
        return [n if found.count(n) == 1 else f"{n} #{i}" for i, n in enumerate(found, start=1)]

    def codes(self, raw: RawColumn) -> Codes:
        """Give the categories of some rows as numbers; -1 is one that no training row has."""
        return _codes(raw, _numbered(self.categories))


@dataclass(frozen=True)
class GroupedRows:
    """A grouped column in encoded rows: what its groups are made of where other rows train."""

    codes: Codes  # (n_rows,) the category of every row; -1 is one that no training row has
    n_categories: int
    strength: float
    n_groups: int
    columns: Mapping[int, int]  # the groups that the matrix has, and where

    def followed_by(self, others: GroupedRows) -> GroupedRows:
        """Give it for these rows and further ones."""
        return replace(self, codes=np.concatenate([self.codes, others.codes]))

    def taken(self, columns: NDArray[np.intp]) -> GroupedRows:
        """Give it for a matrix of some of the columns, in the given order."""
        place_of = {int(old): new for new, old in enumerate(columns)}
        kept = {g: place_of[old] for g, old in self.columns.items() if old in place_of}
        return replace(self, columns=kept)

    def learned(self, target: Target, weights: Vector | None, train: Rows) -> Grouping:
        """Group the categories by the rows that train, and by nothing else."""
        own, counted = target.take(train), None if weights is None else weights[train]
        profile = profile_of(own)
        each = profile.each(own, profile.origin(own))
        sums = summed(each, self.codes[train], self.n_categories, counted)
        return grouping(profile, sums, self.strength, self.n_groups)

    def put(self, matrix: NDArray[np.float32], found: Grouping) -> None:
        """Write the groups of all rows into the matrix."""
        group_of_code = np.append(found.group_of, found.unknown)  # a code of -1 is the last
        groups = group_of_code[self.codes]
        for group, column in self.columns.items():
            matrix[:, column] = groups == group


def learn_groups(
    rows: RowSource,
    categories: Mapping[str, Sequence[Category]],
    target: Target,
    weights: Vector | None,
    most: int | None,
) -> dict[str, ColumnGroups]:
    """Group the categories of some columns by what all training rows say.

    The parts that are held out to choose how many groups there are do not depend on a seed: the
    same rows give the same groups.

    Parameters
    ----------
    rows : RowSource
        The training rows.
    categories : mapping of str to sequence
        The categories of the columns to group, the most frequent first.
    target : Target
        Of these rows.
    weights : (n_rows,) float or None
        What the rows count.
    most : int or None
        Groups of a column at most; None for the usual bound.
    """
    numbered = {name: _numbered(found) for name, found in categories.items()}
    profile = profile_of(target)
    origin = profile.origin(target)
    n_parts = min(PARTS, rows.n_rows)
    part = generator(0, "groups").permutation(rows.n_rows) % n_parts
    sums: dict[str, Sums] = {}
    start = 0
    for table in rows.blocks("the groups of categories") if numbered else ():
        at = np.arange(start, start + table.n_rows)
        start += table.n_rows
        each = profile.each(target.take(at), origin)
        counted = None if weights is None else weights[at]
        for raw in table.columns:
            if raw.name in numbered:
                n = len(numbered[raw.name])
                cells = part[at] * n + _codes(raw, numbered[raw.name])
                found = summed(each, cells, n_parts * n, counted)
                sums[raw.name] = sums.get(raw.name, 0.0) + found
    return {
        name: _column_groups(profile, own, sums[name].reshape(n_parts, len(own), -1), most, origin)
        for name, own in categories.items()
    }


def _column_groups(
    profile: Profile, categories: Sequence[Category], parts: Sums, most: int | None, origin: float
) -> ColumnGroups:
    strength, n_groups = choose_grouping(profile, parts, most or MOST_GROUPS)
    sums = parts.sum(axis=0)
    found = grouping(profile, sums, strength, n_groups)
    groups = summed(sums, found.group_of, found.n_groups)
    profiles = (profile.values(groups) + origin).tolist()
    return ColumnGroups(
        tuple(categories), strength, found,
        tuple(profile.rows(groups).tolist()), tuple(map(tuple, profiles)),
    )  # fmt: skip


def _numbered(categories: Sequence[Category]) -> dict[Category, int]:
    return {category: code for code, category in enumerate(categories)}


def _codes(raw: RawColumn, code_of: Mapping[Category, int]) -> Codes:
    found = (code_of.get(value, -1) for value in raw.values)
    return np.fromiter(found, dtype=np.intp, count=len(raw.values))


def _listed(members: Sequence[Category]) -> str:
    """List categories in braces: as many as fit, and how many more there are.

    >>> _listed(["ftp", "telnet", None])
    '{ftp, telnet, missing}'
    >>> _listed([f"category {number}" for number in range(9)])
    '{category 0, category 1, category 2 + 6 more}'
    """
    shown: list[str] = []
    for member in members:
        text = "missing" if member is None else member
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        if shown and len(", ".join([*shown, text])) > _LISTED:
            break
        shown.append(text)
    n_more = len(members) - len(shown)
    return f"{{{', '.join(shown)}{f' + {n_more} more' if n_more else ''}}}"
