"""What repeating a selection shows: nested scores, optimism, stability, other models' scores.

It is read from results or from their JSON, and put into words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from nffs.errors import InputError
from nffs.report.names import clipped

Facts = dict[str, Any]

#: What is known of a feature in repeated selections.
_AGAIN = ("name", "share", "low", "high")

#: Models and outer folds that a page lists at most; more are hardly ever given.
MOST_MODELS, MOST_FOLDS = 50, 30

#: Features whose shares are drawn.
MOST_AGAIN = 20

#: From these values on a stability is fair, and high (Nogueira et al., 2018).
FAIR, HIGH = 0.4, 0.75

#: A selected feature that is selected again less often than this is shown paler.
SELDOM = 0.5

#: What another run would have had, by what was varied.
_ANOTHER = {"seeds": "another seed"}


def verdict(difference: Mapping[str, Any]) -> str:
    """Say whether a model gains by a selection, by the interval of the difference to all columns.

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
        raise InputError(f"{argument}: found {type(given).__name__}; pass the result of {source}.")
    try:
        return read(given)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{argument}: is not a {what} (lacks {error}); pass the result of {source}."
        ) from error


def _nested(given: Mapping[str, Any]) -> Facts:
    # Files of earlier versions have no models.
    models = list(given.get("models", {}).items())[:MOST_MODELS]
    return {
        "scoring": clipped(given["scoring"]),
        "positive": None if given.get("positive") is None else clipped(given["positive"]),
        "evaluated_on": clipped(given["evaluated_on"], 300),
        "n_folds": len(given["folds"]),
        "folds": [_fold(number, fold) for number, fold in enumerate(given["folds"], start=1)][
            :MOST_FOLDS
        ],
        "verdict": _unseen_verdict(given),
        "optimism_verdict": _optimism_verdict(given["optimism"]),
        **_estimates(given, "inner", "outer", "optimism", "all_features"),
        "stability": _stability(given["stability"], "folds"),
        "models": [_model(name, scores) for name, scores in models],
    }


def _fold(number: int, fold: Mapping[str, Any]) -> Facts:
    scores = {name: float(fold[name]) for name in ("inner", "outer", "all_features")}
    return {"number": number, "n_selected": len(fold["selected"]), **scores}


def _unseen_verdict(given: Mapping[str, Any]) -> str:
    outer, everything, folds = given["outer"], given["all_features"], given["folds"]
    ahead = sum(fold["outer"] > fold["all_features"] for fold in folds)
    return (
        f"Expect {outer['mean']:.3f} on new rows ({outer['low']:.3f} to {outer['high']:.3f}); all "
        f"features score {everything['mean']:.3f} by the same models. The selection is "
        f"ahead in {ahead} of {len(folds)} folds."
    )


def _optimism_verdict(optimism: Mapping[str, Any]) -> str:
    """Say whether the score on the rows used to choose is too high.

    >>> _optimism_verdict({"mean": 0.012, "low": 0.002, "high": 0.022})
    'Optimism +0.012: the score on the rows used to choose is too high; subtract the optimism.'
    """
    said = f"Optimism {optimism['mean']:+z.3f}"
    if optimism["low"] > 0:
        return f"{said}: the score on the rows used to choose is too high; subtract the optimism."
    if optimism["high"] < 0:
        return f"{said}: the score on the rows used to choose is too low; unseen rows score higher."
    return (
        f"{said}: within noise; these folds cannot tell whether the score on the rows used to "
        "choose is too high."
    )


def _stability_verdict(value: float, over: str) -> str:
    """Say what a stability means.

    >>> _stability_verdict(0.14, "bootstrap")
    'Stability 0.14: low; another sample of rows would give other features.'
    """
    other = _ANOTHER.get(over, "another sample of rows")
    if value < FAIR:
        word, then = "low", f"{other} would give other features"
    elif value < HIGH:
        word, then = "fair", f"{other} would give many of the same features, and some others"
    else:
        word, then = "high", f"{other} would give nearly the same features"
    return f"Stability {value:z.2f}: {word}; {then}."


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
    rows = (
        [tuple(feature[key] for key in _AGAIN) for feature in given["features"]]
        if "features" in given
        else list(zip(*(given["names" if key == "name" else key] for key in _AGAIN), strict=True))
    )
    again = sorted((row for row in rows if row[1] > 0), key=lambda row: -row[1])
    return {
        **_stability(given["stability"], clipped(given["over"])),
        "n_again": len(again),
        "again": [
            {"feature": str(name), **dict(zip(_AGAIN[1:], map(float, ends), strict=True))}
            for name, *ends in again[:MOST_AGAIN]
        ],
        "shares": {name: float(share) for name, share, *_ in rows},
    }


def over_what(over: str) -> str:
    """Say what selections were repeated over.

    >>> over_what("bootstrap"), over_what("seeds")
    ('bootstrap samples', 'seeds')
    """
    return "bootstrap samples" if over == "bootstrap" else over


def _stability(measured: Mapping[str, Any], over: str) -> Facts:
    numbers = {name: float(measured[name]) for name in ("value", "low", "high", "mean_size")}
    return {
        **numbers,
        "by_chance": numbers["mean_size"] / int(measured["n_features"]),
        "over": over_what(over),
        "n_selections": int(measured["n_selections"]),
        "verdict": _stability_verdict(numbers["value"], over),
    }
