"""Features by the names that a user gives: columns, categories, patterns, or places of columns."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from numbers import Integral
from typing import Any

from nffs.errors import InputError, instead, nearest
from nffs.table.encoding import Encoding
from nffs.table.features import Features


class FeatureNames:
    """Finds features by name.

    The name of a raw column stands for all its features, that of an encoded column for itself. What
    is neither is a pattern as the shell has them, matched against both.

    Parameters
    ----------
    encoding : Encoding
        The raw columns and the encoded ones.
    features : Features
        What is selected, in the table's order.
    """

    def __init__(self, encoding: Encoding, features: Features) -> None:
        owner = {int(c): place for place, own in enumerate(features.columns) for c in own}
        self._kinds, self._raw = encoding.kinds, encoding.raw
        self._left_out = encoding.left_out
        self._of_column: dict[str, list[int]] = {name: [] for name in encoding.kinds}
        self._of_encoded: dict[str, int] = {}
        #: Encoded columns that are kept or dropped with others of their raw column, which is named.
        self._inside: dict[str, str] = {}
        for number, column in enumerate(encoding.columns):
            place, places = owner[number], self._of_column[column.column]
            if place not in places[-1:]:
                places.append(place)
            if len(features.columns[place]) == 1:
                self._of_encoded[column.name] = place
            else:
                self._inside[column.name] = column.column
        #: What was given in vain and does no harm, in a sentence each.
        self.notes: list[str] = []

    def find(self, given: Any, argument: str) -> list[int]:
        """Give the places of all features that some names stand for, each once, in order."""
        return sorted(
            {place for name in listed(given, argument) for place in self._one(name, argument)}
        )

    def _one(self, name: str | int, argument: str) -> Iterable[int]:
        if isinstance(name, int):
            if not 0 <= name < len(self._raw):
                raise InputError(
                    f"{argument}: there is no column {name}; positions go from 0 to "
                    f"{len(self._raw) - 1}."
                )
            name = self._raw[name]
        if name in self._of_column:
            return self._of_column[name]
        if name in self._left_out:
            if argument == "exclude":
                return []
            raise InputError(
                f"{argument}: {name!r} is left out as {self._left_out[name]}; set keep_all, or "
                "name other columns."
            )
        if name in self._of_encoded:
            return [self._of_encoded[name]]
        matched = [
            *(p for n, places in self._of_column.items() if fnmatchcase(n, name) for p in places),
            *(place for n, place in self._of_encoded.items() if fnmatchcase(n, name)),
        ]
        if not matched:
            self._refuse(name, argument)
        return matched

    def _refuse(self, name: str, argument: str) -> None:
        """Refuse a name that nothing has; a category that these rows lack is only noted.

        A category may be missing from a part of the rows, an outer fold say.
        """
        inside = next((n for n in self._inside if fnmatchcase(n, name)), None)
        if inside is not None:
            whole = self._inside[inside]
            raise InputError(
                f"{argument}: {name!r} names categories of {whole!r}, which unit='column' keeps or "
                f"drops as a whole; name {whole!r} itself, or select with unit='category'."
            )
        names = list(dict.fromkeys([*self._of_column, *self._of_encoded]))
        several = ("categorical", "datetime")
        categorical = [n for n, kind in self._kinds.items() if kind in several]
        column = next((n for n in categorical if name.startswith((f"{n}_", f"{n} in {{"))), None)
        if any(name == f"{n}_missing" for n in self._kinds if n not in categorical):
            self.notes.append(
                f"{argument}: nothing is missing in these rows, or the same rows as in another "
                f"column, so {name!r} has no effect."
            )
            return
        if column is None:
            listing = instead(name, names, "there are")
            raise InputError(f"{argument}: no column {_is(name)}{listing}")
        self.notes.append(
            f"{argument}: no category of {column!r} {_is(name)} in these rows, so it has no "
            f"effect{';' if (meant := nearest(name, names)) else '.'}{meant}"
        )


def listed(given: Any, argument: str) -> list[str | int]:
    """Read one name, or several: strings, or whole numbers for the places of columns."""
    if given is None:
        return []
    items = [given] if isinstance(given, str | Integral) else list(given)
    for item in items:
        if not isinstance(item, str | Integral) or isinstance(item, bool):
            raise InputError(
                f"{argument}: found {item!r}; give names of columns, patterns such as 'flag_*', or "
                "positions of columns, counted from 0."
            )
    return [str(item) if isinstance(item, str) else int(item) for item in items]


def _is(name: str) -> str:
    return f"matches {name!r}" if any(sign in name for sign in "*?[") else f"is called {name!r}"
