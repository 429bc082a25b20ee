"""Two ways to grow the same forests: for scores alone, and so that columns can be weighed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.evaluator import Mask, Masks, Weighed
from nffs.fitness.forest.cuts.forest import CutScorer


class CutsOrBins:
    """Scores by cuts and trees that are not kept, weighs by bins and trees that are.

    First subsets are scored, in the end some are weighed: only one of the two is held at a time.

    Parameters
    ----------
    cut, bin : callable
        Prepare the one and the other.
    """

    def __init__(self, cut: Callable[[], CutScorer], bin: Callable[[], Any]) -> None:
        self._cut, self._bin = cut, bin
        self._held: Any = cut()

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Grow one forest for every subset and score every parameter group."""
        found: NDArray[np.float64] = self._cuts().scores(columns, seeds)
        return found

    def predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows, the mean over parameter groups."""
        found: NDArray[np.float64] = self._cuts().predicted(columns, seed)
        return found

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by what their splits do for the forest."""
        held = self._held
        if held is None or isinstance(held, CutScorer):
            held = self._hold(self._bin)
        found: Weighed = held.weighed(columns, seed)
        return found

    def _cuts(self) -> Any:
        held = self._held
        return held if isinstance(held, CutScorer) else self._hold(self._cut)

    def _hold(self, prepare: Callable[[], Any]) -> Any:
        """Prepare the other one; a thread that finds nothing meanwhile prepares its own."""
        self._held = None
        self._held = held = prepare()
        return held
