"""Who evaluates: the models of a panel by name, and the engines that compute them.

A model is computed by kernels of this package, or by scikit-learn (the reference). A new model is a
file of its own and one line in `MODELS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import is_classifier, is_clusterer, is_outlier_detector, is_regressor
from sklearn.utils.validation import has_fit_parameter

from nffs.errors import InputError, nearest, quoted
from nffs.fitness.boosting.engine import BoostingEngine
from nffs.fitness.evaluator import Engine
from nffs.fitness.forest.engine import (
    DEEP_GROUPS,
    DEFAULT_PARAM_GROUPS,
    ColumnForests,
    ComponentForests,
)
from nffs.fitness.forest.groups import Group
from nffs.fitness.forest.numbers import NumberColumnForests, NumberComponentForests
from nffs.fitness.gpu.choosing import on_gpu_of
from nffs.fitness.gpu.engine import GpuColumns, GpuComponents
from nffs.fitness.logistic import LogisticEngine
from nffs.fitness.panel import PanelEngine
from nffs.fitness.reference import ReferenceEngine
from nffs.fitness.ridge import RidgeEngine
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import SplitRows
from nffs.table.target import Task

#: The share of the variance that the paper's components keep.
PAPER_PCA = 0.93


@dataclass(frozen=True)
class Asked:
    """What a selector asks of a model."""

    scoring: Scoring
    groups: Sequence[Group] | None  # of forests; None for the model's own
    pca: float | None  # of components
    task: Task = "classification"  # what is to be predicted


@dataclass(frozen=True)
class Model:
    """A model that can evaluate: what it is, how every engine computes it, what it predicts."""

    description: str
    fast: Callable[[Asked], Engine]
    reference: Callable[[Asked], Engine]
    tasks: tuple[Task, ...] = ("classification",)
    gpu: Callable[[Asked], Engine] | None = None
    # What it learns of the columns without any label: 'standardisation', 'components' or nothing
    learns: str = ""


@dataclass(frozen=True)
class Chosen:
    """The engine that evaluates, and what the user should know of it."""

    engine: Engine
    notes: tuple[str, ...] = ()


def _columns(asked: Asked) -> Engine:
    forests = ColumnForests if asked.task == "classification" else NumberColumnForests
    return forests(_groups(asked, DEEP_GROUPS), asked.scoring)


def _components(asked: Asked) -> Engine:
    forests = ComponentForests if asked.task == "classification" else NumberComponentForests
    return forests(_groups(asked, DEFAULT_PARAM_GROUPS), asked.scoring, asked.pca)


def _gpu_columns(asked: Asked) -> Engine:
    return GpuColumns(_groups(asked, DEEP_GROUPS), asked.scoring)


def _gpu_components(asked: Asked) -> Engine:
    return GpuComponents(_groups(asked, DEFAULT_PARAM_GROUPS), asked.scoring, asked.pca)


def _reference_columns(asked: Asked) -> Engine:
    return _reference_forest(asked, _groups(asked, DEEP_GROUPS), None)


def _reference_components(asked: Asked) -> Engine:
    return _reference_forest(asked, _groups(asked, DEFAULT_PARAM_GROUPS), asked.pca)


def _groups(asked: Asked, default: Sequence[Group]) -> Sequence[Group]:
    return default if asked.groups is None else asked.groups


def _reference_forest(asked: Asked, groups: Sequence[Group], pca: float | None) -> Engine:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    regression = asked.task == "regression"
    forest = RandomForestRegressor() if regression else RandomForestClassifier()
    return ReferenceEngine(forest, groups, asked.scoring, pca)


def _reference_logistic(asked: Asked) -> Engine:
    from sklearn.linear_model import LogisticRegression

    return ReferenceEngine(LogisticRegression(max_iter=1000), ({},), asked.scoring, None)


def _reference_boosting(asked: Asked) -> Engine:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    regression = asked.task == "regression"
    boosting = HistGradientBoostingRegressor() if regression else HistGradientBoostingClassifier()
    return ReferenceEngine(boosting, ({},), asked.scoring, None)


def _reference_ridge(asked: Asked) -> Engine:
    from sklearn.linear_model import Ridge

    return ReferenceEngine(Ridge(), ({},), asked.scoring, None)


_BOTH: tuple[Task, ...] = ("classification", "regression")

MODELS: dict[str, Model] = {
    "forest": Model(
        "random forests on the columns themselves",
        _columns,
        _reference_columns,
        _BOTH,
        _gpu_columns,
    ),
    "logistic": Model(
        "logistic regression on the standardised columns",
        lambda asked: LogisticEngine(asked.scoring),
        _reference_logistic,
        learns="standardisation",
    ),
    "boosting": Model(
        "gradient boosting of shallow trees on the columns themselves",
        lambda asked: BoostingEngine(asked.scoring),
        _reference_boosting,
        _BOTH,
    ),
    "ridge": Model(
        "ridge regression on the standardised columns",
        lambda asked: RidgeEngine(asked.scoring),
        _reference_ridge,
        ("regression",),
        learns="standardisation",
    ),
    "components": Model(
        "random forests on principal components of the standardised columns",
        _components,
        _reference_components,
        _BOTH,
        _gpu_components,
        learns="components",
    ),
}

#: Panels by name, of classes.
EVALUATORS: dict[str, tuple[str, ...]] = {
    "panel": ("forest", "logistic"),
    "paper": ("components",),
    **{name: (name,) for name in MODELS if name != "components"},
}

#: The panels of numbers, where they are others.
_OF_NUMBERS = {"panel": ("forest", "ridge")}

#: Models that have parameter groups.
_FORESTS = {"forest", "components"}

ENGINES = ("auto", "fast", "gpu", "reference")


def engine_of(parameters: Any, scoring: Scoring, *rows: SplitRows) -> Chosen:
    """Make what a selector's evaluator, engine, estimator, param_groups and pca ask for.

    Parameters
    ----------
    parameters : object
        With these: a selector.
    scoring : Scoring
        What is measured.
    *rows : SplitRows
        What is to be evaluated: the rows with the search's splits, and with others.
    """
    task = rows[0].target.task
    names = _models(parameters.evaluator, task)
    pca = _pca(parameters.pca, names, parameters.evaluator)
    groups = parameters.param_groups
    _check_engine(parameters)
    if parameters.estimator is not None:
        _check_estimator(parameters.estimator, task)
        _check_weighable(parameters.estimator, parameters.class_weight)
        given = ({},) if groups is None else groups
        return Chosen(ReferenceEngine(parameters.estimator, given, scoring, pca, keeps_gaps=True))
    if groups is not None and not set(names) & _FORESTS:
        raise InputError(
            f"param_groups: sets parameters of forests, and {quoted(names)} has none; leave it out."
        )
    asked = Asked(scoring, groups, pca, task)
    if parameters.engine == "reference":
        return Chosen(_together({name: MODELS[name].reference(asked) for name in names}))
    most_groups = len(groups or DEFAULT_PARAM_GROUPS)
    able = tuple(name for name in names if MODELS[name].gpu is not None)
    on_gpu, notes = on_gpu_of(parameters.engine, able, names, most_groups, rows)
    made = {}
    for name in names:
        gpu = MODELS[name].gpu if name in on_gpu else None
        made[name] = MODELS[name].fast(asked) if gpu is None else gpu(asked)
    return Chosen(_together(made), notes)


def _together(made: dict[str, Engine]) -> Engine:
    """Make a panel of several engines."""
    return PanelEngine(made) if len(made) > 1 else next(iter(made.values()))


def learned_without_labels(parameters: Any, task: Task) -> str:
    """Say what the models of a selector learn of the columns without any label: '' is nothing."""
    names = _models(parameters.evaluator, task)
    if parameters.estimator is not None:
        return "components" if "components" in names else "standardisation"
    learned = {MODELS[name].learns for name in names}
    return next((what for what in ("components", "standardisation") if what in learned), "")


def _models(evaluator: Any, task: Task) -> tuple[str, ...]:
    """Give the names of the models that an evaluator consists of."""
    if isinstance(evaluator, str) and evaluator in EVALUATORS:
        other = _OF_NUMBERS if task == "regression" else {}
        names = other.get(evaluator, EVALUATORS[evaluator])
    else:
        names = (evaluator,) if isinstance(evaluator, str) else tuple(evaluator)
    for name in names:
        if name not in MODELS:
            known = {**EVALUATORS, **MODELS}
            raise InputError(
                f"evaluator: {name!r} is unknown;{nearest(str(name), known)} choose one of "
                f"{quoted(EVALUATORS)}, or some of {quoted(MODELS)} for a panel of your own."
            )
        if task not in MODELS[name].tasks:
            suited = [other for other, model in MODELS.items() if task in model.tasks]
            raise InputError(
                f"evaluator: {name!r} is not for {task}; choose some of {quoted(suited)}."
            )
    if not names or len(set(names)) < len(names):
        raise InputError(f"evaluator: {evaluator!r} must name at least one model, each once.")
    return names


def _check_estimator(estimator: Any, task: Task) -> None:
    """Refuse a classifier for numbers, a regressor for classes, and what predicts neither."""
    if is_clusterer(estimator) or is_outlier_detector(estimator):
        raise InputError(
            f"estimator: {type(estimator).__name__} predicts neither classes nor numbers; give a "
            f"{'classifier' if task == 'classification' else 'regressor'}."
        )
    if task == "regression" and is_classifier(estimator):
        raise InputError(
            f"estimator: {type(estimator).__name__} is a classifier, and y holds numbers; give a "
            "regressor, or treat y as classes with task='classification'."
        )
    if task == "classification" and is_regressor(estimator):
        raise InputError(
            f"estimator: {type(estimator).__name__} is a regressor, and y holds classes; give a "
            "classifier, or treat y as numbers with task='regression'."
        )


def _check_weighable(estimator: Any, class_weight: Any) -> None:
    """Refuse to weigh classes for an estimator that takes no weights."""
    if class_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise InputError(
            f"class_weight: {type(estimator).__name__} takes no weights of rows; leave it out, set "
            "it in the estimator itself, or choose another one."
        )


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
    if parameters.estimator is not None and parameters.engine in ("fast", "gpu"):
        raise InputError(
            f"engine: {parameters.engine!r} has models of its own; leave out estimator, or engine."
        )
