"""From what the user gave to what a search needs: encoded rows, splits, varying features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from nffs.errors import InputError
from nffs.fitness.memory import check_memory
from nffs.fitness.splits import SplitRows, cv_splits, eval_split
from nffs.randomness import derive_seed
from nffs.table.encoding import Encoding, fit_encoding
from nffs.table.features import Features, Indices, Unit, features_of, varying
from nffs.table.parquet import ParquetTable
from nffs.table.reading import RowSource, read_table
from nffs.table.sampling import Beyond, stratified_sample
from nffs.table.target import Labels, label_name, read_labels, read_labels_like


@dataclass(frozen=True)
class Problem:
    """What is to be selected from.

    Attributes
    ----------
    encoding : Encoding
        How raw columns become encoded ones.
    features : Features
        All features, in the table's order.
    usable : int array
        Those that are not constant; the others are never selected.
    beyond : Beyond or None
        Training rows that are not among those that judge, and may tell something all the same.
    """

    encoding: Encoding
    features: Features
    usable: Indices
    beyond: Beyond | None = None


def read_training(X: Any, y: Any, pos_label: Any) -> tuple[RowSource, Labels]:
    """Read the table and its labels and check that they belong together."""
    table: RowSource = X if isinstance(X, ParquetTable) else read_table(X)
    labels = read_labels(y, pos_label=pos_label)
    _check_length(labels, table, "y", "X")
    name = label_name(y)
    if name in table.names:
        raise InputError(f"X: the target {name!r} is among the features; drop that column from X.")
    return table, labels


def state_problem(
    table: RowSource,
    labels: Labels,
    *,
    unit: Unit,
    min_frequency: int | float | None,
    max_categories: int | None,
    cv: Any,
    sample_weight: Any,
    eval_set: Any,
    groups: Any,
    seed: int,
    max_rows: int | None = None,
) -> tuple[Problem, SplitRows]:
    """Encode the rows and decide which of them judge."""
    encoding = fit_encoding(table, min_frequency=min_frequency, max_categories=max_categories)
    weights = _weights(sample_weight, table.n_rows)
    sample = _sample(labels, max_rows, cv, eval_set, seed)
    n_rows = table.n_rows if sample is None else len(sample)
    check_memory(n_rows, len(encoding.columns))
    matrix = encoding.matrix(table.take(sample))
    features = features_of(encoding, unit)
    usable = np.flatnonzero(varying(matrix, features))
    if not len(usable):
        raise InputError(
            f"X: all {len(features)} feature(s) are constant; there is nothing to select from."
        )
    problem = Problem(encoding, features, usable)
    if sample is not None:
        if eval_set is not None or isinstance(cv, int):
            # Other splitters part rows by group or time: one beyond may belong with the judging.
            beyond = Beyond(table, sample, encoding, labels, weights)
            problem = replace(problem, beyond=beyond)
        labels = labels.take(sample)
        weights = None if weights is None else weights[sample]
        groups = None if groups is None else np.asarray(groups)[sample]
    if eval_set is not None:
        return problem, _with_eval_set(matrix, labels, weights, encoding, eval_set)
    splits, told = cv_splits(cv, labels, groups, derive_seed(seed, "folds"))
    if sample is not None:
        sampled = f"a stratified sample of {n_rows} of the {table.n_rows} training rows"
        told = told.replace("the training rows", sampled)
    return problem, SplitRows(matrix, labels, weights, splits, told)


def _sample(
    labels: Labels, max_rows: int | None, cv: Any, eval_set: Any, seed: int
) -> Indices | None:
    """Draw the rows that judge, or train for an eval_set, if all would be too many."""
    if max_rows is None or max_rows >= len(labels.codes):
        return None
    if eval_set is None and not isinstance(cv, int) and not hasattr(cv, "split"):
        raise InputError(
            "max_rows: cv names rows of the whole table, of which only a sample judges; give a "
            "number of folds or a splitter."
        )
    return stratified_sample(labels, max_rows, seed)


def _with_eval_set(
    matrix: NDArray[np.float32],
    labels: Labels,
    weights: NDArray[np.float64] | None,
    encoding: Encoding,
    eval_set: Any,
) -> SplitRows:
    X_val, y_val = _one_pair(eval_set)
    table = read_table(X_val, argument="eval_set[0]")
    judge_labels = read_labels_like(y_val, labels, argument="eval_set[1]")
    _check_length(judge_labels, table, "eval_set[1]", "eval_set[0]")
    judge = encoding.matrix(table)
    splits, told = eval_split(len(matrix), len(judge))
    both = Labels(np.concatenate([labels.codes, judge_labels.codes]), labels.classes)
    if weights is not None:
        weights = np.concatenate([weights, np.ones(len(judge))])
    return SplitRows(np.concatenate([matrix, judge]), both, weights, splits, told)


def _one_pair(eval_set: Any) -> tuple[Any, Any]:
    # XGBoost and LightGBM take a list of pairs; one pair in a list means the same here.
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]
    if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
        raise InputError("eval_set: give one pair (X_val, y_val).")
    return eval_set[0], eval_set[1]


def _weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights: NDArray[np.float64] = _check_sample_weight(
        sample_weight, np.empty((n_rows, 0)), dtype=np.float64, ensure_non_negative=True
    )
    return weights


def _check_length(labels: Labels, table: RowSource, labels_name: str, table_name: str) -> None:
    if len(labels.codes) != table.n_rows:
        raise InputError(
            f"{labels_name}: has {len(labels.codes)} labels but {table_name} has {table.n_rows} "
            "rows (inconsistent numbers of samples); give one label for every row."
        )
