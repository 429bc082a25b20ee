"""What every selector has besides its method: parameters, reading, searching, transforming.

A selector that derives from `TableSelector` says which method searches (`_method`) and within which
budget; everything else is here.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from nffs import memory
from nffs._sklearn import (
    CallbackSupportMixin,
    fit_context,
    validate_data,
)
from nffs.errors import AdjustedWarning, InputError
from nffs.fitness import Evaluation
from nffs.methods.choosing import standard_error
from nffs.randomness import seed_of
from nffs.report.inline import InlinePage
from nffs.report.notebook import FittedSummary
from nffs.report.progress import watched
from nffs.search.allowed import Allowed
from nffs.search.final import Choose
from nffs.search.journal.journal import Journal, kept_in
from nffs.search.loop import Outcome
from nffs.search.method import Method
from nffs.search.search import Search, phases_of
from nffs.search.workers import dask_client
from nffs.selection import (
    Selection,
    final_of,
    plain_parameters,
    searched_points,
    unlabelled_of,
)
from nffs.selector.applied import AppliedMixin
from nffs.selector.fit_tasks import FitTasks
from nffs.selector.mistakes import refuse_mistakes
from nffs.selector.shared import SHARED
from nffs.selector.warn import warn_about, warn_about_numbers
from nffs.table.constraints import constraints_text
from nffs.table.features import Unit
from nffs.table.missing import Missing
from nffs.table.parquet import ParquetTable
from nffs.table.problem import Problem

#: Those that say how to read a table.
_READING = (
    "unit", "pos_label", "task", "categories", "min_frequency", "max_categories", "max_rows",
    "missing", "keep_all",
)  # fmt: skip


@dataclass(kw_only=True, eq=False, repr=False)
class TableSelector(FittedSummary, CallbackSupportMixin, AppliedMixin, BaseEstimator):  # type: ignore[misc]
    """Base of selectors that take raw tables and let a method search."""

    unit: Unit = "category"
    include: str | int | Sequence[str | int] | None = None
    exclude: str | int | Sequence[str | int] | None = None
    together: Sequence[Sequence[str | int]] | None = None
    min_features: int = 1
    max_features: int | None = None
    evaluator: str | Sequence[str] = "panel"
    engine: str = "auto"
    estimator: Any = None
    param_groups: Sequence[dict[str, Any]] | None = None
    pca: float | str | None = "auto"
    scoring: Any = None
    class_weight: Literal["balanced"] | None = None
    pos_label: Any = None
    task: Literal["auto", "classification", "regression"] = "auto"
    cv: Any = 3
    choose: Literal["auto", "best", "one_se", "all", "method"] = "auto"
    unlabelled_for: str | Sequence[str] | None = None
    categories: Literal["onehot", "cluster"] = "onehot"
    min_frequency: int | float | None = None
    max_categories: int | Literal["auto"] | None = "auto"
    max_rows: int | None = None
    missing: Missing = "indicate"
    keep_all: bool = False
    journal: str | os.PathLike[str] | None = None
    callbacks: Sequence[Any] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, Any]] = SHARED

    @abstractmethod
    def _method(self, n_features: int) -> tuple[Method, int]:
        """Give the method for so many usable features, and its budget of evaluations."""

    def _choose(self) -> Choose | Literal["method"]:
        """Give the rule for the last candidates: by default the method has the last word."""
        return "method" if self.choose == "auto" else self.choose

    def evaluation(self, X: Any, y: Any, **given: Any) -> Evaluation:
        """Prepare what scores subsets of a table, as this selector's parameters say.

        Parameters
        ----------
        X, y : table and labels
            As `fit` takes them.
        **given
            What else `fit` takes, and parameters that say how to read the table, to be used instead
            of the selector's: unit, pos_label, task, categories, min_frequency, max_categories,
            max_rows, missing, keep_all.

        Returns
        -------
        Evaluation
            Over all features, in the table's order, whatever may be selected.
        """
        seed = seed_of(self.random_state)
        reading = {name: getattr(self, name) for name in _READING}
        refuse_mistakes(self.scoring, self.estimator)
        problem = Problem.read(X, y, seed=seed, **{**reading, **given})
        return Evaluation.of(self, problem, seed)

    @fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        eval_set: Any = None,
        groups: Any = None,
        unlabelled: Any = None,
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, array, sparse matrix, nested lists or ParquetTable
            The training table, numeric, boolean and categorical columns mixed. It is not modified.
        y : array-like
            What is to be predicted for every row: two or more classes of any type, or numbers.
        sample_weight : array-like, optional
            Weights of the rows, for mutual information, for training and for scorers that take
            them.
        eval_set : (X_val, y_val), optional
            Rows that evaluate the subsets instead of `cv`. With a test set that is the paper's way,
            and the resulting score is not to be expected on new data.
        groups : array-like, optional
            For splitters that keep groups together (`cv=GroupKFold()`).
        unlabelled : table, optional
            Rows without labels, such as those to predict. What they are used for, `unlabelled_for`
            says. They are never evaluated on.
        """
        started = time.perf_counter()
        if y is None:
            validate_data(self, X, y, skip_check_array=True)  # says so in scikit-learn's words
        evaluation = self.evaluation(
            X, y, sample_weight=sample_weight, eval_set=eval_set, groups=groups,
            unlabelled=unlabelled,
        )  # fmt: skip
        self._note_names(X, y)
        evaluation = evaluation.within(self).adapted()
        for note in (*evaluation.notes, *evaluation.constraints.notes):
            warnings.warn(note, AdjustedWarning, stacklevel=3)  # the caller of fit
        method, budget = self._method(evaluation.n_usable)
        method.check_task(evaluation.rows.target.task)
        choose = self._choose()
        phases = phases_of(method, evaluation.n_usable, budget, choose, weighs=evaluation.weighs)
        self._check_size(evaluation, method, sum(phases.values()))
        outcome: Outcome | None = None
        try:
            with watched(self.callbacks) as callbacks:
                evaluation = evaluation.ranked()
                tasks = FitTasks(self, phases)
                with self._journal(evaluation) as journal:
                    search = Search(
                        evaluation,
                        n_jobs=self.n_jobs,
                        callbacks=[tasks, *callbacks],
                        journal=journal,
                        started=started,
                    )
                    outcome = search.run(method, budget, choose)
            tasks.end()
            self._keep(evaluation, outcome)
        except KeyboardInterrupt:
            if outcome is None:
                raise
            # The search is done: what it found is kept all the same.
            outcome = replace(outcome, ended="interrupted")
            self._keep(evaluation, outcome)
        warn_about(outcome, sum(phases.values()))
        self.method_ = method
        warn_about_numbers(evaluation.numbered(self.support_))
        self.seconds_ = time.perf_counter() - started
        return self

    def _note_names(self, X: Any, y: Any) -> None:
        """Do scikit-learn's own bookkeeping of names and counts, once we know X is a table."""
        if isinstance(X, ParquetTable):
            self.n_features_in_ = len(X.names)
            self.feature_names_in_ = np.array(X.names, dtype=object)
        else:
            shown = np.asarray(X) if isinstance(X, list) else X
            validate_data(self, shown, y, skip_check_array=True)

    def _check_size(self, evaluation: Evaluation, method: Method, n_subsets: int) -> None:
        """Log how large a search is; refuse one that needs more memory than there is."""
        # The workers of a cluster have memory of their own.
        n_threads = effective_n_jobs(self.n_jobs)
        here = n_threads if dask_client() is None else 0
        learned = method.memory(evaluation.n_usable, n_subsets)
        how: dict[str, Any] = {
            "final": self._choose() != "method", "weighing": method.weighs, "learned": learned
        }  # fmt: skip
        evaluation.check_memory(here, **how)
        in_use = memory.used_memory()
        need = evaluation.memory(here, **how) - evaluation.rows.matrix.nbytes + memory.CODE
        logger = logging.getLogger("nffs.selector")
        target = evaluation.rows.target
        task = target.said if self.task == "auto" else f"task: {target.task}"
        for said in filter(None, (task, evaluation.scoring.said)):
            logger.info("%s", said)
        if said := constraints_text(plain_parameters(self)):
            logger.info("constraints: %s", said)
        logger.info(
            "searching %d features of %d rows, %d subsets, %d at a time, in about %d MiB of "
            "memory, %d of them in use",
            evaluation.n_usable,
            len(evaluation.rows.target),
            n_subsets,
            n_threads,
            -(-(in_use + need) // 2**20),
            -(-in_use // 2**20),
        )

    def _journal(self, evaluation: Evaluation) -> AbstractContextManager[Journal | None]:
        if self.journal is None:
            return nullcontext()
        if self.random_state is None:
            raise InputError(
                "random_state: a search with a journal needs a number; without one it could never "
                "be resumed."
            )
        names = list(evaluation.features.names)
        return kept_in(self.journal, evaluation.identity(), names, plain_parameters(self))

    def _keep(self, evaluation: Evaluation, outcome: Outcome) -> None:
        """Keep what was found, over the features in the table's order."""
        placed, chosen = evaluation.placement, outcome.chosen
        self.features_ = list(evaluation.all_features.names)
        self.mi_ = placed.spread(evaluation.mi)
        self.constant_ = evaluation.constant
        self.excluded_ = evaluation.all_features.columns_of(evaluation.constraints.excluded)
        self.archive_masks_ = placed.spread(outcome.masks)
        self.archive_fitness_ = outcome.fitness
        self.chosen_ = chosen
        self.n_starts_ = outcome.n_starts
        mask = self.archive_masks_[chosen]
        final = outcome.final
        if final is not None:
            eligible = Allowed.of(evaluation)(final.masks)
            final = replace(final, masks=placed.spread(final.masks))
            mask = final.masks[final.chosen]
        self.support_ = evaluation.all_features.columns_of(mask)
        self.selected_features_ = list(compress(self.features_, mask))
        self.fitness_ = float(outcome.fitness[chosen])
        self.standard_error_ = standard_error(outcome.scores, chosen)
        self.all_features_fitness_ = outcome.all_features
        self.evaluated_on_ = evaluation.rows.evaluated_on
        self.final_ = None
        if final is None:
            self.front_ = searched_points(self.archive_masks_, outcome.fitness, outcome.scores)
        else:
            self.final_, self.front_ = final_of(
                final,
                eligible,
                names=evaluation.members,
                choose=self._choose(),
                n_constant=int((self.constant_ & ~evaluation.constraints.excluded).sum()),
                max_features=self.max_features,
                n_looks=outcome.n_evaluations,
                searched_on=self.evaluated_on_,
                searched_all_features=outcome.all_features,
            )
            self.fitness_ = final.fitness(final.chosen)
            self.standard_error_ = final.error(final.chosen)
            self.all_features_fitness_ = final.fitness(0)
            self.evaluated_on_ = final.evaluated_on
        self.fingerprint_ = evaluation.fingerprint()
        self.unlabelled_ = unlabelled_of(evaluation)
        self.scoring_ = evaluation.scoring.name
        self.task_ = evaluation.rows.target.task
        self.classes_ = evaluation.rows.target.classes
        self.positive_ = evaluation.rows.target.positive_label
        self.encoding_ = evaluation.encoding
        self.encoded_feature_names_ = evaluation.encoding.names
        self.left_out_ = dict(evaluation.encoding.left_out)
        self.partial_ = outcome.ended == "interrupted"
        self.seed_ = evaluation.seed
        self.n_evaluations_ = outcome.n_evaluations
        self.failures_ = outcome.failures
        self.planned_, self.cut_ = outcome.planned, outcome.cut

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
        self.report(nested=nested, stability=stability).save(path)

    def report(self, *, nested: Any = None, stability: Any = None) -> InlinePage:
        """Give the page about the selection: the last line of a notebook's cell shows it inline.

        Parameters
        ----------
        nested, stability : optional
            As for `write_report`.

        Returns
        -------
        InlinePage
            `save` writes it to a file, and `str` gives its HTML.
        """
        from nffs.report import render_report

        page = render_report(self.selection_, nested=nested, stability=stability)
        return InlinePage(page, "nffs report")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing == "indicate"
        tags.input_tags.sparse = True
        return tags
