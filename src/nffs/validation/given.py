"""How good is a given subset on a given test set? Measured as in the paper.

Every subset gets the forest parameters that suit it best, then many runs with other seeds give mean
and standard deviation of five indicators: the paper's of classes, errors and R2 of numbers. One
forest answers a whole grid of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from nffs.errors import InputError, nearest, quoted
from nffs.fitness import (
    ForestScorer,
    Group,
    NumberScorer,
    indicators_of,
    number_indicators,
    one_blas_thread,
)
from nffs.selector.nffs import NFFS
from nffs.table.encoding import Encoding
from nffs.table.target import Target

#: The paper's thirty seeds.
PAPER_SEEDS = tuple(range(7, 37))

#: Seeds that choose the parameters, none of them among the paper's. Thirty: with seven, a hundred
#: cells still had a lucky stump among them that the reported seeds did not confirm.
SEARCH_SEEDS = tuple(range(100, 130))

TREES = (1, 2, 3, 5, 10, 20, 30, 50, 100)
DEPTHS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, None)

NAMES = ("precision", "recall", "accuracy", "f_score", "auc")
F_SCORE = NAMES.index("f_score")

#: The indicators of numbers.
NUMBER_NAMES = ("r2", "rmse", "mae", "median_error", "correlation")
R2 = NUMBER_NAMES.index("r2")


@dataclass(frozen=True)
class SubsetEvaluation:
    """What the runs gave.

    Attributes
    ----------
    features : list of str
        The encoded columns that were used.
    positive : str or None
        Of two classes the positive one, which precision, recall, F-score and AUC are about.
    parameters : dict
        The best parameters found: number of trees and depth.
    engine, seeds : str, tuple of int
        What grew the forests of the runs, and their seeds.
    names : tuple of str
        The indicators: precision, recall, accuracy, F-score and AUC of classes; R2, errors and
        correlation of numbers.
    runs : (n_seeds, 5) float
        The indicators of every run.
    grid : list of dict
        Every cell of the grid with the mean F-score, or R2, of the search's seeds, best first: by
        that mean minus its standard error.
    """

    features: list[str]
    positive: str | None
    parameters: dict[str, int | None]
    engine: str
    seeds: tuple[int, ...]
    names: tuple[str, ...]
    runs: NDArray[np.float64]
    grid: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        names, runs = self.names, self.runs
        spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(len(names))
        return {
            "n_features": len(self.features),
            "features": self.features,
            "positive": self.positive,
            "parameters": self.parameters,
            "engine": self.engine,
            "seeds": list(self.seeds),
            "mean": dict(zip(names, runs.mean(axis=0).tolist(), strict=True)),
            "std": dict(zip(names, spread.tolist(), strict=True)),
            "runs": dict(zip(names, runs.T.tolist(), strict=True)),
            "grid": self.grid,
        }


def expand_features(names: Sequence[str], encoding: Encoding) -> NDArray[np.bool_]:
    """Mark the encoded columns that are meant: by their own names, or by their raw column's."""
    known = set(encoding.names) | set(encoding.kinds)
    strange = [name for name in names if name not in known]
    if strange or not names:
        meant = nearest(strange[0], sorted(known)) if strange else ""
        found = f"the table has no {quoted(strange)}" if strange else "none given"
        raise InputError(
            f"features: {found}{f';{meant}' if meant else '.'} Name raw columns "
            f"({quoted(encoding.kinds, 3)}) or encoded ones ({quoted(encoding.names, 3)})."
        )
    wanted = set(names)
    return np.array([c.name in wanted or c.column in wanted for c in encoding.columns])


def evaluate_subset(
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    features: Sequence[str],
    *,
    seeds: Sequence[int] = PAPER_SEEDS,
    trees: Sequence[int] = TREES,
    depths: Sequence[int | None] = DEPTHS,
    pca: float | None = 0.93,
    pos_label: Any = None,
    task: Literal["auto", "classification", "regression"] = "auto",
    engine: Literal["forest", "reference"] = "forest",
    n_jobs: int | None = None,
    on_run: Callable[[], object] | None = None,
) -> SubsetEvaluation:
    """Evaluate a subset as the paper does: its best parameters, and the indicators of many runs.

    Parameters
    ----------
    X_train, y_train, X_test, y_test : tables and labels
        As for `NFFS.fit`. The test rows choose the parameters, as in the paper.
    features : sequence of str
        Encoded columns, or raw columns, which stand for all their categories.
    seeds : sequence of int, default=7 to 36
        Seeds of the runs.
    trees, depths : sequences
        The grid of parameters.
    pca : float or None, default=0.93
        Share of the variance that the components keep.
    pos_label : label, optional
        Of two classes the positive one; by default the rarer one in `y_train`.
    task : {'auto', 'classification', 'regression'}, default='auto'
        What the target is: classes or numbers.
    engine : {'forest', 'reference'}, default='forest'
        What grows the forests of the runs: this package, or scikit-learn. The parameters are always
        found by this package.
    n_jobs : int, optional
        Runs at a time, in threads. It does not change the result.
    on_run : callable, optional
        Called after every run.
    """
    if engine not in ("forest", "reference"):
        raise InputError(f"engine: must be 'forest' or 'reference', found {engine!r}.")
    data = TestBench(X_train, y_train, X_test, y_test, pos_label=pos_label, task=task, pca=pca)
    subset = data.subset(features)
    cells: list[Group] = [{"n_estimators": t, "max_depth": d} for t in trees for d in depths]
    found = each_seed(lambda seed: subset.grid(seed, cells), SEARCH_SEEDS, n_jobs, on_run)
    worth = cell_worth(found, subset.main)
    best = dict(cells[int(worth.argmax())])
    run = subset.run if engine == "forest" else subset.run_sklearn
    runs = each_seed(lambda seed: run(seed, best), seeds, n_jobs, on_run)
    means = found[:, :, subset.main].mean(axis=0)
    order = np.argsort(-worth, kind="stable")
    return SubsetEvaluation(
        features=subset.features,
        positive=subset.target.positive,
        parameters=best,
        engine=engine,
        seeds=tuple(seeds),
        names=subset.names,
        runs=runs,
        grid=[{**cells[i], subset.names[subset.main]: float(means[i])} for i in order],
    )


def cell_worth(found: NDArray[np.float64], main: int = F_SCORE) -> NDArray[np.float64]:
    """Score the cells of a grid: the mean score over the seeds, minus its standard error.

    Of a hundred cells the highest mean may be a lucky one: a single stump, say, whose score varies
    by 0.15 from seed to seed. `found` has the indicators by seed and cell; `main` is the one that
    counts.
    """
    scores = found[:, :, main]
    worth: NDArray[np.float64] = scores.mean(axis=0) - scores.std(axis=0) / np.sqrt(len(scores))
    return worth


class TestBench:
    """A training and a test table, encoded once for any number of subsets.

    `identity` is everything that a run depends on, beside the subset, its parameters and its seed.
    """

    __test__ = False  # no test case, whatever its name begins with

    def __init__(
        self,
        X_train: Any,
        y_train: Any,
        X_test: Any,
        y_test: Any,
        *,
        pos_label: Any = None,
        task: Literal["auto", "classification", "regression"] = "auto",
        pca: float | None = 0.93,
    ) -> None:
        selector = NFFS(
            evaluator="paper", engine="fast", pca=pca, pos_label=pos_label, task=task,
            max_categories=None, keep_all=True, random_state=0,
        )  # fmt: skip
        try:
            self._evaluation = selector.evaluation(X_train, y_train, eval_set=(X_test, y_test))
        except InputError as error:
            text = str(error).replace("eval_set[0]", "X_test").replace("eval_set[1]", "y_test")
            raise InputError(text) from error
        self.encoding = self._evaluation.encoding
        #: the encoded rows, and their only split
        self.rows = rows = self._evaluation.rows
        (self._split,) = rows.splits
        scorer = self._evaluation.engine.prepare(rows.filled(self._split), self._split)
        assert isinstance(scorer, ForestScorer | NumberScorer)
        self._scorer = scorer
        self.identity = {**self._evaluation.fingerprint(), **self._evaluation.engine.identity()}

    def subset(self, features: Sequence[str]) -> GivenSubset:
        """Project the rows on the components of a subset of features."""
        columns = expand_features(features, self.encoding)
        with one_blas_thread:
            prepared = self._scorer.subset(columns)
        target = self._evaluation.rows.target
        made = GivenNumbers if target.task == "regression" else GivenSubset
        return made(
            features=list(compress(self.encoding.names, columns)),
            prepared=prepared,
            target=target.take(self._split.train),
            truth=target.take(self._split.evaluation),
        )


@dataclass(frozen=True)
class GivenSubset:
    """One subset, projected and binned: what all its runs share."""

    features: list[str]
    prepared: Any  # a PreparedSubset, or of numbers a NumberSubset
    target: Target
    truth: Target

    names: ClassVar[tuple[str, ...]] = NAMES
    main: ClassVar[int] = F_SCORE

    def grid(self, seed: int, cells: Sequence[Group]) -> NDArray[np.float64]:
        """Give the indicators of every cell of a grid, all read off one forest."""
        return np.array([self._indicators(p) for p in self.prepared.probabilities(cells, seed)])

    def run(self, seed: int, group: Group) -> NDArray[np.float64]:
        """Give the indicators of one run."""
        found: NDArray[np.float64] = self.grid(seed, [group])[0]
        return found

    def run_sklearn(self, seed: int, group: Group) -> NDArray[np.float64]:
        """Give the indicators of one run of scikit-learn's forest on the same components."""
        forest = RandomForestClassifier(**group, random_state=seed)
        forest.fit(self.prepared.train, self.target.values)
        return self._indicators(forest.predict_proba(self.prepared.evaluation))

    def _indicators(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        found = indicators_of(self.truth.values, probabilities)
        return np.array([getattr(found, name) for name in self.names])


@dataclass(frozen=True)
class GivenNumbers(GivenSubset):
    """The same for numbers."""

    names: ClassVar[tuple[str, ...]] = NUMBER_NAMES
    main: ClassVar[int] = R2

    def grid(self, seed: int, cells: Sequence[Group]) -> NDArray[np.float64]:
        """Give the indicators of every cell of a grid, all read off one forest."""
        return np.array([self._indicators(p) for p in self.prepared.predictions(cells, seed)])

    def run_sklearn(self, seed: int, group: Group) -> NDArray[np.float64]:
        """Give the indicators of one run of scikit-learn's forest on the same components."""
        forest = RandomForestRegressor(**group, random_state=seed)
        forest.fit(self.prepared.train, self.target.values)
        return self._indicators(forest.predict(self.prepared.evaluation))

    def _indicators(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        found = number_indicators(self.truth.values, predicted)
        return np.array([getattr(found, name) for name in self.names])


def each_seed(
    run: Callable[[int], NDArray[np.float64]],
    seeds: Sequence[int],
    n_jobs: int | None = None,
    on_run: Callable[[], object] | None = None,
) -> NDArray[np.float64]:
    """Run once for every seed, in threads, and stack the results in the seeds' order."""
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    results = []
    with one_blas_thread:
        for result in parallel(delayed(run)(int(seed)) for seed in seeds):
            results.append(result)
            if on_run is not None:
                on_run()
    return np.array(results)
