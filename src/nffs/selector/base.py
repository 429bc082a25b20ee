"""What a selector of tables has beside its method: reading, judging, keeping, transforming.

A selector that derives from `TableSelector` has the judge's parameters, reads what `fit` was given
with `_problem`, puts the features in order with `_ordered`, judges masks with the search that
`_searching` opens, and sets `support_` and `encoding_`.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from nffs.errors import FailedWarning, InputError, PartialWarning
from nffs.fitness.engines import engine_for
from nffs.fitness.evaluator import Evaluator
from nffs.fitness.identity import identity_of
from nffs.fitness.information import feature_information
from nffs.fitness.memory import check_memory, memory_need
from nffs.fitness.moments import moments_of
from nffs.fitness.scoring import Scoring, resolve_scoring
from nffs.fitness.splits import SplitRows
from nffs.report.notebook import FittedSummary
from nffs.search import Progress, Search, StopPhase, StopSearch
from nffs.search.events import Callback
from nffs.search.journal.journal import Journal, kept_in
from nffs.search.workers import dask_client
from nffs.selection import Selection, apply_columns, plain_parameters
from nffs.selector.fit_tasks import CallbackSupportMixin, FitTasks
from nffs.table.features import Features, Placement, search_order
from nffs.table.parquet import ParquetTable
from nffs.table.problem import Problem, read_training, state_problem
from nffs.table.reading import read_table

#: What scikit-learn checks of the parameters that all selectors of tables share.
JUDGING: dict[str, Any] = {
    "unit": [StrOptions({"category", "column"})],
    "estimator": [HasMethods(["fit", "predict"]), None],
    "param_groups": [list, tuple, None],
    "pca": [Interval(Real, 0, 1, closed="neither"), None],
    "scoring": [str, callable, None],
    "pos_label": "no_validation",
    "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"]), "array-like"],
    "min_frequency": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0, 1, closed="neither"),
        None,
    ],
    "max_categories": [Interval(Integral, 1, None, closed="left"), None],
    "max_rows": [Interval(Integral, 10, None, closed="left"), None],
    "journal": [str, os.PathLike, None],
    "callbacks": [list, tuple, None],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
}


@dataclass(frozen=True)
class Ordered:
    """What a search sees, in its order: features by mutual information, the largest first.

    Attributes
    ----------
    rows : SplitRows
        The encoded rows, with the columns of `features` in their order; they know the moments of
        rows beyond a sample.
    features : Features
        Those that are not constant.
    mi : (n_features,) float
        Their mutual information with the label.
    placed : Placement
        From the search's order back to the table's.
    """

    rows: SplitRows
    features: Features
    mi: NDArray[np.float64]
    placed: Placement


class TableSelector(FittedSummary, CallbackSupportMixin, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of selectors that take raw tables and judge subsets by the shared evaluator."""

    unit: Any
    estimator: Any
    param_groups: Any
    pca: Any
    scoring: Any
    pos_label: Any
    cv: Any
    min_frequency: Any
    max_categories: Any
    max_rows: Any
    journal: Any
    callbacks: Any
    n_jobs: Any
    random_state: Any
    _parameter_constraints: ClassVar[dict[str, Any]] = JUDGING

    def _problem(
        self, X: Any, y: Any, sample_weight: Any, eval_set: Any, groups: Any, seed: int
    ) -> tuple[Problem, SplitRows, Scoring]:
        """Read what `fit` was given: what is selected from, which rows judge, and by what."""
        if y is None:
            validate_data(self, X, y, skip_check_array=True)  # says so in scikit-learn's words
        table, labels = read_training(X, y, self.pos_label)
        # scikit-learn's own bookkeeping of names and counts, once we know X is a table.
        if isinstance(X, ParquetTable):
            self.n_features_in_ = len(X.names)
            self.feature_names_in_ = np.array(X.names, dtype=object)
        else:
            shown = np.asarray(X) if isinstance(X, list) else X
            validate_data(self, shown, y, skip_check_array=True)
        problem, rows = state_problem(
            table,
            labels,
            unit=self.unit,
            min_frequency=self.min_frequency,
            max_categories=self.max_categories,
            cv=self.cv,
            sample_weight=sample_weight,
            eval_set=eval_set,
            groups=groups,
            seed=seed,
            max_rows=self.max_rows,
        )
        return problem, rows, resolve_scoring(self.scoring, rows.labels)

    def _tell_size(self, rows: SplitRows, n_features: int, n_subsets: int) -> None:
        """Log how large a search is; refuse one that needs more memory than there is."""
        # The workers of a cluster have memory of their own.
        n_threads = effective_n_jobs(self.n_jobs)
        here = n_threads if dask_client() is None else 0
        n_rows, n_columns = rows.matrix.shape
        check_memory(n_rows, n_columns, here, held=rows.matrix.nbytes)
        logging.getLogger(type(self).__module__).info(
            "searching %d features of %d rows, %d subsets, %d at a time, at most %d MiB",
            n_features,
            n_rows,
            n_subsets,
            n_threads,
            -(-memory_need(n_rows, n_columns, here) // 2**20),
        )

    def _ordered(self, problem: Problem, rows: SplitRows) -> Ordered:
        """Measure mutual information and put the features in the search's order."""
        usable = problem.features.take(problem.usable)
        mi, rows = _all_rows(problem, usable, rows)
        order = search_order(rows.matrix, usable, mi)
        features = usable.take(order)
        return Ordered(
            rows=rows.with_columns(np.concatenate(features.columns)),
            features=features,
            mi=mi[order],
            placed=Placement(problem.usable[order], len(problem.features)),
        )

    @contextmanager
    def _searching(
        self, ordered: Ordered, scoring: Scoring, seed: int, phases: Mapping[str, int]
    ) -> Iterator[Search]:
        """Open the search that judges masks, with so many subsets in each phase at most."""
        engine = engine_for(self.estimator, self.param_groups, scoring, self.pca)
        evaluator = Evaluator(ordered.rows, engine, ordered.features.membership, seed)
        tasks = FitTasks(self, phases)
        callbacks: list[Callback] = [tasks, *(self.callbacks or ())]
        if len(phases) == 1:
            callbacks = [_only_phase(callback) for callback in callbacks]
        with self._kept(ordered, scoring, seed) as journal:
            yield Search(
                evaluator,
                total=sum(phases.values()),
                n_jobs=self.n_jobs,
                callbacks=callbacks,
                journal=journal,
            )
        tasks.end()

    def _kept(
        self, ordered: Ordered, scoring: Scoring, seed: int
    ) -> AbstractContextManager[Journal | None]:
        if self.journal is None:
            return nullcontext()
        if self.random_state is None:
            raise InputError(
                "random_state: a search with a journal needs a number; without one it could never "
                "be resumed."
            )
        judged = {
            "scoring": scoring.name,
            "pca": self.pca,
            "estimator": self.estimator,
            "param_groups": self.param_groups,
            "seed": seed,
        }
        identity = identity_of(ordered.rows, ordered.features, judged)
        names = list(ordered.features.names)
        return kept_in(self.journal, identity, names, plain_parameters(self))

    @property
    def selection_(self) -> Selection:
        """The result as plain data, with what `transform` needs."""
        check_is_fitted(self)
        return Selection.of_fitted(self)

    def write_report(
        self, path: str | os.PathLike[str], *, nested: Any = None, stability: Any = None
    ) -> None:
        """Write an HTML page about the selection: one file that opens offline.

        Parameters
        ----------
        path : str or path
            Where to write.
        nested : NestedScore, optional
            What `nffs.validation.nested_score` gave: the page then shows the optimism.
        stability : RepeatedSelection, optional
            What `nffs.validation.selection_stability` gave: the page then shows the stability.
        """
        from nffs.report import write_report

        write_report(self.selection_, path, nested=nested, stability=stability)

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected encoded columns.

        Parameters
        ----------
        X : table like the one given to `fit`
            It is not modified.

        Returns
        -------
        frame of the same kind, or array
            Numeric and boolean columns as they are, categories as 0/1 columns; `set_output`
            chooses another container.
        """
        check_is_fitted(self)
        table = read_table(X)
        validate_data(
            self, np.asarray(X) if isinstance(X, list) else X, reset=False, skip_check_array=True
        )
        self.encoding_.check(table)
        columns = [c for c, kept in zip(self.encoding_.columns, self.support_, strict=True) if kept]
        wanted = _get_output_config("transform", self)["dense"]
        same_kind = wanted == "default" or type(X).__module__.startswith(wanted)
        return apply_columns(X, columns, as_array=not same_kind)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            The raw columns' names, if `fit` was given an array.
        """
        check_is_fitted(self)
        raw = list(self.encoding_.kinds)
        names = dict(zip(raw, _check_feature_names_in(self, input_features), strict=True))
        kept = np.flatnonzero(self.support_)
        return np.array([self.encoding_.columns[i].named(names) for i in kept], dtype=object)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        support: NDArray[np.bool_] = self.support_
        return support

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def warn_about(search: Search, total: int) -> None:
    """Warn of what a search of so many subsets left out: it was interrupted, or some failed."""
    if search.ended == "interrupted":
        warnings.warn(
            f"The search was interrupted after {search.n_evaluations} of {total} subsets; the best "
            "of them is kept. With a journal the same call goes on from here.",
            PartialWarning,
            stacklevel=3,
        )
    if search.failures:
        warnings.warn(
            f"{len(search.failures)} of {total} subsets could not be judged and were left out; the "
            f"first failed with {search.failures[0].reason}",
            FailedWarning,
            stacklevel=3,
        )


def _only_phase(callback: Callback) -> Callback:
    """Let a callback that ends the only phase there is end the search."""

    def told(progress: Progress) -> object:
        try:
            return callback(progress)
        except StopPhase as stop:
            raise StopSearch from stop

    return told


def _all_rows(
    problem: Problem, features: Features, rows: SplitRows
) -> tuple[NDArray[np.float64], SplitRows]:
    """Give mutual information, and rows that know the moments of those beyond a sample."""
    if problem.beyond is None:
        return feature_information(rows, features.columns), rows
    mi = feature_information(rows, features.columns, problem.beyond.blocks("mutual information"))
    others = (matrix for matrix, *_ in problem.beyond.blocks("covariance"))
    return mi, replace(rows, beyond=moments_of(others, rows.matrix.shape[1]))
