"""Sparse matrices in, the same kind out, and what is selected does not depend on the format."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from nffs import InputError, Selection, Selector
from nffs.table.reading import read_table

FORMATS = (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array)


def dense(n=90, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.8, 0.0, rng.normal(size=(n, d)).round(2))
    return X, (X[:, 0] + X[:, 3] + 0.2 * rng.normal(size=n) > 0).astype(int)


def selector():
    return Selector("mrmr", max_evaluations=5, param_groups=[{"n_estimators": 3}], random_state=0)


@pytest.fixture(scope="module")
def expected():
    X, y = dense()
    return selector().fit(X, y)


@pytest.mark.parametrize("made", FORMATS)
def test_a_sparse_matrix_selects_as_the_dense_one(made, expected):
    X, y = dense()
    given = made(X)
    fitted = selector().fit(given, y)
    assert fitted.selected_features_ == expected.selected_features_
    assert (fitted.archive_fitness_ == expected.archive_fitness_).all()
    out = fitted.transform(given)
    assert type(out) is made
    assert (out.toarray() == expected.transform(X)).all()


def test_other_formats_come_back_as_they_are(expected):
    X, _ = dense()
    out = expected.transform(sparse.coo_array(X))
    assert out.format == "coo"
    assert (out.toarray() == expected.transform(X)).all()


def test_a_selection_read_from_a_file_takes_them_too(expected, tmp_path):
    X, _ = dense()
    expected.selection_.save(tmp_path / "selection.json")
    out = Selection.load(tmp_path / "selection.json").transform(sparse.csr_matrix(X))
    assert out.format == "csr"
    assert (out.toarray() == expected.transform(X)).all()


def test_the_sparse_one_hot_columns_of_a_column_transformer():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"city": rng.choice(list("abcdefgh"), 120), "age": rng.normal(size=120)})
    y = frame["city"].isin(["a", "b"]).to_numpy()
    encode = ColumnTransformer(
        [("city", OneHotEncoder(), ["city"])], remainder="passthrough", sparse_threshold=1.0
    )
    pipeline = make_pipeline(encode, selector()).fit(frame, y)
    out = pipeline.transform(frame)
    assert sparse.issparse(out)
    assert {"x0", "x1"} & set(pipeline[-1].selected_features_)


def test_a_place_that_is_stored_twice_counts_as_the_sum():
    twice = sparse.csc_array(
        (np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(3, 1)
    )
    (column,) = read_table(twice).columns
    assert column.values.tolist() == [3.0, 5.0, 0.0]


def test_booleans_are_booleans():
    (column,) = read_table(sparse.csr_array(np.array([[True], [False]]))).columns
    assert (column.kind, column.values.tolist()) == ("boolean", [True, False])


def test_rows_are_taken_and_come_in_blocks():
    X, _ = dense(7, 4)
    table = read_table(sparse.csr_matrix(X))
    assert table.names == ["x0", "x1", "x2", "x3"]
    assert (table.take(np.array([1, 4]))["x2"].values == X[[1, 4], 2]).all()
    (block,) = table.blocks("counting")
    assert (block["x1"].values == X[:, 1]).all()


def test_infinite_values_are_refused():
    X = sparse.csr_matrix(np.array([[0.0, np.inf], [1.0, 0.0]]))
    with pytest.raises(InputError, match="infinite values"):
        read_table(X)


@pytest.mark.parametrize("made", FORMATS)
def test_a_gap_has_its_own_column(made):
    X, y = dense()
    X[y == 1, 5] = np.where(np.arange((y == 1).sum()) % 2, np.nan, X[y == 1, 5])
    fitted = selector().set_params(include="x5_missing").fit(made(X), y)
    assert "x5_missing" in fitted.selected_features_
    out = fitted.transform(made(X))
    assert type(out) is made
    assert np.array_equal(out.toarray(), fitted.transform(X), equal_nan=True)


def test_a_frame_of_sparse_columns_is_read_and_given_back(expected):
    """As `pandas.get_dummies(sparse=True)` makes them."""
    X, y = dense()
    frame = pd.DataFrame.sparse.from_spmatrix(
        sparse.csr_array(X), columns=[f"x{i}" for i in range(X.shape[1])]
    )
    fitted = selector().fit(frame, y)
    assert fitted.selected_features_ == expected.selected_features_
    out = fitted.transform(frame)
    assert all(str(dtype).startswith("Sparse[float64") for dtype in out.dtypes)
