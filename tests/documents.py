"""Selections of any size without a search: for the report's tests and its benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nffs import Selection


def made_up(
    n_features: int,
    *,
    names: Sequence[tuple[str, str | None]] | None = None,
    n_selected: int = 12,
    n_nested: int = 70,
    **changes: Any,
) -> Selection:
    """Make up a selection.

    Parameters
    ----------
    n_features : int
        Encoded columns.
    names : sequence of (column, category or None), optional
        The first of them are named so; the others are categories of `column0`, `column1`, ...
    n_selected, n_nested : int
        Features kept, and nested subsets judged.
    **changes
        Items of the document to replace.
    """
    rng = np.random.default_rng(0)
    given = list(names or [])
    n_nested = min(n_nested, n_features - 1)
    sources = given + [
        (f"column{i // 10}", f"value{i % 10}") for i in range(n_features - len(given))
    ]
    mi = np.sort(rng.exponential(0.02, n_features))[::-1]
    weights = np.sort(rng.normal(0, 0.05, n_features))[::-1]
    nested = 0.9 - 0.3 * np.exp(-np.arange(1, n_nested + 1) / 5) + rng.normal(0, 0.003, n_nested)
    features = [
        {
            "name": column if category is None else f"{column}_{category}",
            "column": column,
            "category": category,
            "mi": float(mi[i]),
            # the last one is constant
            "probability": 0.0 if i == n_features - 1 else 0.5 + 0.4 * float(mi[i] / mi[0]),
            "top": int(rng.integers(0, 46)),
            "bottom": int(rng.integers(0, 46)),
            "weight": float(weights[i]),
            "rank": i + 1,
            "selected": i < n_selected,
        }
        for i, (column, category) in enumerate(sources)
    ]
    raw: dict[str, int] = {}
    for column, _ in sources:
        raw[column] = raw.get(column, 0) + 1
    document = {
        "format": 1,
        "nffs_version": "0.0",
        "versions": {"python": "3", "numpy": "2"},
        "selected_features": [f["name"] for f in features if f["selected"]],
        "n_selected": n_selected,
        "unit": "category",
        "partial": False,
        "fitness": float(nested[n_selected - 1]),
        "standard_error": 0.004,
        "one_se_features": [f["name"] for f in features[:9]],
        "all_features_fitness": 0.88,
        "scoring": "f1",
        "evaluated_on": "3-fold stratified cross-validation of the training rows",
        "threshold": 0.05,
        "seed": 0,
        "fingerprint": {"rows": "1000", "values": "0123456789abcdef"},
        "classes": ["attack", "normal"],
        "evaluations": 251,
        "seconds": 83.2,
        "parameters": {"n_subsets": 180, "param_groups": [{"max_depth": 2}, {"max_depth": 4}]},
        "encoded_features": [f["name"] for f in features],
        "columns": [
            {"name": name, "kind": "categorical" if n > 1 else "numeric", "encoded": n}
            for name, n in raw.items()
        ],
        "features": features,
        "drawn_fitness": rng.normal(0.8, 0.03, 180).tolist(),
        "nested_fitness": nested.tolist(),
        "nested_sizes": list(range(1, n_nested + 1)),
        "nested_standard_errors": [0.004] * n_nested,
        "transform": [],
    }
    return Selection({**document, **changes})
