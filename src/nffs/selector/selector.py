"""Selector, the estimator: any method under one evaluator and one budget."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import compress
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from nffs.errors import EvaluationError
from nffs.fitness.blas import one_blas_thread
from nffs.fitness.evaluator import values_of
from nffs.fitness.identity import identity_of
from nffs.methods.registry import method_of
from nffs.randomness import seed_of
from nffs.search import Search
from nffs.search.method import Judge, Masks, Method, Task, run_method
from nffs.selector.base import JUDGING, TableSelector, warn_about
from nffs.table.features import Unit


class Selector(TableSelector):
    """Select features by a method of your choice, judged as `nffs.NFFS` judges.

    Every method sees the same encoded table, the same folds and the same evaluator, and may have so
    many distinct subsets judged and no more.

    Parameters
    ----------
    method : str or Method
        A name of `nffs.methods.METHODS`, or a method with parameters of its own, as
        ``METHODS["ga"](population=50)``.
    max_evaluations : int, default=250
        The most distinct subsets that may be judged.
    unit, estimator, param_groups, pca, scoring, pos_label, cv, min_frequency, max_categories
        As for `nffs.NFFS`: what is selected, and how a subset is judged.
    max_rows
        As for `nffs.NFFS`. What a method looks at beside mutual information with the label comes
        from the sample.
    journal, callbacks, n_jobs, random_state
        As for `nffs.NFFS`. The number of threads never changes the result. A callback that ends the
        phase ends the search: a method has one phase.

    Attributes
    ----------
    support_ : (n_encoded,) bool
        Which encoded columns are selected.
    selected_features_ : list of str
        The selected features by name.
    fitness_ : float
        Their fitness: the selected subset is one of the archive.
    archive_masks_ : (n_evaluations, n_features) bool
        Every subset that was judged, over `features_`, in the order of evaluation, each once.
    archive_fitness_ : (n_evaluations,) float
        Their fitness.
    chosen_ : int
        The selected subset's place in the archive.
    features_ : list of str
        All features, in the table's order. Constant ones are never selected.
    mi_, constant_
        As for `nffs.NFFS`.
    method_ : Method
        The method used.
    n_starts_ : int
        How often the method was started: one that ends or stalls starts again until its budget is
        spent.
    evaluated_on_, scoring_ : str
        Which rows judged, and by what.
    n_evaluations_, failures_, seconds_, seed_, partial_, fingerprint_, classes_
        As for `nffs.NFFS`.
    encoding_, encoded_feature_names_, selection_
        As for `nffs.NFFS`.

    Examples
    --------
    >>> from nffs import make_connections
    >>> from nffs import Selector
    >>> table = make_connections(300)
    >>> rival = Selector("mrmr", max_evaluations=12, random_state=0).fit(table.data, table.target)
    >>> rival.n_evaluations_, bool(rival.fitness_ == rival.archive_fitness_.max())
    (12, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "method": [str, Method],
        "max_evaluations": [Interval(Integral, 1, None, closed="left")],
        **JUDGING,
    }

    def __init__(
        self,
        method: str | Method,
        *,
        max_evaluations: int = 250,
        unit: Unit = "category",
        estimator: Any = None,
        param_groups: Sequence[dict[str, Any]] | None = None,
        pca: float | None = 0.93,
        scoring: Any = None,
        pos_label: Any = None,
        cv: Any = 3,
        min_frequency: int | float | None = None,
        max_categories: int | None = None,
        max_rows: int | None = None,
        journal: str | os.PathLike[str] | None = None,
        callbacks: Sequence[Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.max_evaluations = max_evaluations
        self.unit = unit
        self.estimator = estimator
        self.param_groups = param_groups
        self.pca = pca
        self.scoring = scoring
        self.pos_label = pos_label
        self.cv = cv
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.max_rows = max_rows
        self.journal = journal
        self.callbacks = callbacks
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        eval_set: Any = None,
        groups: Any = None,
    ) -> Selector:
        """Select features.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, array, nested lists or ParquetTable
            The training table, numeric, boolean and categorical columns mixed. It is not modified.
        y : array-like
            The label of every row; two or more classes of any type.
        sample_weight : array-like, optional
            Weights of the rows.
        eval_set : (X_val, y_val), optional
            Rows that judge the subsets instead of `cv`.
        groups : array-like, optional
            For splitters that keep groups together.

        Returns
        -------
        Selector
            Itself, fitted.
        """
        started = time.perf_counter()
        method = method_of(self.method)
        seed = seed_of(self.random_state)
        problem, rows, scoring = self._problem(X, y, sample_weight, eval_set, groups, seed)
        self._tell_size(rows, len(problem.usable), self.max_evaluations)
        ordered = self._ordered(problem, rows)
        rows = ordered.rows
        task = Task(rows, ordered.features, ordered.mi, seed, self.n_jobs)
        asked = {method.name: self.max_evaluations}
        # Methods multiply matrices too, and what they propose must not depend on the cores.
        with one_blas_thread, self._searching(ordered, scoring, seed, asked) as search:
            judge = _judge_of(search, method.name)
            outcome = run_method(method, task, judge, self.max_evaluations, seed)
            if outcome is None:
                raise _nothing_judged(search)
        warn_about(search, self.max_evaluations)

        self.method_ = method
        self.features_ = list(problem.features.names)
        self.mi_ = ordered.placed.spread(ordered.mi)
        self.constant_ = ~ordered.placed.spread(np.ones_like(ordered.mi, dtype=np.bool_))
        self.archive_masks_ = ordered.placed.spread(outcome.masks)
        self.archive_fitness_ = outcome.fitness
        self.chosen_ = outcome.chosen
        self.n_starts_ = outcome.n_starts
        self.support_ = problem.features.columns_of(self.archive_masks_[outcome.chosen])
        self.selected_features_ = list(
            compress(self.features_, self.archive_masks_[outcome.chosen])
        )
        self.fitness_ = float(outcome.fitness[outcome.chosen])
        self.evaluated_on_ = rows.evaluated_on
        self.fingerprint_ = identity_of(rows, ordered.features, {})
        self.scoring_ = scoring.name
        self.classes_ = rows.labels.classes
        self.encoding_ = problem.encoding
        self.encoded_feature_names_ = problem.encoding.names
        self.partial_ = search.ended == "interrupted"
        self.seed_ = seed
        self.n_evaluations_ = len(outcome.fitness)
        self.failures_ = [failure.reason for failure in search.failures]
        self.seconds_ = time.perf_counter() - started
        return self


def _judge_of(search: Search, phase: str) -> Judge:
    """Let a search judge for a method."""

    def judge(masks: Masks) -> list[float]:
        places, fitness = search.evaluate(masks, phase)
        values = np.full(len(masks), np.nan)
        values[places] = values_of(fitness)
        if search.ended:
            values = values[: places.max(initial=-1) + 1]
        return [float(value) for value in values]

    return judge


def _nothing_judged(search: Search) -> BaseException:
    if search.ended == "interrupted":
        return KeyboardInterrupt()
    why = "" if not search.failures else f"; the first failed with {search.failures[0].reason}"
    return EvaluationError(f"no subset could be judged{why}")
