"""What many runs of many methods say, as one plain dict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.methods.registry import METHODS
from nffs.stability import nogueira
from nffs.validation.comparison.ranks import Ranks, compare_ranks

#: Points of a mean curve: enough for any page.
MOST_POINTS = 200

_MEASURED = ("score", "unseen", "optimism", "n_features", "evaluations", "seconds")
#: What other models say: their mean score with the selection, and minus that with all columns.
_TRANSFER = ("transfer", "gain")


def summarize(
    runs: Sequence[dict[str, Any]],
    names: Sequence[str],
    features: Sequence[str],
    budget: int,
    models: Sequence[str],
) -> dict[str, Any]:
    """Summarize the runs of all methods over the same seeds.

    ``methods`` has a row for each, in the order given; ``ranks`` are by other models' mean score on
    unseen rows (``transfer``), by the evaluator's there (``unseen``) and by the score that the
    search saw. ``ranked_by`` names the one that counts: the first if there are models. `features`
    are all encoded columns, and `budget` the evaluations that each method could have.
    """
    by_name = {
        name: [{**run, **_transfer(run, models)} for run in runs if run["method"] == name]
        for name in names
    }
    ranked = ("transfer", "unseen", "score") if models else ("unseen", "score")
    measured = (*_MEASURED, *(_TRANSFER if models else ()))
    scores = {
        what: np.array([[run[what] for run in by_name[name]] for name in names]).T
        for what in ranked
    }
    ranks = {what: compare_ranks(values) for what, values in scores.items()}
    rows = []
    for place, name in enumerate(names):
        mine = by_name[name]
        rows.append(
            {
                "name": name,
                "description": METHODS[name].description,
                "source": METHODS[name].source,
                **{what: _spread([run[what] for run in mine]) for what in measured},
                "models": {model: _of_model(mine, model) for model in models},
                "rank": float(ranks[ranked[0]].mean[place]),
                **{f"rank_{what}": float(ranks[what].mean[place]) for what in ranked},
                "stability": _stability(mine, features),
                "curve": _mean_curve(mine, budget),
                "runs": mine,
            }
        )
    return {
        "models": list(models),
        "ranked_by": ranked[0],
        "methods": rows,
        "ranks": {what: _test(found) for what, found in ranks.items()},
    }


def _transfer(run: dict[str, Any], models: Sequence[str]) -> dict[str, float]:
    """Give the mean score of the models with what a run selected, and what it adds to all."""
    if not models:
        return {}
    selected, everything = (
        float(np.mean([run["models"][model][what] for model in models]))
        for what in ("selected", "all_features")
    )
    return {"transfer": selected, "gain": selected - everything}


def _of_model(runs: Sequence[dict[str, Any]], model: str) -> dict[str, dict[str, float]]:
    """Summarize what one model scores with the selections, and what they add to all columns."""
    scores = [run["models"][model] for run in runs]
    return {
        "selected": _spread([score["selected"] for score in scores]),
        "difference": _spread([score["selected"] - score["all_features"] for score in scores]),
    }


def _spread(values: list[float]) -> dict[str, float]:
    array = np.asarray(values, dtype=np.float64)
    return {"mean": float(array.mean()), "std": float(array.std(ddof=1)) if len(array) > 1 else 0.0}


def _stability(runs: Sequence[dict[str, Any]], features: Sequence[str]) -> dict[str, float] | None:
    if len(runs) < 2:
        return None
    chosen = [set(run["features"]) for run in runs]
    # Where every seed has other rows, rare categories may be gathered there and not in the whole.
    features = list(dict.fromkeys([*features, *sorted(set().union(*chosen))]))
    found = asdict(nogueira([[name in mask for name in features] for mask in chosen]))
    return {name: found[name] for name in ("value", "low", "high")}


def _test(found: Ranks) -> dict[str, float | None]:
    return {
        "friedman": found.statistic,
        "pvalue": found.pvalue,
        "critical_difference": found.critical_difference,
        "alpha": found.alpha,
    }


def _mean_curve(runs: Sequence[dict[str, Any]], budget: int) -> list[list[float]]:
    """Average the best fitness so far over the runs, at some numbers of evaluations.

    A run that needed fewer evaluations keeps what it had.
    """
    at = np.unique(np.linspace(1, budget, min(budget, MOST_POINTS)).round().astype(int))
    mean = np.mean([_curve_at(run["curve"], at) for run in runs], axis=0)
    return [[int(i), float(value)] for i, value in zip(at, mean, strict=True)]


def _curve_at(curve: list[list[float]], at: NDArray[np.int64]) -> NDArray[np.float64]:
    rises, values = np.transpose(curve)
    found: NDArray[np.float64] = values[np.searchsorted(rises, at, side="right") - 1]
    return found
