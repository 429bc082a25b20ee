"""UNSW-NB15: 42 columns of network flows, labelled normal or by the attack's category."""

from __future__ import annotations

import os
from typing import Any, Literal

import polars as pl
from sklearn.utils import Bunch

from nffs.datasets.catalog import UNSW_NB15_TEST, UNSW_NB15_TRAIN
from nffs.datasets.files import DataFile, obtain

#: Neither a feature: the row's number, and the two labels.
_NOT_FEATURES = ("id", "attack_cat", "label")

DESCR = """UNSW-NB15

175,341 training and 82,332 test records of network flows with 42 columns, normal or one of nine
categories of attack.

Citation: N. Moustafa, J. Slay, "UNSW-NB15: a comprehensive data set for network intrusion detection
systems", Military Communications and Information Systems Conference (MilCIS), 2015.
Licence: free for academic research; commercial use needs its authors' agreement.
"""


def fetch_unsw_nb15(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    subset: Literal["all", "train", "test"] = "all",
    names: Literal["columns", "paper"] = "columns",
) -> Any:
    """Load UNSW-NB15, downloading it if necessary.

    On some mirrors the names of the two files are swapped; their contents tell which is which.

    Parameters
    ----------
    data_home, download_if_missing
        As for `fetch_nsl_kdd`.
    return_X_y : bool, default=False
        Give X and y of the subset, or ``(X_train, y_train, X_test, y_test)`` for all, instead of a
        Bunch.
    subset : {'all', 'train', 'test'}, default='all'
        Which file to load.
    names : {'columns', 'paper'}, default='columns'
        Name the columns as the files do, or f1 to f42 as the paper does.

    Returns
    -------
    Bunch or tuple
        ``train`` and ``test``, each a Bunch of ``data`` (polars frame), ``target`` (1 for an
        attack), ``attack`` and ``family`` (both the attack's category); beside them
        ``feature_names`` and ``DESCR``.
    """
    files = {"train": UNSW_NB15_TRAIN, "test": UNSW_NB15_TEST}
    parts = {
        name: _read(file, data_home, download_if_missing, names == "paper")
        for name, file in files.items()
        if subset in ("all", name)
    }
    if return_X_y:
        return tuple(item for part in parts.values() for item in (part.data, part.target))
    first = next(iter(parts.values()))
    return Bunch(**parts, feature_names=list(first.data.columns), DESCR=DESCR)


def _read(file: DataFile, data_home: Any, download_if_missing: bool, paper_names: bool) -> Bunch:
    path = obtain(file, data_home, download_if_missing=download_if_missing)
    frame = pl.read_csv(path, infer_schema_length=None)
    features = frame.drop(_NOT_FEATURES)
    if paper_names:
        features.columns = [f"f{i + 1}" for i in range(features.width)]
    category = frame["attack_cat"].str.strip_chars().to_numpy()
    return Bunch(data=features, target=frame["label"].to_numpy(), attack=category, family=category)
