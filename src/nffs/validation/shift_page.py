"""A shift as an HTML page: one file that opens offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from nffs.report.dots import NARROW, WIDE, Dot, Row, dot_rows
from nffs.report.names import clipped
from nffs.report.page import render
from nffs.validation.shift_words import answer, changes, share, together, unpaired

if TYPE_CHECKING:
    from nffs.validation.shifted import ColumnShift, Shift

#: Columns that are drawn, and those in the table.
MOST_DRAWN, MOST_ROWS = 20, 1000


def render_shift(found: Shift) -> str:
    """Render what moved; every name and value from the data is escaped."""
    context = {
        "title": answer(found),
        "together": together(found),
        "unpaired": [clipped(line, 500) for line in unpaired(found)],
        "auc": found.auc,
        "told_apart": found.told_apart,
        "some_still": len(found.moved) < len(found.columns),
        "rows": [_table_row(column) for column in found.columns[:MOST_ROWS]],
        "n_columns": len(found.columns),
        "n_drawn": min(MOST_DRAWN, len(found.columns)),
    }
    return render("shift.html.j2", context, charts={"columns": _charts(found)})


def _table_row(column: ColumnShift) -> dict[str, object]:
    return {
        "name": clipped(column.name),
        "kind": column.kind,
        "auc": column.auc,
        "moved": column.moved,
        "changes": _changes(column),
        "missing": None if not any(column.missing) else [share(value) for value in column.missing],
    }


def _changes(column: ColumnShift) -> str:
    told = [change for change in changes(column) if not change.startswith("missing ")]
    return clipped("; ".join(told), 300)


def _charts(found: Shift) -> list[Markup]:
    """Draw the columns that moved most, for a wide window and for a phone."""
    shown = found.columns[:MOST_DRAWN]
    rows = [
        Row(
            clipped(column.name),
            # Below one half is chance, as one half is.
            [Dot(0.5, "chance"), Dot(max(0.5, column.auc), "first" if column.moved else "")],
            f"{clipped(column.name)}: AUC {column.auc:.3f}; {_changes(column)}",
            joined=True,
        )
        for column in shown
    ]
    said = "; ".join(f"{clipped(column.name)} {column.auc:.3f}" for column in shown[:3])
    label = f"How far each column alone tells old rows from new ones, as AUC: {said} ..."
    return [
        dot_rows(rows, label, "AUC of the column alone", level=found.auc, width=width)
        for width in (WIDE, NARROW)
    ]
