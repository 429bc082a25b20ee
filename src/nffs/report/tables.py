"""The tables of a selection: all features, raw columns, and what was left out for which reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nffs.report.names import Names, clipped
from nffs.report.validated import SELDOM
from nffs.selection import Selection
from nffs.table.unfit import left_out_text

#: Bounds that keep the file within 2 MB: features, raw columns, names in a list.
MOST_ROWS, MOST_COLUMNS, MOST_LISTED = 800, 300, 30

#: Why a feature is not selected, in the order of the page: a few words and a sentence.
_REASONS = {
    "excluded": ("no, excluded", "Excluded by the constraints of this selection."),
    "constant": (
        "no, constant",
        "Constant in the training rows: nothing can be learned from that, and no subset was "
        "evaluated with it.",
    ),
    "later": (
        "no, later rank",
        "Evaluated together with all better ranked features; a smaller subset was kept.",
    ),
    "beyond": (
        "no, not nested",
        "Ranked beyond the largest nested subset, so in no nested subset.",
    ),
    "picked": (
        "no",
        "In other subsets that were evaluated, but not in the one that was picked.",
    ),
    "checked": (
        "no",
        "In other subsets that were evaluated, such as all features together, but not in the one "
        "that the final check chose.",
    ),
    "others": ("no", "Evaluated in other subsets, but not part of the one that was chosen."),
    "never": ("no, never tried", "Not in any subset that was evaluated for the method."),
    "stopped": ("no", "Not in the best subset so far; the search was stopped before it finished."),
}


def ordered_features(selection: Selection, shares: Mapping[str, float]) -> list[dict[str, Any]]:
    """Give every feature as a record with the reason if it was left out, in the order to show.

    `shares` says how often features were selected when the selection was repeated, if it was. The
    order is by rank for the paper's method. Other methods rank nothing: the selected features come
    first, then by mutual information.
    """
    records = [asdict(feature) for feature in selection.features]
    phases, learned = selection.phases, selection.learned
    if learned is not None:
        for name in ("effect", "effect_error"):
            for record, value in zip(records, getattr(learned, name), strict=True):
                record[name] = value
    if phases is not None:
        for name in ("rank", "weight", "probability", "top", "bottom"):
            for record, value in zip(records, getattr(phases, name), strict=True):
                record[name] = value
        records.sort(key=lambda record: record["rank"])
    else:
        records.sort(key=lambda record: (not record["selected"], -record["mi"]))
    sizes = () if phases is None else phases.nested_sizes
    n_nested = max(sizes) if len(sizes) > 1 else len(sizes)  # a single one is a drawn subset
    for record in records:
        record["reason"] = _reason(record, selection, n_nested)
        share = record["share"] = shares.get(record["name"])
        record["seldom"] = record["selected"] and share is not None and share < SELDOM
    return records


def _reason(record: dict[str, Any], selection: Selection, n_nested: int) -> str | None:
    if record["selected"]:
        return None
    if record["excluded"]:
        return "excluded"
    if record["constant"]:
        return "constant"
    if selection.picked is not None:
        return "picked"
    if selection.final is not None:
        return "checked"
    if selection.partial:
        return "stopped"
    if "rank" in record:
        return "later" if record["rank"] <= n_nested else "beyond"
    return "others" if record["subsets"] else "never"


def feature_rows(features: Sequence[dict[str, Any]], names: Names) -> dict[str, Any]:
    """Give the rows of the feature table: the selected and those that come first."""
    # Stable: the selected first, then all in the order to show.
    places = sorted(range(len(features)), key=lambda i: not features[i]["selected"])[:MOST_ROWS]
    return {
        "with_columns": any(f["category"] is not None for f in features),
        "with_shares": any(f["share"] is not None for f in features),
        "with_effects": any("effect" in f for f in features),
        "n_features": len(features),
        "n_more": max(0, len(features) - MOST_ROWS),
        "rows": [
            {
                **f,
                "name": names(f["name"]),
                "column": clipped(f["column"], 40),
                "category": None if f["category"] is None else clipped(f["category"], 40),
                "selected_or_why": "yes" if f["selected"] else _REASONS[f["reason"]][0],
            }
            for f in (features[i] for i in sorted(places))
        ],
    }


def column_rows(selection: Selection, features: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Give the raw columns with how many of their encoded columns stayed, the most first."""
    if not selection.columns:
        return None  # an old file
    kept = Counter(feature["column"] for feature in features if feature["selected"])
    # The first place of a column is written last.
    best = {f["column"]: len(features) - i for i, f in enumerate(reversed(features))}
    whole = selection.unit == "column"
    rows: list[dict[str, Any]] = [
        {
            "name": clipped(column.name),
            "kind": column.kind,
            "encoded": column.encoded,
            "kept": column.encoded * kept[column.name] if whole else kept[column.name],
            "best_rank": best[column.name],
        }
        for column in selection.columns
    ]
    rows.sort(key=lambda row: (-row["kept"], row["best_rank"]))
    return {
        "n_columns": len(rows),
        "n_kept": sum(row["kept"] > 0 for row in rows),
        "rows": rows[:MOST_COLUMNS],
        "n_more": max(0, len(rows) - MOST_COLUMNS),
        "left_out": clipped(left_out_text(selection.left_out), 500),
    }


def left_out(features: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group the features that are not selected by the reason."""
    groups = {key: [f for f in features if f["reason"] == key] for key in _REASONS}
    return [
        {
            "key": key,
            "why": _REASONS[key][1],
            "count": len(members),
            "ranks": [members[0]["rank"], members[-1]["rank"]]
            if key in ("later", "beyond")
            else None,
            "names": [clipped(f["name"], 40) for f in members[:MOST_LISTED]],
            "n_more": max(0, len(members) - MOST_LISTED),
        }
        for key, members in groups.items()
        if members
    ]
