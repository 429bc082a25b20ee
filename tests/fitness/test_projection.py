import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from nffs.fitness.forest.projection import Projection


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 12)) @ rng.normal(size=(12, 12))
    X[:, 3] = 7.0  # constant
    X[:, 4] = X[:, 5] + 1e-3 * rng.normal(size=5000)
    X[:, 6] = 1000.0 + 0.5 * rng.normal(size=5000)
    X[:, 7] = rng.integers(0, 2, 5000)
    return X.astype(np.float32)


def reference(X, columns, train, evaluation, variance):
    scaler = StandardScaler().fit(X[train][:, columns].astype(np.float64))
    pca = PCA(variance).fit(scaler.transform(X[train][:, columns]))
    return [pca.transform(scaler.transform(X[rows][:, columns])) for rows in (train, evaluation)]


@pytest.mark.parametrize("chosen", [[0, 1, 2], [3, 4, 5, 6], list(range(12)), [6], [7, 3]])
@pytest.mark.parametrize("variance", [0.5, 0.93, 0.999])
def test_equals_scikit_learn_up_to_sign(table, chosen, variance):
    columns = np.isin(np.arange(12), chosen)
    train, evaluation = np.arange(4000), np.arange(4000, 5000)
    ours = Projection(table, train, evaluation, variance).project(columns)
    for got, expected in zip(
        ours, reference(table, columns, train, evaluation, variance), strict=True
    ):
        assert got.shape == expected.shape
        assert got.dtype == np.float32
        assert got.flags.c_contiguous
        signs = np.sign((got * expected).sum(axis=0))
        np.testing.assert_allclose(got * signs, expected, atol=2e-3)


def test_folds_share_the_table(table):
    folds = [
        Projection(table, np.flatnonzero(np.arange(5000) % 3 != f), np.arange(f, 5000, 3))
        for f in range(3)
    ]
    assert all(np.shares_memory(fold.X, table) for fold in folds)


def test_components_have_a_positive_largest_loading(table):
    axes, ratio = Projection(table, np.arange(5000), np.arange(0)).components(
        np.ones(12, dtype=bool)
    )
    assert (axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)] > 0).all()
    assert (np.diff(ratio) <= 0).all()


def test_equal_rows_get_equal_bits_wherever_they_stand(table):
    row = table[17]
    repeated = np.vstack([table, np.tile(row, (2500, 1))])
    Z, J = Projection(repeated, np.arange(7000), np.arange(7000, len(repeated))).project(
        np.arange(12) > 2
    )
    assert (Z[5000:] == Z[17]).all()
    assert (Z[17] == J).all()


def test_without_pca_columns_are_standardised(table):
    columns = np.isin(np.arange(12), [0, 3, 7])
    Z, J = Projection(table, np.arange(4000), np.arange(4000, 5000), variance=None).project(columns)
    scaler = StandardScaler().fit(table[:4000][:, columns].astype(np.float64))
    np.testing.assert_allclose(Z, scaler.transform(table[:4000][:, columns]), atol=1e-5)
    np.testing.assert_allclose(J, scaler.transform(table[4000:][:, columns]), atol=1e-5)


def test_only_constant_columns_give_one_component():
    X = np.full((10, 2), 3.0, dtype=np.float32)
    Z, _ = Projection(X, np.arange(0, 6), np.arange(6, 10)).project(np.ones(2, dtype=bool))
    assert Z.shape == (6, 1)
    assert (Z == 0).all()


@pytest.mark.parametrize(
    ("columns", "message"),
    [(np.zeros(12, dtype=bool), "at least one"), (np.arange(12), "mask"), ([True], "mask")],
)
def test_refuses_what_is_no_subset(table, columns, message):
    with pytest.raises(ValueError, match=message):
        Projection(table, np.arange(0, 10), np.arange(10, 20)).project(columns)


def test_refuses_an_impossible_variance(table):
    with pytest.raises(ValueError, match="variance"):
        Projection(table, np.arange(0, 10), np.arange(10, 20), variance=1.5)


@pytest.mark.parametrize("n_chosen", [20, 200], ids=["few columns", "more columns than rows"])
def test_components_of_a_wide_table_are_those_of_scikit_learn(n_chosen):
    rng = np.random.default_rng(5)
    X = (rng.normal(size=(90, 260)) @ rng.normal(size=(260, 260))).astype(np.float32)
    X[:, 3] = 7.0  # constant
    train, evaluation = np.arange(60), np.arange(60, 90)
    projection = Projection(X, train, evaluation, 0.93)
    assert projection.correlation is None
    mask = np.arange(260) < n_chosen
    ours, ours_evaluation = projection.project(mask)
    scaler = StandardScaler()
    Z = scaler.fit_transform(X[train][:, mask].astype(np.float64))
    pca = PCA(0.93, svd_solver="full").fit(Z)
    assert ours.shape[1] == pca.n_components_
    theirs = pca.transform(scaler.transform(X[evaluation][:, mask].astype(np.float64)))
    np.testing.assert_allclose(np.abs(ours_evaluation), np.abs(theirs), rtol=2e-3, atol=2e-3)
