"""Who evaluates: the models of a panel by name, and the engines that compute them.

A model is computed by kernels of this package, or by scikit-learn (the reference). A new model is a
file of its own and one line in `MODELS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nffs.errors import InputError, nearest, quoted
from nffs.fitness.evaluator import Engine
from nffs.fitness.forest.engine import (
    DEEP_GROUPS,
    DEFAULT_PARAM_GROUPS,
    ColumnForests,
    ComponentForests,
)
from nffs.fitness.forest.groups import Group
from nffs.fitness.logistic import LogisticEngine
from nffs.fitness.panel import PanelEngine
from nffs.fitness.reference import ReferenceEngine
from nffs.fitness.scoring import Scoring

#: The share of the variance that the paper's components keep.
PAPER_PCA = 0.93


@dataclass(frozen=True)
class Asked:
    """What a selector asks of a model."""

    scoring: Scoring
    groups: Sequence[Group] | None  # of forests; None for the model's own
    pca: float | None  # of components


@dataclass(frozen=True)
class Model:
    """A model that can evaluate: what it is, and how either engine computes it."""

    description: str
    fast: Callable[[Asked], Engine]
    reference: Callable[[Asked], Engine]


def _columns(asked: Asked) -> Engine:
    return ColumnForests(_groups(asked, DEEP_GROUPS), asked.scoring)


def _components(asked: Asked) -> Engine:
    return ComponentForests(_groups(asked, DEFAULT_PARAM_GROUPS), asked.scoring, asked.pca)


def _reference_columns(asked: Asked) -> Engine:
    return _reference_forest(asked, _groups(asked, DEEP_GROUPS), None)


def _reference_components(asked: Asked) -> Engine:
    return _reference_forest(asked, _groups(asked, DEFAULT_PARAM_GROUPS), asked.pca)


def _groups(asked: Asked, default: Sequence[Group]) -> Sequence[Group]:
    return default if asked.groups is None else asked.groups


def _reference_forest(asked: Asked, groups: Sequence[Group], pca: float | None) -> Engine:
    from sklearn.ensemble import RandomForestClassifier

    return ReferenceEngine(RandomForestClassifier(), groups, asked.scoring, pca)


def _reference_logistic(asked: Asked) -> Engine:
    from sklearn.linear_model import LogisticRegression

    return ReferenceEngine(LogisticRegression(max_iter=1000), ({},), asked.scoring, None)


MODELS: dict[str, Model] = {
    "forest": Model(
        "random forests on the columns themselves",
        _columns,
        _reference_columns,
    ),
    "logistic": Model(
        "logistic regression on the standardised columns",
        lambda asked: LogisticEngine(asked.scoring),
        _reference_logistic,
    ),
    "components": Model(
        "random forests on principal components of the standardised columns",
        _components,
        _reference_components,
    ),
}

#: Panels by name.
EVALUATORS: dict[str, tuple[str, ...]] = {
    "panel": ("forest", "logistic"),
    "paper": ("components",),
    **{name: (name,) for name in MODELS if name != "components"},
}

ENGINES = ("auto", "fast", "reference")


def engine_of(parameters: Any, scoring: Scoring) -> Engine:
    """Make what a selector's evaluator, engine, estimator, param_groups and pca ask for."""
    names = _models(parameters.evaluator)
    pca = _pca(parameters.pca, names, parameters.evaluator)
    groups = parameters.param_groups
    _check_engine(parameters)
    if parameters.estimator is not None:
        given = ({},) if groups is None else groups
        return ReferenceEngine(parameters.estimator, given, scoring, pca, keeps_gaps=True)
    if groups is not None and names == ("logistic",):
        raise InputError("param_groups: logistic regression has none; leave it out.")
    asked = Asked(scoring, groups, pca)
    plain = parameters.engine == "reference"
    made = {n: (MODELS[n].reference if plain else MODELS[n].fast)(asked) for n in names}
    return PanelEngine(made) if len(made) > 1 else made[names[0]]


def _models(evaluator: Any) -> tuple[str, ...]:
    """Give the names of the models that an evaluator consists of."""
    if isinstance(evaluator, str) and evaluator in EVALUATORS:
        return EVALUATORS[evaluator]
    names = (evaluator,) if isinstance(evaluator, str) else tuple(evaluator)
    for name in names:
        if name not in MODELS:
            known = {**EVALUATORS, **MODELS}
            raise InputError(
                f"evaluator: {name!r} is not one;{nearest(str(name), known)} choose one of "
                f"{quoted(EVALUATORS)}, or some of {quoted(MODELS)} for a panel of your own."
            )
    if not names or len(set(names)) < len(names):
        raise InputError(f"evaluator: {evaluator!r} must name at least one model, each once.")
    return names


def _pca(pca: Any, names: tuple[str, ...], evaluator: Any) -> float | None:
    """Give the share of variance that components keep; None where there are none."""
    if "components" not in names:
        if pca != "auto":
            raise InputError(
                f"pca: {pca!r} is for evaluator='paper'; {evaluator!r} evaluates the columns "
                "themselves. Leave out pca, or choose that evaluator."
            )
        return None
    return PAPER_PCA if pca == "auto" else pca


def _check_engine(parameters: Any) -> None:
    if parameters.engine not in ENGINES:
        raise InputError(
            f"engine: {parameters.engine!r} is not an engine; choose one of {quoted(ENGINES)}."
        )
    if parameters.estimator is not None and parameters.engine == "fast":
        raise InputError("engine: 'fast' has models of its own; leave out estimator, or engine.")
