"""What models score with a selection on rows that the search never saw."""

from __future__ import annotations

from copy import copy
from typing import Any

from sklearn.utils.validation import check_is_fitted

from nffs.errors import InputError
from nffs.selection import MemberScore, Unseen
from nffs.selector.base import TableSelector
from nffs.validation.models import Models, models_of
from nffs.validation.transfer import Transfer


def score_models(
    selector: TableSelector,
    X_train: Any,
    y_train: Any,
    X_unseen: Any,
    y_unseen: Any,
    *,
    models: Models = "usual",
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Unseen:
    """Score models with a selection, and with all columns, on rows that the search never saw.

    Every model is trained on the training rows twice, with the selected columns and with all that
    are not excluded, and scored on the unseen rows. No choice was based on these
    scores: they are what to report.

    Parameters
    ----------
    selector : NFFS or Selector
        Fitted on the training rows. Its scoring and its positive class are used.
    X_train, y_train : table and labels
        The rows that it was fitted on.
    X_unseen, y_unseen : table and labels
        Rows that took no part in the search.
    models : sequence of str or dict, default='usual'
        Names from `nffs.validation.MODELS` (for regression from `nffs.validation.NUMBER_MODELS`),
        or models of your own by name, ``{"mine": SVC()}``; 'usual' is all named ones: forest,
        boosting, and logistic or linear. They get the encoded columns.
    sample_weight : array-like, optional
        Weights of the training rows.
    n_jobs : int, optional
        Models to train at a time, in threads. It does not change the result.

    Returns
    -------
    Unseen
        ``selector.selection_.with_unseen(...)`` puts it into the selection: JSON, reports and
        `nffs report` then show it.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs.validation import score_models
    >>> table, later = make_connections(300), make_connections(100, random_state=1)
    >>> selector = NFFS(n_subsets=8, n_nested=4, random_state=0).fit(table.data, table.target)
    >>> unseen = score_models(
    ...     selector, table.data, table.target, later.data, later.target, models=["logistic"]
    ... )
    >>> unseen.n_rows, unseen.models[0].name
    (100, 'logistic')
    """
    if not isinstance(selector, TableSelector):
        raise InputError(
            f"selector: found {type(selector).__name__}; give a fitted NFFS or Selector. For other "
            "selectors there is nested_score."
        )
    check_is_fitted(selector)
    asked = models_of(models, selector.task_)
    if not asked:
        raise InputError("models: none are given; name at least one.")
    # A shallow copy: the user's selector keeps its parameters.
    evaluator = copy(selector).set_params(
        random_state=selector.seed_, pos_label=selector.positive_, task=selector.task_
    )
    try:
        evaluation = evaluator.evaluation(
            X_train,
            y_train,
            eval_set=(X_unseen, y_unseen),
            sample_weight=sample_weight,
            unit="category",
        )
    except InputError as error:
        text = str(error).replace("eval_set[0]", "X_unseen").replace("eval_set[1]", "y_unseen")
        raise InputError(text) from error
    if evaluation.encoding.names != selector.encoded_feature_names_:
        raise InputError(
            "X_train: its encoded columns are not those that the selector was fitted on; give the "
            "same rows."
        )
    transfer = Transfer(asked, evaluation, n_jobs)
    columns = (selector.support_, selector.excluded_)
    scores = transfer.scores(*columns)
    (split,) = evaluation.rows.splits
    return Unseen(
        n_rows=len(split.evaluation),
        n_train=len(split.train),
        scoring=evaluation.scoring.name,
        n_selected=int(selector.support_.sum()),
        n_columns=transfer.n_columns(*columns),
        models=tuple(MemberScore(n, s.selected, s.all_features) for n, s in scores.items()),
    )
