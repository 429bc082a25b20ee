"""The tables of a selection: all features, raw columns, and what was left out for which reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from nffs.report.names import Names, clipped
from nffs.selection import Selection

#: Bounds that keep the file within 2 MB: features, raw columns, names in a list.
MOST_ROWS, MOST_COLUMNS, MOST_LISTED = 800, 300, 30

#: Why a feature is not selected, in the order of the page: a few words and a sentence.
_REASONS = {
    "constant": (
        "no, constant",
        "Constant in the training rows: there is nothing to learn from them, and no subset was "
        "ever evaluated with them.",
    ),
    "later": (
        "no, later rank",
        "Evaluated together with all better ranked features; these larger subsets were not kept.",
    ),
    "beyond": (
        "no, not nested",
        "Ranked beyond the largest nested subset, so no nested subset has them.",
    ),
    "others": ("no", "Evaluated in other subsets, but not part of the one that was chosen."),
    "never": ("no, never tried", "In none of the subsets that the method had evaluated."),
    "stopped": ("no", "Not in the best subset so far; the search was stopped before it was done."),
}


def ordered_features(selection: Selection) -> list[dict[str, Any]]:
    """Give every feature as a record with the reason if it was left out, in the order to show.

    That is by rank for the paper's method. Other methods rank nothing: the selected features come
    first, then by mutual information.
    """
    records = [asdict(feature) for feature in selection.features]
    phases = selection.phases
    if phases is not None:
        for i, record in enumerate(records):
            for name in ("rank", "weight", "probability", "top", "bottom"):
                record[name] = getattr(phases, name)[i]
        records.sort(key=lambda record: record["rank"])
    else:
        records.sort(key=lambda record: (not record["selected"], -record["mi"]))
    n_nested = 0 if phases is None else len(phases.nested_fitness)
    for record in records:
        record["reason"] = _reason(record, selection.partial, n_nested)
    return records


def _reason(record: dict[str, Any], partial: bool, n_nested: int) -> str | None:
    if record["selected"]:
        return None
    if record["constant"]:
        return "constant"
    if partial:
        return "stopped"
    if "rank" in record:
        return "later" if record["rank"] <= n_nested else "beyond"
    return "others" if record["subsets"] else "never"


def feature_rows(
    features: Sequence[dict[str, Any]], shares: dict[str, float], names: Names
) -> dict[str, Any]:
    """Give the rows of the feature table: the selected and those that come first.

    Parameters
    ----------
    features : sequence of dict
        From `ordered_features`.
    shares : dict
        How often features were selected when the selection was repeated; may be empty.
    names : Names
        Shortens the names.
    """
    places = [i for i, f in enumerate(features) if f["selected"]][:MOST_ROWS]
    taken = set(places)
    places += [i for i in range(len(features)) if i not in taken][: MOST_ROWS - len(places)]
    return {
        "with_columns": any(f["category"] is not None for f in features),
        "with_shares": bool(shares),
        "n_more": max(0, len(features) - MOST_ROWS),
        "rows": [
            {
                **features[i],
                "name": names(features[i]["name"]),
                "column": clipped(features[i]["column"], 40),
                "category": _category(features[i]["category"]),
                "selected_or_why": _selected_or_why(features[i]["reason"]),
                "share": shares.get(features[i]["name"]),
            }
            for i in sorted(places)
        ],
    }


def _category(category: str | None) -> str | None:
    return None if category is None else clipped(category, 40)


def _selected_or_why(reason: str | None) -> str:
    return "yes" if reason is None else _REASONS[reason][0]


def column_rows(selection: Selection, features: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Give the raw columns with how many of their encoded columns stayed, the most first."""
    if not selection.columns:
        return None  # an old file
    kept: dict[str, int] = {}
    best: dict[str, int] = {}
    for place, feature in enumerate(features, start=1):
        name = feature["column"]
        kept[name] = kept.get(name, 0) + feature["selected"]
        best.setdefault(name, place)
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
    }


def left_out(features: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group the features that are not selected by the reason."""
    groups = []
    for key, (_, why) in _REASONS.items():
        members = [f for f in features if f["reason"] == key]
        if members:
            ranked = key in ("later", "beyond")
            groups.append(
                {
                    "key": key,
                    "why": why,
                    "count": len(members),
                    "ranks": [members[0]["rank"], members[-1]["rank"]] if ranked else None,
                    "names": [clipped(f["name"], 40) for f in members[:MOST_LISTED]],
                    "n_more": max(0, len(members) - MOST_LISTED),
                }
            )
    return groups
