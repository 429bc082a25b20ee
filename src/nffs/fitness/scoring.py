"""Which score judges, and how to ask for it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer

from nffs.errors import InputError, quoted
from nffs.labels import Labels

Scorer = Callable[..., float]


@dataclass(frozen=True)
class Scoring:
    """A scikit-learn scorer, its name for results, and whether it wants the user's own labels.

    scikit-learn's named scorers take class 1 for the positive one, so they get codes. A scorer the
    user made may name classes, so it gets the labels as they were given.
    """

    name: str
    scorer: Scorer
    wants_labels: bool


def resolve_scoring(scoring: str | Scorer | None, labels: Labels) -> Scoring:
    """Find the scorer; by default the F-score, its macro mean for more than two classes."""
    if scoring is None:
        if labels.n_classes == 2:
            return Scoring("f1", make_scorer(f1_score, zero_division=0.0), False)
        macro = make_scorer(f1_score, average="macro", zero_division=0.0)
        return Scoring("f1_macro", macro, False)
    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            close = difflib.get_close_matches(scoring, get_scorer_names(), n=3) or ["f1"]
            raise InputError(
                f"scoring: {scoring!r} is not a scorer; did you mean {quoted(close)}? "
                "sklearn.metrics.get_scorer_names() lists them."
            )
        return Scoring(scoring, get_scorer(scoring), False)
    return Scoring(_name(scoring), scoring, True)


def _name(scorer: Any) -> str:
    function = getattr(scorer, "_score_func", scorer)
    return str(getattr(function, "__name__", type(scorer).__name__))
