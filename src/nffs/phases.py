"""The two phases of the method, run by a search; what is left of them if the search is stopped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nffs.fitness.evaluator import Fitness, values_of
from nffs.search import Search
from nffs.sizes import SearchSizes
from nffs.subsets import (
    Frequencies,
    Masks,
    nested_subsets,
    pooled_frequencies,
    rank_subsets,
)


@dataclass(frozen=True)
class Phases:
    """What the two phases gave.

    Attributes
    ----------
    drawn, drawn_fitness : masks and their fitness
        Of phase I; of a stopped search those that were judged.
    frequencies : Frequencies
        Of the features in the best and worst of them; nothing if phase I was stopped.
    nested, nested_fitness : masks and their fitness
        Of phase II; of a stopped search those that were judged, or else the best drawn one.
    all_features : float
        The fitness of all features together; nan if the search was stopped before it.
    partial : bool
        Whether the search was stopped.
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
        Judges masks. If it is stopped by an interrupt, what it has judged is used.
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
    drawn, drawn_fitness = search.evaluate_some(drawn, "drawn subsets")
    if not len(drawn):
        raise KeyboardInterrupt
    frequencies = Frequencies.none(drawn.shape[1])
    nested, nested_fitness = drawn[:0], list[Fitness]()
    if not search.interrupted:
        # Phase II: from normalized frequencies to nested subsets.
        frequencies = pooled_frequencies(
            drawn, values_of(drawn_fitness), n_searches, sizes.n_top, sizes.n_bottom
        )
        nested = nested_subsets(frequencies.weights, sizes.n_nested)
        nested, nested_fitness = search.evaluate_some(nested, "nested subsets")
    # For comparison: what no selection would have given.
    _, everything = search.evaluate_some(np.ones_like(drawn[:1]), "all features")
    if not len(nested):
        best = int(rank_subsets(drawn, values_of(drawn_fitness))[0])
        nested, nested_fitness = drawn[[best]], [drawn_fitness[best]]
    return Phases(
        drawn=drawn,
        drawn_fitness=drawn_fitness,
        frequencies=frequencies,
        nested=nested,
        nested_fitness=nested_fitness,
        all_features=everything[0].value if everything else float("nan"),
        partial=search.interrupted,
    )
