"""The tables of the page: all features, raw columns, and what was left out for which reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nffs.report.names import Names, clipped

#: Bounds that keep the file within 2 MB: features, raw columns, names in a list.
MOST_ROWS, MOST_COLUMNS, MOST_LISTED = 800, 300, 30

#: Why a feature is not selected, in the order of the page.
_REASONS = {
    "constant": "Constant in the training rows: there is nothing to learn from them, and no subset "
    "was ever drawn with them.",
    "later": "Judged together with all better ranked features; these larger subsets were not kept.",
    "beyond": "Ranked beyond the largest nested subset, so no nested subset has them.",
    "stopped": "Not in the best subset so far; the search was stopped before it was done.",
}


def reason_of(feature: dict[str, Any], document: Any) -> str:
    """Say why a feature was left out, by a key of `_REASONS`; nothing for a selected one."""
    if feature["selected"]:
        return ""
    if feature["probability"] == 0:
        return "constant"
    if document["partial"]:
        return "stopped"
    return "later" if feature["rank"] <= len(document["nested_fitness"]) else "beyond"


def feature_rows(
    features: Sequence[dict[str, Any]],
    reasons: Sequence[str],
    shares: dict[str, float],
    names: Names,
) -> dict[str, Any]:
    """Give the rows of the feature table: the selected and the best ranked.

    Parameters
    ----------
    features : sequence of dict
        The features of a selection, in the order of their rank.
    reasons : sequence of str
        Why each was left out, from `reason_of`.
    shares : dict
        How often features were selected when the selection was repeated; may be empty.
    names : Names
        Shortens the names.
    """
    places = [i for i, f in enumerate(features) if f["selected"]][:MOST_ROWS]
    taken = set(places)
    places += [i for i in range(len(features)) if i not in taken][: MOST_ROWS - len(places)]
    known = any("column" in f for f in features)
    return {
        "with_columns": known,
        "with_shares": bool(shares),
        "n_more": max(0, len(features) - MOST_ROWS),
        "rows": [
            {
                "name": names(features[i]["name"]),
                "column": clipped(features[i].get("column", ""), 40),
                "category": (
                    None
                    if features[i].get("category") is None
                    else clipped(features[i]["category"], 40)
                ),
                "why": reasons[i],
                "share": shares.get(features[i]["name"]) if shares else None,
                **{
                    k: features[i][k]
                    for k in ("rank", "weight", "mi", "probability", "top", "bottom", "selected")
                },
            }
            for i in sorted(places)
        ],
    }


def column_rows(document: Any) -> dict[str, Any] | None:
    """Give the raw columns with how many of their encoded columns stayed, the most first."""
    if "columns" not in document:
        return None  # written by an earlier version
    kept: dict[str, int] = {}
    best: dict[str, int] = {}
    for feature in document["features"]:
        name = feature["column"]
        kept[name] = kept.get(name, 0) + bool(feature["selected"])
        best[name] = min(best.get(name, feature["rank"]), feature["rank"])
    whole = document["unit"] == "column"
    rows = [
        {
            "name": c["name"],
            "kind": c["kind"],
            "encoded": c["encoded"],
            "kept": c["encoded"] * kept[c["name"]] if whole else kept[c["name"]],
            "best_rank": best[c["name"]],
        }
        for c in document["columns"]
    ]
    rows.sort(key=lambda row: (-row["kept"], row["best_rank"]))
    return {
        "n_columns": len(rows),
        "n_kept": sum(row["kept"] > 0 for row in rows),
        "rows": [{**row, "name": clipped(row["name"])} for row in rows[:MOST_COLUMNS]],
        "n_more": max(0, len(rows) - MOST_COLUMNS),
    }


def left_out(features: Sequence[dict[str, Any]], reasons: Sequence[str]) -> list[dict[str, Any]]:
    """Group the features that are not selected by the reason."""
    groups = []
    for key, told in _REASONS.items():
        members = [f for f, reason in zip(features, reasons, strict=True) if reason == key]
        if members:
            groups.append(
                {
                    "key": key,
                    "why": told,
                    "count": len(members),
                    "first_rank": members[0]["rank"],
                    "last_rank": members[-1]["rank"],
                    "names": [clipped(f["name"], 40) for f in members[:MOST_LISTED]],
                    "n_more": max(0, len(members) - MOST_LISTED),
                }
            )
    return groups
