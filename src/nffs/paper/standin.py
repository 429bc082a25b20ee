"""A stand-in for UNSW-NB15's two files where only the one of 82,332 rows is at hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

#: What every output of a run on it says.
STAND_IN = (
    "Stand-in split: UNSW-NB15's training file was not found. The 82,332-row test file alone was "
    "split, two thirds for training and one third for testing, stratified by attack category "
    "(random_state 0). Rows of one file are more alike than rows of two, so these scores are not "
    "comparable with the paper's, and the paper's are left out."
)


def stand_in_split(data: Any) -> tuple[Any, Any, Any, Any]:
    """Split one file into X, y, X_test and y_test as if it were two; rows keep their order."""
    train, test = train_test_split(
        np.arange(len(data.target)), test_size=1 / 3, stratify=data.family, random_state=0
    )
    train, test = np.sort(train), np.sort(test)
    return data.data[train], data.target[train], data.data[test], data.target[test]
