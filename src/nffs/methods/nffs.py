"""NFFS itself, under the rivals' contract: the same two phases within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.methods.sizes import PAPER_NESTED, PAPER_SUBSETS
from nffs.methods.threshold import find_threshold
from nffs.methods.weights import (
    draw_subsets,
    nested_subsets,
    normalized_frequencies,
    probability_weights,
    rank_subsets,
)
from nffs.search.method import Mask, Method, Proposals, Task


def share_budget(budget: int, n_features: int) -> tuple[int, int]:
    """Share a budget between drawn and nested subsets.

    250 evaluations are the paper's 180 and 70; larger budgets keep that ratio. Smaller ones give up
    to a half to the nested subsets, for their number is the most features that can be selected.

    >>> share_budget(250, 122)
    (180, 70)
    >>> share_budget(250, 20)  # there are no more than 19 nested subsets
    (231, 19)
    >>> share_budget(50, 122)
    (25, 25)
    """
    in_ratio = round(budget * PAPER_NESTED / (PAPER_SUBSETS + PAPER_NESTED))
    nested = max(1, min(max(PAPER_NESTED, in_ratio), n_features - 1, budget // 2))
    return max(1, budget - nested), nested


@dataclass(frozen=True)
class NormalizedFrequencies(Method):
    """NFFS with sizes that fit the budget: what `nffs.NFFS` of the same sizes selects.

    With fewer than three drawn subsets there is nothing to count: the best of them is kept.
    """

    name: ClassVar[str] = "nffs"
    description: ClassVar[str] = "normalized frequencies: the method of this package"
    source: ClassVar[str] = "Song and He, A concise method for feature selection"

    def propose(self, task: Task, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the drawn subsets, then the nested ones; return the best nested one."""
        n_subsets, n_nested = share_budget(budget, task.n_features)
        weights = probability_weights(task.mi, find_threshold(task.mi))
        drawn = draw_subsets(weights, n_subsets, task.seed)
        fitness = yield drawn
        if n_subsets < 3:
            return None
        quarter = max(1, n_subsets // 4)
        frequencies = normalized_frequencies(drawn, fitness, quarter, quarter)
        nested = nested_subsets(frequencies.weights, n_nested)
        best: Mask = nested[rank_subsets(nested, (yield nested))[0]]
        return best
