"""Selectors by name, for commands that work with any of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from nffs.cli.options import SEARCH


class Method(StrEnum):
    """Which selector."""

    nffs = "nffs"
    rfecv = "rfecv"
    kbest = "kbest"


MethodOption = Annotated[
    Method,
    typer.Option(
        "--selector",
        help="nffs, scikit-learn's RFECV with a forest, or SelectKBest with --features columns.",
    ),
]
Features = Annotated[int, typer.Option(min=1, help="Columns that kbest keeps.")]
Subsets = Annotated[
    int | None,
    typer.Option(min=3, help="Subsets drawn (L); 180 if not given.", rich_help_panel=SEARCH),
]
Nested = Annotated[
    int | None,
    typer.Option(
        min=1, help="Nested subsets (O); 70, or the features less one.", rich_help_panel=SEARCH
    ),
]
Searches = Annotated[
    int,
    typer.Option(
        min=1,
        help="Phases I to pool: more stable, and as many times the evaluations.",
        rich_help_panel=SEARCH,
    ),
]


class Choose(StrEnum):
    """Which nested subset to keep."""

    best = "best"
    one_se = "one_se"


ChooseOption = Annotated[
    Choose,
    typer.Option(
        "--choose",
        help="The best nested subset, or the smallest within one standard error of it.",
        rich_help_panel=SEARCH,
    ),
]


def selector_of(method: Method, judge: Any, n_features: int) -> Any:
    """Make the selector; ``judge`` is the `NFFS` with the user's options."""
    if method is Method.nffs:
        return judge
    if method is Method.kbest:
        from sklearn.feature_selection import SelectKBest

        return SelectKBest(k=n_features)
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_selection import RFECV

    forest = RandomForestClassifier(30, random_state=judge.random_state)
    return RFECV(forest, step=0.1, cv=3, n_jobs=judge.n_jobs)
