"""Optimism, stability and other models' scores, from results or the JSON that tells of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from nffs.errors import InputError
from nffs.report.names import clipped

Facts = dict[str, Any]

#: Models that a page lists; nobody brings so many.
MOST_MODELS = 50


def verdict(difference: Mapping[str, Any]) -> str:
    """Say what a model does with a selection, by the interval of its difference to all columns.

    >>> verdict({"low": -0.02, "high": 0.01})
    'does as well'
    >>> verdict({"low": -0.03, "high": -0.01})
    'loses'
    """
    if difference["low"] > 0:
        return "gains"
    return "loses" if difference["high"] < 0 else "does as well"


def nested_facts(nested: Any) -> Facts | None:
    """Gather what a `NestedScore`, or the JSON of `nffs validate`, says; None says nothing."""
    source = "nffs.validation.nested_score or `nffs validate --json`"
    return _gather(nested, _nested, "nested", "nested score", source)


def stability_facts(stability: Any) -> Facts | None:
    """Gather what a `RepeatedSelection`, or the JSON of `nffs stability`, says, if it is given."""
    source = "nffs.validation.selection_stability or `nffs stability --json`"
    return _gather(stability, _repeated, "stability", "repeated selection", source)


def _gather(
    given: Any, read: Callable[[Mapping[str, Any]], Facts], argument: str, what: str, source: str
) -> Facts | None:
    if given is None:
        return None
    if is_dataclass(given) and not isinstance(given, type):
        given = asdict(given)
    if not isinstance(given, Mapping):
        raise InputError(f"{argument}: found {type(given).__name__}; give what {source} gave.")
    try:
        return read(given)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{argument}: is no {what} (lacks {error}); give what {source} gave."
        ) from error


def _nested(given: Mapping[str, Any]) -> Facts:
    # Files of earlier versions have no models.
    models = list(given.get("models", {}).items())[:MOST_MODELS]
    return {
        "scoring": clipped(given["scoring"]),
        "positive": None if given.get("positive") is None else clipped(given["positive"]),
        "evaluated_on": clipped(given["evaluated_on"], 300),
        "n_folds": len(given["folds"]),
        **_estimates(given, "inner", "outer", "optimism", "all_features"),
        "stability": _stability(given["stability"], "folds"),
        "models": [_model(name, scores) for name, scores in models],
    }


def _model(name: str, scores: Mapping[str, Any]) -> Facts:
    return {
        "name": clipped(name),
        **_estimates(scores, "selected", "all_features", "difference"),
        **{number: float(scores[number]) for number in ("n_selected", "n_columns")},
        "verdict": verdict(scores["difference"]),
    }


def _estimates(given: Mapping[str, Any], *names: str) -> Facts:
    ends = ("mean", "low", "high")
    return {name: {end: float(given[name][end]) for end in ends} for name in names}


def _repeated(given: Mapping[str, Any]) -> Facts:
    shares = (
        {feature["name"]: float(feature["share"]) for feature in given["features"]}
        if "features" in given
        else dict(zip(given["names"], map(float, given["share"]), strict=True))
    )
    return {**_stability(given["stability"], clipped(given["over"])), "shares": shares}


def _stability(measured: Mapping[str, Any], over: str) -> Facts:
    numbers = {name: float(measured[name]) for name in ("value", "low", "high", "mean_size")}
    return {**numbers, "over": over, "n_selections": int(measured["n_selections"])}
