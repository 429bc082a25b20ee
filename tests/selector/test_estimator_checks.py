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


# The same for numbers, told so: many checks have whole numbers for target.
NUMBERS = NFFS(n_subsets=6, evaluator="ridge", task="regression")

# The bins of mutual information are those of the rows, whatever their weights, and its bias is that
# of so many rows: a row of weight 2 orders features about as two rows do, not exactly.
ABOUT = {
    f"check_sample_weight_equivalence_on_{kind}_data": "bins and bias count rows, not weights"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [SMALL, NUMBERS], expected_failed_checks=lambda e: ABOUT if e.task == "auto" else {}
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
