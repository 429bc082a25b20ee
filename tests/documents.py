"""Selections of any size without a search: for the report's tests and its benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nffs import Selection
from nffs.selection import Column, Feature, Final, MemberScore, Phases, Unseen
from nffs.table.encoding import EncodedColumn
from nffs.validation.comparison.summary import summarize


def made_up(
    n_features: int,
    *,
    names: Sequence[tuple[str, str | None]] | None = None,
    n_selected: int = 12,
    n_nested: int = 70,
    method: str = "nffs",
    **changes: Any,
) -> Selection:
    """Make up a selection.

    Parameters
    ----------
    n_features : int
        Encoded columns; the last one is constant.
    names : sequence of (column, category or None), optional
        The first of them are named so; the others are categories of `column0`, `column1`, ...
    n_selected, n_nested : int
        Features kept, and nested subsets evaluated.
    method : str
        'nffs' has phases, any other none.
    **changes
        Fields of the selection to replace.
    """
    rng = np.random.default_rng(0)
    given = list(names or [])
    n_nested = min(n_nested, n_features - 1)
    sources = given + [
        (f"column{i // 10}", f"value{i % 10}") for i in range(n_features - len(given))
    ]
    mi = np.sort(rng.exponential(0.02, n_features))[::-1].tolist()
    nested = 0.9 - 0.3 * np.exp(-np.arange(1, n_nested + 1) / 5) + rng.normal(0, 0.003, n_nested)
    drawn = rng.normal(0.8, 0.03, 180)
    features = tuple(
        Feature(
            name=column if category is None else f"{column}_{category}",
            column=column,
            category=category,
            mi=mi[i],
            constant=i == n_features - 1,
            selected=i < n_selected,
            subsets=int(rng.integers(0, 251)),
        )
        for i, (column, category) in enumerate(sources)
    )
    phases = Phases(
        threshold=0.05,
        one_se_features=tuple(f.name for f in features[:9]),
        drawn_fitness=tuple(drawn.tolist()),
        nested_sizes=tuple(range(1, n_nested + 1)),
        nested_fitness=tuple(nested.tolist()),
        nested_standard_errors=(0.004,) * n_nested,
        probability=tuple(0.0 if f.constant else 0.5 + 0.4 * f.mi / mi[0] for f in features),
        top=tuple(rng.integers(0, 46, n_features).tolist()),
        bottom=tuple(rng.integers(0, 46, n_features).tolist()),
        weight=tuple(np.sort(rng.normal(0, 0.05, n_features))[::-1].tolist()),
        rank=tuple(range(1, n_features + 1)),
    )
    selection = Selection(
        method=method,
        unit="category",
        selected_features=tuple(f.name for f in features if f.selected),
        fitness=float(nested[n_selected - 1]),
        standard_error=0.004,
        all_features_fitness=0.88,
        scoring="f1",
        evaluated_on="3-fold stratified cross-validation of the training rows",
        classes=("attack", "normal"),
        partial=False,
        evaluations=251,
        seconds=83.2,
        seed=0,
        parameters={"n_subsets": 180, "param_groups": [{"max_depth": 2}, {"max_depth": 4}]},
        fingerprint={"rows": "1000", "values": "0123456789abcdef"},
        versions={"nffs": "0.0", "python": "3", "numpy": "2"},
        encoded_features=tuple(f.name for f in features),
        columns=tuple(
            Column(name, "categorical" if n > 1 else "numeric", n)
            for name, n in Counter(column for column, _ in sources).items()
        ),
        features=features,
        subset_sizes=(*rng.integers(1, n_features, 180).tolist(), *phases.nested_sizes),
        subset_fitness=(*phases.drawn_fitness, *phases.nested_fitness),
        output_columns=tuple(
            EncodedColumn(f.column, "numeric")
            if f.category is None
            else EncodedColumn(f.column, "categorical", f.category, (f.category,))
            for f in features
            if f.selected
        ),
        phases=phases if method == "nffs" else None,
    )
    return replace(selection, **changes)


#: A final check by a panel whose models disagree: logistic regression suffers from all features.
FINAL = Final(
    choose="best",
    verdict="12 of 30 features do better than all 30 (0.877 by logistic against 0.843 by forest).",
    members=(MemberScore("forest", 0.8543, 0.8432), MemberScore("logistic", 0.8765, 0.6112)),
    gain=0.0333,
    gain_error=0.0044,
    guess=0.5012,
    sizes=(29, 12),
    fitness=(0.7272, 0.8654),
    searched_on="three folds of the search",
    searched_all_features=0.7111,
)

#: Models on rows that were set aside.
UNSEEN = Unseen(
    n_rows=1234,
    n_train=4321,
    scoring="f1",
    n_selected=12,
    n_columns=29,
    models=(MemberScore("forest", 0.8811, 0.8822), MemberScore("boosting", 0.8933, 0.8900)),
)


def checked(n_features: int = 30, **changes: Any) -> Selection:
    """Make up a selection that a final check chose, with scores on unseen rows."""
    made = made_up(n_features, fitness=0.8654, all_features_fitness=0.7272, **changes)
    return replace(made, evaluated_on="ten other folds", final=FINAL, unseen=UNSEEN)


def compared(
    margins: dict[str, float],
    n_seeds: int = 5,
    *,
    models: Sequence[str] = ("forest", "boosting", "logistic"),
) -> dict[str, Any]:
    """Make up the document of a comparison: methods by name, each with what it adds to a score."""
    rng = np.random.default_rng(0)
    runs = []
    for seed in range(n_seeds):
        rows = rng.normal(0.8, 0.01)  # of a seed: the same for all methods
        for name, margin in margins.items():
            score = rows + margin + rng.normal(0, 0.001)
            runs.append(
                {
                    "method": name,
                    "seed": seed,
                    "score": score + 0.02,
                    "unseen": score,
                    "optimism": 0.02,
                    "models": {
                        model: {"selected": score - 0.01 * place, "all_features": rows}
                        for place, model in enumerate(models)
                    },
                    "n_features": 46 if name == "all" else 10,
                    "features": [f"x{i}" for i in rng.choice(46, 10, replace=False)],
                    "evaluations": 50,
                    "seconds": 1.5,
                    "curve": [[1, score - 0.1], [20, score], [50, score + 0.02]],
                }
            )
    features = [f"x{i}" for i in range(46)]
    return {
        "scoring": "f1",
        "positive": "attack",
        "evaluated_on": "3-fold stratified cross-validation of the training rows",
        "unseen_on": "500 rows, held out anew for every seed, which no method saw",
        "budget": 50,
        "seeds": list(range(n_seeds)),
        "n_rows": 2000,
        "n_features": 46,
        "left_out": [],
        **summarize(runs, list(margins), features, 50, list(models)),
    }
