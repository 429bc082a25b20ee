"""Any table in, the same kind of table out.

The rest of the package sees a `RawTable`: named columns, each numeric, boolean or categorical,
checked for what cannot be used. pandas, polars and pyarrow come in through narwhals, arrays and
lists through NumPy, sparse matrices through `nffs.table.sparse`.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from nffs.errors import InputError, quoted

Kind = Literal["numeric", "boolean", "categorical"]
Indices = NDArray[np.intp]

#: Rows in a block.
BLOCK = 65536


@dataclass(frozen=True)
class RawColumn:
    """One column as it came.

    Numeric and boolean values keep their dtype; categorical ones are an object array of strings,
    None where missing.
    """

    name: str
    kind: Kind
    values: NDArray[Any]


@dataclass(frozen=True)
class RawTable:
    """The columns of a table, in its order."""

    columns: Sequence[RawColumn]
    n_rows: int

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    def __getitem__(self, name: str) -> RawColumn:
        return next(column for column in self.columns if column.name == name)

    def blocks(self, doing: str) -> Iterator[RawTable]:
        """Give all rows in blocks, without copying them; nobody waits for that."""
        for start in range(0, self.n_rows, BLOCK):
            yield self._rows(slice(start, start + BLOCK))

    def take(self, rows: Indices | None) -> RawTable:
        """Give some rows, by their sorted numbers, or the table itself."""
        return self if rows is None else self._rows(rows)

    def _rows(self, rows: slice | Indices) -> RawTable:
        columns = tuple(replace(column, values=column.values[rows]) for column in self.columns)
        return RawTable(columns, len(columns[0].values))


class RowSource(Protocol):
    """Rows in memory or in a file: as often as they are asked for, always in the same blocks.

    What is summed over blocks has the same bits wherever the rows are.
    """

    @property
    def n_rows(self) -> int:
        """How many there are."""
        ...

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        ...

    def blocks(self, doing: str) -> Iterator[RawTable]:
        """Give all rows; ``doing`` is logged for people who wait."""
        ...

    def take(self, rows: Indices | None) -> RawTable:
        """Give some rows, by their sorted numbers, or all of them."""
        ...


def is_frame(X: Any) -> bool:
    """Tell whether narwhals knows X as a data frame."""
    return bool(nw.dependencies.is_into_dataframe(X))


def read_table(X: Any, *, argument: str = "X", only: Collection[str] | None = None) -> RawTable:
    """Read a frame, an array, a sparse matrix or nested lists into named, typed columns."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise InputError(f"{argument}: found a lazy frame; call its collect() first.")
    read = _read_frame if is_frame(X) else _read_sparse if issparse(X) else _read_array
    table = read(X, argument, only)
    _refuse_missing(table, argument)
    return table


def _read_frame(X: Any, argument: str, only: Collection[str] | None) -> RawTable:
    names = list(getattr(X, "column_names", X.columns))
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{argument}: duplicate column names {quoted(twice)}; give every column its own name."
        )
    if not names:
        raise InputError(f"{argument}: found no feature column (0 feature(s)); give at least one.")
    frame = nw.from_native(X, eager_only=True)
    if len(frame) == 0:
        raise InputError(
            f"{argument}: found 0 sample(s), while a minimum of 1 is "
            "required; give a table with rows."
        )
    labels = names if all(isinstance(n, str) for n in names) else _positional_names(len(names))
    # By position: pandas allows columns named by integers, which no frame library looks up alike.
    # One after the other: to look a column up takes longer the more there are.
    columns = [
        _read_series(series, label, argument)
        for label, series in zip(labels, frame.iter_columns(), strict=True)
        if only is None or label in only
    ]
    return RawTable(tuple(columns), len(frame))


def _positional_names(n: int) -> list[str]:
    return [f"x{i}" for i in range(n)]


def _read_series(series: nw.Series[Any], name: str, argument: str) -> RawColumn:
    dtype = series.dtype
    if dtype.is_numeric():
        if series.null_count():
            # Refused with the other missing values, all columns at once.
            return RawColumn(name, "numeric", series.cast(nw.Float64).to_numpy())
        values = series.to_numpy()
        if values.dtype == object:
            values = series.cast(nw.Float64).to_numpy()
        return RawColumn(name, "numeric", values)
    if dtype == nw.Boolean and not series.null_count():
        return RawColumn(name, "boolean", series.to_numpy().astype(np.bool_))
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        missing = series.is_null().to_numpy()
        return RawColumn(name, "categorical", _as_strings(series.to_list(), missing))
    if dtype in (nw.Object, nw.Boolean):
        return _read_objects(name, series.to_list(), argument)
    raise InputError(
        f"{argument}: column {name!r} has type {dtype}, which is neither numeric, boolean nor "
        "categorical; convert it (a date to a number, say) or drop it."
    )


def _read_array(X: Any, argument: str, only: Collection[str] | None) -> RawTable:
    if isinstance(X, list | tuple):
        # Through objects: NumPy would turn [["a", 1.5]] into strings.
        X = np.array(X, dtype=object)
    array = check_array(X, dtype=None, ensure_all_finite=False, input_name=argument)
    names = _positional_names(array.shape[1])
    wanted = [(i, n) for i, n in enumerate(names) if only is None or n in only]
    if array.dtype.kind in "iuf":
        columns = [RawColumn(n, "numeric", array[:, i]) for i, n in wanted]
    elif array.dtype.kind == "b":
        columns = [RawColumn(n, "boolean", array[:, i]) for i, n in wanted]
    elif array.dtype.kind in "OUST":
        columns = [_read_objects(n, array[:, i].tolist(), argument) for i, n in wanted]
    else:
        raise InputError(
            f"{argument}: arrays of type {array.dtype} cannot be used; convert the dates or "
            "durations to numbers."
        )
    return RawTable(tuple(columns), len(array))


def _read_sparse(X: Any, argument: str, only: Collection[str] | None) -> RawTable:
    from nffs.table.sparse import read_sparse  # which builds on the tables of this module

    return read_sparse(X, argument, only)


def _read_objects(name: str, values: Sequence[Any], argument: str) -> RawColumn:
    """Tell the kind of a column of Python objects by its values."""
    missing = np.fromiter((_is_missing(v) for v in values), dtype=np.bool_, count=len(values))
    kinds = {_kind_of(v) for v, gone in zip(values, missing, strict=True) if not gone}
    if kinds == {"categorical"}:
        return RawColumn(name, "categorical", _as_strings(values, missing))
    if kinds == {"boolean"} and not missing.any():
        return RawColumn(name, "boolean", np.array(values, dtype=np.bool_))
    if kinds <= {"numeric"}:
        floats = [np.nan if gone else float(v) for v, gone in zip(values, missing, strict=True)]
        return RawColumn(name, "numeric", np.array(floats))
    found = {type(v).__name__ for v in values}
    raise InputError(
        f"{argument}: column {name!r} mixes types ({', '.join(sorted(found))}); make it all "
        "numbers, all booleans or all strings."
    )


def _is_missing(value: Any) -> bool:
    # pandas' NA is not equal to itself either, but refuses to say so as a bool.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _kind_of(value: Any) -> str:
    if isinstance(value, str | bytes):
        return "categorical"
    if isinstance(value, bool | np.bool_):
        return "boolean"
    return "numeric" if isinstance(value, numbers.Real) else "other"


def _as_strings(values: Sequence[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = [None if gone else str(v) for v, gone in zip(values, missing, strict=True)]
    return out


def _refuse_missing(table: RawTable, argument: str) -> None:
    gone, infinite, large = [], [], []
    for column in table.columns:
        if column.kind != "numeric" or column.values.dtype.kind != "f":
            continue
        low, high = column.values.min(), column.values.max()
        if np.isnan(low):
            gone.append(column.name)
        elif np.isinf(low) or np.isinf(high):
            infinite.append(column.name)
        elif max(-low, high) > np.finfo(np.float32).max:
            large.append(column.name)
    if gone:
        raise InputError(
            f"{argument}: missing values (NaN) in numeric columns {quoted(gone)}; impute them "
            "(scikit-learn's SimpleImputer, say) or drop the rows."
        )
    if infinite:
        raise InputError(
            f"{argument}: infinite values (inf) in numeric columns {quoted(infinite)}; replace "
            "or drop them."
        )
    if large:
        raise InputError(
            f"{argument}: values too large for float32 in columns {quoted(large)}; rescale them."
        )


def frame_like(X: Any, columns: Sequence[tuple[str, int | NDArray[np.uint8]]]) -> Any:
    """Build a frame of X's kind from named columns: X's own, by position, or indicators."""
    frame = nw.from_native(X, eager_only=True)
    backend = frame.implementation
    own = list(frame.iter_columns())
    series = [
        own[source].alias(name)
        if isinstance(source, int)
        else nw.new_series(name, source, nw.UInt8, backend=backend)
        for name, source in columns
    ]
    # Through with_columns, so that a pandas index stays.
    return frame.with_columns(*series).select([name for name, _ in columns]).to_native()
