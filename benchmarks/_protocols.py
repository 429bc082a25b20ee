"""Ways to evaluate subsets on NSL-KDD: which rows, which weights, which score.

All of them but the paper's use training rows only. The test file scores each selection once, at the
end.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from _common import data_folder
from sklearn.model_selection import LeaveOneGroupOut, StratifiedShuffleSplit

from nffs import NFFS, InputError
from nffs.datasets import fetch_nsl_kdd
from nffs.fitness import Evaluation


@dataclass(frozen=True)
class Protocol:
    """How the subsets of a search are evaluated.

    Attributes
    ----------
    description : str
        For tables.
    parameters : dict
        Of `NFFS`.
    rows : str
        Empty, or what else `fit` is given: "test", "families" or "difficulty".
    """

    description: str
    parameters: dict[str, Any]
    rows: str = ""


def protocols(seed: int = 0) -> dict[str, Protocol]:
    """Give all protocols; the seed splits the holdout."""
    holdout = StratifiedShuffleSplit(1, test_size=0.25, random_state=seed)
    return {
        "paper": Protocol("the test file (the paper)", {}, "test"),
        "holdout": Protocol("a held-out quarter of the training rows", {"cv": holdout}),
        "folds": Protocol("3 folds", {"cv": 3}),
        "family-out": Protocol(
            "each attack family in turn", {"cv": LeaveOneGroupOut()}, "families"
        ),
        "difficulty": Protocol("3 folds, difficult rows weigh more", {"cv": 3}, "difficulty"),
        "auc": Protocol("3 folds, AUC as fitness", {"cv": 3, "scoring": "roc_auc"}),
        "pooled": Protocol("3 folds, 4 searches pooled", {"cv": 3, "n_searches": 4}),
    }


class Data:
    """NSL-KDD with what the protocols need of it: all training rows or the first part of them."""

    def __init__(self, part: float = 1.0) -> None:
        try:
            bunch = fetch_nsl_kdd(data_home=data_folder(), download_if_missing=False, names="paper")
        except InputError as error:
            sys.exit(str(error))
        train, rows = bunch.train, slice(int(len(bunch.train.target) * part))
        self.X, self.y = train.data[rows], train.target[rows].astype(np.int64)
        self.test = bunch.test.data, bunch.test.target.astype(np.int64)
        self._family, self._difficulty = train.family[rows], train.difficulty[rows]

    @cached_property
    def families(self) -> Any:
        """Groups: attacks by family, the normal rows dealt out among the families."""
        families = sorted(set(self._family) - {"normal"})
        dealt = np.random.default_rng(0).choice(families, len(self.y))
        return np.where(self._family == "normal", dealt, self._family)

    @cached_property
    def weights(self) -> Any:
        """Weights: a row that few of the 21 classifiers of KDD's authors got right weighs more."""
        return 1.0 + (21 - self._difficulty) / 4.0

    def fit_options(self, rows: str) -> dict[str, Any]:
        """Give what `fit` takes for a protocol."""
        if rows == "test":
            return {"eval_set": self.test}
        if rows == "families":
            return {"groups": self.families}
        if rows == "difficulty":
            return {"sample_weight": self.weights}
        return {}

    def evaluation(self, protocol: Protocol, seed: int = 0) -> Evaluation:
        """Give what scores masks over the encoded columns as a protocol does."""
        selector = NFFS(evaluator="paper", **protocol.parameters, random_state=seed)
        return selector.evaluation(self.X, self.y, **self.fit_options(protocol.rows))

    def on_test(self, scoring: str) -> Evaluation:
        """Score masks by the test file, with the default groups and no choice of parameters."""
        return self.evaluation(Protocol("", {"scoring": scoring}, "test"))
