"""Which engine judges: the binned forest, or any scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nffs.fitness.evaluator import Engine
from nffs.fitness.forest.engine import DEFAULT_PARAM_GROUPS, ForestEngine
from nffs.fitness.reference import ReferenceEngine
from nffs.fitness.scoring import Scoring


def engine_for(
    estimator: Any,
    param_groups: Sequence[dict[str, Any]] | None,
    scoring: Scoring,
    pca: float | None,
) -> Engine:
    """Choose the engine.

    Parameters
    ----------
    estimator : classifier or None
        None for the binned forest.
    param_groups : sequence of dict or None
        None for the forest's default groups, or the classifier as it is.
    scoring : Scoring
        What is measured.
    pca : float or None
        Share of the variance kept by the components; None for none.

    Returns
    -------
    Engine
        What judges subsets.
    """
    if estimator is None:
        groups = DEFAULT_PARAM_GROUPS if param_groups is None else param_groups
        return ForestEngine(groups, scoring, pca)
    return ReferenceEngine(estimator, [{}] if param_groups is None else param_groups, scoring, pca)
