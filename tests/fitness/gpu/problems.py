"""Small splits for the GPU's tests, and either engine on them."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_classification

from nffs.fitness import Split, SplitRows, resolve_scoring
from nffs.fitness.forest.engine import ColumnForests, ComponentForests
from nffs.fitness.gpu.engine import GpuColumns, GpuComponents
from nffs.table.target import read_target

GROUPS = [
    {"n_estimators": 3, "max_depth": 2},
    {"n_estimators": 5, "max_depth": None},
    {"n_estimators": 4, "max_depth": 5},
]


def split_of(X, y, n, weights=None):
    """The first rows train, the others are evaluated."""
    split = Split(np.arange(n), np.arange(n, len(X)))
    X = np.ascontiguousarray(X, dtype=np.float32)
    return SplitRows(X, read_target(np.asarray(y)), weights, [split], "the others")


def continuous(n=1900, d=10, seed=0):
    X, y = make_classification(
        n, d, n_informative=d // 2, n_redundant=1, flip_y=0.1, random_state=seed
    )
    return split_of(X, y, n * 3 // 4)


def few_values(n=1900, d=10, seed=0):
    """Columns of few values, so that every value has a bin; some are 0 and 1, one is constant."""
    X, y = make_classification(
        n, d, n_informative=d // 2, n_redundant=1, flip_y=0.1, random_state=seed
    )
    X = np.round(2 * X)
    X[:, ::3] = X[:, ::3] > 0
    X[:, 1] = 7.0
    return split_of(X, y, n * 3 // 4)


def drawn(rows, n=3, seed=0):
    masks = np.random.default_rng(seed).random((n, rows.matrix.shape[1])) < 0.5
    masks[:, 0] |= ~masks.any(axis=1)
    return masks


def on_device(rows, device, groups=GROUPS, pca=0.93, scoring="f1"):
    scoring = resolve_scoring(scoring, rows.target)
    return GpuComponents(groups, scoring, pca, device).prepare(rows, rows.splits[0])


def columns_on_device(rows, device, groups=GROUPS, scoring="f1"):
    scoring = resolve_scoring(scoring, rows.target)
    return GpuColumns(groups, scoring, device).prepare(rows, rows.splits[0])


def on_cpu(rows, groups=GROUPS, pca=0.93, scoring="f1"):
    scoring = resolve_scoring(scoring, rows.target)
    return ComponentForests(groups, scoring, pca).prepare(rows, rows.splits[0])


def binned_columns(rows, groups=GROUPS, scoring="f1"):
    """The CPU's forest on columns by bins, which is the one that the GPU repeats."""
    engine = ColumnForests(groups, resolve_scoring(scoring, rows.target))
    return super(ColumnForests, engine).prepare(rows, rows.splits[0])


def probabilities(scorer, masks, seeds):
    """What the CPU's forests predict: subsets, groups, rows, classes."""
    return np.array(
        [
            scorer.subset(mask).probabilities(scorer.groups, seed)
            for mask, seed in zip(masks, seeds, strict=True)
        ]
    )
