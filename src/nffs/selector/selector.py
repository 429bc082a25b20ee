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
from nffs.selector.base import SHARED, TableSelector


@dataclass(kw_only=True, eq=False, repr=False)
class Selector(TableSelector):
    """Select features by a method of your choice, evaluated as `nffs.NFFS` evaluates.

    Every method sees the same encoded table, the same folds and the same evaluator, and may have so
    many distinct subsets evaluated and no more.

    Parameters
    ----------
    method : str or Method
        A name of `nffs.methods.METHODS`, a class of your own as ``"package.module:Class"``, or a
        method with parameters of its own, as ``METHODS["ga"](population=50)``.
    max_evaluations : int, default=250
        The budget: the most distinct subsets that are evaluated for the method. All features
        together are evaluated beside it, for comparison.
    unit, include, exclude, together, min_features, max_features
        As for `nffs.NFFS`: what may be selected. A subset that a method proposes is repaired before
        it is evaluated: what must be in is put in, and of too many features those are dropped that
        a draw leaves out, in which informative ones are the more likely to stay. Of a method that
        has nothing random, such as a filter, the least informative go.
    evaluator, engine, estimator, param_groups, pca, scoring, pos_label, task, cv
        As for `nffs.NFFS`: how a subset is evaluated.
    choose
        As for `nffs.NFFS`, but 'auto' is 'method': the method has the last word.
    min_frequency, max_categories, missing, keep_all
        As for `nffs.NFFS`.
    max_rows
        As for `nffs.NFFS`. What a method looks at beside mutual information with the label comes
        from the sample.
    journal, callbacks, n_jobs, random_state
        As for `nffs.NFFS`. The number of threads never changes the result. A callback that ends the
        phase of a method that has only one ends its search.

    Attributes
    ----------
    support_ : (n_encoded,) bool
        Which encoded columns are selected.
    selected_features_ : list of str
        The selected features by name.
    fitness_ : float
        Their fitness: the selected subset is one of the archive.
    standard_error_ : float
        Its standard error, from folds and parameter groups.
    all_features_fitness_ : float
        The fitness of all features together that are not excluded, on the same rows.
    excluded_ : (n_encoded,) bool
        Which encoded columns are excluded.
    archive_masks_ : (n_evaluations, n_features) bool
        Every subset that was evaluated for the method, over `features_`, in the order of
        evaluation, each once.
    archive_fitness_ : (n_evaluations,) float
        Their fitness.
    chosen_ : int
        The place in the archive of the subset that the method chose.
    final_ : Final or None
        What the final check found, if `choose` asked for one.
    front_ : tuple of Point
        Size against score: the subsets that no subset of as few features beats, of those that the
        final check evaluated or else the search; ``selection_.at_most(10)`` picks one.
    learned_ : Learned or None
        What the model of the guided search learned: what every feature adds, and what it expected
        of every subset. None for other methods.
    features_ : list of str
        All features, in the table's order. Constant ones are never selected.
    mi_ : (n_features,) float
        Mutual information of each feature with the label, in nats; of features that are kept
        together that of the whole group, 0 for excluded ones.
    method_ : Method
        The method used.
    n_starts_ : int
        How often the method was started: one that ends or stalls starts again until its budget is
        spent.
    evaluated_on_, scoring_ : str
        Which rows evaluated the subsets, and by what.
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
