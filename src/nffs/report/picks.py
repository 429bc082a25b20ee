"""What the slider over sizes shows: the points of the front, with what each of them is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nffs.report.names import clipped
from nffs.report.scores import mean_of
from nffs.report.series import thinned
from nffs.selection import Point, Selection

#: Bounds that keep the file within 2 MB: places of the slider, names that a place lists, names of
#: all places together.
MOST_PICKS, MOST_NAMES, MOST_KNOWN = 120, 60, 800

#: Standard errors to either side of a score that make an interval of 95 %.
REACH = 1.96


def picks_of(selection: Selection, features: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Give the sizes that are available without a new search; None if there is no choice.

    Parameters
    ----------
    selection : Selection
        Its front, and the selection itself, which need not be on it.
    features : sequence of dict
        All features in the order to show, as `ordered_features` gives them.
    """
    front, n_chosen = selection.front, len(selection.selected_features)
    if front is None:
        return None
    # The chosen subset stands for its size: the front's own of that size may be another one.
    points = [point for point in front.points if point.size != n_chosen]
    chosen = Point(n_chosen, selection.fitness, selection.standard_error or 0.0, None)
    points = sorted([*points, chosen], key=lambda point: point.size)
    if len(points) < 2:
        return None
    points = [points[i] for i in thinned(len(points), MOST_PICKS, (points.index(chosen),))]
    places = {feature["name"]: place for place, feature in enumerate(features)}
    order = [places[feature.name] for feature in selection.features]
    known: dict[int, int] = {}
    steps = [_step(selection, p, p is chosen, order, known) for p in points]
    listed = [features[place] for place in known]
    return {
        "scoring": clipped(selection.scoring, 24),
        "names": [[clipped(feature["name"], 40), feature["seldom"]] for feature in listed],
        "steps": steps,
        "step": points.index(chosen),
    }


def _step(
    selection: Selection,
    point: Point,
    is_chosen: bool,
    order: Sequence[int],
    known: dict[int, int],
) -> dict[str, Any]:
    """Give a place of the slider; `known` is filled with the features that it lists."""
    places: list[int] = []
    for place in sorted(order[i] for i in point.features or ()):
        if len(places) == MOST_NAMES or (place not in known and len(known) == MOST_KNOWN):
            break
        places.append(known.setdefault(place, len(known)))
    check = selection.final if is_chosen else point.check
    reach = REACH * point.standard_error
    return {
        "size": point.size,
        "score": point.fitness,
        "interval": [point.fitness - reach, _top(point.fitness, reach)] if reach else None,
        "mean_of": None if check is None else mean_of(check.members),
        "verdict": None if check is None else clipped(check.verdict, 300),
        "names": places,
        "n_more": 0 if is_chosen else point.size - len(places),
        "code": [text for _, text in code_of(selection, None if is_chosen else point)],
    }


def _top(score: float, reach: float) -> float:
    # No score of scikit-learn's goes beyond 1.
    return min(score + reach, 1.0) if score <= 1.0 else score + reach


def code_of(selection: Selection, point: Point | None = None) -> list[list[str]]:
    """Give code that takes a point of the front, or the selection as it is, by its titles."""
    load = 'from nffs import Selection\n\nselection = Selection.load("selection.json")'
    file, take, picked = "selection.json", "", ""
    if point is not None:
        smaller = point.size < len(selection.selected_features)
        file = f"selection-{point.size}.json"
        take = f".at_most({point.size})" if smaller else f".of_size({point.size})"
        option = "--at-most" if smaller else "--size"
        picked = f"nffs pick selection.json {option} {point.size} --out {file}\n"
    python = f"{load}{take}\nX_small = selection.transform(X)"
    shell = f"{picked}nffs transform new.csv --selection {file} --out reduced.parquet"
    if point is not None and point.features is None:
        why = f"{point.size:,} features are too many to be kept in the file; select again with"
        python = f"# {why}\nNFFS(max_features={point.size})"
        shell = f"# {why}\n--max-features {point.size}"
    return [
        ["In Python, on any pandas, polars or pyarrow frame", python],
        ["In a terminal, on files", shell],
    ]
