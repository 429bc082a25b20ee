"""What a selection says, as one plain dict: page, notebook and terminal only place it.

The dict is bounded whatever the size of the table, so that a page is too. What is not shown is
counted, and the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nffs.report.groups import group_rows
from nffs.report.headline import headline_of
from nffs.report.learned import effects_of, expected_of, n_first_of
from nffs.report.names import SHOWN, Names, clipped, clipped_pairs
from nffs.report.picks import code_of, picks_of
from nffs.report.scores import final_facts, score_facts, unseen_facts
from nffs.report.series import (
    best_and_worst_of,
    course_of,
    curve_of,
    first_of,
    information_of,
    spread_of,
    subsets_of,
)
from nffs.report.tables import column_rows, feature_rows, left_out, ordered_features
from nffs.report.validated import nested_facts, stability_facts
from nffs.selection import Selection
from nffs.table.constraints import constraints_text

#: Names of selected features that are listed.
MOST_SELECTED = 200

#: Characters of a list of names that somebody would still paste into a program.
_MOST_PASTED = 4000


def summarize(selection: Selection, *, nested: Any = None, stability: Any = None) -> dict[str, Any]:
    """Gather what the report shows of a selection, whatever its method.

    Parameters
    ----------
    selection : Selection
        The result; it may come from a file of an earlier version, and what that lacks is None.
    nested : NestedScore or mapping, optional
        What `nffs.validation.nested_score` gave, or its `to_dict`.
    stability : RepeatedSelection or mapping, optional
        What `nffs.validation.selection_stability` gave, or the JSON of `nffs stability`.

    Returns
    -------
    dict
        Plain data that JSON can hold. Only the paper's method has `curve`, and only the guided
        search `effects` and `expected`; `final` needs a final check, `unseen` held-out rows. The
        charts are about the search and its rows; after a final check, the score of the selected
        subset is that of the check.
    """
    phases, evidence = selection.phases, selection.evidence
    if evidence is not None:
        nested = evidence.nested if nested is None else nested
        stability = evidence.stability if stability is None else stability
    outer, repeated = nested_facts(nested), stability_facts(stability)
    shares = repeated.pop("shares") if repeated else {}
    n_selected = len(selection.selected_features)
    features, names = ordered_features(selection, shares), Names()
    common: dict[str, Any] = {
        "scoring": selection.scoring,
        "all_features": selection.searched_all_features,
    }
    picks = picks_of(selection, features)
    return {
        "title": f"{n_selected:,} of {len(features):,} features selected",
        "constraints": clipped(constraints_text(selection.parameters), 500),
        "method": clipped(selection.method),
        "has_phases": phases is not None,
        "headline": headline_of(selection, outer),
        "partial": selection.partial,
        "picked": selection.picked,
        "picks": picks,
        "score": score_facts(selection),
        "final": final_facts(selection),
        "unseen": unseen_facts(selection),
        "nested": outer,
        "stability": repeated or (outer["stability"] if outer else None),
        "again": _again(repeated, selection),
        "effort": {"evaluations": selection.evaluations, "seconds": selection.seconds},
        "selected": _selected(features, names),
        "information": information_of(features, phases.threshold if phases else None),
        "first": first_of(features),
        "best_and_worst": best_and_worst_of(features),
        "curve": curve_of(selection),
        "subsets": subsets_of(
            selection.subset_sizes if _is_drawn(selection) else (),
            selection.subset_fitness,
            chosen=(n_selected, selection.fitness),
            final=selection.final,
            front=selection.front,
            picks=() if picks is None else [(p["size"], p["score"]) for p in picks["steps"]],
            scoring=selection.scoring,
            all_features=_level(selection),
        ),
        "course": course_of(_in_turn(selection), n_first=n_first_of(selection), **common),
        "effects": effects_of(selection, names, {f["name"] for f in features if f["seldom"]}),
        "expected": expected_of(selection),
        "spread": spread_of(_series(selection), chosen=selection.fitness, **common),
        "features": feature_rows(features, names),
        "columns": column_rows(selection, features),
        "groups": group_rows(selection),
        "left_out": left_out(features),
        "code": code_of(selection),
        "listing": _listing(selection.selected_features),
        "made": _made(selection),
    }


def to_json(summary: dict[str, Any]) -> str:
    """Write a summary as JSON text."""
    return json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _in_turn(selection: Selection) -> Sequence[float]:
    """Give all scores in the order of evaluation; files of format 1 have the nested ones alone."""
    phases, scores = selection.phases, selection.subset_fitness
    return () if phases is not None and scores == phases.nested_fitness else scores


def _is_drawn(selection: Selection) -> bool:
    """Tell whether there is more than a single dot to draw, as of a search stopped at once."""
    return len(selection.subset_sizes) > 1 or selection.final is not None


def _series(selection: Selection) -> list[tuple[str, Sequence[float]]]:
    phases = selection.phases
    if not _is_drawn(selection):
        return []
    if phases is None:
        return [("evaluated", selection.subset_fitness)]
    # a single nested subset is the best drawn one, of a search that was stopped
    nested = phases.nested_fitness if len(phases.nested_fitness) > 1 else ()
    return [("drawn", phases.drawn_fitness), ("nested", nested)]


def _selected(features: Sequence[dict[str, Any]], names: Names) -> dict[str, Any]:
    chosen = [f for f in features if f["selected"]]
    return {
        "shown": [
            {**names(f["name"]), "mi": f["mi"], "seldom": f["seldom"]}
            for f in chosen[:MOST_SELECTED]
        ],
        "n_seldom": sum(f["seldom"] for f in chosen),
        "n_more": max(0, len(chosen) - MOST_SELECTED),
    }


def _again(repeated: dict[str, Any] | None, selection: Selection) -> dict[str, Any] | None:
    """Give how often features were selected again, for a chart; takes it out of the facts."""
    if repeated is None:
        return None
    kept, rows = set(selection.selected_features), repeated.pop("again")
    return {
        "n_ever": repeated.pop("n_again"),
        "by_chance": repeated["by_chance"],
        "rows": [
            {
                "label": clipped(row["feature"], 20),
                "text": clipped(row["feature"], 60),
                "selected": row["feature"] in kept,
                **{end: row[end] for end in ("share", "low", "high")},
            }
            for row in rows
        ],
    }


def _level(selection: Selection) -> float | None:
    """Give the score of all features that the chosen subset is compared with in a chart.

    None for a panel: its mean would measure all features by models that they hurt.
    """
    if selection.final is None:
        return selection.searched_all_features
    members = selection.final.members
    return members[0].all_features if len(members) == 1 else None


def _listing(names: Sequence[str]) -> str | None:
    """Give the selected features as a list to paste; None where it would be too long."""
    if sum(map(len, names)) > _MOST_PASTED:
        return None
    # repr() writes quotes, line ends and marks that turn the text's direction as escapes.
    return "selected = [\n" + "".join(f"    {name!r},\n" for name in names) + "]"


def _made(selection: Selection) -> dict[str, Any]:
    result = {
        "method": selection.method,
        "seed": selection.seed,
        "unit": selection.unit,
        "target": ", ".join(map(str, selection.classes)) or "numbers (regression)",
    }
    if selection.phases is not None:
        result["threshold"] = selection.phases.threshold
    parameters = {name: "; ".join(_items(v)) for name, v in selection.parameters.items()}
    return {
        "result": clipped_pairs(result, 500),
        "parameters": clipped_pairs(parameters, 500),
        "versions": clipped_pairs(selection.versions, SHOWN),
        "fingerprint": clipped_pairs(selection.fingerprint, 300),
    }


def _items(value: Any) -> list[str]:
    """Write a parameter: a list of groups item by item."""
    if isinstance(value, list):
        return [part for item in value for part in _items(item)]
    if isinstance(value, dict):
        return [", ".join(f"{k}={v}" for k, v in value.items())]
    return [str(value)]
