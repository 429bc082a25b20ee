"""What the tests share: small tables, quick selectors, and the real data where it is found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, make_connections
from nffs.datasets import fetch_nsl_kdd

# On a busy machine an example may take long; how long says nothing of whether it holds.
settings.register_profile("nffs", deadline=None)
settings.load_profile("nffs")


def _data_folder() -> Path | None:
    named = os.environ.get("NFFS_DATA")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(named) if named else beside
    return folder if folder.is_dir() else None


def pytest_report_header() -> str:
    folder = _data_folder()
    if folder is None:
        return "real data: not found (set NFFS_DATA to run the tests that need it)"
    return f"real data: {folder}"


@pytest.fixture(scope="session")
def real_file():
    """Find a file of the real data, or skip the test and say which is missing."""

    def find(*parts: str) -> Path:
        folder = _data_folder()
        path = None if folder is None else folder.joinpath(*parts)
        if path is None or not path.is_file():
            pytest.skip(f"needs the real file {'/'.join(parts)}: set NFFS_DATA to its folder")
        return path

    return find


@pytest.fixture(scope="session")
def nsl_kdd_train(real_file):
    """The NSL-KDD training file: columns f1 to f41, and whether a record is an attack."""
    home = real_file("nsl-kdd", "KDDTrain+.txt").parents[1]
    return fetch_nsl_kdd(data_home=home, return_X_y=True, names="paper")[:2]


@pytest.fixture(scope="session")
def connections():
    """A small embedded table."""
    return make_connections(400)


@pytest.fixture
def quick():
    """Make selectors that are done in a moment; arguments as for NFFS."""

    def make(**parameters):
        defaults = {
            "estimator": GaussianNB(),
            "n_subsets": 12,
            "n_nested": 6,
            "random_state": 0,
        }
        return NFFS(**{**defaults, **parameters})

    return make
