"""Rules against counts by hand."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from nffs.methods.rules import best_rules, rule_worth


def test_the_best_association_rule_of_every_feature():
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    codes = np.array(
        [
            [0, 0, 0, 0, 0, 1, 2, 3],  # central point 0: five rows, four of class 0
            [1, 1, 0, 0, 1, 1, 1, 0],  # central point 1: five rows, two of class 0
            [0, 0, 0, 0, 0, 0, 0, 0],  # always central: says nothing by itself
        ]
    ).T
    worth = best_rules(codes, labels, min_support=0.1)
    # "first at 0, hence class 0": support 4/8, confidence 4/5, which adds 4/5 - 1/2.
    assert worth[0] == pytest.approx(0.5 * 0.3)
    # "second at 1, hence class 1": support 3/8, confidence 3/5. With the first at 0 (rows 1, 2, 5):
    # "hence class 0", support 2/8, confidence 2/3, which adds 1/6: 1/24, the better rule.
    assert worth[1] == pytest.approx(max(3 / 8 * 0.1, 2 / 8 * (2 / 3 - 1 / 2)))
    # The third is at its central point in every row: it shares the first one's rule.
    assert worth[2] == pytest.approx(0.5 * 0.3)


def test_support_below_the_least_counts_for_nothing():
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    codes = np.array([[0, 0, 1, 2, 3, 4, 5, 6]]).T
    assert best_rules(codes, labels, min_support=0.5).tolist() == [0.0]
    assert best_rules(codes, labels, min_support=0.1) == pytest.approx([0.25 * 0.5])


def test_the_rules_of_a_tree():
    # One split on column 1 parts the classes: two rules of half the rows that add 1/2 each.
    X = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=float)
    tree = DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1])
    assert rule_worth(tree) == pytest.approx([0.0, 0.5])
