"""Self-training: models label the rows without a label that they are sure of, and train on them.

In every split the models that evaluate are trained on all features, by the split's own training
rows and by nothing else. A row that they are sure of gets the label they gave it, and every subset
trains on it as well. No row that evaluates has a part in it: neither as a row nor by its label.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.blas import one_blas_thread
from nffs.fitness.evaluator import Engine, Memory, PredictingScorer, Shape, SplitScorer
from nffs.fitness.splits import Split, SplitRows
from nffs.randomness import derive_seed
from nffs.table.target import Labels

#: Raised when a change here changes any bit of a score.
REVISION = 1

#: A row is labelled if all models name the same class, with this probability in their mean.
CONFIDENCE = 0.9


@dataclass(frozen=True)
class SelfTraining:
    """Evaluate by an engine that also trains on rows it labelled itself.

    Parameters
    ----------
    engine : Engine
        Its scorers tell what they predict.
    n_unlabelled : int
        How many rows have no label.
    seed : int
        Seeds the models that label.
    """

    engine: Engine
    n_unlabelled: int
    seed: int

    @property
    def batch(self) -> int:
        """How many subsets it likes to be given at a time."""
        return self.engine.batch

    @property
    def weighs(self) -> bool:
        """Whether its scorers can tell how much a column counts."""
        return self.engine.weighs

    def identity(self) -> dict[str, str]:
        """Name everything of the engine that decides a score, and the rule that labels."""
        rule = f"{REVISION}, of probability {CONFIDENCE:g}"
        return {**self.engine.identity(), "self-training": rule}

    def memory(self, shape: Shape) -> Memory:
        """Bound the memory, if all rows without a label train, after the models that label."""
        need = self.engine.memory(replace(shape, n_train=shape.n_train + self.n_unlabelled))
        models = self.engine.memory(replace(shape, n_evaluation=self.n_unlabelled))
        first = models.split + max(models.once, models.subset)
        return replace(need, once=max(need.once, first))

    def prepare(self, rows: SplitRows, split: Split) -> SplitScorer:
        """Label rows by what trains here, and prepare with them among the rows that train."""
        assert rows.unlabelled is not None
        labels, sure = self.labelled(rows, split)
        more = rows.unlabelled.rows[sure]
        train = np.concatenate([split.train, more])
        return self.engine.prepare(_with_labels(rows, split, labels), replace(split, train=train))

    def labelled(self, rows: SplitRows, split: Split) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Label the rows without a label: a class each, and whether the models are sure of it."""
        assert rows.unlabelled is not None
        new = rows.unlabelled.rows
        # Rows to be predicted have some label here, which is never looked at.
        asked = _with_labels(rows, split, np.zeros(len(new), dtype=np.intp))
        models = self.engine.prepare(asked, Split(split.train, new))
        assert isinstance(models, PredictingScorer)
        with one_blas_thread:
            everything = np.ones(rows.matrix.shape[1], dtype=np.bool_)
            told = models.predicted(everything, derive_seed(self.seed, "self-training"))
        mean, named = told.mean(axis=0), told.argmax(axis=2)
        sure = (named == named[0]).all(axis=0) & (mean.max(axis=1) >= CONFIDENCE)
        return mean.argmax(axis=1), sure


def _with_labels(rows: SplitRows, split: Split, labels: NDArray[np.intp]) -> SplitRows:
    """Give the rows without a label these labels, and the average weight of the rows that train."""
    assert isinstance(rows.target, Labels)
    target = Labels(np.concatenate([rows.target.codes, labels]), rows.target.classes)
    weights = rows.weights
    if weights is not None:
        usual = np.full(len(labels), weights[split.train].mean())
        weights = np.concatenate([weights, usual])
    return replace(rows, target=target, weights=weights)
