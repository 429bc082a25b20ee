"""Scoring subsets of columns by forests that are grown for the evaluation rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.evaluator import Mask, Masks
from nffs.fitness.forest.cuts.growth import grow_trees
from nffs.fitness.forest.cuts.records import Evaluated, Limits
from nffs.fitness.forest.cuts.split import CutColumns
from nffs.fitness.forest.cuts.subset import prepare_subset, room_for
from nffs.fitness.forest.groups import Group, Plan
from nffs.fitness.forest.tree import tree_seeds
from nffs.fitness.scoring import Scoring
from nffs.table.target import Labels


@dataclass(frozen=True)
class CutScorer:
    """Scores subsets of columns on one split."""

    groups: Sequence[Group]
    scoring: Scoring
    columns: CutColumns
    evaluation: Labels

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Grow one forest for every subset and score every parameter group."""
        return np.array([self._scores(c, seed) for c, seed in zip(columns, seeds, strict=True)])

    def predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        """Give class probabilities of the evaluation rows, the mean over parameter groups."""
        mean: NDArray[np.float64] = self._predicted(columns, seed).mean(axis=0, keepdims=True)
        return mean

    def _scores(self, columns: Mask, seed: int) -> list[float]:
        return [
            self.scoring.of_probabilities(p, self.evaluation, None)
            for p in self._predicted(columns, seed)
        ]

    def _predicted(self, columns: Mask, seed: int) -> NDArray[np.float64]:
        found = predict(self.columns, columns, self.groups, seed)
        return found[:, :, : self.evaluation.n_classes]


def predict(
    split: CutColumns, columns: Mask, groups: Sequence[Group], seed: int, merge: bool = True
) -> NDArray[np.float64]:
    """Give class probabilities of the evaluation rows: groups, rows, classes."""
    plan, n = Plan(groups), split.evaluation.shape[1]
    subset, patches = prepare_subset(split, np.flatnonzero(columns), merge)
    totals = plan.zeros(n, split.n_classes)
    evaluated = Evaluated(
        values=split.evaluation,
        order=np.empty(n + 1, dtype=np.uint32)[:n],
        scratch=np.empty(n + 1, dtype=np.uint32),
        totals=totals,
    )
    limits = Limits(
        n_try=max(1, int(len(subset.columns) ** 0.5)),
        max_depth=plan.max_depth,
        depths=plan.depths,
        sizes=np.array([plan.sizes[g] for g in plan.by_depth], dtype=np.int64),
    )
    grow_trees(
        split.columns, subset, patches, limits, room_for(subset, patches),
        tree_seeds(seed, plan.n_trees), evaluated,
    )  # fmt: skip
    return plan.probabilities([totals], split.n_classes)
