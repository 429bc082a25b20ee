"""What people use today, evaluated as the others are.

These choose by estimators of their own, on all rows that train; the evaluator then scores what
they chose, or cuts their ranking. Only the sequential search goes by the evaluator itself. Sample
weights are passed to those that take them.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFECV, SelectFromModel, f_classif, f_regression
from sklearn.model_selection import KFold, StratifiedKFold

from nffs.errors import InputError
from nffs.fitness import Mask
from nffs.methods.filters import Ranking
from nffs.search.method import Choice, Method, Proposals, SearchSpace


@dataclass(frozen=True)
class KBest(Ranking):
    """scikit-learn's SelectKBest with its default score, the F statistic; k by the evaluator."""

    name: ClassVar[str] = "kbest"
    description: ClassVar[str] = "SelectKBest by the F statistic, k cut by the evaluator"
    source: ClassVar[str] = "scikit-learn"

    def rank(self, space: SearchSpace) -> list[int]:
        """Order the features, best first."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of columns that are constant in these rows
            statistic = f_classif if space.task == "classification" else f_regression
            scores, _ = statistic(space.matrix.astype(np.float64), space.target)
        # A column that parts the classes without spread has an infinite score.
        scores = np.nan_to_num(scores, nan=-1.0, posinf=np.finfo(np.float64).max)
        return [int(i) for i in np.argsort(-space.of_columns(scores), kind="stable")]


class _Chooser(Method):
    """A selector that gives one mask, which is then evaluated.

    With ``unit='column'`` a raw column is kept if any of its encoded ones is.
    """

    is_random: ClassVar[bool] = False

    @abstractmethod
    def _choose(self, space: SearchSpace) -> NDArray[Any]:
        """Mark the encoded columns."""

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the mask that was chosen."""
        mask: Mask = space.of_columns(self._choose(space).astype(np.float64)) > 0
        yield self.round(mask[None])
        return Choice(mask)


@dataclass(frozen=True)
class ForestRFECV(_Chooser):
    """scikit-learn's RFECV with a forest, a tenth of the columns at a step.

    Inside, it is scored on the folds of the search where there are folds, else on three of its own.
    It takes no sample weights.
    """

    trees: int = 30
    step: float = 0.1

    name: ClassVar[str] = "rfecv"
    description: ClassVar[str] = "RFECV with a random forest"
    source: ClassVar[str] = "scikit-learn; Guyon et al., Mach. Learn. 46 (2002)"

    def _choose(self, space: SearchSpace) -> NDArray[Any]:
        forest = _forest(space, n_estimators=self.trees)
        selector = RFECV(forest, step=self.step, cv=_folds(space), n_jobs=space.n_jobs)
        with parallel_config("threading"):
            return np.asarray(selector.fit(space.matrix, space.target).support_)


@dataclass(frozen=True)
class FromModel(_Chooser):
    """scikit-learn's SelectFromModel: columns of more than mean importance in a forest."""

    trees: int = 100

    name: ClassVar[str] = "from-model"
    description: ClassVar[str] = "SelectFromModel: forest importance above its mean"
    source: ClassVar[str] = "scikit-learn; Breiman, Mach. Learn. 45 (2001)"

    def _choose(self, space: SearchSpace) -> NDArray[Any]:
        forest = _forest(space, n_estimators=self.trees, n_jobs=space.n_jobs)
        forest.fit(space.matrix, space.target, sample_weight=space.weights)
        return np.asarray(SelectFromModel(forest, prefit=True).get_support())


@dataclass(frozen=True)
class Boruta(_Chooser):
    """Boruta: columns that beat the best shadow of a shuffled column, time after time.

    By BorutaPy (``pip install boruta``). It takes no sample weights.
    """

    iterations: int = 50
    trees: int = 100
    depth: int = 5

    name: ClassVar[str] = "boruta"
    description: ClassVar[str] = "Boruta: beat the shuffled copies of all columns"
    source: ClassVar[str] = "Kursa and Rudnicki, J. Stat. Softw. 36 (2010); BorutaPy"

    def _choose(self, space: SearchSpace) -> NDArray[Any]:
        try:
            from boruta import BorutaPy
        except ImportError as error:
            raise InputError(
                "method: 'boruta' needs the package boruta; install it with `pip install boruta`."
            ) from error
        forest = _forest(space, max_depth=self.depth, n_jobs=space.n_jobs)
        selector = BorutaPy(
            forest,
            n_estimators=self.trees,
            max_iter=self.iterations,
            random_state=space.seed % 2**32,
        )
        selector.fit(space.matrix.astype(np.float64), space.target)
        return np.asarray(selector.support_)


@dataclass(frozen=True)
class Sequential(Method):
    """Forward selection by the evaluator: scikit-learn's SequentialFeatureSelector in a budget.

    In every round each feature that is out is added to those that are in, and the best one stays.
    It ends when the budget does, which on wide tables is early.
    """

    name: ClassVar[str] = "sequential"
    description: ClassVar[str] = "sequential forward selection by the evaluator"
    source: ClassVar[str] = "scikit-learn; Ferri et al., Mach. Intell. Pattern Recognit. 16 (1994)"
    is_random: ClassVar[bool] = False

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose, round by round, every subset with one feature more."""
        allowed = space.allowed
        chosen: Mask = allowed.included.copy()
        if chosen.any():
            yield self.round(chosen[None].copy())
        while True:
            fits = chosen @ allowed.sizes + allowed.sizes <= allowed.largest
            out = np.flatnonzero(~chosen & fits)
            if not len(out):
                return None
            masks = np.repeat(chosen[None], len(out), axis=0)
            masks[np.arange(len(out)), out] = True
            fitness = (yield self.round(masks)).fitness
            chosen[out[int(fitness.argmax())]] = True


def _forest(space: SearchSpace, **parameters: Any) -> Any:
    """Make scikit-learn's forest for what is to be predicted."""
    kind = RandomForestClassifier if space.task == "classification" else RandomForestRegressor
    return kind(**parameters, random_state=space.seed % 2**32)


def _folds(space: SearchSpace) -> Any:
    """Give the search's own folds, over the training rows; three others where it has none."""
    training = space.training
    if all(np.isin(split.evaluation, training).all() for split in space.rows.splits):
        return [
            (np.searchsorted(training, split.train), np.searchsorted(training, split.evaluation))
            for split in space.rows.splits
        ]
    stratified = space.task == "classification" and np.bincount(space.target).min() >= 3
    kind = StratifiedKFold if stratified else KFold
    return kind(3, shuffle=True, random_state=space.seed % 2**32)
