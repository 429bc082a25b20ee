"""The groups of categories of a selection, as rows of a table."""

from __future__ import annotations

from typing import Any

from nffs.report.names import clipped
from nffs.selection import CategoryGroup, Selection

#: Bounds that keep the file small: groups, and characters that list categories.
_MOST_ROWS, _LISTED = 300, 300


def group_rows(selection: Selection) -> dict[str, Any] | None:
    """Give the groups of all columns whose categories were grouped; None if there are none."""
    selected = set(selection.selected_features)
    kept = {feature.column for feature in selection.features if feature.selected}
    rows = [
        {
            "column": clipped(column.name, 40),
            "column_selected": column.name in kept,
            "place": f"{number} of {len(column.groups)}",
            "categories": clipped(", ".join(_named(c) for c in group.categories), _LISTED),
            "n_categories": len(group.categories),
            "rows": group.rows,
            "says": _says(selection, group),
            "unseen": group.unseen,
            "selected": bool({group.name, column.name} & selected),
        }
        for column in selection.columns
        for number, group in enumerate(column.groups, start=1)
    ]
    if not rows:
        return None
    return {"rows": rows[:_MOST_ROWS], "n_more": max(0, len(rows) - _MOST_ROWS)}


def _named(category: str | None) -> str:
    return "missing" if category is None else category


def _says(selection: Selection, group: CategoryGroup) -> str:
    """Say what its rows say: the share of the positive or most frequent class, or the mean."""
    if not selection.classes:
        return f"mean {group.profile[0]:.4g}"
    place = 1 if len(group.profile) == 2 else group.profile.index(max(group.profile))
    return f"{group.profile[place]:.1%} {clipped(selection.classes[place], 24)}"
