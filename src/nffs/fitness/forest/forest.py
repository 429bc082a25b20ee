"""The binned forest: grown once, it answers every parameter group.

A parameter group is a number of trees and a depth. The first T trees of a forest are a forest of T
trees, and a tree cut at depth d predicts with the class shares of the node reached at depth d, so
the largest forest holds all the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nffs._threads import share
from nffs.fitness.forest.groups import Group, Plan, depth_limit
from nffs.fitness.forest.training import TrainingRows
from nffs.fitness.forest.tree import Grower, Tree, tree_seeds


class BinnedForest:
    """A forest of binned trees.

    Parameters
    ----------
    trees : list of Tree
        The trees.
    n_classes : int
        Number of classes.
    """

    def __init__(self, trees: list[Tree], n_classes: int) -> None:
        self.trees = trees
        self.n_classes = n_classes

    @classmethod
    def grow(
        cls,
        rows: TrainingRows,
        n_trees: int = 100,
        max_depth: int | None = None,
        seed: int = 0,
        max_features: int | None = None,
        bootstrap: bool = True,
        n_threads: int = 1,
    ) -> BinnedForest:
        """Grow a forest and keep its trees.

        Tree t depends on the seed and t, not on the number of trees or threads. A node looks at
        ``max_features`` features, by default the square root of their number.
        """
        trees: list[Tree | None] = [None] * n_trees
        seeds = tree_seeds(seed, n_trees)

        def work(numbers: Iterator[int]) -> None:
            grower = Grower(rows, _n_try(rows, max_features), depth_limit(max_depth), bootstrap)
            for t in numbers:
                tree = grower.grow(seeds[t])
                trees[t] = Tree(tree.nodes.copy(), tree.shares.copy())

        share(n_trees, n_threads, work)
        return cls([tree for tree in trees if tree is not None], rows.n_classes)

    def predict_groups(
        self, Z: NDArray[np.float32], groups: Sequence[Group], n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Give mean class shares for every parameter group: groups, rows, classes."""
        plan = Plan(groups)
        if plan.n_trees > len(self.trees):
            raise ValueError(
                f"a group asks for {plan.n_trees} trees, the forest has {len(self.trees)}"
            )

        def work(numbers: Iterator[int]) -> NDArray[np.int64]:
            totals = plan.zeros(len(Z), self.n_classes)
            for t in numbers:
                plan.add(t, self.trees[t], Z, totals)
            return totals

        return plan.probabilities(share(plan.n_trees, n_threads, work), self.n_classes)


def grow_and_predict(
    rows: TrainingRows,
    Z: NDArray[np.float32],
    groups: Sequence[Group],
    seed: int = 0,
    max_features: int | None = None,
) -> NDArray[np.float64]:
    """Grow a forest, predict rows by it and forget it: what evaluating a subset takes.

    The same result as :meth:`BinnedForest.grow` and :meth:`BinnedForest.predict_groups`, in the
    memory of one tree.
    """
    plan = Plan(groups)
    totals = plan.zeros(len(Z), rows.n_classes)
    grower = Grower(rows, _n_try(rows, max_features), plan.max_depth, bootstrap=True)
    for t, tree_seed in enumerate(tree_seeds(seed, plan.n_trees)):
        plan.add(t, grower.grow(tree_seed), Z, totals)
    return plan.probabilities([totals], rows.n_classes)


def default_n_try(rows: TrainingRows) -> int:
    """Give how many features a node looks at: the square root of their number."""
    return max(1, int(rows.n_features**0.5))


def _n_try(rows: TrainingRows, max_features: int | None) -> int:
    return default_n_try(rows) if max_features is None else min(max_features, rows.n_features)
