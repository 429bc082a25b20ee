"""The names of columns, as a file gives them or fails to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nffs.errors import InputError, quoted


@dataclass(frozen=True)
class Header:
    """The names of a table's columns, and those of them that the file lacks."""

    names: list[str]
    made_up: list[str]

    @classmethod
    def of(cls, fields: Sequence[str], path: Path) -> Header:
        """Take the names from a file's header, without blanks around them.

        The first column may have none: it numbers the rows then. Others get one by their place.
        """
        names = [field.strip() for field in fields]
        made_up = {i: f"column_{i + 1}" for i, name in enumerate(names) if i and not name}
        names = [made_up.get(i, name) for i, name in enumerate(names)]
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise InputError(
                f"{path}: duplicate column names {quoted(twice)}; give every column its own name."
            )
        return cls(names, list(made_up.values()))

    @classmethod
    def numbered(cls, n_columns: int) -> Header:
        """Name the columns of a file without a header f1, f2, ... as the paper does."""
        return cls([f"f{i + 1}" for i in range(n_columns)], [])
