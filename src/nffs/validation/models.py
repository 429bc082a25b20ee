"""The models that people deploy, by name, and those that they bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nffs.errors import InputError, instead, quoted
from nffs.table.target import Task

#: What users may give: names, 'usual' for all that suit the task, or models of their own by names
#: of their own; None for none.
Models = Mapping[str, Any] | Iterable[str] | None

#: The kinds of model that most people deploy, by name: a random forest, gradient boosting and
#: logistic regression. One thread each: more would change last bits.
MODELS: Mapping[str, Any] = MappingProxyType(
    {
        "forest": RandomForestClassifier(n_estimators=100, n_jobs=1),
        "boosting": HistGradientBoostingClassifier(),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
)

#: The same for numbers: a random forest, gradient boosting and ridge regression.
NUMBER_MODELS: Mapping[str, Any] = MappingProxyType(
    {
        "forest": RandomForestRegressor(n_estimators=100, n_jobs=1),
        "boosting": HistGradientBoostingRegressor(),
        "linear": make_pipeline(StandardScaler(), Ridge()),
    }
)

_NEEDED = ("fit", "predict", "get_params")


def models_of(models: Models, task: Task = "classification") -> dict[str, Any]:
    """Find models by their names, and check those that the user brings.

    >>> list(models_of(["logistic", "forest"]))
    ['logistic', 'forest']
    >>> list(models_of("usual", "regression"))
    ['forest', 'boosting', 'linear']
    """
    if models is None:
        return {}
    if isinstance(models, Mapping):
        for name, model in models.items():
            _check_model(str(name), model, task)
        return {str(name): model for name, model in models.items()}
    known = NUMBER_MODELS if task == "regression" else MODELS
    if isinstance(models, str) and models == "usual":
        return dict(known)
    names = [models] if isinstance(models, str) else _listed(models)
    for name in names:
        if name not in known:
            what = f"a model for {task}" if name in {*MODELS, *NUMBER_MODELS} else "a model"
            raise InputError(f"models: {name!r} is not {what}{instead(name, known, 'there are')}")
    return {name: known[name] for name in names}


def _check_model(name: str, model: Any, task: Task) -> None:
    needed = "a regressor" if task == "regression" else "a classifier"
    other = is_classifier if task == "regression" else is_regressor
    is_class = isinstance(model, type)
    fits = all(callable(getattr(model, method, None)) for method in _NEEDED)
    if is_class or not fits or other(model):
        found = model.__name__ if is_class else type(model).__name__
        what = "the class" if is_class else "an object of type"
        raise InputError(
            f"models[{name!r}]: found {what} {found}; give {needed} with {', '.join(_NEEDED)}."
        )


def _listed(models: Iterable[Any]) -> list[str]:
    names = list(models) if isinstance(models, Iterable) else [models]
    strange = [type(name).__name__ for name in names if not isinstance(name, str)]
    if strange:
        raise InputError(
            f"models: found {strange[0]}; give names ({quoted(MODELS)}), or models of your own as "
            'a dict, {"mine": model}.'
        )
    return names


def described(models: Mapping[str, Any]) -> str:
    """Write down models with the parameters that are not the default, to tell them from others."""
    each = []
    for name, model in sorted(models.items()):
        # However long: scikit-learn would leave out the middle.
        whole = {"N_CHAR_MAX": 10**6} if isinstance(model, BaseEstimator) else {}
        each.append(f"{name}: {' '.join(model.__repr__(**whole).split())}")
    return "; ".join(each)
