"""Selector, the estimator: any method by name, under one evaluator and one budget."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar

from nffs._sklearn import Interval
from nffs.fitness import Evaluation
from nffs.methods import Method, method_of
from nffs.methods.guided import Learned
from nffs.search.importance import Effects
from nffs.search.loop import Outcome
from nffs.selector.base import TableSelector
from nffs.selector.shared import SHARED


@dataclass(kw_only=True, eq=False, repr=False)
class Selector(TableSelector):
    """Select features by a method of your choice, evaluated as `nffs.NFFS` evaluates.

    All methods get the same encoded table, the same folds, the same evaluator and the same budget
    of distinct subsets to evaluate.

    Parameters
    ----------
    method : str or Method
        A name of `nffs.methods.METHODS`, your own class as ``"package.module:Class"``, or a method
        with parameters, such as ``METHODS["ga"](population=50)``.
    max_evaluations : int, default=250
        The budget: how many distinct subsets the method may evaluate. The set of all features
        is evaluated as well, for comparison.
    unit, include, exclude, together, min_features, max_features
        As for `nffs.NFFS`: constraints on the selection. A subset that violates them is repaired
        before it is evaluated: included features are added, and if there are too many features,
        some are dropped at random, where informative ones are more likely to stay. If the method is
        deterministic, such as a filter, the least informative ones are dropped.
    evaluator, engine, estimator, param_groups, pca, scoring, class_weight, pos_label, task, cv
        As for `nffs.NFFS`: how a subset is evaluated.
    choose
        As for `nffs.NFFS`, but 'auto' is 'method': the method's own choice, without a final check.
    unlabelled_for, categories, min_frequency, max_categories, missing, keep_all
        As for `nffs.NFFS`.
    max_rows
        As for `nffs.NFFS`. What a method uses besides mutual information with the label comes from
        the sample.
    journal, callbacks, n_jobs, random_state
        As for `nffs.NFFS`. The number of threads never changes the result. If a method has one
        phase, a callback that ends the phase ends the search.

    Attributes
    ----------
    support_ : (n_encoded,) bool
        Which encoded columns are selected.
    selected_features_ : list of str
        The selected features by name.
    fitness_ : float
        Their fitness. Without a final check the selected subset is one of the archive; with one,
        it is the fitness in that check.
    standard_error_ : float
        Its standard error, from folds and parameter groups.
    all_features_fitness_ : float
        The fitness of the set of all features that are not excluded, on the same rows.
    excluded_ : (n_encoded,) bool
        Which encoded columns are excluded.
    archive_masks_ : (n_evaluations, n_features) bool
        Every subset that was evaluated for the method, over `features_`, in the order of
        evaluation, each once.
    archive_fitness_ : (n_evaluations,) float
        Their fitness.
    chosen_ : int
        The index in the archive of the subset that the method chose.
    final_ : Final or None
        What the final check found, if `choose` asked for one.
    front_ : tuple of Point
        The best score for each number of features: subsets of the final check, or else of the
        search, that beat every subset of the same size or smaller. ``selection_.at_most(10)`` picks
        one.
    learned_ : Learned or None
        What the model of the guided search learned: what each feature adds, and the score that it
        expected for each subset. None for other methods.
    features_ : list of str
        All features, in the table's order. Constant ones are never selected.
    mi_ : (n_features,) float
        Mutual information of each feature with the label, in nats. Features of a group have that of
        the whole group, excluded ones 0.
    method_ : Method
        The method used.
    n_starts_ : int
        How often the method was started: a method that ends or stalls is restarted until its budget
        is spent.
    evaluated_on_, scoring_ : str
        Which rows evaluated the subsets, and by which score.
    n_evaluations_, failures_, seconds_, seed_, partial_, fingerprint_
        As for `nffs.NFFS`.
    task_, classes_, positive_, left_out_, encoding_, encoded_feature_names_, selection_
        As for `nffs.NFFS`.

    Examples
    --------
    >>> from nffs import Selector, make_connections
    >>> table = make_connections(300)
    >>> selector = Selector("mrmr", max_evaluations=12, random_state=0)
    >>> selector = selector.fit(table.data, table.target)
    >>> len(selector.archive_fitness_), bool(selector.fitness_ == selector.archive_fitness_.max())
    (12, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "method": [str, Method],
        "max_evaluations": [Interval(Integral, 1, None, closed="left")],
        **SHARED,
    }

    method: str | Method = field(kw_only=False)
    max_evaluations: int = 250

    def _method(self, n_features: int) -> tuple[Method, int]:
        return method_of(self.method), self.max_evaluations

    def _keep(self, evaluation: Evaluation, outcome: Outcome) -> None:
        super()._keep(evaluation, outcome)
        spread, found = evaluation.placement.spread, outcome.details
        self.learned_ = None
        if isinstance(found, Learned):
            effects = Effects(spread(found.effects.value), spread(found.effects.error))
            self.learned_ = replace(found, effects=effects)
