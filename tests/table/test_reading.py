"""Tables of every kind in, the same kind out."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nffs.errors import InputError
from nffs.table.reading import frame_like, read_table

COLUMNS = {
    "count": [1, 2, 3],
    "rate": [0.5, 1.5, 2.5],
    "open": [True, False, True],
    "service": ["http", None, "dns"],
}
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "numpy": pd.DataFrame(COLUMNS).to_numpy(dtype=object),
    "lists": [list(row) for row in zip(*COLUMNS.values(), strict=True)],
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_columns_from_every_container(kind):
    table = read_table(FRAMES[kind])
    assert [c.kind for c in table.columns] == ["numeric", "numeric", "boolean", "categorical"]
    assert [c.values.tolist() for c in table.columns] == list(COLUMNS.values())
    if kind in ("pandas", "polars", "pyarrow"):
        assert table.names == list(COLUMNS)
    else:
        assert table.names == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64"])
def test_numeric_dtypes_stay(dtype):
    column = read_table(np.ones((3, 2), dtype=dtype)).columns[0]
    assert column.kind == "numeric"
    assert column.values.dtype == dtype


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["a", "b", None], dtype="category"),
        pd.Series(["a", "b", None], dtype=object),
        pd.Series(["a", "b", None], dtype="string"),
        pl.Series(["a", "b", None], dtype=pl.Categorical),
        pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
    ],
    ids=lambda s: f"{type(s).__module__.split('.')[0]} {s.dtype}",
)
def test_categorical_dtypes(series):
    frame = type(series).__module__.startswith("pandas")
    table = read_table(pd.DataFrame({"c": series}) if frame else pl.DataFrame({"c": series}))
    assert table["c"].kind == "categorical"
    assert table["c"].values.tolist() == ["a", "b", None]


def test_nullable_integers_without_nulls_are_numbers():
    table = read_table(pd.DataFrame({"n": pd.array([1, 2], dtype="Int64")}))
    assert table["n"].kind == "numeric"
    assert table["n"].values.tolist() == [1, 2]


def test_integer_column_names_become_positions():
    assert read_table(pd.DataFrame(np.eye(2))).names == ["x0", "x1"]


def test_input_is_not_modified():
    frame = FRAMES["pandas"].copy(deep=True)
    read_table(frame)
    pd.testing.assert_frame_equal(frame, FRAMES["pandas"])


def test_only_the_asked_columns_are_looked_at():
    frame = pl.DataFrame({"good": [1.0], "bad": [np.nan]})
    assert read_table(frame, only=["good"]).names == ["good"]


class TestRefused:
    def test_infinite_numbers(self):
        with pytest.raises(InputError, match=r"infinite values \(inf\).*'x1'; replace"):
            read_table(np.array([[1.0, np.inf], [1.0, 2.0]]))

    def test_too_large_for_float32(self):
        with pytest.raises(InputError, match=r"too large for float32.*'x0'"):
            read_table(np.array([[1e300], [1.0]]))

    def test_a_boolean_object_mixture(self):
        frame = pd.DataFrame({"m": pd.Series([True, "yes", False], dtype=object)})
        with pytest.raises(InputError, match=r"column 'm' mixes types \(bool, str\); make it all"):
            read_table(frame)

    def test_lists(self):
        frame = pl.DataFrame({"several": [[1, 2]]})
        with pytest.raises(InputError, match=r"column 'several' has type List.*convert it"):
            read_table(frame)

    def test_duplicate_names(self):
        frame = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
        with pytest.raises(InputError, match="duplicate column names 'a'; give every"):
            read_table(frame)

    def test_no_column(self):
        with pytest.raises(InputError, match="no feature column"):
            read_table(pl.DataFrame())

    def test_no_row(self):
        with pytest.raises(InputError, match="0 sample"):
            read_table(pl.DataFrame({"a": []}, schema={"a": pl.Float64}))

    def test_lazy_frames(self):
        with pytest.raises(InputError, match="collect"):
            read_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frame_like_gives_the_same_kind(kind):
    indicator = np.array([1, 0, 0], dtype=np.uint8)
    out = frame_like(FRAMES[kind], [("open", 2), ("service_http", indicator), ("count", 0)])
    assert type(out) is type(FRAMES[kind])
    table = read_table(out)
    assert table.names == ["open", "service_http", "count"]
    assert [c.values.tolist() for c in table.columns] == [[True, False, True], [1, 0, 0], [1, 2, 3]]


def test_a_pandas_index_stays():
    frame = FRAMES["pandas"].set_index(pd.Index([7, 8, 9]))
    out = frame_like(frame, [("service_http", np.array([1, 0, 0], dtype=np.uint8)), ("rate", 1)])
    assert out.index.tolist() == [7, 8, 9]
    assert out["service_http"].tolist() == [1, 0, 0]


def test_decimals_are_numbers():
    """As databases give them."""
    cells = [Decimal("1.5"), None, Decimal(2)]
    for frame in (pd.DataFrame({"a": cells}), pl.DataFrame({"a": cells}), pa.table({"a": cells})):
        column = read_table(frame).columns[0]
        assert column.kind == "numeric"
        np.testing.assert_array_equal(column.values, [1.5, np.nan, 2.0])


def test_a_type_that_cannot_be_used_is_named():
    frame = pd.DataFrame({"month": pd.period_range("2024-01", periods=3, freq="M")})
    with pytest.raises(
        InputError, match=r"X: column 'month' has type period\[M\], which is neither"
    ):
        read_table(frame)
