"""What the page shows, as one plain dict: charts and template only place it.

The dict is bounded whatever the size of the table, so that the page is too. What is not shown is
counted, and the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from nffs.errors import InputError, quoted
from nffs.methods.threshold import mi_histogram
from nffs.report.names import Names, clipped
from nffs.report.tables import column_rows, feature_rows, left_out, reason_of
from nffs.report.usage import code_to_use
from nffs.report.validated import nested_facts, stability_facts
from nffs.selection import Selection

#: Bounds that keep the file within 2 MB: names of selected features, bars of the weights, points of
#: the curve. Those of the tables stand in `tables`.
MOST_SELECTED, MOST_BARS, MOST_POINTS = 200, 400, 300

#: What every selection that was ever written has.
_NEEDED = {
    "all_features_fitness", "classes", "drawn_fitness", "evaluations", "features", "fitness",
    "evaluated_on", "n_selected", "nested_fitness", "nffs_version", "parameters", "partial",
    "scoring", "seconds", "seed", "selected_features", "threshold", "unit",
}  # fmt: skip

#: Places of the slider that asks for another threshold.
_STEPS = 200


def summarize(selection: Selection, *, nested: Any = None, stability: Any = None) -> dict[str, Any]:
    """Gather what the report shows.

    Parameters
    ----------
    selection : Selection
        The result, also one written by an earlier version: what it lacks is left out.
    nested : NestedScore or mapping, optional
        What `nffs.validation.nested_score` gave, or its `to_dict`.
    stability : RepeatedSelection or mapping, optional
        What `nffs.validation.selection_stability` gave, or the JSON of `nffs stability`.

    Returns
    -------
    dict
        Plain data that JSON can hold.
    """
    document = selection.document
    lacking = sorted(_NEEDED - set(document))
    if lacking:
        raise InputError(
            f"selection: lacks {quoted(lacking)}; give the file as `nffs select --out` wrote it."
        )
    features = sorted(document["features"], key=lambda feature: int(feature["rank"]))
    names = Names()
    honest, repeated = nested_facts(nested), stability_facts(stability)
    shares = repeated.pop("shares") if repeated else {}
    everything = document["all_features_fitness"]
    curve = _curve(document)
    reasons = [reason_of(feature, document) for feature in features]
    return {
        "title": f"{document['n_selected']:,} of {len(features):,} features selected",
        "partial": document["partial"],
        "score": {
            "scoring": clipped(document["scoring"]),
            "value": document["fitness"],
            "standard_error": document.get("standard_error"),
            "positive": None if selection.positive is None else clipped(selection.positive),
            "evaluated_on": clipped(document["evaluated_on"], 300),
            "all_features": everything,
            "gain": None if everything is None else document["fitness"] - everything,
        },
        "nested": honest,
        "stability": repeated or (honest["stability"] if honest else None),
        "effort": {"evaluations": document["evaluations"], "seconds": document["seconds"]},
        "selected": _selected(features, names),
        "information": _information(features, document["threshold"]),
        "weights": _weights(features),
        "curve": curve,
        "spread": _spread(document),
        "features": feature_rows(features, reasons, shares, names),
        "columns": column_rows(document),
        "left_out": left_out(features, reasons),
        "code": code_to_use(document),
        "made": {
            "unit": document["unit"],
            "seed": document["seed"],
            "threshold": document["threshold"],
            "classes": clipped(", ".join(map(str, document["classes"])), 500),
            "parameters": {
                clipped(k): clipped("; ".join(_told(v)), 500)
                for k, v in document["parameters"].items()
            },
            "versions": {"nffs": document["nffs_version"], **document.get("versions", {})},
            "fingerprint": {
                clipped(k): clipped(v, 300) for k, v in document.get("fingerprint", {}).items()
            },
        },
    }


def to_json(summary: dict[str, Any]) -> str:
    """Write a summary as JSON text."""
    return json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _told(value: Any) -> list[str]:
    """Say a parameter: a list of groups item by item."""
    if isinstance(value, list):
        return [part for item in value for part in _told(item)]
    if isinstance(value, dict):
        return [", ".join(f"{k}={v}" for k, v in value.items())]
    return [str(value)]


def _selected(features: Sequence[dict[str, Any]], names: Names) -> dict[str, Any]:
    chosen = [f for f in features if f["selected"]]
    return {
        "shown": [{**names(f["name"]), "mi": float(f["mi"])} for f in chosen[:MOST_SELECTED]],
        "n_more": max(0, len(chosen) - MOST_SELECTED),
    }


def _information(features: Sequence[dict[str, Any]], threshold: float) -> dict[str, Any]:
    varying = [f for f in features if f["probability"] > 0]
    mi = np.array([f["mi"] for f in varying])
    kept = np.array([f["mi"] for f in varying if f["selected"]])
    histogram = mi_histogram(mi)
    top = float(histogram.edges[-1])
    places = sorted({*np.linspace(0.0, top, _STEPS + 1).tolist(), min(threshold, top)})
    return {
        "counts": histogram.counts.tolist(),
        "edges": histogram.edges.tolist(),
        "threshold": threshold,
        "n_features": len(mi),
        "n_above": int((mi > threshold).sum()),
        "n_selected": len(kept),
        "n_selected_above": int((kept > threshold).sum()),
        # How many lie above every threshold that can be asked for: exact, however many there are.
        "steps": [[p, int((mi > p).sum()), int((kept > p).sum())] for p in places],
        "step": places.index(min(threshold, top)),
    }


def _weights(features: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    if not any(f["weight"] for f in features):
        return None  # a search that was stopped has none
    return {
        "bars": [
            {
                "name": clipped(f["name"], 40),
                "weight": float(f["weight"]),
                "selected": f["selected"],
            }
            for f in features[:MOST_BARS]
        ],
        "n_more": max(0, len(features) - MOST_BARS),
    }


def _curve(document: Any) -> dict[str, Any] | None:
    fitness = document["nested_fitness"]
    sizes = document.get("nested_sizes", list(range(1, len(fitness) + 1)))
    errors = document.get("nested_standard_errors", [None] * len(fitness))
    if len(fitness) < 2:
        return None  # a search that was stopped in phase I has no curve
    points = [
        {"size": s, "fitness": f, "error": e}
        for s, f, e in zip(sizes, fitness, errors, strict=True)
    ]
    by_size = {point["size"]: point for point in points}
    chosen = by_size.get(document["n_selected"])
    one_se = by_size.get(len(document.get("one_se_features", ())))
    return {
        "scoring": clipped(document["scoring"], 24),
        "points": _thinned(points, [point for point in (chosen, one_se) if point]),
        "n_points": len(points),
        "chosen": chosen,
        "one_se": one_se,
        "all_features": document["all_features_fitness"],
    }


def _thinned(points: list[dict[str, Any]], always: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(points) <= MOST_POINTS:
        return points
    places = np.unique(np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int))
    kept = {int(i) for i in places} | {points.index(point) for point in always}
    return [points[i] for i in sorted(kept)]


def _spread(document: Any) -> dict[str, Any] | None:
    drawn, nested = np.array(document["drawn_fitness"]), np.array(document["nested_fitness"])
    series = [("drawn", drawn), ("nested", nested)] if len(nested) > 1 else [("drawn", drawn)]
    return spread_of(
        series,
        scoring=document["scoring"],
        chosen=document["fitness"],
        all_features=document["all_features_fitness"],
    )


def spread_of(
    series: Sequence[tuple[str, Any]],
    *,
    scoring: str,
    chosen: float | None,
    all_features: float | None,
    n_bars: int = 24,
) -> dict[str, Any] | None:
    """Count the fitness of several sets of subsets in common bars."""
    marks = [value for value in (chosen, all_features) if value is not None]
    values = np.concatenate([*(v for _, v in series), marks])
    if not len(series[0][1]):
        return None
    low, high = float(values.min()), float(values.max())
    edges = np.linspace(low, high if high > low else low + 1e-6, n_bars + 1)
    return {
        "scoring": clipped(scoring, 24),
        "edges": edges.tolist(),
        "series": [
            {
                "name": name,
                "n": len(v),
                "counts": np.histogram(v, edges)[0].tolist(),
                "median": float(np.median(v)),
                "best": float(v.max()),
            }
            for name, v in series
        ],
        "chosen": chosen,
        "all_features": all_features,
    }
