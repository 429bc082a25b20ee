"""Columns that cannot be features: identifiers, free text, and copies of other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, quoted
from nffs.table.dates import are_dates_as_text
from nffs.table.survey import Seen

#: Strings of which so large a share of the rows has one of its own are no categories.
_DISTINCT = 0.5

#: With fewer rows than this, only strings that are all different are.
_FEW_ROWS = 50

#: Numbers of rows are fewer than so many times the rows, even if some rows were left out.
_CLOSE = 10

#: Strings of more words than this, on average, are sentences.
_WORDS = 3

#: Of strings that were meant to be numbers, so many are.
_NEARLY_ALL = 0.9

#: So many groups of columns are named.
_LISTED = 3

#: Why a column is left out, as a note has it.
IDENTIFIER, TEXT, COPY, CONSTANT = "identifier", "free text", "copy", "constant"
DATES, NUMBERS = "dates as text", "numbers as text"
_IN_WORDS = {
    IDENTIFIER: "identifiers",
    TEXT: "free text",
    DATES: "dates as text (convert them to dates to use them)",
    NUMBERS: "numbers as text (convert them to numbers to use them)",
    COPY: "copies of other columns",
    CONSTANT: "constant",
}


def unfit_columns(columns: Sequence[Seen], n_rows: int, *, folds: bool) -> dict[str, str]:
    """Find the columns that cannot be features, and why.

    Parameters
    ----------
    columns : sequence of Seen
        All raw columns.
    n_rows : int
        How many rows they have.
    folds : bool
        Whether the user has rare categories folded together; then no strings are too many.
    """
    found: dict[str, str] = {}
    known: set[bytes] = set()
    # By name: which of some copies stays must not depend on the order of the columns.
    for seen in sorted(columns, key=lambda seen: seen.name):
        if seen.constant:
            continue  # it stays among the features, which are never selected if they do not vary
        if not folds and _is_distinct(seen, n_rows):
            found[seen.name] = _why(seen)
        elif seen.contents in known:
            found[seen.name] = COPY
        known.add(seen.contents)
    return {seen.name: found[seen.name] for seen in columns if seen.name in found}


def repeated_gaps(columns: Sequence[Seen]) -> dict[str, str]:
    """Find the columns that are missing in the same rows as another one, and that one."""
    first: dict[bytes, str] = {}
    by_name = sorted((seen for seen in columns if seen.gaps), key=lambda seen: seen.name)
    found = {seen.name: first.setdefault(seen.gap_rows, seen.name) for seen in by_name}
    return {name: other for name, other in found.items() if name != other}


def note_of_gaps(repeated: Mapping[str, str]) -> list[str]:
    """Say in one sentence which columns have no indicator of their own.

    >>> note_of_gaps({"b": "a", "c": "a"})
    ["X: missing in the same rows: 'b', 'c' as 'a'; each group has one indicator. Set..."]
    """
    if not repeated:
        return []
    by_other: dict[str, list[str]] = {}
    for name, other in repeated.items():
        by_other.setdefault(other, []).append(name)
    listed = [f"{quoted(names)} as {other!r}" for other, names in by_other.items()]
    more = f" and {len(listed) - _LISTED} more groups" if len(listed) > _LISTED else ""
    return [
        f"X: missing in the same rows: {', '.join(listed[:_LISTED])}{more}; each group has one "
        "indicator. Set keep_all to keep one for every column."
    ]


def refuse_identifiers(columns: Sequence[Seen], n_rows: int) -> None:
    """Refuse strings that are all different."""
    for seen in columns:
        if n_rows > 2 and len(seen.counts) == n_rows:
            raise InputError(
                f"X: column {seen.name!r} holds {n_rows} distinct strings in {n_rows} rows, as an "
                "identifier does; drop it, or set min_frequency or max_categories to merge rare "
                "values."
            )


def note_of(left_out: Mapping[str, str], constant: Sequence[str] = ()) -> list[str]:
    """Say in one sentence which columns are left out; nothing if constant ones are all there are.

    >>> note_of({"id": IDENTIFIER, "b": COPY}, ["unit"])[0]
    "X: left out: identifiers 'id'; copies of other columns 'b'; constant 'unit'. Set keep_all..."
    """
    if not left_out:
        return []
    listed = left_out_text({**left_out, **dict.fromkeys(constant, CONSTANT)})
    return [f"X: left out: {listed}. Set keep_all to keep them where possible."]


def left_out_text(left_out: Mapping[str, str]) -> str:
    """List columns that are left out by the reason."""
    return "; ".join(
        f"{words} {quoted(name for name, why in left_out.items() if why == reason)}"
        for reason, words in _IN_WORDS.items()
        if reason in left_out.values()
    )


def is_numbered(values: NDArray[np.float32]) -> bool:
    """Tell whether numbers could be those of the rows: whole, all different, and close together."""
    apart = np.sort(values) - np.fmin.reduce(values)
    return bool(
        len(apart) >= _FEW_ROWS
        and apart[-1] < _CLOSE * len(apart)  # not so of what is missing
        and (apart == np.rint(apart)).all()
        and (np.diff(apart) > 0).all()
    )


def _is_distinct(seen: Seen, n_rows: int) -> bool:
    distinct = len(seen.counts)
    return (n_rows > 2 and distinct == n_rows) or (
        n_rows >= _FEW_ROWS and distinct > _DISTINCT * n_rows
    )


def _why(seen: Seen) -> str:
    if are_dates_as_text(seen.counts):
        return DATES
    if _are_numbers(seen):
        return NUMBERS
    return TEXT if _words(seen) > _WORDS else IDENTIFIER


def _are_numbers(seen: Seen) -> bool:
    """Tell whether nearly all of some strings are numbers, and not those of rows.

    `NA` may be among them.
    """
    some = _some(seen)
    nearly_all = sum(map(_is_number, some)) >= _NEARLY_ALL * len(some)
    return nearly_all and any("." in text for text in some)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _some(seen: Seen) -> list[str]:
    return [value for value in islice(seen.counts, 1000) if value is not None]


def _words(seen: Seen) -> float:
    """Count the words of some of its strings."""
    some = _some(seen)
    return sum(len(value.split()) for value in some) / max(1, len(some))
