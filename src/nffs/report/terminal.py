"""A selection in a terminal: a table of its features, a curve in one line of text, the score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nffs.report.summary import summarize
from nffs.selection import Selection

if TYPE_CHECKING:
    from rich.console import Console

BLOCKS = "▁▂▃▄▅▆▇█"

#: For terminals that know no blocks: the more ink, the higher.
ASCII = "_.:-=+*#"


def print_selection(selection: Selection, console: Console) -> None:
    """Print the selected features as a table, a curve of scores by size, and the score."""
    from rich.text import Text

    summary = summarize(selection)
    rows = [row for row in summary["features"]["rows"] if row["selected"]]
    console.print(_feature_table(rows, summary["has_phases"]))
    if not summary["partial"]:
        # As text: brackets in names are not markup.
        console.print(Text(_curve(summary, console)))
    score, n_more = summary["score"], len(selection.selected_features) - len(rows)
    lines = [f"and {n_more:,} more features"] if n_more else []
    everything = score["all_features"]
    beside = "" if everything is None else f" (all features {everything:.4f})"
    by = "" if summary["has_phases"] else f" by {summary['method']}"
    lines.append(f"{summary['title']}{by}, {score['scoring']} {score['value']:.4f}{beside}")
    lines.append(rows_and_label(score["evaluated_on"], score["positive"]))
    if summary["partial"]:
        lines.append("partial: the search was interrupted")
    console.print(Text("\n".join(lines)))


def rows_and_label(evaluated_on: str, positive: str | None) -> str:
    """Say which rows gave a score, and of two classes which one it is about."""
    label = "" if positive is None else f"\npositive label: {positive}"
    return f"evaluated on: {evaluated_on}{label}"


def _feature_table(rows: Sequence[dict[str, Any]], ranked: bool) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    heads = ["rank", "feature", "weight", "MI (nats)", "in best", "in worst"]
    for head in heads if ranked else ["feature", "MI (nats)", "subsets with it"]:
        table.add_column(
            head,
            justify="left" if head == "feature" else "right",
            overflow="fold" if head == "feature" else "ellipsis",
        )
    for row in rows:
        name = Text(row["name"]["whole"] or row["name"]["text"])
        mi = f"{row['mi']:.4f}"
        if ranked:
            counts = str(row["top"]), str(row["bottom"])
            table.add_row(str(row["rank"]), name, f"{row['weight']:+.4f}", mi, *counts)
        else:
            table.add_row(name, mi, str(row["subsets"]))
    return table


def _curve(summary: dict[str, Any], console: Console) -> str:
    """Draw the scores by number of features, with a mark below the chosen subset."""
    curve, subsets = summary["curve"], summary["subsets"]
    if curve is not None:
        points = [(p["size"], p["fitness"]) for p in curve["points"]]
        scoring, what = curve["scoring"], "of the first {} to {} features"
        chosen = None if curve["chosen"] is None else curve["chosen"]["size"]
    elif subsets is not None:
        points, chosen, scoring = subsets["front"], subsets["chosen"][0], subsets["scoring"]
        what = "of the best subset of each size, {} to {} features"
    else:
        return ""
    sizes, scores = zip(*points, strict=True)
    width = min(console.width, 80)
    lines = [
        f"{scoring} {what.format(sizes[0], sizes[-1])}, {min(scores):.4f} to {max(scores):.4f}:",
        sparkline(scores, width, console.encoding),
    ]
    if chosen in sizes:
        lines.append(pointer(sizes.index(chosen), len(sizes), f"{chosen} kept", width))
    return "\n".join(lines) + "\n"


def sparkline(values: Sequence[float], width: int = 72, encoding: str = "utf-8") -> str:
    """Draw values as a line of characters: blocks where the encoding has them, else ASCII.

    Of more values than the width, neighbours share a character, which shows the highest of them.

    >>> sparkline([0.1, 0.5, 0.9, 0.7])
    '▁▄█▆'
    >>> sparkline([0.1, 0.5, 0.9, 0.7], encoding="ascii")
    '_-#+'
    >>> sparkline([0.1, 0.5, 0.9, 0.7], width=2)
    '▁█'
    """
    levels = BLOCKS if _can_show(BLOCKS, encoding) else ASCII
    n = min(width, len(values))
    shown = [max(values[i * len(values) // n : (i + 1) * len(values) // n]) for i in range(n)]
    low, high = min(shown), max(shown)
    if high <= low:
        return levels[len(levels) // 2] * n
    top = len(levels) - 1
    return "".join(levels[int((value - low) / (high - low) * top)] for value in shown)


def pointer(at: int, n_values: int, label: str, width: int = 72) -> str:
    """Point from below at one of the values that `sparkline` drew.

    >>> pointer(2, 8, "here", width=8)
    '  ^ here'
    >>> pointer(6, 8, "here", width=8)
    ' here ^'
    """
    n = min(width, n_values)
    # The last character that begins at or before the value.
    place = next(i for i in reversed(range(n)) if i * n_values // n <= at)
    right = f"{' ' * place}^ {label}"
    return right if len(right) <= width else f"{label} ^".rjust(place + 1)


def _can_show(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
