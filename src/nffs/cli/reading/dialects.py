"""How the lines of a text are parted into fields.

Every candidate is tried on the first lines: the one that parts most of them into as many fields as
the first line has is taken. That is blunter than `csv.Sniffer`, and does not fall for frequent
letters.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nffs.cli.reading.sources import Bytes

#: Candidates. Where several fit, the first: a comma may also be a decimal comma.
_SEPARATORS = "\t;|,"
#: How many bytes of a text are looked at, and at least so many lines.
_HEAD, _LINES = 1 << 16, 3
#: A separator is believed if it parts more than this share of the lines alike. Lines that are alike
#: but for the header count as much as the second.
_ENOUGH, _FAIR = 0.5, 0.9

_NAMES = {"\t": "tab", " ": "space"}


@dataclass(frozen=True)
class Dialect:
    """What stands between fields, and around those that hold it themselves."""

    separator: str
    quote: str = '"'
    #: Rows begin with a name that the header has no field for, as R's write.table writes them.
    row_names: bool = False

    def unusual(self, usual: str) -> str:
        """Say what of it is not as the file's ending lets expect."""
        shown = _NAMES.get(self.separator, repr(self.separator))
        said = [] if self.separator == usual else [f"separator {shown} (or give --separator)"]
        said += [] if self.quote == '"' else [f"quotes {self.quote}"]
        return ", ".join(said)


def find_dialect(content: Bytes, separator: str | None, usual: str) -> Dialect:
    """Find out how a text in UTF-8 is written.

    A given separator is believed. Where none fits it is the usual one, whose trouble with the text
    is then told line by line.
    """
    head = _head(content)
    tried = [_try(head, candidate) for candidate in separator or _SEPARATORS]
    share, found = max(tried, key=lambda one: one[0])
    return found if separator or share > _ENOUGH else Dialect(usual)


def _head(content: Bytes) -> str:
    """Give the first lines, whole."""
    end = _HEAD
    while end < len(content) and content[:end].count(b"\n") <= _LINES:
        end *= 2
    head = content[:end]
    if end < len(content):
        head = head[: head.rfind(b"\n") + 1]
    return head.decode("utf-8-sig", errors="replace")


def _try(head: str, separator: str) -> tuple[float, Dialect]:
    """Give the share of rows that a separator parts as it does the header, and the dialect."""
    records = _records(head, separator, '"')
    share, found = _share(records), Dialect(separator)
    if "'" in head and any(_in_single_quotes(f) for fields in records for f in fields):
        others = _records(head, separator, "'")
        if _share(others) >= share:
            records, share, found = others, _share(others), Dialect(separator, "'")
    if share < _FAIR and records and _have_names(records[1:], len(records[0])):
        return _FAIR, replace(found, row_names=True)
    return share, found


def _records(head: str, separator: str, quote: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator, quotechar=quote)
    try:
        return [fields for fields in reader if fields]
    except csv.Error:
        return []


def _share(records: Sequence[Sequence[str]]) -> float:
    """Tell the share of rows that have as many fields as the header, which has several."""
    if not records or len(records[0]) < 2:
        return 0.0
    alike = sum(len(fields) == len(records[0]) for fields in records)
    return alike / len(records)


def _in_single_quotes(field: str) -> bool:
    return len(field) > 1 and field[0] == field[-1] == "'"


def _have_names(rows: Sequence[Sequence[str]], n_names: int) -> bool:
    """Tell whether all rows begin with a name of their own, for which the header has no field."""
    if n_names < 2 or len(rows) < 2 or any(len(fields) != n_names + 1 for fields in rows):
        return False
    # A separator at the end of every line would look the same.
    return len({fields[0] for fields in rows}) == len(rows) and any(f[-1] for f in rows)
