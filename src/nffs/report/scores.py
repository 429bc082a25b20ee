"""How good a selection is: its score, the final check, and unseen rows, as plain data.

Of a panel of models every set of features is shown by the model that suits it best, beside all
members' scores: nobody would deploy all features with a model that they hurt.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nffs.report.names import clipped
from nffs.report.validated import MOST_MODELS
from nffs.selection import MemberScore, Selection


def score_facts(selection: Selection) -> dict[str, Any]:
    """Gather the headline: the score of the selection, beside that of all features."""
    final, everything = selection.final, selection.all_features_fitness
    facts = {
        "scoring": clipped(selection.scoring),
        "positive": None if selection.positive is None else clipped(selection.positive),
        "evaluated_on": clipped(selection.evaluated_on, 300),
    }
    if final is None or len(final.members) == 1:
        return {
            **facts,
            "value": selection.fitness,
            "by": None,
            "standard_error": selection.standard_error,
            "all_features": everything,
            "all_features_by": None,
            "gain": None if everything is None else selection.fitness - everything,
            "gain_error": None if final is None else final.gain_error,
        }
    return {
        **facts,
        "value": final.best.selected,
        "by": clipped(final.best.name),
        "standard_error": None,  # the one that is known is the mean's
        "all_features": final.best_with_all.all_features,
        "all_features_by": clipped(final.best_with_all.name),
        "gain": final.gain,
        "gain_error": final.gain_error,
    }


def final_facts(selection: Selection) -> dict[str, Any] | None:
    """Gather what the final check found, if there was one."""
    final = selection.final
    if final is None:
        return None
    mean = MemberScore("mean", *_means(final.members))
    return {
        "verdict": clipped(final.verdict, 500),
        "choose": clipped(final.choose),
        "members": _models((*final.members, mean) if len(final.members) > 1 else final.members),
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
        "n_selected": unseen.n_selected,
        "n_columns": unseen.n_columns,
        "models": _models(unseen.models[:MOST_MODELS]),
    }


def is_nested(selection: Selection) -> bool:
    """Tell whether the selected features are the first of the paper's ranking."""
    if selection.phases is None:
        return False
    ranked = zip(selection.features, selection.phases.rank, strict=True)
    ranks = sorted(rank for feature, rank in ranked if feature.selected)
    return ranks == list(range(1, len(ranks) + 1))


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
