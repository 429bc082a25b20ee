"""From what the user gave to what a search needs: encoded rows, splits, varying features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from nffs.encoding import Encoding, fit_encoding
from nffs.errors import InputError
from nffs.features import Features, Indices, Unit, features_of, varying
from nffs.fitness.splits import JudgedRows, cv_splits, eval_split
from nffs.labels import Labels, label_name, read_labels, read_labels_like
from nffs.randomness import derive_seed
from nffs.tabular import RawTable, read_table


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
    """

    encoding: Encoding
    features: Features
    usable: Indices


def read_training(X: Any, y: Any, pos_label: Any) -> tuple[RawTable, Labels]:
    """Read the table and its labels and check that they belong together."""
    table = read_table(X)
    labels = read_labels(y, pos_label=pos_label)
    _check_length(labels, table, "y", "X")
    name = label_name(y)
    if name in table.names:
        raise InputError(f"X: the target {name!r} is among the features; drop that column from X.")
    return table, labels


def state_problem(
    table: RawTable,
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
) -> tuple[Problem, JudgedRows]:
    """Encode the rows and decide which of them judge."""
    encoding = fit_encoding(table, min_frequency=min_frequency, max_categories=max_categories)
    matrix = encoding.matrix(table)
    features = features_of(encoding, unit)
    usable = np.flatnonzero(varying(matrix, features))
    if not len(usable):
        raise InputError(
            f"X: all {len(features)} feature(s) are constant; there is nothing to select from."
        )
    problem = Problem(encoding, features, usable)
    weights = _weights(sample_weight, matrix)
    if eval_set is not None:
        return problem, _with_eval_set(matrix, labels, weights, encoding, eval_set)
    splits, told = cv_splits(cv, labels, groups, derive_seed(seed, "folds"))
    return problem, JudgedRows(matrix, labels, weights, splits, told)


def _with_eval_set(
    matrix: NDArray[np.float32],
    labels: Labels,
    weights: NDArray[np.float64] | None,
    encoding: Encoding,
    eval_set: Any,
) -> JudgedRows:
    X_val, y_val = _one_pair(eval_set)
    table = read_table(X_val, argument="eval_set[0]")
    judge_labels = read_labels_like(y_val, labels, argument="eval_set[1]")
    _check_length(judge_labels, table, "eval_set[1]", "eval_set[0]")
    judge = encoding.matrix(table)
    splits, told = eval_split(len(matrix), len(judge))
    both = Labels(np.concatenate([labels.codes, judge_labels.codes]), labels.classes)
    if weights is not None:
        weights = np.concatenate([weights, np.ones(len(judge))])
    return JudgedRows(np.concatenate([matrix, judge]), both, weights, splits, told)


def _one_pair(eval_set: Any) -> tuple[Any, Any]:
    # XGBoost and LightGBM take a list of pairs; one pair in a list means the same here.
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]
    if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
        raise InputError("eval_set: give one pair (X_val, y_val).")
    return eval_set[0], eval_set[1]


def _weights(sample_weight: Any, matrix: NDArray[np.float32]) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights: NDArray[np.float64] = _check_sample_weight(
        sample_weight, matrix, dtype=np.float64, ensure_non_negative=True
    )
    return weights


def _check_length(labels: Labels, table: RawTable, labels_name: str, table_name: str) -> None:
    if len(labels.codes) != table.n_rows:
        raise InputError(
            f"{labels_name}: has {len(labels.codes)} labels but {table_name} has {table.n_rows} "
            "rows (inconsistent numbers of samples); give one label for every row."
        )
