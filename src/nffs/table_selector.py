"""What a selector of tables has beside its method: reading, judging, keeping, transforming.

A selector that derives from `TableSelector` has the judge's parameters, states its problem with
`_state`, judges masks with the search that `_searching` opens, and sets `support_` and `encoding_`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from nffs.errors import InputError, PartialWarning
from nffs.features import Features, Placement, search_order
from nffs.fitness.evaluator import SubsetEvaluator
from nffs.fitness.judge import engine_for
from nffs.fitness.scoring import Scoring, resolve_scoring
from nffs.fitness.splits import JudgedRows
from nffs.identity import identity_of
from nffs.information import feature_information
from nffs.problem import Problem, read_training, state_problem
from nffs.search import Search
from nffs.search.journal import Journal, kept_in
from nffs.selection import apply_columns, plain_parameters
from nffs.tabular import read_table

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
    "journal": [str, os.PathLike, None],
    "callbacks": [list, tuple, None],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
}


@dataclass(frozen=True)
class Stated:
    """A problem in the order in which a search sees it: features by mutual information.

    Attributes
    ----------
    problem : Problem
        In the table's order.
    rows : JudgedRows
        The encoded rows, with the columns of `features` in their order.
    features : Features
        Those that are not constant, in the search's order.
    mi : (n_features,) float
        Their mutual information with the label.
    scoring : Scoring
        What is measured.
    placed : Placement
        From the search's order back to the table's.
    """

    problem: Problem
    rows: JudgedRows
    features: Features
    mi: NDArray[np.float64]
    scoring: Scoring
    placed: Placement


class TableSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
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
    journal: Any
    callbacks: Any
    n_jobs: Any
    random_state: Any
    _parameter_constraints: ClassVar[dict[str, Any]] = JUDGING

    def _state(
        self, X: Any, y: Any, sample_weight: Any, eval_set: Any, groups: Any, seed: int
    ) -> Stated:
        """Read what `fit` was given and put the features in the search's order."""
        if y is None:
            validate_data(self, X, y, skip_check_array=True)  # says so in scikit-learn's words
        table, labels = read_training(X, y, self.pos_label)
        # scikit-learn's own bookkeeping of names and counts, once we know X is a table.
        validate_data(self, np.asarray(X) if isinstance(X, list) else X, y, skip_check_array=True)
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
        )
        usable = problem.features.take(problem.usable)
        mi = feature_information(rows, usable.columns)
        order = search_order(rows.matrix, usable, mi)
        features = usable.take(order)
        return Stated(
            problem=problem,
            rows=rows.with_columns(np.concatenate(features.columns)),
            features=features,
            mi=mi[order],
            scoring=resolve_scoring(self.scoring, rows.labels),
            placed=Placement(problem.usable[order], len(problem.features)),
        )

    @contextmanager
    def _searching(self, stated: Stated, seed: int, total: int) -> Iterator[Search]:
        """Open the search that judges masks over ``stated.features``."""
        engine = engine_for(self.estimator, self.param_groups, stated.scoring, self.pca)
        evaluator = SubsetEvaluator(stated.rows, engine, stated.features.membership, seed)
        with self._kept(stated, seed) as journal:
            yield Search(
                evaluator,
                total=total,
                n_jobs=self.n_jobs,
                callbacks=self.callbacks or (),
                journal=journal,
            )

    def _kept(self, stated: Stated, seed: int) -> AbstractContextManager[Journal | None]:
        if self.journal is None:
            return nullcontext()
        if self.random_state is None:
            raise InputError(
                "random_state: a search with a journal needs a number; without one it could never "
                "be resumed."
            )
        judged = {
            "scoring": stated.scoring.name,
            "pca": self.pca,
            "estimator": self.estimator,
            "param_groups": self.param_groups,
            "seed": seed,
        }
        identity = identity_of(stated.rows, stated.features, judged)
        names = list(stated.features.names)
        return kept_in(self.journal, identity, names, plain_parameters(self))

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


def warn_partial(done: int, total: int) -> None:
    """Warn that an interrupt stopped a search; what it had judged is kept."""
    warnings.warn(
        f"The search was interrupted after {done} of {total} subsets; the best of them is kept. "
        "With a journal the same call goes on from here.",
        PartialWarning,
        stacklevel=3,
    )
