"""The binned forest as a scikit-learn classifier, so that users can run what the search ran."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from nffs._sklearn import (
    Interval,
    StrOptions,
    check_sample_weight,
    fit_context,
    validate_data,
)
from nffs.fitness.forest.binning import find_bins
from nffs.fitness.forest.forest import BinnedForest
from nffs.fitness.forest.training import TrainingRows
from nffs.table.missing import Filling


class BinnedForestClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A random forest on columns of at most 256 bins.

    It grows trees as :class:`sklearn.ensemble.RandomForestClassifier` does (bootstrap, Gini
    impurity, a few random features per node, splits halfway between neighbouring values) but looks
    for splits between bins. Columns with up to 256 distinct values lose nothing by that.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees. The first trees of a larger forest are the trees of a smaller one.
    max_depth : int or None, default=None
        Largest depth of a node; None for no limit.
    max_features : "sqrt", int or None, default="sqrt"
        Features to try in a node; None for all. As in scikit-learn, constant ones do not count:
        drawing continues until a feature can split.
    bootstrap : bool, default=True
        Whether each tree draws its rows with replacement or has all of them.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest.
    n_jobs : int or None, default=None
        Number of threads, as in joblib. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    forest_ : BinnedForest
        The forest.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features seen in ``fit``, if they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nffs import BinnedForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BinnedForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> bool(forest.score(X, y) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), StrOptions({"sqrt"}), None],
        "bootstrap": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = None,
        max_features: int | Literal["sqrt"] | None = "sqrt",
        bootstrap: bool = True,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> BinnedForestClassifier:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows. A missing value (NaN) counts as the mean of its column.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights; rows of weight 0 are left out.

        Returns
        -------
        BinnedForestClassifier
            The fitted classifier.
        """
        table: NDArray[np.float32]
        table, y = validate_data(
            self, X, y, dtype=np.float32, order="C", ensure_all_finite="allow-nan"
        )
        self._fill = Filling(table)
        table = self._fill(table)
        check_classification_targets(y)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, table, dtype=np.float64)
            if weight.min() < 0.0 or weight.max() == 0.0:
                raise ValueError(
                    "sample_weight must hold no negative value and at least one positive one, "
                    f"got values from {weight.min()} to {weight.max()}"
                )
            if weight.min() == weight.max():
                weight = None
        rows = TrainingRows(table, find_bins(table), codes, len(self.classes_), weight)
        self.forest_ = BinnedForest.grow(
            rows,
            n_trees=self.n_estimators,
            max_depth=self.max_depth,
            seed=self._seed(),
            max_features=self._max_features(),
            bootstrap=self.bootstrap,
            n_threads=effective_n_jobs(self.n_jobs),
        )
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _seed(self) -> int:
        # An integer is the forest's seed itself, so that a forest of the search can be grown again.
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _max_features(self) -> int | None:
        if self.max_features == "sqrt":
            return None
        n_features = int(self.n_features_in_)
        return n_features if self.max_features is None else int(self.max_features)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Mean class shares of the leaves the rows reach.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, classes in the order of ``classes_``.
        """
        check_is_fitted(self)
        table: NDArray[np.float32] = validate_data(
            self, X, dtype=np.float32, order="C", reset=False, ensure_all_finite="allow-nan"
        )
        group = {"n_estimators": len(self.forest_.trees), "max_depth": None}
        forest: BinnedForest = self.forest_
        shares: NDArray[np.float64] = forest.predict_groups(
            self._fill(table), [group], effective_n_jobs(self.n_jobs)
        )[0]
        return shares

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the most probable classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        probabilities = self.predict_proba(X)
        predicted: NDArray[Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return predicted
