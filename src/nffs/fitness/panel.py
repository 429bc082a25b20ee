"""The panel: several engines score a subset, one column of scores each.

People deploy different models, and a subset that one of them likes may cost another dearly. The
fitness of a subset is the mean over the panel's members; what each member gave is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.evaluator import (
    Engine,
    Mask,
    Masks,
    Memory,
    Shape,
    SplitScorer,
    Weighed,
    WeighingScorer,
)
from nffs.fitness.splits import Split, SplitRows

#: The part of the subsets that a member on a GPU likes to be given at a time.
_SHARE = 4


@dataclass(frozen=True)
class PanelEngine:
    """Evaluate by several engines.

    Parameters
    ----------
    members : mapping of str to Engine
        The engines by the names that results call them by. The score of a member is the mean over
        its parameter groups.
    """

    members: Mapping[str, Engine]

    @property
    def batch(self) -> int:
        """A part of what a member on a GPU would like, so that the others' threads share them."""
        return max(1, max(member.batch for member in self.members.values()) // _SHARE)

    @property
    def weighs(self) -> bool:
        """Whether all members can tell how much a column counts."""
        return all(member.weighs for member in self.members.values())

    def identity(self) -> dict[str, str]:
        """Name everything that decides a score of any member."""
        return {
            "engine": f"panel of {', '.join(self.members)}",
            **{
                f"{name}: {key}": value
                for name, member in self.members.items()
                for key, value in member.identity().items()
            },
        }

    def memory(self, shape: Shape) -> Memory:
        """Bound it: what is prepared is held together, subsets are scored one member at a time."""
        needs = [member.memory(shape) for member in self.members.values()]
        return Memory(
            once=max(need.once for need in needs),
            split=sum(need.split for need in needs),
            subset=max(need.subset for need in needs),
            weighed=max(need.weighed for need in needs),
        )

    def prepare(self, rows: SplitRows, split: Split) -> PanelScorer:
        """Let every member prepare."""
        members: list[Any] = [member.prepare(rows, split) for member in self.members.values()]
        return WeighingPanel(members) if self.weighs else PanelScorer(members)


@dataclass(frozen=True)
class PanelScorer:
    """Scores subsets of columns on one split."""

    members: Sequence[SplitScorer]

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Give the score of every subset (row) by every member (column)."""
        return np.array([member.scores(columns, seeds).mean(axis=1) for member in self.members]).T

    def predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows by every member."""
        members: Sequence[Any] = self.members
        return np.concatenate([member.predicted(columns, seed) for member in members])


@dataclass(frozen=True)
class WeighingPanel(PanelScorer):
    """Scores subsets of columns on one split, and weighs the columns by all members alike."""

    members: Sequence[WeighingScorer]

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset by every member; the weight of a column is the mean over them."""
        found = [member.weighed(columns, seed) for member in self.members]
        return Weighed(
            scores=np.array([each.scores.mean() for each in found]),
            weights=np.mean([each.weights for each in found], axis=0),
        )
