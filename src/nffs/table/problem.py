"""From what the user gave to what is selected from: encoded rows, a target, features."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nffs import memory
from nffs._sklearn import check_sample_weight
from nffs.errors import InputError, nearest, quoted
from nffs.table.dates import are_dates_as_text
from nffs.table.encoding import Encoding, fit_encoding
from nffs.table.features import Features, Indices, Unit, features_of, varying
from nffs.table.grouped import GroupedRows
from nffs.table.missing import Missing, refuse_missing
from nffs.table.numbers import Numbers
from nffs.table.one_target import refuse_several
from nffs.table.parquet import ParquetTable
from nffs.table.reading import RawTable, RowSource, read_table
from nffs.table.sampling import Beyond, stratified_sample
from nffs.table.target import Target, read_target, target_name
from nffs.table.unfit import note_of, note_of_gaps
from nffs.table.unlabelled import read_unlabelled

#: How categories become features: one each, or one for each group of them.
CATEGORIES = ("onehot", "cluster")

#: Weights beyond it, or below its inverse, are not computed with: their squares leave float32.
_LARGEST_WEIGHT = 1e15


@dataclass(frozen=True)
class Problem:
    """What is selected from, in the table's order."""

    encoding: Encoding  # how raw columns become encoded ones, learned from all training rows
    features: Features  # all features
    usable: Indices  # those that are not constant; the others are never selected
    # (n_rows, n_columns) the encoded training rows, or a sample of them, followed by those of an
    # eval_set, and by rows without a label
    matrix: NDArray[np.float32]
    target: Target  # of the rows of `matrix` that have one, which come first
    weights: NDArray[np.float64] | None  # of the same rows
    groups: Any  # of the training rows in `matrix`
    n_evaluation: int  # how many rows of `matrix` are an eval_set's
    n_table: int  # how many training rows the table has
    beyond: Beyond | None  # training rows that are not in the sample
    grouped: tuple[GroupedRows, ...] = ()  # of the rows of `matrix`, what makes their groups
    n_given: int = 0  # how many rows without a label there are, those left out of `matrix` too
    notes: tuple[str, ...] = ()  # what the user should know of the table, in a sentence each

    @property
    def n_train(self) -> int:
        """How many rows of `matrix` are training rows."""
        return len(self.target) - self.n_evaluation

    @property
    def n_unlabelled(self) -> int:
        """How many rows of `matrix` have no label."""
        return len(self.matrix) - len(self.target)

    @classmethod
    def read(
        cls,
        X: Any,
        y: Any,
        *,
        seed: int,
        unit: Unit = "category",
        pos_label: Any = None,
        task: str = "auto",
        categories: str = "onehot",
        min_frequency: int | float | None = None,
        max_categories: int | Literal["auto"] | None = "auto",
        max_rows: int | None = None,
        missing: Missing = "indicate",
        keep_all: bool = False,
        sample_weight: Any = None,
        eval_set: Any = None,
        groups: Any = None,
        unlabelled: Any = None,
    ) -> Problem:
        """Read a table and its target, draw the sample, encode the rows.

        Parameters
        ----------
        X, y, sample_weight, eval_set, groups, unlabelled
            As `nffs.NFFS.fit` takes them.
        seed : int
            Draws the sample.
        unit, pos_label, task, categories, min_frequency, max_categories, max_rows, missing,
        keep_all
            Parameters of `nffs.NFFS`.
        """
        _check_categories(categories, min_frequency)
        grouping = categories == "cluster"
        table, target = read_training(X, y, pos_label, task)
        weights = _weights(sample_weight, target)
        encoding = fit_encoding(
            table, min_frequency=min_frequency, max_categories=max_categories,
            missing=missing, keep_all=keep_all, repeat_gaps=unit == "column",
            group_by=(target, weights) if grouping else None,
        )  # fmt: skip
        by_default = not grouping and min_frequency is None and max_categories == "auto"
        sample = None
        if max_rows is not None and max_rows < table.n_rows:
            sample = stratified_sample(target, max_rows, seed)
        n_rows = table.n_rows if sample is None else len(sample)
        _check_memory(n_rows, len(encoding.columns))
        taken = table.take(sample)
        matrix, grouped = encoding.matrix(taken), encoding.grouped(taken)
        features = features_of(encoding, unit)
        usable = np.flatnonzero(varying(matrix, features))
        if not len(usable):
            raise InputError(
                f"X: all {len(features)} feature(s) are constant; there is nothing to select from."
            )
        varies = {encoding.columns[c].column for i in usable for c in features.columns[i]}
        constant = [name for name in encoding.kinds if name not in varies]
        beyond = None
        if sample is not None:
            beyond = Beyond(table, sample, encoding, target, weights)
            target = target.take(sample)
            weights = None if weights is None else weights[sample]
            groups = None if groups is None else np.asarray(groups)[sample]
        n_evaluation = 0
        if eval_set is not None:
            X_val, y_val = _one_pair(eval_set)
            more = read_table(X_val, argument="eval_set[0]")
            if missing == "error":
                refuse_missing(more.with_gaps, more.argument)
            target = target.followed_by(y_val, argument="eval_set[1]")
            n_evaluation = len(target) - n_rows
            _check_length(n_evaluation, more, "eval_set[1]", "eval_set[0]")
            matrix, grouped = _followed_by(matrix, grouped, encoding, more)
            if weights is not None:
                weights = np.concatenate([weights, np.ones(n_evaluation)])
        n_given = 0
        if unlabelled is not None:
            new, n_given = read_unlabelled(
                unlabelled, table, target_name(y), max_rows=max_rows, seed=seed, missing=missing
            )
            matrix, grouped = _followed_by(matrix, grouped, encoding, new)
        return cls(
            encoding, features, usable, matrix, target, weights, groups, n_evaluation,
            table.n_rows, beyond, grouped, n_given,
            (
                *note_of(encoding.left_out, constant),
                *note_of_gaps(encoding.repeated_gaps),
                *(_folded(encoding) if by_default else ()),
                *_of_one_group(encoding),
                *_dates_as_text(encoding),
            ),
        )  # fmt: skip


def _followed_by(
    matrix: NDArray[np.float32],
    grouped: tuple[GroupedRows, ...],
    encoding: Encoding,
    more: RawTable,
) -> tuple[NDArray[np.float32], tuple[GroupedRows, ...]]:
    """Give encoded rows, and what makes their groups, with further rows behind them."""
    pairs = zip(grouped, encoding.grouped(more), strict=True)
    return (
        np.concatenate([matrix, encoding.matrix(more)]),
        tuple(own.followed_by(others) for own, others in pairs),
    )


def read_training(
    X: Any, y: Any, pos_label: Any = None, task: str = "auto"
) -> tuple[RowSource, Target]:
    """Read a table and its target, and check that they belong together."""
    table: RowSource = X if isinstance(X, ParquetTable) else read_table(X)
    refuse_several(y)
    target = read_target(y, pos_label=pos_label, task=task)
    _check_length(len(target), table, "y", "X")
    name = target_name(y)
    if name in table.names and _same_values(table, name, target):
        raise InputError(f"X: the target {name!r} is among the features; drop that column from X.")
    return table, target


def _same_values(table: RowSource, name: str, target: Target) -> bool:
    """Tell whether a column holds the target: it may bear the name of what it was made from."""
    found = table.column(name) if isinstance(table, ParquetTable) else table.take(None)[name].values
    values = target.decode()
    if found.dtype.kind in "iufb" and values.dtype.kind in "iufb":
        return bool(np.array_equal(found, values))
    return [str(v) for v in found.tolist()] == [str(v) for v in values.tolist()]


def _folded(encoding: Encoding) -> list[str]:
    """Say in which columns rare categories were folded, for those who did not ask for it."""
    return [
        f"X: {column.column!r} has many categories; the {len(column.members)} rarest are merged "
        "into one feature. Set min_frequency or max_categories to merge more or fewer."
        for column in encoding.columns
        if len(column.members) > 1
    ]


def _of_one_group(encoding: Encoding) -> list[str]:
    """Name the columns whose categories are all in one group, which is no feature to choose."""
    found = [
        name
        for name, own in encoding.groups.items()
        if own.grouping.n_groups == 1 and len(own.categories) > 1
    ]
    if not found:
        return []
    return [
        f"X: all categories are in one group: {quoted(found)}; on its own, such a column tells "
        "nothing about the target that holds for other rows. categories='onehot' keeps them apart."
    ]


def _dates_as_text(encoding: Encoding) -> list[str]:
    """Name the columns whose categories are dates, which cannot be told from a text column."""
    strings: dict[str, list[str | None]] = {}
    for column in encoding.columns:
        if column.kind == "categorical":
            strings.setdefault(column.column, []).extend(column.members)
    found = [name for name, members in strings.items() if are_dates_as_text(members)]
    if not found:
        return []
    return [
        f"X: dates written as text: {quoted(found)}; each date is a category. Convert them to "
        "dates to make features of days, weekdays, months and hours."
    ]


def _check_categories(categories: str, min_frequency: int | float | None) -> None:
    if categories not in CATEGORIES:
        raise InputError(
            f"categories: {categories!r} is unknown;{nearest(str(categories), CATEGORIES)} choose "
            f"one of {quoted(CATEGORIES)}."
        )
    if categories == "cluster" and min_frequency is not None:
        raise InputError(
            f"min_frequency: {min_frequency!r} merges the rare categories of categories='onehot', "
            "but 'cluster' groups all of them by itself; leave it out."
        )


def _one_pair(eval_set: Any) -> tuple[Any, Any]:
    # XGBoost and LightGBM take a list of pairs; one pair in a list means the same here.
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]
    if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
        raise InputError("eval_set: give one pair (X_val, y_val).")
    return eval_set[0], eval_set[1]


def _weights(sample_weight: Any, target: Target) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights: NDArray[np.float64] = check_sample_weight(
        sample_weight, np.empty((len(target), 0)), dtype=np.float64, ensure_non_negative=True
    )
    largest = float(weights.max())
    if not 1 / _LARGEST_WEIGHT <= largest <= _LARGEST_WEIGHT:
        size = "large" if largest > 1 else "small"
        raise InputError(
            f"sample_weight: the largest weight is {largest:.3g}, too {size} to compute with; "
            "divide the weights by their mean."
        )
    counted = np.bincount(target.strata, weights, minlength=target.n_strata)
    lost = counted.sum() + counted == counted.sum()  # also those so small that rounding erases them
    erased = [] if isinstance(target, Numbers) else list(compress(target.classes, lost))
    if named := quoted(erased):
        raise InputError(
            f"sample_weight: all rows of class(es) {named} have weight 0, or next to it, so that "
            "nothing can be learned of them; drop those rows or give them weight."
        )
    return weights + 0.0  # makes 0.0 of -0.0, which is equal and has other bits


def _check_memory(n_rows: int, n_columns: int) -> None:
    """Refuse a table whose encoded rows, and one copy of them, do not fit."""
    need, there = 8 * n_rows * n_columns, memory.available_memory()
    memory.refuse_large(
        "max_rows",
        f"encoding {n_rows} rows into {n_columns} columns",
        need,
        there,
        [f"max_rows={memory.rounded_down(n_rows * there // max(1, need))}"],
    )


def _check_length(n_labels: int, table: RowSource, target_name: str, table_name: str) -> None:
    if n_labels != table.n_rows:
        raise InputError(
            f"{target_name}: has {n_labels} labels but {table_name} has {table.n_rows} "
            "rows (inconsistent numbers of samples); give one label for every row."
        )
