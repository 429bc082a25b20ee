"""The table of selected features in a terminal: as many columns as fit beside the names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nffs.report.sparklines import bar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

#: Characters between two columns, at both edges together, and of the longest bar.
_GAP, _EDGES, _BAR = 3, 2, 10

#: Columns that give way to names of up to so many characters.
_LESS, _ENOUGH = ("in best", "in worst", "subsets with it"), 36

#: A name is broken after one of these marks between its words.
_WORDS = re.compile(r"[^\s_./:=-]*[\s_./:=-]*")


def feature_table(rows: Sequence[dict[str, Any]], ranked: bool, console: Console) -> Table:
    """Draw features with a bar for what ranks them: the weight, or mutual information.

    Where names need the room, other columns give way; a longer name is broken between its words.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    columns = (_ranked if ranked else _informative)(rows, console.encoding)
    longest = min(_ENOUGH, max(map(cell_len, columns["feature"])))
    if _room(columns, console.width) < longest:
        columns = {head: cells for head, cells in columns.items() if head not in _LESS}
    room = max(12, _room(columns, console.width))
    columns["feature"] = ["\n".join(in_lines(name, room)) for name in columns["feature"]]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in columns:
        justify: Any = "left" if head in ("feature", "") else "right"
        style = "cyan" if head == "" else ""
        table.add_column(head, justify=justify, style=style, overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*map(Text, cells))  # as text: brackets in names are not markup
    return table


def in_lines(name: str, width: int) -> list[str]:
    """Break a name into lines of at most so many characters, between its words if that can be.

    >>> in_lines("host_count_last_hour", 16)
    ['host_count_last_', 'hour']
    >>> in_lines("abcdefgh", 5)
    ['abcde', 'fgh']
    """
    from rich.cells import cell_len, chop_cells

    lines = [""]
    for word in _WORDS.findall(name):
        if cell_len(lines[-1] + word.rstrip()) <= width:
            lines[-1] += word
            continue
        *whole, rest = chop_cells(word, width)
        lines += [*whole, rest]
    return [line for line in lines if line] or [""]


def _ranked(rows: Sequence[dict[str, Any]], encoding: str) -> dict[str, list[str]]:
    return {
        "rank": [str(row["rank"]) for row in rows],
        "feature": _names(rows),
        "weight": [f"{row['weight']:+z.4f}" for row in rows],
        "": _bars(rows, "weight", encoding),
        "MI (nats)": [f"{row['mi']:z.4f}" for row in rows],
        "in best": [str(row["top"]) for row in rows],
        "in worst": [str(row["bottom"]) for row in rows],
    }


def _informative(rows: Sequence[dict[str, Any]], encoding: str) -> dict[str, list[str]]:
    return {
        "feature": _names(rows),
        "MI (nats)": [f"{row['mi']:z.4f}" for row in rows],
        "": _bars(rows, "mi", encoding),
        "subsets with it": [str(row["subsets"]) for row in rows],
    }


def _names(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["name"]["whole"] or row["name"]["text"] for row in rows]


def _bars(rows: Sequence[dict[str, Any]], measure: str, encoding: str) -> list[str]:
    largest = max(row[measure] for row in rows)
    return [bar(row[measure], largest, _BAR, encoding) for row in rows]


def _room(columns: Mapping[str, Sequence[str]], width: int) -> int:
    """Count the characters that the other columns leave for names."""
    others = {head: cells for head, cells in columns.items() if head != "feature"}
    taken = sum(max(len(head), *map(len, cells)) + _GAP for head, cells in others.items())
    return width - _EDGES - taken
