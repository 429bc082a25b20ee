"""`class_weight="balanced"`: all classes weigh the same for the models that train."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.class_weight import compute_sample_weight

from nffs import NFFS, InputError
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import read_target

SMALL = {"n_subsets": 6, "n_nested": 3, "random_state": 0}


@pytest.fixture(scope="module")
def rare():
    """One positive row in thirty, which hide among the others."""
    return make_classification(
        900, 8, n_informative=4, weights=[0.97], class_sep=0.6, flip_y=0, random_state=1
    )


def rows_of(y, weights, class_weight):
    split = Split(np.arange(len(y)), np.arange(0))
    matrix = np.zeros((len(y), 1), dtype=np.float32)
    return SplitRows(matrix, read_target(y), weights, [split], "", class_weight=class_weight)


def test_weights_are_scikit_learns():
    y = np.array([0, 0, 0, 1, 2, 2, 2, 2])
    found = rows_of(y, None, "balanced").training_weights(np.arange(1, 8))
    assert found == pytest.approx(compute_sample_weight("balanced", y[1:]))


def test_a_weight_of_two_is_a_row_twice():
    y, weights = np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 1.0, 1.0])
    found = rows_of(y, weights, "balanced").training_weights(np.arange(4))
    twice = rows_of(y[[0, 1, 1, 2, 3]], None, "balanced").training_weights(np.arange(5))
    assert found == pytest.approx([twice[0], twice[1] + twice[2], twice[3], twice[4]])


@pytest.mark.parametrize("evaluator", ["forest", "boosting", "logistic", "paper"])
def test_every_model_finds_more_of_the_rare_class(rare, evaluator):
    # Trees of full depth end in leaves of one class, whatever a row weighs.
    groups = [{"max_depth": 3}] if evaluator in ("forest", "paper") else None
    given = {"evaluator": evaluator, "param_groups": groups, "scoring": "recall"}
    recall = [
        NFFS(class_weight=weight, random_state=0, **given)
        .evaluation(*rare)
        .score(np.ones(8, dtype=np.bool_))
        for weight in (None, "balanced")
    ]
    assert recall[1] > recall[0]


def test_it_is_what_the_estimators_own_parameter_does(rare):
    ours, theirs = (
        NFFS(estimator=LogisticRegression(class_weight=inner), class_weight=outer, random_state=0)
        .evaluation(*rare)
        .score(np.ones(8, dtype=np.bool_))
        for inner, outer in ((None, "balanced"), ("balanced", None))
    )
    assert ours == pytest.approx(theirs)


def test_it_is_in_the_result_and_in_the_identity(rare):
    fitted = NFFS(class_weight="balanced", **SMALL).fit(*rare)
    assert fitted.selection_.parameters["class_weight"] == "balanced"
    assert fitted.evaluation(*rare).identity()["class_weight"] == "balanced"
    assert "class_weight" not in NFFS(**SMALL).evaluation(*rare).identity()


def test_a_journal_without_it_is_another_search(rare, tmp_path):
    journal = tmp_path / "search.db"
    NFFS(journal=journal, **SMALL).fit(*rare)
    with pytest.raises(InputError, match="class_weight was not given, is balanced"):
        NFFS(journal=journal, class_weight="balanced", **SMALL).fit(*rare)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"task": "regression"}, r"class_weight: is for classes, and y holds numbers; leave it"),
        (
            {"estimator": KNeighborsClassifier()},
            r"class_weight: KNeighborsClassifier takes no weights of rows; leave it out",
        ),
    ],
)
def test_what_it_is_not_for_is_refused(rare, given, message):
    with pytest.raises(InputError, match=message):
        NFFS(class_weight="balanced", **given).fit(*rare)
