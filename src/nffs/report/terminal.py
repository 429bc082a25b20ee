"""A selection in a terminal: its features, a curve in one line of text, scores and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nffs.report.summary import summarize
from nffs.selection import Selection

if TYPE_CHECKING:
    from rich.console import Console

BLOCKS = "▁▂▃▄▅▆▇█"

#: Parts of a character, from the left.
_EIGHTHS = "▏▎▍▌▋▊▉█"

#: Features that are listed.
MOST_FEATURES = 15

#: For terminals that know no blocks: the more ink, the higher.
ASCII = "_.:-=+*#"


def print_selection(selection: Selection, console: Console) -> None:
    """Print the answer, the first of the selected features, the curve, and what scores are from."""
    from rich.text import Text

    summary = summarize(selection)
    # As text: brackets in names are not markup.
    headline = summary["headline"]
    if summary["final"] is not None:
        console.print(Text(" ".join([headline["answer"], *headline["others"]]), "bold"))
    for caveat in headline["caveats"]:
        console.print(Text(caveat, "yellow"))
    console.print(Text("\n".join(_answer(summary))))
    rows = [row for row in summary["features"]["rows"] if row["selected"]][:MOST_FEATURES]
    first = summary["first"]
    ranked = first is not None and first["measure"] == "weight"
    console.print(_feature_table(rows, ranked, console.encoding))
    n_more = len(selection.selected_features) - len(rows)
    lines = [f"and {n_more:,} more", ""] if n_more else []
    if not summary["partial"] and (curve := _curve(summary, console)):
        lines.append(curve)
    lines += _evidence(summary)
    console.print(Text("\n".join(lines)))


def _answer(summary: dict[str, Any]) -> list[str]:
    by = "" if summary["has_phases"] else f" by {summary['method']}"
    lines = [f"{summary['title']}{by}, {_headline(summary['score'])}"]
    if summary["picked"] is not None:
        lines.append(f"picked: the best evaluated subset of at most {summary['picked']:,} features")
    if summary["constraints"]:
        lines.append(f"constraints: {summary['constraints']}")
    return lines


def _evidence(summary: dict[str, Any]) -> list[str]:
    lines, final, score = [], summary["final"], summary["score"]
    if final is not None and len(final["members"]) > 1:
        heads = ("with the selection", "with all features")
        lines += [*model_lines(final["members"], *heads), ""]
    lines.append(rows_and_label(score["evaluated_on"], score["positive"]))
    if summary["unseen"] is not None:
        lines += ["", *_unseen_lines(summary["unseen"])]
    if summary["nested"] is not None:
        nested = summary["nested"]
        lines += ["", f"Checked by {nested['n_folds']} outer folds", nested["verdict"]]
        lines.append(nested["optimism_verdict"])
    if summary["stability"] is not None:
        lines += ["", summary["stability"]["verdict"]]
    return lines


def _headline(score: dict[str, Any]) -> str:
    """Give the score beside that of all features, each by the model that suits it best."""
    everything, by, all_by = (score[key] for key in ("all_features", "by", "all_features_by"))
    if by is not None and by == all_by:
        by, all_by, end = None, None, f", by {by}"
    else:
        end = ""
    of, of_all = ("" if name is None else f" by {name}" for name in (by, all_by))
    beside = "" if everything is None else f" (all features {everything:.4f}{of_all})"
    return f"{score['scoring']} {score['value']:.4f}{of}{beside}{end}"


def _unseen_lines(unseen: dict[str, Any]) -> list[str]:
    return [
        f"On {unseen['n_rows']:,} rows that the search never saw: {unseen['scoring']} of models "
        f"trained on the other {unseen['n_train']:,}",
        "",
        *model_lines(
            unseen["models"],
            f"with {unseen['n_selected']:,} columns",
            f"with all {unseen['n_columns']:,}",
        ),
    ]


def model_lines(models: Sequence[dict[str, Any]], selected: str, everything: str) -> list[str]:
    """Write the scores of models as lines: with the selection, with all features, the difference.

    >>> scores = {"name": "forest", "selected": 0.81, "all_features": 0.8, "difference": 0.01}
    >>> for line in model_lines([scores], "with 4 columns", "with all 9"):
    ...     print(line)
      model   with 4 columns  with all 9  difference
      forest          0.8100      0.8000     +0.0100
    """
    names = [model["name"] for model in models]
    width = max(len(name) for name in (*names, "model"))
    lines = [f"  {'model':<{width}}  {selected}  {everything}  difference"]
    for model in models:
        lines.append(
            f"  {model['name']:<{width}}  {model['selected']:>{len(selected)}.4f}  "
            f"{model['all_features']:>{len(everything)}.4f}  {model['difference']:>+10.4f}"
        )
    return lines


def rows_and_label(evaluated_on: str, positive: str | None) -> str:
    """Say which rows gave a score, and of two classes which one it is about."""
    label = "" if positive is None else f"\npositive label: {positive}"
    return f"evaluated on: {evaluated_on}{label}"


def _feature_table(rows: Sequence[dict[str, Any]], ranked: bool, encoding: str) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    heads = ["rank", "feature", "weight", "", "MI (nats)", "in best", "in worst"]
    for head in heads if ranked else ["feature", "MI (nats)", "", "subsets with it"]:
        table.add_column(
            head,
            justify="left" if head in ("feature", "") else "right",
            overflow="fold" if head == "feature" else "ellipsis",
        )
    measure = "weight" if ranked else "mi"
    largest = max(row[measure] for row in rows)
    for row in rows:
        name = Text(row["name"]["whole"] or row["name"]["text"])
        mi, drawn = f"{row['mi']:.4f}", Text(bar(row[measure], largest, encoding=encoding), "cyan")
        if ranked:
            counts = str(row["top"]), str(row["bottom"])
            table.add_row(str(row["rank"]), name, f"{row['weight']:+.4f}", drawn, mi, *counts)
        else:
            table.add_row(name, mi, drawn, str(row["subsets"]))
    return table


def bar(value: float, largest: float, width: int = 10, encoding: str = "utf-8") -> str:
    """Draw a value as a bar, the largest one at full width; nothing for 0 and below.

    >>> bar(0.5, 1), bar(0.31, 1), bar(-1, 1), bar(0.5, 1, encoding="ascii")
    ('█████', '███▏', '', '#####')
    """
    if value <= 0 or largest <= 0:
        return ""
    eighths = max(1, round(8 * width * value / largest))
    if not _can_show(_EIGHTHS, encoding):
        return "#" * -(-eighths // 8)
    whole, rest = divmod(eighths, 8)
    return _EIGHTHS[-1] * whole + (_EIGHTHS[rest - 1] if rest else "")


def _curve(summary: dict[str, Any], console: Console) -> str:
    """Draw the scores by number of features, with a mark below the chosen subset."""
    curve, subsets = summary["curve"], summary["subsets"]
    if curve is not None:
        points = [(p["size"], p["fitness"]) for p in curve["points"]]
        scoring, what = curve["scoring"], "of the first {} to {} features"
        chosen = None if curve["chosen"] is None else curve["chosen"]["size"]
    elif subsets is not None:
        points, chosen, scoring = subsets["by_size"], subsets["chosen"][0], subsets["scoring"]
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
        final = summary["final"]
        others = curve is not None and final is not None and not final["is_nested"]
        kept = f"{chosen} kept, not the first {chosen}" if others else f"{chosen} kept"
        lines.append(pointer(sizes.index(chosen), len(sizes), kept, width))
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
