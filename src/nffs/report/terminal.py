"""A selection in a terminal: its features, a curve in one line of text, scores and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nffs.report.feature_lines import feature_table
from nffs.report.sparklines import pointer, sparkline
from nffs.report.summary import summarize
from nffs.selection import Selection

if TYPE_CHECKING:
    from rich.console import Console

#: Features that are listed.
MOST_FEATURES = 15

#: Groups of categories that are listed.
MOST_GROUPS = 12

#: What models are scored with, above two columns of scores.
_HEADS = ("with the selection", "with all features")


def print_selection(selection: Selection, console: Console) -> None:
    """Print the answer, the first of the selected features, the curve, and what scores are from."""
    from rich.text import Text

    summary = summarize(selection)
    # As text: brackets in names are not markup.
    headline = summary["headline"]
    console.print(Text(headline["answer"], "bold"))
    if said := " ".join(filter(None, [headline["score"], *headline["others"]])):
        console.print(Text(said))
    for caveat in headline["caveats"]:
        console.print(Text(caveat, "yellow"))
    for line in _asked(summary):
        console.print(Text(line))
    rows = [row for row in summary["features"]["rows"] if row["selected"]][:MOST_FEATURES]
    first = summary["first"]
    ranked = first is not None and first["measure"] == "weight"
    console.print(feature_table(rows, ranked, console))
    n_more = len(selection.selected_features) - len(rows)
    lines = [f"and {n_more:,} more", ""] if n_more else []
    lines += _groups(summary)
    if not summary["partial"] and (curve := _curve(summary, console)):
        lines.append(curve)
    lines += _evidence(summary)
    console.print(Text("\n".join(lines)))


def _asked(summary: dict[str, Any]) -> list[str]:
    """Say what was asked for, where it was something else than the default."""
    lines = [] if summary["has_phases"] else [f"method: {summary['method']}"]
    if summary["picked"] is not None:
        lines.append(f"picked: the best evaluated subset of at most {summary['picked']:,} features")
    if summary["constraints"]:
        lines.append(f"constraints: {summary['constraints']}")
    return lines


def _groups(summary: dict[str, Any]) -> list[str]:
    """Say which groups the categories form that were selected from, and what each says."""
    if summary["groups"] is None:
        return []
    rows = [row for row in summary["groups"]["rows"] if row["column_selected"]]
    lines = [
        f"  {row['column']} {row['place']}: {row['categories']} ({row['says']}, "
        f"{row['rows']:,.0f} rows{', and unseen ones' if row['unseen'] else ''})"
        for row in rows[:MOST_GROUPS]
    ]
    n_more = len(rows) + summary["groups"]["n_more"] - len(lines)
    more = [f"  and {n_more:,} more"] if n_more else []
    return ["groups of categories:", *lines, *more, ""] if lines else []


def _evidence(summary: dict[str, Any]) -> list[str]:
    lines, final, score = [], summary["final"], summary["score"]
    if final is not None and len(final["members"]) > 1:
        lines += [*model_lines(final["members"], *_HEADS), ""]
    rows = "; ".join(filter(None, (score["evaluated_on"], score["unlabelled"])))
    lines.append(rows_and_label(rows, score["positive"]))
    if summary["unseen"] is not None:
        lines += ["", *_unseen_lines(summary["unseen"])]
    if summary["nested"] is not None:
        nested = summary["nested"]
        lines += ["", f"Checked by {nested['n_folds']} outer folds", nested["verdict"]]
        lines.append(nested["optimism_verdict"])
    if summary["stability"] is not None:
        lines += ["", summary["stability"]["verdict"]]
    return lines


def _unseen_lines(unseen: dict[str, Any]) -> list[str]:
    return [
        f"On {unseen['n_rows']:,} rows that the search never saw: {unseen['scoring']} of models "
        f"trained on {unseen['n_train']:,} others",
        "",
        *model_lines(unseen["models"], *_HEADS),
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
            f"{model['all_features']:>{len(everything)}.4f}  {model['difference']:>+z10.4f}"
        )
    return lines


def rows_and_label(evaluated_on: str, positive: str | None) -> str:
    """Say which rows gave a score, and of two classes which one it is about."""
    label = "" if positive is None else f"\npositive label: {positive}"
    return f"evaluated on: {evaluated_on}{label}"


def _curve(summary: dict[str, Any], console: Console) -> str:
    """Draw the scores by number of features, with a mark below the chosen subset."""
    picks, subsets = summary["picks"], summary["subsets"]
    if picks is not None:
        points = [(step["size"], step["score"]) for step in picks["steps"]]
        chosen, scoring = picks["step"], picks["scoring"]
    elif subsets is not None:
        points, scoring = subsets["by_size"], subsets["scoring"]
        places = {size: place for place, (size, _) in enumerate(points)}
        chosen = places.get(subsets["chosen"][0])
    else:
        return ""
    if len(points) < 2:
        return ""
    sizes, scores = zip(*points, strict=True)
    width = min(console.width, 80)
    lines = [
        f"{scoring} of the best subset of each size, {sizes[0]:,} to {sizes[-1]:,} features, "
        f"{min(scores):z.4f} to {max(scores):z.4f}:",
        sparkline(scores, width, console.encoding),
    ]
    if chosen is not None:
        lines.append(pointer(chosen, len(sizes), f"{sizes[chosen]:,} kept", width))
    return "\n".join(lines) + "\n"
