"""NFFS is a scikit-learn estimator in every respect that scikit-learn can check."""

from sklearn.model_selection import ShuffleSplit
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from nffs import NFFS

# Small, because the checks fit dozens of times. Not stratified folds, because some checks have a
# class of one row, which folds refuse on purpose.
SMALL = NFFS(
    n_subsets=6,
    cv=ShuffleSplit(n_splits=2, test_size=0.3, random_state=0),
    estimator=DecisionTreeClassifier(max_depth=3),
)


@parametrize_with_checks([SMALL])
def test_scikit_learn_check(estimator, check):
    check(estimator)
