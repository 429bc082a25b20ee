"""The two phases of the method, run by a search; what is left of them if the search is stopped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.errors import EvaluationError
from nffs.fitness.evaluator import Fitness, values_of
from nffs.methods.sizes import SearchSizes
from nffs.methods.weights import (
    Frequencies,
    Masks,
    nested_subsets,
    pooled_frequencies,
    rank_subsets,
)
from nffs.search import Search

#: What callbacks are told the search is doing.
DRAWN, NESTED, ALL = "drawn subsets", "nested subsets", "all features"


@dataclass(frozen=True)
class Phases:
    """What the two phases gave.

    Attributes
    ----------
    drawn, drawn_fitness : masks and their fitness
        Of phase I: those that were judged, which are all unless something stopped it.
    frequencies : Frequencies
        Of the features in the best and worst of them; nothing if phase I was stopped.
    nested, nested_fitness : masks and their fitness
        Of phase II: those that were judged; the best drawn one if none was.
    all_features : float
        The fitness of all features together; nan if the search was stopped before it.
    partial : bool
        Whether the search was interrupted.
    """

    drawn: Masks
    drawn_fitness: list[Fitness]
    frequencies: Frequencies
    nested: Masks
    nested_fitness: list[Fitness]
    all_features: float
    partial: bool


def run_phases(search: Search, drawn: Masks, sizes: SearchSizes, n_searches: int) -> Phases:
    """Judge the drawn subsets, then the nested ones that follow from them.

    Parameters
    ----------
    search : Search
        Judges masks. If it is stopped or some cannot be judged, the others are used.
    drawn : ndarray of shape (n_searches * n_subsets, n_features), bool
        The subsets of phase I.
    sizes : SearchSizes
        How many are counted and nested.
    n_searches : int
        Phases I to pool.

    Returns
    -------
    Phases
        What was judged.
    """
    # Phase I: the subsets drawn by mutual information.
    judged, drawn_fitness = search.evaluate(drawn, DRAWN)
    if not len(judged):
        if search.ended == "interrupted":
            raise KeyboardInterrupt
        raise EvaluationError("the search was stopped before any subset was judged")
    searches = np.repeat(np.arange(n_searches), sizes.n_subsets)[judged]
    everything = np.ones_like(drawn[:1])
    drawn = drawn[judged]
    frequencies = Frequencies.none(drawn.shape[1])
    nested, nested_fitness = drawn[:0], list[Fitness]()
    if not search.ended:
        # Phase II: from normalized frequencies to nested subsets.
        frequencies = pooled_frequencies(
            drawn, values_of(drawn_fitness), searches, *_counted(sizes, searches)
        )
        nested = nested_subsets(frequencies.weights, sizes.n_nested)
        judged, nested_fitness = search.evaluate(nested, NESTED)
        nested = nested[judged]
    # For comparison: what no selection would have given.
    _, all_features = search.evaluate(everything, ALL)
    if not len(nested):
        best = int(rank_subsets(drawn, values_of(drawn_fitness))[0])
        nested, nested_fitness = drawn[[best]], [drawn_fitness[best]]
    return Phases(
        drawn=drawn,
        drawn_fitness=drawn_fitness,
        frequencies=frequencies,
        nested=nested,
        nested_fitness=nested_fitness,
        all_features=all_features[0].value if all_features else float("nan"),
        partial=search.ended == "interrupted",
    )


def _counted(sizes: SearchSizes, searches: NDArray[np.intp]) -> tuple[int, int]:
    """Count fewer best and worst subsets in proportion if fewer were judged."""
    share = np.bincount(searches).max() / sizes.n_subsets
    return max(1, int(sizes.n_top * share)), max(1, int(sizes.n_bottom * share))
