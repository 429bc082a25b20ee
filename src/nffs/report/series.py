"""The numbers behind the charts, bounded whatever the size of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.methods.threshold import mi_histogram
from nffs.report.names import clipped
from nffs.selection import Final, Front, Selection, front_places

#: Bounds that keep the file within 2 MB: points of the curve, dots.
MOST_POINTS, MOST_DOTS = 300, 1000

#: Features whose bars have names.
MOST_NAMED = 20

#: Places of the slider that asks for another threshold.
_STEPS = 200


def information_of(
    features: Sequence[dict[str, Any]], threshold: float | None
) -> dict[str, Any] | None:
    """Count features by mutual information, those never tried left out; see `ordered_features`."""
    mi = np.array([f["mi"] for f in features if not f["constant"] and not f["excluded"]])
    kept = np.array([f["mi"] for f in features if f["selected"]])
    if not len(mi):
        return None
    histogram = mi_histogram(mi)
    counted = {
        "counts": histogram.counts.tolist(),
        "edges": histogram.edges.tolist(),
        "threshold": threshold,
        "n_features": len(mi),
        "n_selected": len(kept),
    }
    if threshold is None:
        return counted
    top = float(histogram.edges[-1])
    places = sorted({*np.linspace(0.0, top, _STEPS + 1).tolist(), min(threshold, top)})
    return {
        **counted,
        "n_above": int((mi > threshold).sum()),
        "n_selected_above": int((kept > threshold).sum()),
        # How many lie above every threshold that can be asked for: exact, however many there are.
        "steps": [[p, int((mi > p).sum()), int((kept > p).sum())] for p in places],
        "step": places.index(min(threshold, top)),
    }


def first_of(features: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Give the first features by what ranks them: weights of phase II, or mutual information.

    A search that was stopped in phase I has no weights. See `ordered_features`.
    """
    measure = "weight" if any(f.get("weight") for f in features) else "mi"
    tried = [f for f in features if not f["constant"] and not f["excluded"]]
    if not tried:
        return None
    return {
        "measure": measure,
        "bars": [
            {
                "label": clipped(f["name"], 20),
                "text": clipped(f["name"], 60),
                "value": f[measure],
                "selected": f["selected"],
                "seldom": f["seldom"],
            }
            for f in tried[:MOST_NAMED]
        ],
        "n_more": max(0, len(tried) - MOST_NAMED),
    }


def best_and_worst_of(features: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Give in how many of the best and of the worst drawn subsets the first features are."""
    if not any(f.get("top") or f.get("bottom") for f in features):
        return None
    return {
        "rows": [
            {
                "label": clipped(f["name"], 20),
                "text": clipped(f["name"], 60),
                "top": f["top"],
                "bottom": f["bottom"],
                "seldom": f["seldom"],
            }
            for f in features[:MOST_NAMED]
            if not f["constant"] and not f["excluded"]
        ]
    }


def curve_of(selection: Selection) -> dict[str, Any] | None:
    """Give the scores of the nested subsets; a search stopped in phase I has no curve."""
    phases = selection.phases
    if phases is None or len(phases.nested_fitness) < 2:
        return None
    errors = phases.nested_standard_errors or [None] * len(phases.nested_fitness)
    points = [
        {"size": s, "fitness": f, "error": e}
        for s, f, e in zip(phases.nested_sizes, phases.nested_fitness, errors, strict=True)
    ]
    place = {point["size"]: i for i, point in enumerate(points)}
    n_selected = len(selection.selected_features)
    marked = None
    if is_nested(selection) and (n_selected in place or selection.final is not None):
        # A final check scores it on other folds, and may have chosen a larger one than any here.
        error = selection.standard_error
        marked = {"size": n_selected, "fitness": selection.fitness, "error": error}
    one_se = place.get(len(phases.one_se_features))
    always = (None if marked is None else place.get(n_selected), one_se)
    everything = selection.searched_all_features
    marks = [everything, None if marked is None else selection.fitness]
    return {
        "scoring": clipped(selection.scoring, 24),
        "points": [points[i] for i in thinned(len(points), MOST_POINTS, always)],
        "n_points": len(points),
        "chosen": marked,
        "one_se": None if one_se is None else points[one_se],
        "all_features": everything,
        **focus(
            [*phases.nested_fitness],
            marks,
            reach=median(error or 0.0 for error in errors),
        ),
    }


def subsets_of(
    sizes: Sequence[int],
    fitness: Sequence[float],
    *,
    scoring: str,
    chosen: tuple[int, float] | None,
    all_features: float | None,
    final: Final | None = None,
    front: Front | None = None,
    picks: Sequence[tuple[int, float]] = (),
) -> dict[str, Any] | None:
    """Give evaluated subsets as points of size and score, and their front.

    Where a final check decided, its candidates are points beside those, and the front is theirs.
    `picks` are the places of the slider.
    """
    if not len(sizes):
        return None
    best = int(np.argmax(fitness))
    by_size: dict[int, float] = {}
    for size, value in zip(sizes, fitness, strict=True):
        by_size[size] = max(value, by_size.get(size, value))
    checked = [] if final is None else zip(final.sizes, final.fitness, strict=True)
    points = (
        [(sizes[i], fitness[i]) for i in front_places(sizes, fitness)]
        if front is None
        else [(point.size, point.fitness) for point in front.points]
    )
    return {
        "scoring": clipped(scoring, 24),
        "points": [[sizes[i], fitness[i]] for i in thinned(len(sizes), MOST_DOTS, (best,))],
        "n_points": len(sizes),
        "checked": [list(point) for point in checked],
        "by_size": [[size, by_size[size]] for size in sorted(by_size)],
        "picks": [list(point) for point in picks],
        "front": [list(points[i]) for i in thinned(len(points), MOST_POINTS, ())],
        "chosen": None if chosen is None else list(chosen),
        "all_features": all_features,
        **focus(fitness, [all_features, *(score for _, score in points[-1:]), *_scores(chosen)]),
    }


def course_of(
    fitness: Sequence[float],
    *,
    scoring: str,
    all_features: float | None,
    n_first: int | None,
) -> dict[str, Any] | None:
    """Give the score of every evaluation in order, and the best so far wherever it rises.

    `n_first` is how many of them the guided search evaluated before its model was asked.
    """
    n = len(fitness)
    if n < 2:
        return None
    best = np.maximum.accumulate(fitness)
    rises = [0, *(np.flatnonzero(np.diff(best) > 0) + 1).tolist()]
    places = thinned(n, MOST_DOTS, (rises[-1],))
    return {
        "scoring": clipped(scoring, 24),
        "points": [[i + 1, fitness[i]] for i in places],
        "n_points": n,
        "best": [[i + 1, float(best[i])] for i in rises],
        "n_first": n_first,
        "all_features": all_features,
        **focus(fitness, [all_features, float(best[-1])]),
    }


def is_nested(selection: Selection) -> bool:
    """Tell whether the selected features are the first of the paper's ranking."""
    if selection.phases is None:
        return False
    ranked = zip(selection.features, selection.phases.rank, strict=True)
    ranks = sorted(rank for feature, rank in ranked if feature.selected)
    return ranks == list(range(1, len(ranks) + 1))


def spread_of(
    series: Sequence[tuple[str, Sequence[float]]],
    *,
    scoring: str,
    chosen: float | None,
    all_features: float | None,
    n_bars: int = 24,
) -> dict[str, Any] | None:
    """Count the scores of several sets of subsets in common bars; empty sets are left out."""
    filled = [(name, np.array(values)) for name, values in series if len(values)]
    if not filled:
        return None
    shown = focus(np.concatenate([v for _, v in filled]), [chosen, all_features])
    low, high = shown["range"]
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
            for name, v in filled
        ],
        "chosen": chosen,
        "all_features": all_features,
        **shown,
    }


def focus(
    scores: Sequence[float] | NDArray[np.float64],
    marks: Sequence[float | None],
    *,
    reach: float = 0.0,
) -> dict[str, Any]:
    """Give the range in which most scores lie, so that a few low ones do not flatten the others.

    That is from Tukey's lower fence, or the lowest score if it is higher, to the highest; marks are
    always within.

    Parameters
    ----------
    scores : sequence of float
        What is drawn.
    marks : sequence of float or None
        What must be seen too; None is left out.
    reach : float
        How far scores reach beyond themselves: the median of their errors, because those of a few
        poor subsets are large.

    Returns
    -------
    dict
        `range`, the lowest and the highest score to draw, and `n_below`, how many lie below.

    Examples
    --------
    >>> focus([0.1, 0.90, 0.91, 0.92, 0.93], [0.95])
    {'range': [0.87, 0.95], 'n_below': 1}
    """
    values = np.asarray(scores, dtype=np.float64)
    lower, upper = np.quantile(values, [0.25, 0.75]).tolist()
    fence = lower - max(1.5 * (upper - lower), 2.0 * reach)
    seen = [mark for mark in marks if mark is not None]
    low = min([max(fence, float(values.min()) - reach), *seen])
    high = max([float(values.max()) + reach, *seen])
    low = float(f"{low:.6g}")  # the fence is no score: its digits mean nothing
    return {"range": [low, high], "n_below": int((values < low - 1e-6).sum())}


def _scores(chosen: tuple[int, float] | None) -> list[float]:
    return [] if chosen is None else [chosen[1]]


def thinned(n: int, most: int, always: Iterable[int | None]) -> list[int]:
    """Give at most so many places of a list, evenly spread, and those that must be there.

    >>> thinned(3, 5, ()), thinned(100, 3, (7, None))
    ([0, 1, 2], [0, 7, 50, 99])
    """
    if n <= most:
        return list(range(n))
    even = np.linspace(0, n - 1, most).round().astype(int).tolist()
    return sorted({*even, *(i for i in always if i is not None)})
