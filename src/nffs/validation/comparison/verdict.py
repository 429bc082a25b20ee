"""What a comparison found, in words: who is first, and who cannot be told apart from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import t

from nffs.report.templating import mean_count
from nffs.validation.comparison.ranks import not_apart

#: Names in a sentence; the others are counted.
_MOST_NAMES = 3


def ranked_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the methods, the best mean rank first."""
    return sorted(document["methods"], key=lambda row: (row["rank"], row["name"]))


def alike(document: Mapping[str, Any]) -> list[list[int]]:
    """Give the groups of methods that cannot be told apart, as places among `ranked_rows`.

    By Nemenyi's critical difference of mean ranks, where Friedman's test says that methods differ;
    all of them in one group where it does not. Nothing if there was no test: it takes three methods
    and two seeds.
    """
    test, rows = document["ranks"][document["ranked_by"]], ranked_rows(document)
    if test["pvalue"] is None:
        return []
    if test["pvalue"] > test["alpha"]:
        return [list(range(len(rows)))]
    return not_apart(np.array([row["rank"] for row in rows]), test["critical_difference"])


def with_the_first(document: Mapping[str, Any]) -> int:
    """Count the methods that cannot be told apart from the first, itself included."""
    return next((len(group) for group in alike(document) if 0 in group), 1)


def verdict(document: Mapping[str, Any]) -> str:
    """Say in a sentence which method is first, what it scores, and what else is as good.

    >>> methods = [{"name": name, "rank": rank, "n_features": {"mean": 12.4},
    ...             "transfer": {"mean": 0.8421}, "gain": {"mean": 0.006}}
    ...            for name, rank in [("guided", 1.2), ("ga", 2.0), ("random", 3.8)]]
    >>> test = {"pvalue": 0.01, "alpha": 0.05, "critical_difference": 1.0}
    >>> said = verdict({"methods": methods, "ranked_by": "transfer", "ranks": {"transfer": test},
    ...                 "models": ["forest"], "seeds": [0, 1, 2], "n_features": 116})
    >>> said.partition("; ")[0]
    'guided is first (0.842 with 12.4 of 116 columns, 0.836 with all)'
    >>> said.partition("; ")[2]
    'it cannot be told apart from ga'
    """
    rows, test = ranked_rows(document), document["ranks"][document["ranked_by"]]
    first = rows[0]
    found = _score_and_size(document, first)
    if len(rows) == 1:
        return f"{_called(first)}: {found}"
    is_all = first["name"] == "all"
    it = "they are" if is_all else "it is"
    others = [_called(row) for row in rows[1 : with_the_first(document)]]
    if test["pvalue"] is None:
        told = "whether they differ is not tested, which takes three methods and two seeds"
    elif not others:
        told = f"{it} ahead of every other method"
    elif len(others) == len(rows) - 1:
        told = "no method can be told apart from another"
    else:
        told = f"{it.split()[0]} cannot be told apart from {_listed(others)}"
    return f"{_called(first)} {it.split()[1]} first ({found}); {told}"


def _score_and_size(document: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Say what a method scores with how many columns, and what all columns score if known."""
    score = row[document["ranked_by"]]["mean"]
    if row["name"] == "all":
        return f"{score:z.3f}"
    size = f"{mean_count(row['n_features']['mean'])} of {document['n_features']:,} columns"
    with_all = f", {score - row['gain']['mean']:z.3f} with all" if document["models"] else ""
    return f"{score:z.3f} with {size}{with_all}"


def interval(spread: Mapping[str, float], n: int) -> tuple[float, float] | None:
    """Give the 95 % interval of a mean over seeds; nothing for a single one.

    >>> interval({"mean": 0.8, "std": 0.02}, 5)  # doctest: +ELLIPSIS
    (0.775..., 0.824...)
    """
    if n < 2:
        return None
    reach = float(t.ppf(0.975, n - 1)) * spread["std"] / n**0.5
    return spread["mean"] - reach, spread["mean"] + reach


def _called(row: Mapping[str, Any]) -> str:
    return "all columns" if row["name"] == "all" else str(row["name"])


def _listed(names: Sequence[str]) -> str:
    """List names as a sentence does.

    >>> _listed(["ga", "mrmr"]), _listed(["a", "b", "c", "d", "e"])
    ('ga and mrmr', 'a, b, c and 2 others')
    """
    if len(names) > _MOST_NAMES + 1:
        names = [*names[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} others"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
