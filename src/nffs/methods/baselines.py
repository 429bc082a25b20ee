"""What any search must beat: random subsets, and no selection at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.search.method import Method, Proposals, SearchSpace


@dataclass(frozen=True)
class RandomSearch(Method):
    """Draw subsets: a share of the features, uniform in (0, 1), then every feature with it.

    A fixed share of one half would only ever see subsets of about half of the features.
    """

    name: ClassVar[str] = "random"
    description: ClassVar[str] = "random subsets of random sizes"
    source: ClassVar[str] = "Bergstra and Bengio, JMLR 13 (2012), for subsets"

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose as many as there is budget for; a larger budget has the same first ones."""
        while True:
            drawn = rng.random((budget, space.n_features + 1))
            yield self.round(drawn[:, 1:] < drawn[:, :1])


@dataclass(frozen=True)
class AllColumns(Method):
    """Keep everything."""

    name: ClassVar[str] = "all"
    description: ClassVar[str] = "all columns, no selection"
    source: ClassVar[str] = "the baseline of every table"
    is_random: ClassVar[bool] = False

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose one mask."""
        yield self.round(np.ones((1, space.n_features), dtype=np.bool_))
        return None
