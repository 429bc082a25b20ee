"""What the studies of rows without labels share: searches that may use them, scores on them.

"Minus new" is not in the library: the fitness of a subset is its score minus the AUC of a
classifier that tells old rows from new ones by the same columns, in the same folds.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from nffs import NFFS
from nffs.fitness import Engine, Evaluation, Split, SplitRows, mean_auc
from nffs.fitness.boosting.engine import BoostingEngine, ClassScorer
from nffs.fitness.scoring import resolve_scoring
from nffs.table.target import Labels

MINUS_NEW = "minus-new"

#: What each protocol is called, and what it uses the new rows for.
PROTOCOLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "folds": ("folds alone", ()),
    "components": ("+ components", ("components",)),
    "self-training": ("+ self-training", ("self-training",)),
    "likeness": ("+ likeness", ("likeness",)),
    MINUS_NEW: ("minus new", ()),
    "all-three": ("+ all three", ("components", "self-training", "likeness")),
}


@dataclass(kw_only=True, eq=False, repr=False)
class Search(NFFS):
    """A search under one of the protocols."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **NFFS._parameter_constraints, "protocol": [str]
    }  # fmt: skip

    protocol: str = "folds"

    @classmethod
    def under(cls, protocol: str, **parameters: Any) -> Search:
        """Make one."""
        uses = PROTOCOLS[protocol][1] or ("components",)  # some, so that rows are there
        return cls(protocol=protocol, unlabelled_for=uses, **parameters)

    def evaluation(self, X: Any, y: Any, **given: Any) -> Evaluation:
        """Give what decides a subset's score."""
        found = super().evaluation(X, y, **given)
        if self.protocol == MINUS_NEW and found.rows.unlabelled is not None:
            found = replace(found, engine=MinusNew(found.engine))
        return found

    def select(self, X: Any, y: Any, new: Any) -> Search:
        """Search; rows without labels are given where the protocol wants them."""
        if self.protocol == "folds":
            new = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.fit(X, y, unlabelled=new)
        return self

    @property
    def told(self) -> str | None:
        """What the new rows were used for, if the protocol is one of the library's."""
        if self.unlabelled_ is None or self.protocol == MINUS_NEW:
            return None
        return str(self.unlabelled_.told)

    def on_new(self, X: Any, y: Any, new: Any, labels: Any, scoring: str) -> Evaluation:
        """Score masks over the encoded columns on the new rows, by models that may use them."""
        uses = PROTOCOLS[self.protocol][1]
        given: dict[str, Any] = {"eval_set": (new, labels), "unit": "category"}
        if uses:
            given["unlabelled"] = new
        parameters = {name: getattr(self, name) for name in NFFS._get_param_names()}
        asked = NFFS(**{**parameters, "scoring": scoring})
        return asked.evaluation(X, y, **given).adapted()


@dataclass(frozen=True)
class MinusNew:
    """Score by an engine, minus how well its columns tell old rows from new ones."""

    engine: Engine

    batch: ClassVar[int] = 1
    weighs: ClassVar[bool] = False

    def identity(self) -> dict[str, str]:
        return {**self.engine.identity(), "minus": "old against new"}

    def memory(self, shape: Any) -> Any:
        return self.engine.memory(shape)

    def prepare(self, rows: SplitRows, split: Split) -> MinusNewScorer:
        """Part the new rows as the fold parts the old ones, and prepare to tell them apart."""
        assert rows.unlabelled is not None
        new = rows.unlabelled.rows
        share = len(split.evaluation) / (len(split.train) + len(split.evaluation))
        evaluated = np.random.default_rng(0).random(len(new)) < share
        is_new = np.zeros(len(rows.matrix), dtype=np.intp)
        is_new[new] = 1
        target = Labels(is_new, np.array(["old", "new"], dtype=object))
        both = Split(
            np.concatenate([split.train, new[~evaluated]]),
            np.concatenate([split.evaluation, new[evaluated]]),
        )
        apart = BoostingEngine(resolve_scoring("roc_auc", target)).prepare(
            SplitRows(rows.matrix, target, None, [both], ""), both
        )
        assert isinstance(apart, ClassScorer)
        inner = self.engine.prepare(replace(rows, unlabelled=None), split)
        return MinusNewScorer(inner, apart, is_new[both.evaluation] == 1)


@dataclass(frozen=True)
class MinusNewScorer:
    """Scores subsets of columns on one split."""

    inner: Any
    apart: ClassScorer
    is_new: np.ndarray

    def scores(self, columns: Any, seeds: Any) -> Any:
        fold = np.zeros(len(self.is_new), dtype=np.intp)
        auc = [
            mean_auc(fold, self.is_new, self.apart.probabilities(mask)[0][:, 1]) for mask in columns
        ]
        return self.inner.scores(columns, seeds) - np.array(auc)[:, None]
