"""Which columns moved between two tables: old rows against new ones, column by column."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from nffs.fitness import (
    MOVED_LEVEL,
    Newness,
    chance,
    effective_size,
    feature_codes,
    newness_alone,
    newness_of,
)
from nffs.randomness import seed_of
from nffs.report.inline import InlinePage
from nffs.table.paired import PairedColumn, paired, side_by_side
from nffs.table.reading import RawTable, read_table

#: Categories that are named of those that are new, and of those that are gone.
NAMED = 5


@dataclass(frozen=True)
class Categories:
    """Categories that only one of the two tables has.

    Attributes
    ----------
    n : int
        How many.
    share : float
        Their share of that table's rows.
    most : tuple of str
        The most frequent of them.
    """

    n: int
    share: float
    most: tuple[str, ...]


@dataclass(frozen=True)
class ColumnShift:
    """How one column differs between old and new rows.

    Attributes
    ----------
    name, kind : str
        The column, and what it holds: numeric, boolean, categorical, datetime or duration.
    auc : float
        How well it alone tells old rows from new ones: 0.5 not at all, 1 entirely.
    moved : bool
        Whether that is more than chance explains.
    missing : (float, float)
        The share of the rows where it is missing: first of the old rows, then of the new ones, as
        in the other pairs.
    median : (float, float), (str, str) or None
        Of numbers, and of dates as text; None where nothing was observed.
    mean : (float, float) or None
        Of numbers; of booleans the share that is true.
    category : (str, float, float) or None
        Of categories, the one whose share of the rows changed most, and its two shares.
    added, gone : Categories or None
        Categories that only new rows have, and those that only old rows have.
    kinds : (str, str)
        What the column holds in either table.
    """

    name: str
    kind: str
    auc: float
    moved: bool
    missing: tuple[float, float]
    median: tuple[float | str, float | str] | None
    mean: tuple[float, float] | None
    category: tuple[str, float, float] | None
    added: Categories | None
    gone: Categories | None
    kinds: tuple[str, str]


@dataclass(frozen=True)
class Shift:
    """What `shift` found.

    Attributes
    ----------
    auc : float
        How well a classifier of all columns tells old rows from new ones, on rows of folds that it
        was not trained on: 0.5 not at all, 1 entirely.
    told_apart : bool
        Whether that is more than chance explains.
    n_old, n_new : int
        The rows.
    n_like_new : float
        How many old rows would be left, in effect, if they were weighted to look like the new
        ones.
    columns : tuple of ColumnShift
        The columns that both tables have, the one that moved most first.
    only_old, only_new : tuple of str
        Columns that only one of the tables has.
    """

    auc: float
    told_apart: bool
    n_old: int
    n_new: int
    n_like_new: float
    columns: tuple[ColumnShift, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]

    @property
    def moved(self) -> tuple[str, ...]:
        """The columns that moved more than chance explains, the one that moved most first."""
        return tuple(column.name for column in self.columns if column.moved)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data, for JSON."""
        return {**asdict(self), "moved": list(self.moved)}

    def report(self) -> InlinePage:
        """Give it as a page: the last line of a notebook's cell shows it inline."""
        from nffs.validation.shift_page import render_shift

        return InlinePage(render_shift(self), "nffs shift")

    def write_report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page: one file that opens offline."""
        self.report().save(path)


def shift(X: Any, X_new: Any, *, random_state: Any = 0) -> Shift:
    """Say which columns moved between the rows that you have and new ones.

    How well does each column alone tell old rows from new ones, and how well does a classifier that
    uses all columns? This is measured by cross-validation, on rows that were not learned from. A
    selection learns from the old rows; where columns moved, its score need not hold on the new
    ones.

    Parameters
    ----------
    X : table
        The old rows, such as those to train on, without the target: pandas, polars or pyarrow
        frame, array, sparse matrix or nested lists.
    X_new : table
        The new rows. Columns are paired by name, those of arrays by position.
    random_state : int, RandomState or None, default=0
        Draws the folds.

    Returns
    -------
    Shift
        What moved, column by column.

    Examples
    --------
    >>> import numpy as np, pandas as pd, nffs
    >>> rng = np.random.default_rng(0)
    >>> old = pd.DataFrame({"age": rng.normal(40, 9, 400), "size": rng.normal(0, 1, 400)})
    >>> new = pd.DataFrame({"age": rng.normal(60, 9, 200), "size": rng.normal(0, 1, 200)})
    >>> found = nffs.shift(old, new)
    >>> found.moved, found.columns[0].auc > 0.8
    (('age',), True)
    """
    old, new = read_table(X), read_table(X_new, argument="X_new")
    columns = paired(old, new)
    all_codes = side_by_side(columns)
    like = newness_of(all_codes, old.n_rows, seed_of(random_state))
    alone = [_alone(column, like) for column in columns]
    error = chance(old.n_rows, new.n_rows)
    least = 0.5 + error * float(norm.ppf(1 - MOVED_LEVEL / len(columns)))
    found = [
        _column(column, score, score > least) for column, score in zip(columns, alone, strict=True)
    ]
    order = sorted(range(len(found)), key=lambda i: -found[i].auc)
    return Shift(
        auc=like.auc,
        told_apart=like.told_apart,
        n_old=old.n_rows,
        n_new=new.n_rows,
        n_like_new=effective_size(like.weights()),
        columns=tuple(found[i] for i in order),
        only_old=_without(old, new),
        only_new=_without(new, old),
    )


def _alone(column: PairedColumn, like: Newness) -> float:
    codes = column.codes + 1  # missing is a value like any other
    if column.kind != "categorical":
        codes = feature_codes(codes.astype(np.float32)[:, None])
    return newness_alone(codes, like)


def _without(table: RawTable, other: RawTable) -> tuple[str, ...]:
    there = set(other.names)
    return tuple(name for name in table.names if name not in there)


def _column(column: PairedColumn, auc: float, moved: bool) -> ColumnShift:
    n_old = len(column.old)
    parts = column.codes[:n_old], column.codes[n_old:]
    missing = [float((part < 0).mean()) for part in parts]
    median, mean, category, added, gone = None, None, None, None, None
    if column.kind == "categorical":
        old, new = (np.bincount(p[p >= 0], minlength=len(column.values)) for p in parts)
        category = _most_changed(column, old / n_old, new / len(parts[1]))
        added = _only(column, new, old, len(parts[1]))
        gone = _only(column, old, new, n_old)
    elif all(m < 1 for m in missing):
        observed = [part[part >= 0] for part in parts]
        median = _median(column, observed[0]), _median(column, observed[1])
        if column.kind != "datetime":
            first, second = (float(column.values[codes].mean()) for codes in observed)
            mean = first, second
    return ColumnShift(
        column.name, column.kind, auc, moved, (missing[0], missing[1]), median, mean, category,
        added, gone, column.kinds,
    )  # fmt: skip


def _median(column: PairedColumn, codes: NDArray[np.intp]) -> float | str:
    """Give the median, of which there are two the lower."""
    value = column.values[np.sort(codes)[(len(codes) - 1) // 2]]
    return str(value)[:19] if column.kind == "datetime" else float(value)


def _most_changed(
    column: PairedColumn, old: NDArray[np.float64], new: NDArray[np.float64]
) -> tuple[str, float, float] | None:
    if not len(old):
        return None
    place = int(np.abs(new - old).argmax())
    return str(column.values[place]), float(old[place]), float(new[place])


def _only(
    column: PairedColumn, here: NDArray[np.intp], there: NDArray[np.intp], n_rows: int
) -> Categories | None:
    """Name the categories that one table has and the other has not."""
    own = np.flatnonzero((here > 0) & (there == 0))
    if not len(own):
        return None
    order = own[np.argsort(-here[own], kind="stable")]
    most = tuple(str(value) for value in column.values[order[:NAMED]])
    return Categories(len(own), float(here[own].sum() / n_rows), most)
