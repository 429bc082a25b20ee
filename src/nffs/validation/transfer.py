"""What other models make of a selection: their scores with it, and with all columns.

One evaluator chose the selection. Whoever deploys another kind of model wants to know what that
one scores on unseen rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from nffs._threads import share
from nffs.errors import InputError
from nffs.fitness import Evaluation, Mask, SplitRows, one_blas_thread
from nffs.randomness import derive_seed
from nffs.validation.estimate import Estimate, estimate


@dataclass(frozen=True)
class ModelScore:
    """What a model scores on unseen rows with the selected columns, and with all of them."""

    selected: float
    all_features: float

    @property
    def difference(self) -> float:
        """The score with the selection minus the score with all columns."""
        return self.selected - self.all_features


@dataclass(frozen=True)
class ModelEstimate:
    """What a model scores over the outer folds.

    Attributes
    ----------
    selected, all_features : Estimate
        Its score with the columns that each fold selected, and with all of them, on unseen rows.
    difference : Estimate
        The first minus the second, fold by fold.
    n_selected, n_columns : float
        Encoded columns that were selected, of how many: means over the folds.
    """

    selected: Estimate
    all_features: Estimate
    difference: Estimate
    n_selected: float
    n_columns: float


class Transfer:
    """Trains models on the training rows of an evaluation and scores them on its unseen rows.

    The scores of all columns, and of any columns asked for before, are computed once. A model has
    the same seed whatever the columns, so that they alone make the difference. Columns that are
    constant in the training rows say nothing, and excluded ones are not to be used: all columns are
    the others, and any selected.

    Parameters
    ----------
    models : mapping of str to classifier or regressor
        As `nffs.validation.models.models_of` gives them.
    evaluation : Evaluation
        Over encoded columns, with one split: the training rows, and the unseen ones. Its scoring
        is what is measured, its seed where seeds come from.
    n_jobs : int, optional
        Models to train at a time, in threads. It does not change the result.
    """

    def __init__(
        self, models: Mapping[str, Any], evaluation: Evaluation, n_jobs: int | None = None
    ) -> None:
        self._models, self._evaluation = models, evaluation
        self._n_jobs = n_jobs
        self._known: dict[tuple[str, bytes], float] = {}

    def scores(self, columns: Mask, excluded: Mask | None = None) -> dict[str, ModelScore]:
        """Score every model with some of the encoded columns, and with all that may be selected."""
        if not self._models:
            return {}
        everything = self._everything(columns, excluded)
        wanted = {
            (name, mask.tobytes()): mask for name in self._models for mask in (columns, everything)
        }
        missing = [key for key in wanted if key not in self._known]

        def work(numbers: Iterator[int]) -> None:
            for name, key in (missing[number] for number in numbers):
                self._known[name, key] = self._score(name, wanted[name, key])

        # Filters belong to the whole process, so they are set before any thread starts.
        with one_blas_thread, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            share(len(missing), effective_n_jobs(self._n_jobs), work)
        return {
            name: ModelScore(
                self._known[name, columns.tobytes()], self._known[name, everything.tobytes()]
            )
            for name in self._models
        }

    def n_columns(self, columns: Mask, excluded: Mask | None = None) -> int:
        """Count all columns, as `scores` takes them beside some of them."""
        return int(self._everything(columns, excluded).sum())

    def _everything(self, columns: Mask, excluded: Mask | None) -> Mask:
        usable = self._varying if excluded is None else self._varying & ~excluded
        return usable | columns

    @cached_property
    def _rows(self) -> SplitRows:
        rows = self._evaluation.rows
        return rows.filled(rows.splits[0])

    @cached_property
    def _varying(self) -> Mask:
        rows = self._rows
        train = rows.matrix[rows.splits[0].train]
        varying: Mask = train.max(axis=0) > train.min(axis=0)
        return varying

    def _score(self, name: str, columns: Mask) -> float:
        scoring = self._evaluation.scoring
        try:
            # The number of OpenMP's threads, which each thread sets for itself, decides last bits.
            with threadpool_limits(limits=1, user_api="openmp"):
                return self._trained_score(name, columns)
        except Exception as error:
            raise InputError(
                f"models: {name!r} cannot be trained on these rows and scored by {scoring.name} "
                f"({type(error).__name__}: {error}); leave it out."
            ) from error

    def _trained_score(self, name: str, columns: Mask) -> float:
        rows, scoring = self._rows, self._evaluation.scoring
        (split,) = rows.splits
        target = rows.target.decode() if scoring.wants_labels else rows.target.values
        model = clone(self._models[name])
        _set_seeds(model, derive_seed(self._evaluation.seed, "transfer", name))
        matrix, given = rows.given_to(model), rows.training_weights(split.train)
        weights = {} if given is None else _weights(model, given)
        model.fit(_part(matrix, split.train, columns), target[split.train], **weights)
        return scoring.of_estimator(
            model,
            _part(matrix, split.evaluation, columns),
            target[split.evaluation],
            rows.evaluation_weights(split),
        )


def over_folds(
    folds: Sequence[Mapping[str, ModelScore]],
    masks: Sequence[Mask],
    n_all: Sequence[int],
    ratio: float,
    confidence: float,
) -> dict[str, ModelEstimate]:
    """Summarize the scores of every model over folds.

    The masks are what the folds selected, of so many columns in all.
    """
    n_selected = float(np.mean([mask.sum() for mask in masks]))
    n_columns = float(np.mean(n_all))
    found = {}
    for name in folds[0]:
        estimates = {
            what: estimate([getattr(fold[name], what) for fold in folds], ratio, confidence)
            for what in ("selected", "all_features", "difference")
        }
        found[name] = ModelEstimate(**estimates, n_selected=n_selected, n_columns=n_columns)
    return found


def _part(matrix: NDArray[np.float32], rows: NDArray[np.intp], columns: Mask) -> NDArray[Any]:
    return matrix[np.ix_(rows, columns)].astype(np.float64)


def _set_seeds(model: Any, seed: int) -> None:
    """Seed every `random_state` that is None, nested ones too."""
    values = model.get_params().items()
    unset = [n for n, v in values if n.split("__")[-1] == "random_state" and v is None]
    if unset:
        model.set_params(**{name: derive_seed(seed, name) for name in unset})


def _weights(model: Any, weights: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Give weights as `fit` takes them: a pipeline's are for its last step."""
    prefix = ""
    while isinstance(model, Pipeline):
        last, model = model.steps[-1]
        prefix += f"{last}__"
    return {f"{prefix}sample_weight": weights} if has_fit_parameter(model, "sample_weight") else {}
