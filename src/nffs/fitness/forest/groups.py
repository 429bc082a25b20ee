"""Parameter groups: how many trees, cut at which depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.kernels import common
from nffs.fitness.forest.tree import Tree

Group: TypeAlias = Mapping[str, int | None]

# Deeper than any tree: what max_depth=None means to the kernels.
_UNLIMITED = np.iinfo(np.int32).max


class Plan:
    """The parameter groups in the order a walk meets them: by depth."""

    def __init__(self, groups: Sequence[Group]) -> None:
        if not groups:
            raise ValueError("groups is empty: at least one parameter group is needed")
        self.sizes = [_positive(group, "n_estimators") for group in groups]
        limits = [
            depth_limit(None if group.get("max_depth") is None else _positive(group, "max_depth"))
            for group in groups
        ]
        self.by_depth = sorted(range(len(groups)), key=lambda g: limits[g])
        self.depths = np.array([limits[g] for g in self.by_depth], dtype=np.int64)
        self.n_trees = max(self.sizes)
        self.max_depth = max(limits)

    def zeros(self, n_rows: int, n_classes: int) -> NDArray[np.int64]:
        """Make the sums of class shares of no trees."""
        return np.zeros(
            (len(self.sizes), n_rows, 1 if n_classes <= 2 else n_classes), dtype=np.int64
        )

    def add(
        self, number: int, tree: Tree, Z: NDArray[np.float32], totals: NDArray[np.int64]
    ) -> None:
        """Add what tree ``number`` says about the rows."""
        active = np.array([number < self.sizes[g] for g in self.by_depth])
        words = tree.nodes.reshape(-1)
        n, k = Z.shape
        common.walk(
            words, words.view(np.float32), tree.shares, np.ascontiguousarray(Z).reshape(-1), k, n,
            self.depths, active, totals,
        )  # fmt: skip

    def probabilities(
        self, parts: Sequence[NDArray[np.int64]], n_classes: int
    ) -> NDArray[np.float64]:
        """Turn the sums of all threads into probabilities, groups in the order they were given."""
        totals = parts[0]
        for part in parts[1:]:
            totals += part
        out = np.empty((len(self.sizes), totals.shape[1], n_classes))
        for place, g in enumerate(self.by_depth):
            whole = self.sizes[g] * common.ONE
            if n_classes <= 2:
                out[g, :, 0] = (whole - totals[place, :, 0]) / whole
            if n_classes == 2:
                out[g, :, 1] = totals[place, :, 0] / whole
            elif n_classes > 2:
                out[g] = totals[place] / whole
        return out


def _positive(group: Group, name: str) -> int:
    value = group.get(name)
    if value is None or int(value) < 1:
        raise ValueError(f"a parameter group needs {name} of at least 1, got {dict(group)!r}")
    return int(value)


def depth_limit(max_depth: int | None) -> int:
    """Translate ``max_depth`` for the kernels."""
    return _UNLIMITED if max_depth is None else int(max_depth)
