"""Another point of the front instead of the subset that was chosen, without a new search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nffs.errors import InputError
from nffs.selection.front import columns_of
from nffs.selection.parts import Front

if TYPE_CHECKING:
    from nffs.selection.selection import Selection


def pick(selection: Selection, n_features: int, *, exactly: bool = False) -> dict[str, Any]:
    """Take the best point of at most so many features, or the one of exactly so many.

    Gives what is then different in the selection, by the names of its fields.
    """
    front = selection.front
    if front is None:
        raise InputError(
            "selection: was saved by an earlier version, without other subsets; select again, with "
            f"max_features={n_features}."
        )
    sizes = [point.size for point in front.points]
    if exactly and n_features not in sizes:
        nearest = min(sizes, key=lambda size: abs(size - n_features))
        others = f", or one of the other {len(sizes) - 1} sizes" if len(sizes) > 1 else ""
        raise InputError(
            f"n_features: no subset of {n_features} is on the front; the nearest has {nearest} "
            f"features. Take that{others}."
        )
    small = [point for point in front.points if point.size <= n_features]
    if not small:
        raise InputError(
            f"n_features: no subset of at most {n_features} was evaluated; the smallest has "
            f"{front.points[0].size} features. Select again with max_features={n_features}."
        )
    point, final = small[-1], selection.final
    if point.features is None:
        raise InputError(
            f"n_features: the best subset of at most {n_features} has {point.size} features, too "
            f"many to be listed; ask for {_most_listed(front)} at most, or select again with "
            f"max_features={n_features}."
        )
    chosen = set(point.features)
    features = tuple(replace(f, selected=i in chosen) for i, f in enumerate(selection.features))
    names = tuple(feature.name for feature in features if feature.selected)
    if final is not None and point.check is not None:
        final = replace(final, **vars(point.check))
    return {
        "selected_features": names,
        "features": features,
        "fitness": point.fitness,
        "standard_error": point.standard_error,
        "output_columns": columns_of(set(names), front.columns, selection.unit),
        "final": final,
        "unseen": None,  # scores of other columns, as is the evidence
        "evidence": None,
        "picked": n_features,
    }


def _most_listed(front: Front) -> int:
    """Give the most features that can be asked for: one less than the first that is not listed."""
    return min(point.size for point in front.points if point.features is None) - 1
