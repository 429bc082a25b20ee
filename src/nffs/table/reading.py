"""Any table in, the same kind of table out.

The rest of the package sees a `RawTable`: named columns, each of a kind, checked for what cannot be
used. pandas, polars and pyarrow come in through narwhals, arrays and lists through NumPy, sparse
matrices through `nffs.table.sparse`.
"""

from __future__ import annotations

import datetime as dt
import decimal
import numbers
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, Protocol

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from nffs.errors import InputError, quoted
from nffs.table.dates import IMPOSSIBLE, are_impossible, durations_of, moments_of, seconds_of

Kind = Literal["numeric", "boolean", "categorical", "datetime", "duration"]
Indices = NDArray[np.intp]

#: Rows in a block.
BLOCK = 65536


@dataclass(frozen=True)
class RawColumn:
    """One column as it came.

    Numeric and boolean values keep their dtype, or are floats, NaN where missing; durations are
    seconds, dates datetime64[us]. Categorical values are an object array of strings, None where
    missing.
    """

    name: str
    kind: Kind
    values: NDArray[Any]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.kind == "categorical":
            # Element by element, which `is` could not do.
            return np.asarray(self.values == None, dtype=np.bool_)  # noqa: E711
        if self.values.dtype.kind not in "fM":
            return np.zeros(len(self.values), dtype=np.bool_)
        return np.asarray(np.isnan(self.values))  # of dates, too

    def as_kind(self, kind: Kind) -> RawColumn:
        """Give it as another kind; only of a column whose every value is missing."""
        dtype: Any = {"categorical": object, "datetime": "datetime64[us]"}.get(kind, np.float64)
        empty = None if kind == "categorical" else "NaT" if kind == "datetime" else np.nan
        return RawColumn(self.name, kind, np.full(len(self.values), empty, dtype=dtype))


@dataclass(frozen=True)
class RawTable:
    """The columns of a table, in its order."""

    columns: Sequence[RawColumn]
    n_rows: int
    argument: str = "X"  # what messages call it

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    @property
    def with_gaps(self) -> list[str]:
        """The columns in which numbers are missing."""
        numbers = (column for column in self.columns if column.kind != "categorical")
        return [column.name for column in numbers if column.missing.any()]

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
        return RawTable(columns, len(columns[0].values), self.argument)


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

    @property
    def argument(self) -> str:
        """What messages call it."""
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
    if isinstance(X, dict) and not issparse(X):
        raise InputError(
            f"{argument}: found a {type(X).__name__}; make a frame of it, such as "
            f"pandas.DataFrame({argument})."
        )
    read = _read_frame if is_frame(X) else _read_sparse if issparse(X) else _read_array
    table = read(X, argument, only)
    _refuse_numbers(table)
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
    # One after the other: to look a column up takes longer the more there are. Without its name,
    # which polars would take for a pattern if it were '^a.*$'.
    columns = [
        _read_series(series.alias(""), label, argument)
        for label, series in zip(labels, frame.iter_columns(), strict=True)
        if only is None or label in only
    ]
    return RawTable(tuple(columns), len(frame), argument)


def _positional_names(n: int) -> list[str]:
    return [f"x{i}" for i in range(n)]


def _read_series(series: nw.Series[Any], name: str, argument: str) -> RawColumn:
    if type(getattr(series.to_native(), "dtype", None)).__name__ == "SparseDtype":  # of pandas
        series = nw.from_native(series.to_native().sparse.to_dense(), series_only=True)
    dtype = series.dtype
    if dtype.is_numeric():
        if series.null_count():
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
    if dtype in (nw.Datetime, nw.Date):
        return RawColumn(name, "datetime", _read_moments(series, name, argument))
    if dtype == nw.Duration:
        return RawColumn(name, "duration", seconds_of(series.to_numpy()))
    if dtype in (nw.Object, nw.Boolean, nw.Time) or series.null_count() == len(series):
        return _read_objects(name, series.to_list(), argument)
    if series.to_numpy().dtype.kind == "c":
        _refuse_complex(argument)
    raise InputError(
        f"{argument}: column {name!r} has type {_own_type(series)}, which is neither numeric, "
        "boolean, categorical nor a date; convert it or drop it."
    )


def _own_type(series: nw.Series[Any]) -> str:
    """Name the type of a column as its own library does."""
    return str(getattr(series.to_native(), "dtype", series.dtype))


def _refuse_complex(argument: str) -> NoReturn:
    raise InputError(
        f"{argument}: Complex data not supported; give real and imaginary parts as columns of "
        "their own."
    )


def _read_moments(series: nw.Series[Any], name: str, argument: str) -> NDArray[Any]:
    """Read dates; of a time zone, what its clocks say."""
    if getattr(series.dtype, "time_zone", None) is not None:
        series = series.dt.replace_time_zone(None)
    if series.dtype == nw.Date:
        if are_impossible(series.to_numpy()):
            raise InputError(f"{argument}: column {name!r} {IMPOSSIBLE}.")
        series = series.cast(nw.Datetime("us"))
    moments: NDArray[Any] = series.to_numpy().astype("datetime64[us]")
    return moments


def _read_array(X: Any, argument: str, only: Collection[str] | None) -> RawTable:
    if isinstance(X, list | tuple):
        # Through objects: NumPy would turn [["a", 1.5]] into strings.
        X = np.array(X, dtype=object)
    if isinstance(X, np.ndarray) and X.dtype.kind == "c":
        _refuse_complex(argument)
    array = check_array(X, dtype=None, ensure_all_finite=False, input_name=argument)
    names = _positional_names(array.shape[1])
    wanted = [(i, n) for i, n in enumerate(names) if only is None or n in only]
    if array.dtype.kind in "iuf":
        columns = [RawColumn(n, "numeric", array[:, i]) for i, n in wanted]
    elif array.dtype.kind == "b":
        columns = [RawColumn(n, "boolean", array[:, i]) for i, n in wanted]
    elif array.dtype.kind == "M":
        moments = array.astype("datetime64[us]")
        columns = [RawColumn(n, "datetime", moments[:, i]) for i, n in wanted]
    elif array.dtype.kind == "m":
        columns = [RawColumn(n, "duration", seconds_of(array[:, i])) for i, n in wanted]
    elif array.dtype.kind in "OUST":
        columns = [_read_objects(n, array[:, i].tolist(), argument) for i, n in wanted]
    else:
        raise InputError(
            f"{argument}: arrays of type {array.dtype} cannot be used; give numbers, strings or "
            "dates."
        )
    return RawTable(tuple(columns), len(array), argument)


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
    if kinds == {"datetime"}:
        return RawColumn(name, "datetime", moments_of(values, missing))
    if kinds == {"duration"}:
        return RawColumn(name, "duration", seconds_of(durations_of(values, missing)))
    if kinds <= {"numeric"} or kinds == {"boolean"}:
        floats = [np.nan if gone else float(v) for v, gone in zip(values, missing, strict=True)]
        return RawColumn(name, "boolean" if kinds == {"boolean"} else "numeric", np.array(floats))
    if any(isinstance(value, complex) for value in values):
        _refuse_complex(argument)
    found = {type(v).__name__ for v in values}
    raise InputError(
        f"{argument}: column {name!r} mixes types ({', '.join(sorted(found))}); make it all "
        "numbers, all booleans, all dates or all strings."
    )


def _is_missing(value: Any) -> bool:
    # pandas' NA is not equal to itself either, but refuses to say so as a bool.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _kind_of(value: Any) -> str:
    if isinstance(value, str | bytes):
        return "categorical"
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, dt.date):  # a datetime is one
        return "datetime"
    if isinstance(value, dt.timedelta | dt.time):
        return "duration"
    return "numeric" if isinstance(value, numbers.Real | decimal.Decimal) else "other"


def _as_strings(values: Sequence[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = [None if gone else str(v) for v, gone in zip(values, missing, strict=True)]
    return out


def _refuse_numbers(table: RawTable) -> None:
    """Refuse numbers that float32 cannot hold; missing ones are not looked at."""
    argument, infinite, large = table.argument, [], []
    for column in table.columns:
        if column.kind != "numeric" or column.values.dtype.kind != "f":
            continue
        low, high = np.fmin.reduce(column.values), np.fmax.reduce(column.values)
        if np.isinf(low) or np.isinf(high):
            infinite.append(column.name)
        elif max(-low, high) > np.finfo(np.float32).max:
            large.append(column.name)
    if infinite:
        raise InputError(
            f"{argument}: infinite values (inf) in numeric column(s) {quoted(infinite)}; replace "
            "or drop them."
        )
    if large:
        raise InputError(
            f"{argument}: values too large for float32 in column(s) {quoted(large)}; rescale them."
        )


def frame_like(X: Any, columns: Sequence[tuple[str, int | NDArray[Any]]]) -> Any:
    """Build a frame of X's kind from named columns: X's own, by position, indicators or numbers."""
    frame = nw.from_native(X, eager_only=True)
    backend = frame.implementation
    own = list(frame.iter_columns())
    series = [
        own[source].alias(name)
        if isinstance(source, int)
        else nw.new_series(
            name, source, nw.UInt8 if source.dtype == np.uint8 else nw.Float64, backend=backend
        )
        for name, source in columns
    ]
    # Through with_columns, so that a pandas index stays; by brackets, because to polars' select a
    # name such as '^a.*$' is a pattern.
    return frame.with_columns(*series)[[name for name, _ in columns]].to_native()
