"""What every feature does for a forest: how much its splits part the classes, or the numbers.

Every training row is sent down every tree, those that the tree did not grow on too. A split by
noise parts only the rows that it was made from; with the others among them it is worth less.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs._numba import kernel
from nffs.fitness.forest.kernels.records import NODE
from nffs.fitness.forest.tree import Tree


def add_importance(
    tree: Tree,
    Z: NDArray[np.float32],
    y: NDArray[np.intp],
    weights: NDArray[np.float64],
    n_classes: int,
    out: NDArray[np.float64],
) -> None:
    """Add, for every feature, the impurity that its splits in a tree take away.

    Parameters
    ----------
    tree : Tree
        The tree.
    Z, y, weights : (n_rows, n_features) float32, (n_rows,) int, (n_rows,) float
        Rows, their classes and weights.
    n_classes : int
        Number of classes.
    out : (n_features,) float
        What is added to.
    """
    nodes = tree.nodes.view(NODE)[:, 0]
    counts = np.zeros((len(nodes), n_classes))
    _count(nodes["feature"], nodes["left"], nodes["threshold"], Z, y, weights, counts)
    _add(nodes["feature"], nodes["left"], counts, out)


def add_variance_importance(
    tree: Tree,
    Z: NDArray[np.float32],
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Add, for every feature, the variance that its splits in a tree take away.

    Parameters
    ----------
    tree : Tree
        The tree.
    Z, y, weights : (n_rows, n_features) float32, (n_rows,) float, (n_rows,) float
        Rows, their numbers and weights.
    out : (n_features,) float
        What is added to.
    """
    nodes = tree.nodes.view(NODE)[:, 0]
    sums = np.zeros((len(nodes), 2))
    centred = y - np.average(y, weights=weights)
    _sum(nodes["feature"], nodes["left"], nodes["threshold"], Z, centred, weights, sums)
    _add_variance(nodes["feature"], nodes["left"], sums, out)


@kernel
def _sum(feature, left, threshold, Z, y, weights, sums):
    """Add up the weights and the weighted numbers of the rows in every node."""
    for i in range(len(Z)):
        node, weight, number = 0, weights[i], weights[i] * y[i]
        sums[0, 0] += weight
        sums[0, 1] += number
        while left[node] != node:
            node = left[node] + (Z[i, feature[node]] > threshold[node])
            sums[node, 0] += weight
            sums[node, 1] += number


@kernel
def _add_variance(feature, left, sums, out):
    """Add what every split takes away of the variance, times its rows."""
    for node in range(len(sums)):
        below = left[node]
        if below == node:
            continue
        out[feature[node]] += _explained(sums[below]) + _explained(sums[below + 1])
        out[feature[node]] -= _explained(sums[node])


@kernel
def _explained(sums):
    """Rows times their squared mean: their squares minus their variance."""
    return sums[1] * sums[1] / sums[0] if sums[0] > 0.0 else 0.0


@kernel
def _count(feature, left, threshold, Z, y, weights, counts):
    """Count the rows of every class in every node."""
    for i in range(len(Z)):
        node = 0
        counts[0, y[i]] += weights[i]
        while left[node] != node:
            node = left[node] + (Z[i, feature[node]] > threshold[node])
            counts[node, y[i]] += weights[i]


@kernel
def _add(feature, left, counts, out):
    """Add what every split takes away of the Gini impurity, times its rows."""
    for node in range(len(counts)):
        below = left[node]
        if below == node:
            continue
        out[feature[node]] += _order(counts[below]) + _order(counts[below + 1])
        out[feature[node]] -= _order(counts[node])


@kernel
def _order(counts):
    """Rows times the sum of squared class shares: the rows minus their impurity."""
    total, squares = 0.0, 0.0
    for count in counts:
        total += count
        squares += count * count
    return squares / total if total > 0.0 else 0.0
