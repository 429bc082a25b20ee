"""The front of size against score: which of the evaluated subsets are on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError
from nffs.fitness import Mask, Masks
from nffs.methods.choosing import standard_error
from nffs.search.final import FinalCheck
from nffs.selection.parts import Check, Final, Front, Point
from nffs.table.encoding import EncodedColumn
from nffs.table.features import Unit

if TYPE_CHECKING:
    from nffs.selection.selection import Selection

#: Features that all points together list: those of the largest subsets of a wide table are not.
MOST_LISTED = 20_000


def front_places(sizes: Sequence[int], fitness: Sequence[float]) -> list[int]:
    """Give the places of the subsets that no subset of as few features beats, the smallest first.

    Of equals it is the earlier one.

    >>> front_places([3, 1, 2, 3, 4], [0.8, 0.5, 0.4, 0.9, 0.9])
    [1, 3]
    """
    places: list[int] = []
    for place in np.lexsort((-np.asarray(fitness), np.asarray(sizes))).tolist():
        if not places or fitness[place] > fitness[places[-1]]:
            places.append(place)
    return places


def searched_points(
    masks: Masks, fitness: NDArray[np.float64], scores: NDArray[np.float64]
) -> tuple[Point, ...]:
    """Give the front of what a search evaluated.

    Parameters
    ----------
    masks, fitness : (n, n_features) bool, (n,) float
        All subsets over the table's features, and their fitness.
    scores : (n, n_splits, n_groups) float
        The scores behind it.
    """
    places = front_places(masks.sum(axis=1).tolist(), fitness.tolist())
    return _listed([_point(masks[i], float(fitness[i]), standard_error(scores, i)) for i in places])


def checked_points(
    check: FinalCheck, eligible: NDArray[np.bool_], said: Callable[[FinalCheck], Final]
) -> tuple[Point, ...]:
    """Give the front of what a final check evaluated.

    Parameters
    ----------
    check : FinalCheck
        Its candidates, over the table's features.
    eligible : (n,) bool
        Which of them may be chosen: all features may be too many.
    said : callable
        Says what a check found, about the candidate that is its choice.
    """
    may = np.flatnonzero(eligible).tolist()
    fitness = [check.fitness(i) for i in may]
    points = []
    for place in front_places(check.masks[may].sum(axis=1).tolist(), fitness):
        found = said(replace(check, chosen=may[place]))
        about = Check(found.verdict, found.members, found.gain, found.gain_error)
        error = check.error(may[place])
        points.append(_point(check.masks[may[place]], fitness[place], error, about))
    return _listed(points)


def front_of(
    points: tuple[Point, ...], names: Sequence[str], columns: Sequence[EncodedColumn], unit: Unit
) -> Front:
    """Give points together with the encoded columns that their features stand for.

    `names` and `columns` are all features and all encoded columns of the table.
    """
    places = {i for point in points for i in point.features or ()}
    return Front(points, columns_of({names[i] for i in places}, columns, unit))


def columns_of(
    names: set[str], columns: Sequence[EncodedColumn], unit: Unit
) -> tuple[EncodedColumn, ...]:
    """Give the encoded columns of some features."""
    return tuple(column for column in columns if _feature_of(column, unit) in names)


def check_front(selection: Selection) -> None:
    """Refuse a front that does not agree with the rest of a selection; the message names what."""
    front, features = selection.front, selection.features
    if front is None:
        return
    sizes = [point.size for point in front.points]
    rise = all(a < b for a, b in pairwise([0, *sizes]))
    _check(bool(sizes) and rise, "points", "rising sizes", "others")
    described = {_feature_of(column, selection.unit) for column in front.columns}
    for number, point in enumerate(front.points):
        key, listed = f"points[{number}]", point.features
        if listed is not None:
            fits = len(set(listed)) == len(listed) == point.size
            _check(fits, f"{key}.features", f"{point.size} different ones", "others")
            fits = min(listed) >= 0 and max(listed) < len(features)
            _check(fits, f"{key}.features", "places of features", "others")
            fits = all(features[i].name in described for i in listed)
            _check(fits, "columns", "those of all features of the front", "others")
        if selection.final is None:
            _check(point.check is None, f"{key}.check", "none", "one")
        else:
            fits = point.check is not None and len(point.check.members) > 0
            _check(fits, f"{key}.check", "scores of models", "none")


def _point(mask: Mask, fitness: float, error: float, check: Check | None = None) -> Point:
    features = tuple(np.flatnonzero(mask).tolist())
    return Point(len(features), fitness, error, features, check)


def _listed(points: Sequence[Point]) -> tuple[Point, ...]:
    """Leave out the features of the largest subsets where all of them are too many."""
    totals = np.cumsum([point.size for point in points])
    return tuple(
        point if total <= MOST_LISTED else replace(point, features=None)
        for point, total in zip(points, totals, strict=True)
    )


def _feature_of(column: EncodedColumn, unit: Unit) -> str:
    return column.column if unit == "column" else column.name


def _check(fits: bool, key: str, expected: str, found: str) -> None:
    if not fits:
        raise InputError(f"has {found} at 'front.{key}' where {expected} are expected")
