"""What may be selected: features that must be in or out or stay together, and how many there are.

Names are looked up and contradictions refused here, once for a search. `nffs.search.allowed` then
holds every subset to what is left of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, quoted
from nffs.table.encoding import Encoding
from nffs.table.features import Features, Indices
from nffs.table.names import FeatureNames

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Constraints:
    """What may be selected, over all features in the table's order.

    Features that are constant in the training rows are never selected: they are in no part, and not
    among the included ones.
    """

    included: Mask  # (n_features,) which are in every subset
    excluded: Mask  # (n_features,) which are in none
    # What a search keeps or drops: single features, and those that are kept together
    parts: tuple[Indices, ...]
    smallest: int  # the fewest features of a subset
    largest: int  # and the most
    notes: tuple[str, ...] = ()  # what was asked for in vain, in a sentence each

    @classmethod
    def none(cls, usable: Indices, n_features: int) -> Constraints:
        """Allow every subset of the features that vary."""
        nothing = np.zeros(n_features, dtype=np.bool_)
        return cls(nothing, nothing, tuple(usable[:, None]), 1, len(usable))

    @classmethod
    def of(
        cls, parameters: Any, encoding: Encoding, features: Features, usable: Indices
    ) -> Constraints:
        """Find the features that a selector's parameters name, and refuse contradictions.

        Parameters
        ----------
        parameters : object
            With `include`, `exclude`, `together`, `min_features`, `max_features` and `unit`: a
            selector.
        encoding, features : Encoding, Features
            The columns of the table, and what is selected.
        usable : (n,) int
            The places of the features that vary.
        """
        asked = _Asked(parameters, FeatureNames(encoding, features), features.names, usable)
        return cls(
            included=asked.included & asked.varies,
            excluded=asked.excluded,
            parts=asked.parts(),
            smallest=asked.smallest,
            largest=asked.largest,
            notes=(*asked.names.notes, *asked.constant_notes()),
        )


def constraints_text(parameters: Mapping[str, Any]) -> str:
    """Say the constraints among a selector's parameters in a line; nothing if there are none.

    >>> constraints_text({"include": "age", "together": [["a", "b"]], "max_features": 9})
    "always 'age'; 'a', 'b' together; at most 9 features"
    """
    said = []
    for name, word in (("include", "always"), ("exclude", "never")):
        if names := _several(parameters.get(name)):
            said.append(f"{word} {quoted(names)}")
    for group in _several(parameters.get("together")):
        said.append(f"{quoted(_several(group))} together")
    least, most = parameters.get("min_features"), parameters.get("max_features")
    said += [] if least in (None, 1) else [f"at least {least} features"]
    said += [] if most is None else [f"at most {most} feature{'' if most == 1 else 's'}"]
    return "; ".join(said)


def _several(value: Any) -> list[Any]:
    """Give what may be one, several or nothing; a file may hold anything."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


class _Asked:
    """What a user asked for, each checked as soon as it is known."""

    def __init__(
        self, parameters: Any, names: FeatureNames, called: Sequence[str], usable: Indices
    ) -> None:
        self.names, self._called = names, called
        self.varies = self._marked(usable)
        self.excluded = self._marked(names.find(parameters.exclude, "exclude"))
        self.included = self._marked(names.find(parameters.include, "include"))
        self._refuse_both()
        self._free = self.varies & ~self.excluded
        self._constant = self.included & ~self.varies
        self._groups = self._read_groups(parameters.together)
        for group in self._groups:
            if self.included[group].any():
                self.included[group] = True
        self.smallest = int(parameters.min_features)
        n_free, most = int(self._free.sum()), parameters.max_features
        self.largest = n_free if most is None else min(int(most), n_free)
        # The name of a column may stand for many features.
        whole = ", or count whole columns with unit='column'"
        self._hint = whole if parameters.unit == "category" else ""
        self._check_sizes(most)

    def parts(self) -> tuple[Indices, ...]:
        """Part the features that may be selected: groups whole, the others one by one.

        Those of a group are in the order of their names: the table's order must not count.
        """
        groups = [self._by_name(group[self._free[group]]) for group in self._groups]
        grouped = self._marked([place for group in groups for place in group])
        alone = np.flatnonzero(self._free & ~grouped)[:, None]
        return tuple(
            sorted([*alone, *(g for g in groups if len(g))], key=lambda part: int(part[0]))
        )

    def constant_notes(self) -> list[str]:
        """Say which features were to be included and do not vary."""
        if not self._constant.any():
            return []
        return [
            "include: constant in these rows, and constant features are never selected: "
            f"{self._quoted(self._constant)}."
        ]

    def _marked(self, places: Any) -> Mask:
        mask = np.zeros(len(self._called), dtype=np.bool_)
        mask[np.asarray(places, dtype=np.intp)] = True
        return mask

    def _by_name(self, places: Indices) -> Indices:
        return np.array(sorted(places, key=self._called.__getitem__), dtype=np.intp)

    def _quoted(self, mask: Mask) -> str:
        return quoted(compress(self._called, mask))

    def _refuse_both(self) -> None:
        both = self.included & self.excluded
        if both.any():
            raise InputError(
                f"include: {self._quoted(both)} is excluded as well; take it out of one of the two."
            )
        if not (self.varies & ~self.excluded).any():
            raise InputError(
                f"exclude: leaves none of the {self.varies.sum()} feature(s) that vary; exclude "
                "fewer."
            )

    def _read_groups(self, together: Any) -> list[Indices]:
        """Find the features of every group; those of a group that is wholly excluded are gone."""
        groups: list[Indices] = []
        seen = np.zeros(len(self._called), dtype=np.bool_)
        for given in () if together is None else together:
            if isinstance(given, str | Integral):
                raise InputError(
                    f"together: found {given!r} where a group belongs; give a list of groups, such "
                    "as [['a', 'b'], ['c', 'd']]."
                )
            group = self._marked(self.names.find(given, "together"))
            if (group & seen).any():
                raise InputError(
                    f"together: {self._quoted(group & seen)} is in more than one group; join the "
                    "groups, or take it out of one."
                )
            seen |= group
            self._refuse_torn(group)
            if (group & ~self.excluded).any():
                groups.append(np.flatnonzero(group))
        return groups

    def _refuse_torn(self, group: Mask) -> None:
        """Refuse a group of which only some are excluded."""
        out, left = group & self.excluded, group & ~self.excluded
        if out.any() and left.any():
            always = left & self.included
            verb = "is always selected" if always.any() else "is not excluded"
            raise InputError(
                f"together: {self._quoted(out)} is excluded, but "
                f"{self._quoted(always if always.any() else left)} of the same group {verb}; "
                "exclude the whole group, or none of it."
            )

    def _check_sizes(self, most: int | None) -> None:
        n_free, n_included = int(self._free.sum()), int((self.included & self.varies).sum())
        if most is not None and self.smallest > most:
            raise InputError(
                f"min_features: {self.smallest} is more than max_features={most}; lower one or "
                "raise the other."
            )
        if self.smallest > n_free:
            raise InputError(
                f"min_features: {self.smallest} is more than the {n_free} feature(s) that vary and "
                f"are not excluded; use at most {n_free}."
            )
        if n_included > self.largest:
            raise InputError(
                f"include: {n_included} features are always selected, more than "
                f"max_features={most}; include fewer or raise it{self._hint}."
            )
        sizes = [int(self._free[group].sum()) for group in self._groups]
        if max(sizes, default=0) > self.largest:
            raise InputError(
                f"together: a group has {max(sizes)} features, more than max_features={most}, and "
                "could never be selected; raise it, or exclude the group."
            )
        self._check_reachable(
            [n for n, g in zip(sizes, self._groups, strict=True) if not self.included[g].any()],
            n_included,
        )

    def _check_reachable(self, groups: Sequence[int], n_included: int) -> None:
        """Refuse sizes between which no subset of whole groups lies."""
        grouped = self._marked([place for group in self._groups for place in group])
        alone = int((self._free & ~grouped & ~self.included).sum())
        sums = {n_included}
        for size in groups:
            sums |= {total + size for total in sums if total + size <= self.largest}
        if not any(total + alone >= self.smallest for total in sums):
            raise InputError(
                f"together: no subset of whole groups has {self.smallest} to {self.largest} "
                "features; let min_features and max_features lie further apart."
            )
