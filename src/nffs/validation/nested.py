"""Nested scores: the whole selection inside every outer fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from nffs._sklearn import take_rows
from nffs.errors import InputError
from nffs.fitness import cv_splits, resolve_scoring
from nffs.randomness import derive_seed, seed_of
from nffs.selector.base import TableSelector
from nffs.stability import Stability, nogueira
from nffs.validation.chosen import choose, evaluator_for, inner_score, of_one_class
from nffs.validation.estimate import Estimate, estimate
from nffs.validation.models import Models, models_of
from nffs.validation.transfer import ModelEstimate, ModelScore, Transfer, over_folds


@dataclass(frozen=True)
class FoldScore:
    """What happened in one outer fold.

    Attributes
    ----------
    selected : list of str
        The encoded columns that were selected on its training rows.
    inner, outer : float
        Their score on the rows used to choose them, and on the fold's own rows, which no search
        saw.
    all_features : float
        The score of all columns on the fold's own rows.
    models : dict of str to ModelScore
        What other models score on the fold's own rows, if any were asked for.
    """

    selected: list[str]
    inner: float
    outer: float
    all_features: float
    models: dict[str, ModelScore] = field(default_factory=dict)


@dataclass(frozen=True)
class NestedScore:
    """The score of a selection on rows that it never saw, and on those used to choose it.

    Attributes
    ----------
    scoring, evaluated_on : str
        What is measured, and which rows gave the outer scores.
    positive : str or None
        The positive one of two classes.
    inner, outer : Estimate
        The score on the rows used to choose the features, and on rows that the selection never saw.
    all_features : Estimate
        The score of all columns on rows that the selection never saw.
    optimism : Estimate
        Inner minus outer.
    stability : Stability
        Of the selections of the folds.
    folds : list of FoldScore
        The folds one by one.
    models : dict of str to ModelEstimate
        What other models score on rows that the selection never saw, with the selection and with
        all columns; empty if none were asked for.
    """

    scoring: str
    positive: str | None
    evaluated_on: str
    inner: Estimate
    outer: Estimate
    all_features: Estimate
    optimism: Estimate
    stability: Stability
    folds: list[FoldScore]
    models: dict[str, ModelEstimate] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        return asdict(self)


def nested_score(
    selector: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    evaluator: TableSelector | None = None,
    models: Models = None,
    groups: Any = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    on_fold: Callable[[FoldScore], object] | None = None,
) -> NestedScore:
    """Score a feature selector on rows that it never saw.

    In every outer fold a copy of the selector is fitted on the training rows only, and its
    selection is scored once on the fold's own rows.

    Parameters
    ----------
    selector : NFFS, Selector or any scikit-learn selector
        It needs `fit` and `get_support`. Selectors of other libraries are given the one-hot encoded
        rows. If the selector has a journal, every fold has one of its own, ``search.db.fold-1`` and
        so on: run the same call again to continue.
    X, y : table and labels
        As for `NFFS`.
    cv : int or splitter, default=5
        The outer folds; an integer means shuffled ones, stratified by class.
    evaluator : NFFS or Selector, optional
        Its estimator, param_groups, pca, scoring, pos_label, cv and encoding options say how a
        selection is evaluated. By default the selector itself if it is one of these, else `NFFS()`.
        Without a pos_label, the rarer class of the whole table is the positive one in every fold.
    models : sequence of str or dict, optional
        Other models, such as the one that you deploy: names from `nffs.validation.MODELS` (for
        regression from `nffs.validation.NUMBER_MODELS`), 'usual' for all of these, or models of
        your own by name, ``{"mine": SVC()}``. Each is trained on the fold's training rows with the
        selected columns, and with all columns, and scored on the fold's own rows by the evaluator's
        scoring. The models get the encoded columns and class codes, as scikit-learn's named scorers
        expect; with a scorer of your own they get the labels. With `max_rows` they are trained on
        the sample.
    groups : array-like, optional
        For splitters that keep groups together, outer and inner.
    confidence : float, default=0.95
        Level of the intervals.
    random_state : int, RandomState or None, default=0
        Seeds the outer folds.
    on_fold : callable, optional
        Called with a `FoldScore` after every fold.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from nffs import make_connections
    >>> from nffs.validation import nested_score
    >>> table = make_connections(200)
    >>> score = nested_score(SelectKBest(k=5), table.data, table.target, cv=3)
    >>> len(score.folds), len(score.folds[0].selected)
    (3, 5)

    What does a random forest score with the five columns, and with all of them?

    >>> score = nested_score(SelectKBest(k=5), table.data, table.target, cv=3, models=["forest"])
    >>> forest = score.models["forest"]
    >>> -1 < forest.difference.mean < 1
    True
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence: must lie between 0 and 1, found {confidence}.")
    evaluator = evaluator_for(selector, evaluator)
    selector, evaluator, labels = of_one_class(selector, evaluator, X, y)
    asked = models_of(models, labels.task)
    splits, description = cv_splits(cv, labels, groups, derive_seed(seed_of(random_state), "outer"))
    if len(splits) < 2:
        raise InputError("cv: nested scores need at least two outer folds.")
    folds, choices = [], []
    for number, split in enumerate(splits, start=1):
        X_train, X_test = take_rows(X, split.train), take_rows(X, split.evaluation)
        y_train, y_test = take_rows(y, split.train), take_rows(y, split.evaluation)
        held = None if groups is None else take_rows(groups, split.train)
        chosen = choose(selector, evaluator, X_train, y_train, held, f"fold-{number}")
        test = {"eval_set": (X_test, y_test), "unit": "category"}
        unseen = evaluator.evaluation(X_train, y_train, **test)
        fold = FoldScore(
            selected=chosen.selected,
            inner=inner_score(chosen, evaluator, X_train, y_train, held),
            outer=unseen.score(chosen.mask),
            all_features=unseen.score(~chosen.excluded),
            models=Transfer(asked, unseen, evaluator.n_jobs).scores(chosen.mask, chosen.excluded),
        )
        folds.append(fold)
        choices.append(chosen)
        if on_fold is not None:
            on_fold(fold)

    # A test fold's share of the rows, for the correction.
    ratio = float(np.mean([len(s.evaluation) / len(s.train) for s in splits]))
    columns = {
        name: [getattr(fold, name) for fold in folds] for name in ("inner", "outer", "all_features")
    }
    optimism = np.subtract(columns["inner"], columns["outer"])
    names = sorted({name for chosen in choices for name in chosen.names})
    selections = [[name in set(fold.selected) for name in names] for fold in folds]
    return NestedScore(
        scoring=resolve_scoring(evaluator.scoring, labels).name,
        positive=labels.positive,
        evaluated_on=f"outer folds that the selection never saw: {description}",
        **{name: estimate(values, ratio, confidence) for name, values in columns.items()},
        optimism=estimate(optimism, ratio, confidence),
        stability=nogueira(selections, confidence),
        folds=folds,
        models=over_folds(
            [fold.models for fold in folds],
            [chosen.mask for chosen in choices],
            [int((~chosen.excluded).sum()) for chosen in choices],
            ratio,
            confidence,
        ),
    )
