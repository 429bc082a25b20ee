"""What the user says about a file; whatever is None is found out from the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.table.reading import Kind

#: Takes a sentence about what was decided while reading.
Note = Callable[[str], object]
#: What is known of columns before they are read, from the table that a selection was made with.
Kinds: TypeAlias = "Mapping[str, Kind]"

_NAMED = {"\\t": "\t", "tab": "\t", "space": " ", "comma": ",", "semicolon": ";"}


@dataclass(frozen=True, kw_only=True)
class How:
    """How a file of text is written, and which columns of a file are known.

    Parameters
    ----------
    header : bool
        Whether the first line names the columns.
    separator : str, optional
        Between fields: one character, or 'tab', 'space', 'comma', 'semicolon' or a backslash and t.
    decimal : {',', '.'}, optional
        In numbers; the other of the two may then part thousands.
    encoding : str, optional
        Any that Python knows.
    missing : sequence of str, optional
        Cells that are missing values, in every column, instead of the usual ones in columns of
        numbers. Empty cells always are.
    kinds : mapping of str to kind, optional
        Columns to read as text or as numbers, whatever they look like.
    named : collection of str, optional
        Columns that the user named: they are never left out.
    """

    header: bool = True
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] | None = None
    kinds: Kinds = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.separator is not None:
            character = _NAMED.get(self.separator, self.separator)
            if len(character) != 1 or not character.isascii() or character in '"\r\n':
                raise InputError(
                    f"--separator: {self.separator!r} is not one character; give one, such as ';', "
                    "or tab."
                )
            object.__setattr__(self, "separator", character)
        if self.decimal not in (None, ",", "."):
            raise InputError(f"--decimal: {self.decimal!r} is neither ',' nor '.'; give one.")
        if self.decimal == self.separator == ",":
            raise InputError(
                "--decimal, --separator: both are ','; numbers could not be told from fields."
            )
