"""Optimism and stability for the first screen, from results or from the JSON that tells of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from nffs.errors import InputError
from nffs.report.names import clipped


def nested_facts(nested: Any) -> dict[str, Any] | None:
    """Gather what a nested score says.

    Parameters
    ----------
    nested : NestedScore, mapping or None
        What `nffs.validation.nested_score` gave, or the JSON of `nffs validate`.
    """
    if nested is None:
        return None
    given = _plain(nested, "nested", "nffs.validation.nested_score or `nffs validate --json`")
    try:
        return {
            "scoring": clipped(given["scoring"]),
            "evaluated_on": clipped(given["evaluated_on"], 300),
            "n_folds": len(given["folds"]),
            **{
                name: {end: float(given[name][end]) for end in ("mean", "low", "high")}
                for name in ("inner", "outer", "optimism", "all_features")
            },
            "stability": _stability(given["stability"], "folds"),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"nested: is no nested score (lacks {error}); give what nffs.validation.nested_score "
            "or `nffs validate --json` gave."
        ) from error


def stability_facts(stability: Any) -> dict[str, Any] | None:
    """Gather what repeated selections say.

    Parameters
    ----------
    stability : RepeatedSelection, mapping or None
        What `nffs.validation.selection_stability` gave, or the JSON of `nffs stability`.
    """
    if stability is None:
        return None
    source = "nffs.validation.selection_stability or `nffs stability --json`"
    given = _plain(stability, "stability", source)
    try:
        shares = (
            {feature["name"]: float(feature["share"]) for feature in given["features"]}
            if "features" in given
            else dict(zip(given["names"], map(float, given["share"]), strict=True))
        )
        return {**_stability(given["stability"], clipped(given["over"])), "shares": shares}
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"stability: is no repeated selection (lacks {error}); give what {source} gave."
        ) from error


def _stability(measured: Mapping[str, Any], over: str) -> dict[str, Any]:
    numbers = {name: float(measured[name]) for name in ("value", "low", "high", "mean_size")}
    return {**numbers, "over": over, "n_selections": int(measured["n_selections"])}


def _plain(given: Any, argument: str, source: str) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if is_dataclass(given) and not isinstance(given, type):
        return asdict(given)
    raise InputError(f"{argument}: found {type(given).__name__}; give what {source} gave.")
