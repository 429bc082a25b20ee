"""The engines by name. A new engine is a folder of its own and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nffs.errors import InputError, quoted
from nffs.fitness.evaluator import Engine
from nffs.fitness.forest.engine import DEFAULT_PARAM_GROUPS, ForestEngine
from nffs.fitness.reference import ReferenceEngine
from nffs.fitness.scoring import Scoring

#: Makes an engine from estimator, param_groups, scoring and pca.
Make = Callable[[Any, Any, Scoring, float | None], Engine]


def _forest(estimator: Any, param_groups: Any, scoring: Scoring, pca: float | None) -> Engine:
    if estimator is not None:
        raise InputError(
            "engine: 'forest' has an estimator of its own; leave out estimator, or engine."
        )
    groups = DEFAULT_PARAM_GROUPS if param_groups is None else param_groups
    return ForestEngine(groups, scoring, pca)


def _reference(estimator: Any, param_groups: Any, scoring: Scoring, pca: float | None) -> Engine:
    if estimator is None:
        from sklearn.ensemble import RandomForestClassifier

        estimator, default = RandomForestClassifier(), DEFAULT_PARAM_GROUPS
    else:
        default = ({},)
    groups = default if param_groups is None else param_groups
    return ReferenceEngine(estimator, groups, scoring, pca)


ENGINES: dict[str, Make] = {
    "forest": _forest,
    "reference": _reference,
}


def engine_of(parameters: Any, scoring: Scoring) -> Engine:
    """Make the engine that a selector's engine, estimator, param_groups and pca ask for."""
    name = parameters.engine
    if name == "auto":
        name = "forest" if parameters.estimator is None else "reference"
    if name not in ENGINES:
        raise InputError(
            f"engine: {name!r} is not an engine; choose 'auto' or one of {quoted(ENGINES)}."
        )
    return ENGINES[name](parameters.estimator, parameters.param_groups, scoring, parameters.pca)
