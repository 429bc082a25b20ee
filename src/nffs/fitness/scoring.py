"""Which score is measured, and how to ask for it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer

from nffs._sklearn import BaseScorer
from nffs.errors import InputError, nearest
from nffs.fitness.indicators import average_precision, confusion, f_score, r2
from nffs.fitness.naming import name_of
from nffs.fitness.splits import Split, SplitRows
from nffs.table.numbers import Numbers
from nffs.table.target import Labels, Target

Scorer = Callable[..., float]

#: The F-scores that are counted here by how many classes there are: two, or more. What scikit-learn
#: calls their means.
_AVERAGES = {True: ("f1", "binary"), False: ("f1_macro", "macro")}


@dataclass(frozen=True)
class Scoring:
    """A scikit-learn scorer, and how it is to be asked."""

    name: str  # for results
    scorer: Scorer  # ``scorer(estimator, X, y)``
    # scikit-learn's named scorers take class 1 for the positive one, so they get codes. A scorer
    # the user made may name classes, so it gets the labels as they were given.
    wants_labels: bool = False
    # Which of those it is that are computed without scikit-learn, if it is one
    plain: Literal["f_score", "average_precision", "r2"] | None = None
    # What to tell a user before a search, if it is a default that needs a word
    said: str = ""

    def identity(self) -> str:
        """Name what decides a score: scikit-learn's scorers by their names, others by all of it."""
        if not self.wants_labels:
            return self.name
        return f"{self.name} = {name_of(self.scorer, 'scoring')}"

    def of_estimator(
        self, estimator: Any, X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> float:
        """Score a fitted estimator; weights count if the scorer takes them."""
        if weights is None or not isinstance(self.scorer, BaseScorer):
            return float(self.scorer(estimator, X, y))
        return float(self.scorer(estimator, X, y, sample_weight=weights))

    def of_probabilities(
        self,
        probabilities: NDArray[np.float64],
        labels: Labels,
        weights: NDArray[np.float64] | None,
    ) -> float:
        """Score class probabilities that were predicted for rows with the given labels."""
        if self.plain == "f_score":
            predicted = probabilities.argmax(axis=1)
            return f_score(confusion(labels.codes, predicted, labels.n_classes, weights))
        if self.plain == "average_precision":
            return average_precision(labels.codes == 1, probabilities[:, 1], weights)
        classes, y = np.arange(labels.n_classes), labels.codes
        if self.wants_labels:
            # Sorted, as every classifier has them: a scorer takes the last of two for positive.
            order = np.argsort(labels.classes)
            classes, probabilities = labels.classes[order], probabilities[:, order]
            y = labels.decode()
        return self.of_estimator(
            _Predicted(classes, probabilities), np.empty((len(y), 0)), y, weights
        )

    def of_numbers(
        self,
        predicted: NDArray[np.float64],
        target: Numbers,
        weights: NDArray[np.float64] | None,
    ) -> float:
        """Score numbers that were predicted for rows with the given target."""
        y = target.values
        if self.plain == "r2":
            return r2(y, predicted, weights)
        return self.of_estimator(_PredictedNumbers(predicted), np.empty((len(y), 0)), y, weights)


class _PredictedNumbers(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers already predicted, in the shape scorers ask for."""

    def __init__(self, predicted: NDArray[np.float64]) -> None:
        self.predicted = predicted

    def predict(self, X: Any) -> NDArray[np.float64]:
        return self.predicted


class _Predicted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predictions already made, in the shape scorers ask for."""

    def __init__(self, classes: NDArray[Any], probabilities: NDArray[np.float64]) -> None:
        self.classes_ = classes
        self.probabilities = probabilities

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return self.probabilities

    def predict(self, X: Any) -> NDArray[Any]:
        predicted: NDArray[Any] = self.classes_[self.probabilities.argmax(axis=1)]
        return predicted


def resolve_scoring(scoring: str | Scorer | None, target: Target) -> Scoring:
    """Find the scorer; by default the target's own."""
    if scoring is None:
        scorer = resolve_scoring(target.default_scoring, target)
        return replace(scorer, said=_said_of(target))
    if isinstance(target, Labels) and scoring == (mean := _AVERAGES[target.n_classes == 2])[0]:
        scorer = make_scorer(f1_score, average=mean[1], zero_division=0.0)
        return Scoring(scoring, scorer, plain="f_score")
    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            raise InputError(
                f"scoring: {scoring!r} is not a scorer;{nearest(scoring, get_scorer_names())} "
                "sklearn.metrics.get_scorer_names() lists them."
            )
        found = Scoring(scoring, get_scorer(scoring), plain=_plain(scoring, target))
        if isinstance(target, Numbers):
            _check_for_numbers(found)
        return found
    return Scoring(_name(scoring), scoring, wants_labels=True)


def settled_scoring(scoring: str | Scorer | None, target: Target) -> str | Scorer | None:
    """Give what all parts of a table are to be scored by, whatever was given.

    The default for two classes depends on how rare the positive one is, of which parts of the rows
    could disagree.
    """
    settled = scoring is None and target.positive is not None
    return target.default_scoring if settled else scoring


def _plain(name: str, target: Target) -> Literal["average_precision", "r2"] | None:
    """Tell whether a scorer of scikit-learn's is computed here."""
    if name == "average_precision" and isinstance(target, Labels) and target.n_classes == 2:
        return "average_precision"
    return "r2" if name == "r2" else None


def _said_of(target: Target) -> str:
    """Say why the default is another than usual; nothing if it is not."""
    if target.default_scoring != "average_precision":
        return ""
    assert isinstance(target, Labels)  # of numbers it is R2
    return (
        f"score: average precision, because only {int(target.codes.sum()):,} of {len(target):,} "
        f"rows ({target.positive_share:.1%}) are {target.positive!r}, too few for the F-score to "
        "tell subsets apart; set scoring to f1 to use it nevertheless"
    )


def check_scoring(rows: SplitRows, scoring: Scoring) -> None:
    """Refuse a scorer that can score no predictions at all for some rows that evaluate.

    It is asked for true and for random ones. A function of the user's may ask for more than
    predictions, so it is not asked.
    """
    target, rng = rows.target, np.random.default_rng(0)
    if scoring.plain is not None or not isinstance(scoring.scorer, BaseScorer):
        return
    if not isinstance(target, Labels):
        return  # any rows of numbers can be scored
    for number, split in enumerate(rows.splits):
        labels = target.take(split.evaluation)
        weights = rows.evaluation_weights(split)
        random = rng.dirichlet(np.ones(target.n_classes), len(labels))
        true = (np.eye(target.n_classes)[labels.codes] + random) / 2
        faults = [_fault(scoring, guess, labels, weights) for guess in (random, true)]
        if all(faults):
            raise InputError(
                f"scoring: {scoring.name} cannot score the evaluation rows of split {number} "
                f"({faults[-1]}); choose another scorer, or rows that it can score."
            )


def _fault(scoring: Scoring, guess: NDArray[np.float64], labels: Labels, weights: Any) -> str:
    """Say why predictions cannot be scored; nothing if they can."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a score that is not defined: it is no number
        try:
            score = scoring.of_probabilities(guess, labels, weights)
        except AttributeError:
            return ""  # it asks for more than predictions, which an estimator may have
        except Exception as error:  # whatever it raises
            return " ".join(str(error).split())[:160] or type(error).__name__
    return "" if np.isfinite(score) else f"it gives {score}"


def _check_for_numbers(scoring: Scoring) -> None:
    """Refuse a scorer that is for classes: it cannot score numbers."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tried = np.array([1.25, 2.5, 3.75, 5.0])
            scoring.of_estimator(_PredictedNumbers(tried), np.empty((4, 0)), tried, None)
    except (ValueError, AttributeError, TypeError):
        raise InputError(
            f"scoring: {scoring.name!r} is for classes, and y holds numbers; choose 'r2', "
            "'neg_root_mean_squared_error', 'neg_mean_absolute_error' or another scorer for "
            "regression."
        ) from None


def constant_guess(rows: SplitRows, scoring: Scoring) -> float | None:
    """Give the score of the best guess that is the same for all rows.

    Of classes that is one of them, or their shares; of numbers their mean or median.

    None if there is none: a scorer of the user's may ask for more than predictions.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a class that is never predicted, for one
        try:
            best = float(np.mean(_guess_scores(rows, scoring), axis=0).max())
        except Exception:  # whatever it raises, it must not cost a search that is done
            return None
    return best if np.isfinite(best) else None


def _guess_scores(rows: SplitRows, scoring: Scoring) -> list[list[float]]:
    scores = []
    for split in rows.splits:
        weights = rows.evaluation_weights(split)
        if isinstance(rows.target, Numbers):
            scores.append(_number_guesses(rows.target, split, scoring, weights))
        else:
            scores.append(_class_guesses(rows.target, split, scoring, weights))
    return scores


def _class_guesses(
    target: Target, split: Split, scoring: Scoring, weights: NDArray[np.float64] | None
) -> list[float]:
    assert isinstance(target, Labels)
    labels = target.take(split.evaluation)
    shares = np.bincount(target.codes[split.train], minlength=target.n_classes)
    guesses = np.vstack([np.eye(target.n_classes), shares / shares.sum()])
    return [
        scoring.of_probabilities(np.tile(guess, (len(labels), 1)), labels, weights)
        for guess in guesses
    ]


def _number_guesses(
    target: Numbers, split: Split, scoring: Scoring, weights: NDArray[np.float64] | None
) -> list[float]:
    known, asked = target.values[split.train], target.take(split.evaluation)
    guesses = float(known.mean()), float(np.median(known))
    return [scoring.of_numbers(np.full(len(asked), guess), asked, weights) for guess in guesses]


def _name(scorer: Any) -> str:
    function = getattr(scorer, "_score_func", scorer)
    return str(getattr(function, "__name__", type(scorer).__name__))
