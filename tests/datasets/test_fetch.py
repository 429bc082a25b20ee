"""The paper's data sets, from the real files where they are found."""

import numpy as np
import pytest

from nffs import datasets
from nffs.errors import InputError


@pytest.fixture
def nsl_kdd(real_file):
    path = real_file("nsl-kdd", "KDDTest+.txt")
    return datasets.fetch_nsl_kdd(data_home=path.parents[1], download_if_missing=False)


def test_nsl_kdd(nsl_kdd):
    assert nsl_kdd.train.data.shape == (125973, 41)
    assert nsl_kdd.test.data.shape == (22544, 41)
    # Table 'TS' of the paper.
    assert (nsl_kdd.train.target == 0).sum() == 67343
    assert (nsl_kdd.test.target == 0).sum() == 9711
    assert "Tavallaee" in nsl_kdd.DESCR


def test_nsl_kdd_attacks(nsl_kdd):
    train, test = nsl_kdd.train, nsl_kdd.test
    assert len(set(test.attack) - set(train.attack)) == 17
    assert set(test.family) == {"normal", "dos", "probe", "r2l", "u2r"}
    assert ((train.family == "normal") == (train.target == 0)).all()
    assert 0 <= train.difficulty.min() <= train.difficulty.max() == 21


def test_nsl_kdd_as_arrays_with_the_papers_names(real_file):
    path = real_file("nsl-kdd", "KDDTest+.txt")
    X_train, y_train, X_test, y_test = datasets.fetch_nsl_kdd(
        data_home=path.parents[1], return_X_y=True, names="paper"
    )
    assert X_train.columns == X_test.columns == [f"f{i}" for i in range(1, 42)]
    assert len(y_train) == 125973
    assert len(y_test) == 22544


def test_unsw_nb15(real_file):
    path = real_file("unsw-nb15", "UNSW_NB15_testing-set.csv")
    home = path.parents[1]
    test = datasets.fetch_unsw_nb15(data_home=home, subset="test", download_if_missing=False).test
    assert test.data.shape == (82332, 42)
    assert test.data.columns[0] == "dur"
    assert test.target.sum() == 45332
    assert "Normal" in set(test.attack)
    assert np.array_equal(test.attack == "Normal", test.target == 0)


def test_not_found_and_not_to_be_downloaded(tmp_path, monkeypatch):
    monkeypatch.delenv("NFFS_DATA", raising=False)
    monkeypatch.setattr(datasets.files, "cache_folder", lambda: tmp_path)
    with pytest.raises(InputError, match=r"KDDTrain\+\.txt: not found in"):
        datasets.fetch_nsl_kdd(data_home=tmp_path, download_if_missing=False)
