"""What the model of the guided search learned, as the numbers behind its charts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from nffs.report.names import Names, clipped
from nffs.report.series import MOST_DOTS, focus, thinned
from nffs.selection import Selection

#: Features whose effects are drawn with their names.
MOST_EFFECTS = 20

#: Standard errors to either side of an effect that make an interval of 95 %.
REACH = 1.96


def effects_of(
    selection: Selection, names: Names, seldom: Collection[str] = ()
) -> dict[str, Any] | None:
    """Give the largest effects with their intervals, from the most helpful to the most harmful.

    `seldom` are features that are seldom selected again.
    """
    learned = selection.learned
    if learned is None or not any(learned.effect):
        return None
    found = zip(selection.features, learned.effect, learned.effect_error, strict=True)
    tried = [(f, value, error) for f, value, error in found if not (f.constant or f.excluded)]
    largest = sorted(tried, key=lambda one: -abs(one[1]))[:MOST_EFFECTS]
    return {
        "scoring": clipped(selection.scoring, 24),
        "bars": [
            {
                "label": clipped(feature.name, 20),
                "name": names(feature.name),
                "value": value,
                "low": value - REACH * error,
                "high": value + REACH * error,
                "selected": feature.selected,
                "seldom": feature.name in seldom,
            }
            for feature, value, error in sorted(largest, key=lambda one: -one[1])
        ],
        "n_features": len(tried),
    }


def expected_of(selection: Selection) -> dict[str, Any] | None:
    """Give what the model expected of every subset that it proposed, and what came of it."""
    if selection.learned is None:
        return None
    pairs = zip(selection.learned.expected, selection.learned.fitness, strict=True)
    asked = [[expected, observed] for expected, observed in pairs if expected is not None]
    if not asked:
        return None
    apart = np.abs(np.diff(asked, axis=1))
    shown = focus(np.ravel(asked), [])
    return {
        "scoring": clipped(selection.scoring, 24),
        "points": [asked[i] for i in thinned(len(asked), MOST_DOTS, ())],
        "n_points": len(asked),
        "error": float(apart.mean()),
        **shown,
    }


def n_first_of(selection: Selection) -> int | None:
    """Count the subsets that were evaluated before the model was asked."""
    return None if selection.learned is None else selection.learned.expected.count(None)
