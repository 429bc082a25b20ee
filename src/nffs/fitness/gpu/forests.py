"""Growing the forests of some subsets on the device, and reading every parameter group off them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.groups import Plan
from nffs.fitness.forest.tree import tree_seeds
from nffs.fitness.gpu.columns import Pool
from nffs.fitness.gpu.device import Device, divided, whole

#: Warps of a block, each with a list of features beside the block's own; as in `kernels/common.cu`.
_LISTS = 8 + 1


@dataclass(frozen=True)
class Totals:
    """Sums of shares of class 1 of the evaluation rows, by subset and group, on the device."""

    device: Device
    plan: Plan
    n_subsets: int
    n_evaluated: int
    sums: Any
    merged: Any  # the first equal row of every evaluation row: only it has sums
    work: Any  # bins and values that were looked at, rows that were parted, nodes

    def probabilities(self, subset: int) -> NDArray[np.float64]:
        """Give class probabilities of one subset: groups, rows, classes."""
        n_groups, n = len(self.plan.sizes), self.n_evaluated
        first = subset * n_groups * n
        sums = self.device.get(self.sums[first : first + n_groups * n]).astype(np.int64)
        rows = self.device.get(self.merged[subset * n : (subset + 1) * n])
        own = sums.reshape(n_groups, n, 1)[:, rows]
        return self.plan.probabilities([own], 2)

    def confusion(self, labels: Any) -> NDArray[np.float64]:
        """Count true and predicted classes of every subset and group: (..., true, predicted)."""
        device, n_groups = self.device, len(self.plan.sizes)
        share = np.array([self.plan.sizes[g] << 30 for g in self.plan.by_depth], dtype=np.uint64)
        n = self.n_subsets * n_groups
        counts = device.zeros(4 * n, np.uint32)
        device.launch(
            "confusion", (n, 1, 1), self.sums, whole(self.n_evaluated), labels, self.merged,
            device.put(share), whole(n_groups), counts,
        )  # fmt: skip
        by_depth = device.get(counts).reshape(self.n_subsets, n_groups, 2, 2)
        found = np.empty(by_depth.shape)
        found[:, self.plan.by_depth] = by_depth
        return found


def grow(
    device: Device,
    pool: Pool,
    n: int,
    n_evaluated: int,
    labels: Any,
    plan: Plan,
    seeds: Sequence[int],
    most_bytes: int,
) -> Totals:
    """Grow a forest for every subset.

    Parameters
    ----------
    device : Device
        Where everything is.
    pool : Pool
        The columns to grow on.
    n, n_evaluated : int
        Number of training and of evaluation rows.
    labels : array of the device
        Classes of the training rows.
    plan : Plan
        The parameter groups.
    seeds : sequence of int
        A seed for every subset.
    most_bytes : int
        What the lists of the blocks may take.
    """
    n_subsets, n_groups = len(seeds), len(plan.sizes)
    most_features = int(np.diff(pool.first).max())
    shared = 2 * _LISTS * most_features
    words = list_words(n, n_evaluated)
    n_trees = n_subsets * plan.n_trees
    blocks = min(
        device.blocks_at_once("grow_forests", shared), n_trees, max(1, most_bytes // (4 * words))
    )
    work = device.zeros(3, np.uint64)
    sums = device.zeros(n_subsets * n_groups * n_evaluated, np.uint64)
    own = np.concatenate([tree_seeds(seed, plan.n_trees) for seed in seeds])
    sizes = np.array([plan.sizes[g] for g in plan.by_depth], dtype=np.int32)
    device.launch(
        "grow_forests", (blocks, 1, 1), pool.train, pool.codes, pool.evaluated, pool.exact, labels,
        pool.listed, device.put(pool.first), pool.merged, pool.merged_evaluated, device.put(own),
        device.put(plan.depths.astype(np.int32)), device.put(sizes), sums,
        device.empty(blocks * words, np.uint32), np.uint64(words), device.zeros(1, np.uint32), work,
        whole(n), whole(n_evaluated), whole(n_subsets), whole(plan.n_trees), whole(n_groups),
        whole(most_features), shared=shared,
    )  # fmt: skip
    return Totals(device, plan, n_subsets, n_evaluated, sums, pool.merged_evaluated, work)


def list_words(n: int, n_evaluated: int) -> int:
    """Count the words of 4 bytes that a block's lists take.

    Two buffers for either kind of rows, of two words for a training row and one for an evaluation
    row, and a word for every training row's draws.
    """
    return 2 * divided(5 * n + 2 * n_evaluated, 2)
