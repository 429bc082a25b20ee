"""Constraints on what may be selected: options that every command with a search takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from nffs.cli.options import listed, option

_option = partial(option, panel="Constraints")

_INCLUDE = _option(
    "Columns that are always selected: names or patterns such as 'flag_*', separated by commas; "
    "may be repeated. A column's name stands for all its categories.",
    [],
    metavar="NAMES",
)
_EXCLUDE = _option("Columns that are never selected, as for --include.", [], metavar="NAMES")
_TOGETHER = _option(
    "Columns that are selected together or not at all; repeat it for another group.",
    [],
    metavar="NAMES",
)


@dataclass(frozen=True, kw_only=True)
class ConstraintOptions:
    """What may be selected, and how many features."""

    include: list[str] = _INCLUDE
    exclude: list[str] = _EXCLUDE
    together: list[str] = _TOGETHER
    min_features: int | None = _option("Select at least this many.", min=1, metavar="NUMBER")
    max_features: int | None = _option("Select at most this many.", min=1, metavar="NUMBER")

    def parameters(self) -> dict[str, Any]:
        """Give those that the user gave as a selector takes them."""
        given = {
            "include": [name for names in self.include for name in listed(names)],
            "exclude": [name for names in self.exclude for name in listed(names)],
            "together": [listed(names) for names in self.together],
            "min_features": self.min_features,
            "max_features": self.max_features,
        }
        return {name: value for name, value in given.items() if value}
