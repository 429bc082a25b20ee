"""The dependency degree against counts by hand, and the searches that go by it."""

import numpy as np
import pytest

from nffs import Selector, make_connections
from nffs.methods.rough_sets import DependencyDegree

# Six patients: headache, temperature (0 normal, 1 high, 2 very high); flu (Pawlak's example).
HEADACHE = np.array([0, 1, 1, 0, 1, 0])
TEMPERATURE = np.array([1, 1, 2, 0, 1, 2])
FLU = np.array([1, 1, 1, 0, 0, 1])


@pytest.mark.parametrize(
    ("mask", "share"),
    [
        # By both: patients 2 and 5 agree (headache, high) and differ in flu; the other four are
        # alone or of one class.
        ([True, True], 4 / 6),
        # By temperature: high is 1, 2, 5, of both classes; very high 3, 6 and normal 4 are pure.
        ([False, True], 3 / 6),
        # By headache: yes is 2, 3, 5, no is 1, 4, 6, both of both classes.
        ([True, False], 0.0),
    ],
)
def test_the_share_of_rows_in_the_positive_region(mask, share):
    degree = DependencyDegree([HEADACHE, TEMPERATURE], FLU)
    assert degree(np.array(mask)) == pytest.approx(share)


def test_weights_count_rows():
    weights = np.array([1.0, 5, 1, 1, 5, 1])
    degree = DependencyDegree([HEADACHE, TEMPERATURE], FLU, weights)
    assert degree(np.array([True, True])) == pytest.approx(4 / 14)


@pytest.mark.parametrize("name", ["pso-rough", "wwo-rough"])
def test_a_larger_budget_finds_a_subset_that_is_no_worse_by_dependency(name):
    table = make_connections(300)
    found = []
    for budget in (5, 300):
        selector = Selector(name, max_evaluations=budget, random_state=0).fit(
            table.data, table.target
        )
        assert len(selector.archive_fitness_) == 1  # by the evaluator: only the last word
        found.append(selector.selected_features_)
    assert len(found[1]) < len(found[0])
