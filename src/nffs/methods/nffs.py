"""The paper's method: normalized frequencies of features in good and in bad subsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.methods.choosing import choose_nested
from nffs.methods.sizes import SearchSizes, Size, share_budget
from nffs.methods.threshold import find_threshold
from nffs.methods.weights import (
    Frequencies,
    draw_subsets,
    nested_subsets,
    normalized_frequencies,
    pooled_frequencies,
    probability_weights,
)
from nffs.search.loop import rank_subsets
from nffs.search.method import (
    Choice,
    Evaluated,
    Method,
    Proposals,
    Round,
    SearchSpace,
    Vector,
)

#: The phases, as progress and callbacks name them.
DRAWN, NESTED = "drawn subsets", "nested subsets"


@dataclass(frozen=True)
class TwoPhases:
    """What the two phases found, over the features in the order of the search."""

    threshold: float  # the threshold of mutual information used
    probabilities: Vector  # (n_features,) probability of being drawn (WV1)
    drawn: Evaluated  # the subsets of phase I that were evaluated (AFS1)
    # Of the features in the best and worst of them; nothing if the search ended in phase I
    frequencies: Frequencies
    # The subsets of phase II that were evaluated (AFS2); the best drawn one if none was
    nested: Evaluated
    # The best of them, and the smallest within one standard error of it
    best: int
    one_se: int


@dataclass(frozen=True)
class NormalizedFrequencies(Method):
    """NFFS: draw subsets by mutual information, rank features by frequencies, keep a nested subset.

    Sizes that are 'auto' fit the budget: 250 evaluations are the paper's 180 and 70. With fewer
    than three drawn subsets there is nothing to count, and the best of them is kept.
    """

    n_subsets: Size = "auto"
    n_top: Size = "auto"
    n_bottom: Size = "auto"
    n_nested: Size = "auto"
    n_searches: int = 1
    threshold: float | str = "auto"

    name: ClassVar[str] = "nffs"
    description: ClassVar[str] = "normalized frequencies: the method of this package"
    source: ClassVar[str] = "Song and He, A concise method for feature selection"
    resumes: ClassVar[bool] = True

    def phases(self, n_features: int, budget: int) -> dict[str, int]:
        """Give the two phases with their sizes."""
        sizes = self._sizes(n_features, budget)
        return {DRAWN: self.n_searches * sizes.n_subsets, NESTED: sizes.n_nested}

    def _sizes(self, n_features: int, budget: int) -> SearchSizes:
        drawn, nested = share_budget(budget, n_features)
        n_subsets = drawn if self.n_subsets == "auto" else self.n_subsets
        quarter = max(1, n_subsets // 4)
        return SearchSizes(
            n_subsets=n_subsets,
            n_top=quarter if self.n_top == "auto" else self.n_top,
            n_bottom=quarter if self.n_bottom == "auto" else self.n_bottom,
            n_nested=nested if self.n_nested == "auto" else self.n_nested,
        )

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the drawn subsets, then the nested ones; choose among the nested ones.

        If phase II was stopped, the best drawn subset may be chosen.
        """
        sizes = self._sizes(space.n_features, budget)
        auto = self.threshold == "auto"
        threshold = find_threshold(space.mi) if auto else float(self.threshold)

        # Phase I: subsets drawn by mutual information (eq. 2 and 3).
        wv1 = probability_weights(space.mi, threshold)
        masks = draw_subsets(wv1, self.n_searches * sizes.n_subsets, space.seed)
        drawn = yield Round(DRAWN, masks, may_be_cut=True)
        searches = np.repeat(np.arange(self.n_searches), sizes.n_subsets)[: len(drawn)]
        searches, drawn = searches[~drawn.failed], drawn[~drawn.failed]
        frequencies = Frequencies.none(space.n_features)
        nested, was_cut = drawn[:0], True
        if not drawn.ended and len(drawn) > 2:
            # Phase II: from normalized frequencies (eq. 4) to nested subsets.
            frequencies = pooled_frequencies(
                [_frequencies(drawn[searches == number], sizes) for number in np.unique(searches)]
            )
            masks = nested_subsets(frequencies.weights, sizes.n_nested, space.allowed)
            nested = yield Round(NESTED, masks, may_be_cut=True)
            was_cut = len(nested) < len(masks)
            nested = nested[~nested.failed]
        if not len(drawn):
            return None
        first = drawn[rank_subsets(drawn.masks, drawn.fitness)[:1]]
        if not len(nested):
            nested = first
        best = choose_nested(nested.masks, nested.scores, "best")
        one_se = choose_nested(nested.masks, nested.scores, "one_se")
        found = TwoPhases(threshold, wv1, drawn, frequencies, nested, best, one_se)
        # Of a phase II that was stopped after its smallest subsets the best one may be poor.
        may_be_drawn = was_cut and first.fitness[0] > nested.fitness[best]
        return Choice(first.masks[0] if may_be_drawn else nested.masks[best], found)


def _frequencies(drawn: Evaluated, sizes: SearchSizes) -> Frequencies:
    """Count features in the best and worst; in fewer of them if fewer were evaluated."""
    share = len(drawn) / sizes.n_subsets
    top, bottom = (max(1, int(n * share)) for n in (sizes.n_top, sizes.n_bottom))
    return normalized_frequencies(drawn.masks, drawn.fitness, top, bottom)
