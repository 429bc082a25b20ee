"""Scoring a split: where Gini impurity is least, the sum of squared class counts is largest.

Of both sides together it is ``sl / nl + sr / nr``, with ``s`` the squares and ``n`` the rows. It is
kept as a fraction, so that nothing is divided.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs.fitness.forest.kernels.steps import step


@step
def score(squares_left, squares_right, n_left, n_right):
    """Give the score of a split as two numbers to be divided."""
    left, right = np.float64(n_left), np.float64(n_right)
    gain = np.float64(squares_left) * right + np.float64(squares_right) * left
    return gain, left * right


@step
def squares(left, total):
    """Give the sums of squared class counts on both sides."""
    on_left, on_right = 0, 0
    for c in range(len(total)):
        here, there = left[c], total[c] - left[c]
        on_left += here * here
        on_right += there * there
    return on_left, on_right


@step
def offer(split, best, left, total, n_left, n, feature, lower, upper):
    """Replace the split if the one on offer is better: strictly, the first of equals is kept."""
    on_left, on_right = squares(left, total)
    gain, weight = score(on_left, on_right, n_left, n - n_left)
    if gain * split.weight > split.gain * weight:
        split.gain, split.weight, split.feature = gain, weight, feature
        split.lower, split.upper, split.n_left, split.is_exact = lower, upper, n_left, True
        keep(best, left)


@step
def keep(target, counts):
    """Copy class counts."""
    for c in range(len(counts)):
        target[c] = counts[c]
