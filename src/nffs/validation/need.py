"""How much memory the usual models take, so that it can be announced."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

# scikit-learn's boosting counts into 256 bins of 20 bytes for every column of a node, and keeps the
# counts of nodes that may still be split: at most 31, and of twice the rows that a leaf needs. Of
# n rows, there were no more at a time than n / 44 and 0.55 sqrt(n), wherever it was measured.
_BINS, _LEAVES, _SPLIT_ROWS, _OPEN = 20 * 256, 31, 44, 0.55

# Its forest of 100 trees, grown to the end: nodes for every row, and bytes for every node.
_TREES, _NODES, _NODE, _LABEL = 100, 1.28, 64, 8

# Bytes of a cell: a model's columns and scikit-learn's own copy, in boosting with its bins, in
# linear models as float64, standardised.
_CELL, _BINNED, _LINEAR = 8, 13, 24


def models_memory(
    n_train: int, n_unseen: int, n_columns: Sequence[int], n_labels: int, n_threads: int
) -> int:
    """Bound the bytes of training the usual models, in their order, with numbers of columns.

    >>> models_memory(400, 100, (30, 5000), n_labels=2, n_threads=2) >> 20
    252
    """
    n_rows, splittable = n_train + n_unseen, min(n_train / _SPLIT_ROWS, _OPEN * sqrt(n_train))
    open_nodes = int(max(2, min(_LEAVES, splittable)))
    nodes = _TREES * int(_NODES * n_train) * (_NODE + _LABEL * n_labels)
    forests = [nodes + _CELL * n_rows * n for n in n_columns]
    boosting = [(_BINS * open_nodes + _BINNED * n_rows) * n for n in n_columns]
    linear = [_LINEAR * n_rows * n for n in n_columns]
    needs = [*forests, *boosting, *linear]
    return max(sum(needs[first : first + n_threads]) for first in range(len(needs)))
