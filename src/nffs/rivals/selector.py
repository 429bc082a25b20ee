"""Rival, the estimator: any method under one evaluator and one budget."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import compress
from numbers import Integral
from typing import Any, ClassVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from nffs.features import Unit
from nffs.fitness.evaluator import values_of
from nffs.randomness import seed_of
from nffs.rivals._base import Method, Task, run_method
from nffs.rivals.registry import method_of
from nffs.table_selector import JUDGING, TableSelector, warn_partial


class Rival(TableSelector):
    """Select features by a method of your choice, judged as `nffs.NFFS` judges.

    Every method sees the same encoded table, the same folds and the same evaluator, and may have so
    many distinct subsets judged and no more.

    Parameters
    ----------
    method : str or Method
        A name of `nffs.rivals.METHODS`, or a method with parameters of its own, as
        ``METHODS["ga"](population=50)``.
    max_evaluations : int, default=250
        The most distinct subsets that may be judged.
    unit, estimator, param_groups, pca, scoring, pos_label, cv, min_frequency, max_categories
        As for `nffs.NFFS`: what is selected, and how a subset is judged.
    journal, callbacks, n_jobs, random_state
        As for `nffs.NFFS`. The number of threads never changes the result.

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
    method_ : Method
        The method used.
    n_starts_ : int
        How often the method was started: one that ends or stalls starts again until its budget is
        spent.
    judged_on_, scoring_ : str
        Which rows judged, and by what.
    n_evaluations_, seconds_, seed_, partial_, classes_, encoding_, encoded_feature_names_
        As for `nffs.NFFS`.

    Examples
    --------
    >>> from nffs import make_connections
    >>> from nffs.rivals import Rival
    >>> table = make_connections(300)
    >>> rival = Rival("mrmr", max_evaluations=12, random_state=0).fit(table.data, table.target)
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
    ) -> Rival:
        """Select features.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, array or nested lists
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
        Rival
            Itself, fitted.
        """
        started = time.perf_counter()
        method = method_of(self.method)
        seed = seed_of(self.random_state)
        stated = self._state(X, y, sample_weight, eval_set, groups, seed)
        task = Task(stated.rows, stated.features, stated.mi, seed, self.n_jobs)
        with self._searching(stated, seed, self.max_evaluations) as search:
            outcome = run_method(
                method,
                task,
                lambda masks: values_of(search.evaluate_some(masks, method.name)[1]).tolist(),
                self.max_evaluations,
                seed,
            )
        if search.interrupted:
            warn_partial(search.n_evaluations, self.max_evaluations)

        problem = stated.problem
        self.method_ = method
        self.features_ = list(problem.features.names)
        self.archive_masks_ = stated.placed.spread(outcome.masks)
        self.archive_fitness_ = outcome.fitness
        self.chosen_ = outcome.chosen
        self.n_starts_ = outcome.n_starts
        self.support_ = problem.features.columns_of(self.archive_masks_[outcome.chosen])
        self.selected_features_ = list(
            compress(self.features_, self.archive_masks_[outcome.chosen])
        )
        self.fitness_ = float(outcome.fitness[outcome.chosen])
        self.judged_on_ = stated.rows.judged_on
        self.scoring_ = stated.scoring.name
        self.classes_ = stated.rows.labels.classes
        self.encoding_ = problem.encoding
        self.encoded_feature_names_ = problem.encoding.names
        self.partial_ = search.interrupted
        self.seed_ = seed
        self.n_evaluations_ = len(outcome.fitness)
        self.seconds_ = time.perf_counter() - started
        return self
