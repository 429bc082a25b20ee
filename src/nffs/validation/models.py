"""The models that people deploy, by name, and those that they bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nffs.errors import InputError, instead, quoted

#: What users may give: names, or models of their own by names of their own; None for none.
Models = Mapping[str, Any] | Iterable[str] | None

#: The kinds of model that most people deploy. One thread each: more would change last bits.
MODELS: Mapping[str, Any] = MappingProxyType(
    {
        "forest": RandomForestClassifier(n_estimators=100, n_jobs=1),
        "boosting": HistGradientBoostingClassifier(),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
)

_NEEDED = ("fit", "predict", "get_params")


def models_of(models: Models) -> dict[str, Any]:
    """Find models by their names, and check those that the user brings.

    >>> list(models_of(["logistic", "forest"]))
    ['logistic', 'forest']
    """
    if models is None:
        return {}
    if isinstance(models, Mapping):
        for name, model in models.items():
            if isinstance(model, type) or not all(
                callable(getattr(model, method, None)) for method in _NEEDED
            ):
                found = model.__name__ if isinstance(model, type) else type(model).__name__
                what = "the class" if isinstance(model, type) else "an object of type"
                raise InputError(
                    f"models[{str(name)!r}]: found {what} {found}; give a classifier with "
                    f"{', '.join(_NEEDED)}."
                )
        return {str(name): model for name, model in models.items()}
    names = [models] if isinstance(models, str) else _listed(models)
    for name in names:
        if name not in MODELS:
            raise InputError(f"models: {name!r} is not a model{instead(name, MODELS, 'there are')}")
    return {name: MODELS[name] for name in names}


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
