"""How good a selection is: its score, the final check, and unseen rows, as plain data.

A set of features has one score, the mean over the models, and what each model scores stands beside
it by name. With all features it is compared by the best model on either side: nobody would deploy
all features with a model that they hurt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nffs.report.names import clipped
from nffs.report.series import is_nested
from nffs.report.validated import MOST_MODELS
from nffs.selection import Feature, MemberScore, Selection

#: Members of a panel that are listed with their scores; of more, their number is told.
_MOST_LISTED = 4


def score_facts(selection: Selection) -> dict[str, Any]:
    """Gather the score of the selection, and how it compares with all features."""
    final, everything = selection.final, selection.all_features_fitness
    members = () if final is None else final.members
    best = best_with_all = None
    if not any(_left_out(feature) for feature in selection.features):
        everything = None  # a comparison with itself
    elif final is not None and len(members) > 1:
        best = _named(final.best, "selected")
        best_with_all = _named(final.best_with_all, "all_features")
    return {
        "scoring": clipped(selection.scoring),
        "positive": None if selection.positive is None else clipped(selection.positive),
        "evaluated_on": clipped(selection.evaluated_on, 300),
        "unlabelled": None if selection.unlabelled is None else selection.unlabelled.told,
        "value": selection.fitness,
        "standard_error": selection.standard_error,
        "mean_of": mean_of(members),
        # Of a panel the best model of each side, by name; else the score itself.
        "best": best,
        "best_with_all": best_with_all,
        "all_features": everything if best is None else None,
        "gain": _gain(selection),
        "gain_error": None if final is None else final.gain_error,
    }


def mean_of(members: Sequence[MemberScore]) -> str | None:
    """Say which scores a score is the mean of; None if there is one model.

    >>> mean_of([MemberScore("forest", 0.81, 0.79), MemberScore("logistic", 0.7, 0.8)])
    'mean of forest 0.8100 and logistic 0.7000'
    """
    if len(members) < 2:
        return None
    return f"mean of {_listed(members, 4) or f'{len(members)} models'}"


def _listed(members: Sequence[MemberScore], decimals: int) -> str:
    """Name models with their scores; nothing if there are one, or too many."""
    if not 1 < len(members) <= _MOST_LISTED:
        return ""
    *others, last = (f"{clipped(m.name, 40)} {m.selected:z.{decimals}f}" for m in members)
    return f"{', '.join(others)} and {last}"


def range_of(members: Sequence[MemberScore]) -> str:
    """Give the lowest and the highest score; one if they are the same, nothing without models.

    >>> range_of([MemberScore("forest", 0.81, 0.79), MemberScore("logistic", 0.7, 0.8)])
    '0.700 to 0.810'
    """
    low, high = (f"{pick((m.selected for m in members), default=0):z.3f}" for pick in (min, max))
    return "" if not members else low if low == high else f"{low} to {high}"


def _left_out(feature: Feature) -> bool:
    return not (feature.selected or feature.constant or feature.excluded)


def _gain(selection: Selection) -> float | None:
    if selection.final is not None:
        return selection.final.gain
    everything = selection.all_features_fitness
    return None if everything is None else selection.fitness - everything


def _named(member: MemberScore, side: str) -> dict[str, Any]:
    return {"name": clipped(member.name), "score": getattr(member, side)}


def final_facts(selection: Selection) -> dict[str, Any] | None:
    """Gather what the final check found, if there was one."""
    final = selection.final
    if final is None:
        return None
    rows = list(final.members)
    if len(rows) > 1:
        rows.append(MemberScore("mean", *_means(final.members)))
        best, best_with_all = final.best.selected, final.best_with_all.all_features
        rows.append(MemberScore("the best of each", best, best_with_all))
    return {
        "verdict": clipped(final.verdict, 500),
        "choose": clipped(final.choose),
        "members": _models(rows),
        "guess": final.guess,
        "n_candidates": len(final.sizes),
        "searched_on": clipped(final.searched_on, 300),
        "is_nested": is_nested(selection),
    }


def unseen_facts(selection: Selection) -> dict[str, Any] | None:
    """Gather the scores on unseen rows, if there are any."""
    unseen = selection.unseen
    if unseen is None:
        return None
    return {
        "n_rows": unseen.n_rows,
        "n_train": unseen.n_train,
        "scoring": clipped(unseen.scoring),
        "range": range_of(unseen.models),
        "each": _listed(unseen.models, 3),
        "models": _models(unseen.models[:MOST_MODELS]),
    }


def _means(members: tuple[MemberScore, ...]) -> tuple[float, float]:
    n = len(members)
    return sum(m.selected for m in members) / n, sum(m.all_features for m in members) / n


def _models(models: Iterable[MemberScore]) -> list[dict[str, Any]]:
    return [
        {
            "name": clipped(model.name),
            "selected": model.selected,
            "all_features": model.all_features,
            "difference": model.difference,
        }
        for model in models
    ]
