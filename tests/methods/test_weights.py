"""Equations 2, 3 and 4 against values worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nffs.methods.weights import (
    draw_subsets,
    nested_subsets,
    normalized_frequencies,
    probability_weights,
    rank_features,
    rank_subsets,
)


def masks(*rows):
    return np.array([[c == "1" for c in row] for row in rows])


class TestProbabilityWeights:
    def test_equation_2(self):
        # V_t = 0.05, V_max = 0.55: a slope of 0.4 / 0.5 = 0.8 above the threshold.
        mi = np.array([0.0, 0.05, 0.3, 0.55])
        np.testing.assert_allclose(probability_weights(mi, 0.05), [0.5, 0.5, 0.7, 0.9])

    def test_nothing_above_the_threshold(self):
        np.testing.assert_array_equal(probability_weights(np.array([0.1, 0.2]), 0.2), [0.5, 0.5])

    def test_information_next_to_nothing_stays_finite(self):
        np.testing.assert_array_equal(probability_weights(np.array([2e-313, 0.0]), 0.0), [0.9, 0.5])

    @given(
        hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 1)),
        st.floats(0, 1),
    )
    def test_bounds_and_order(self, mi, threshold):
        weights = probability_weights(mi, threshold)
        assert ((weights >= 0.5) & (weights <= 0.9 + 1e-12)).all()
        assert (np.diff(weights[np.argsort(mi, kind="stable")]) >= -1e-12).all()


class TestDrawSubsets:
    def test_equation_3_draws_by_probability(self):
        drawn = draw_subsets(np.array([0.9, 0.5]), 4000, seed=1)
        # Conditional on not being empty: p / (1 - 0.1 * 0.5).
        np.testing.assert_allclose(drawn.mean(axis=0), [0.9 / 0.95, 0.5 / 0.95], atol=0.03)

    def test_certain_and_impossible(self):
        drawn = draw_subsets(np.array([1.0, 0.0]), 50, seed=0)
        assert drawn[:, 0].all()
        assert not drawn[:, 1].any()

    def test_more_subsets_keep_the_first(self):
        weights = np.full(20, 0.5)
        few, many = draw_subsets(weights, 5, seed=3), draw_subsets(weights, 50, seed=3)
        np.testing.assert_array_equal(few, many[:5])

    def test_never_empty(self):
        assert draw_subsets(np.array([0.5]), 200, seed=0).all()


class TestRankSubsets:
    def test_best_first(self):
        order = rank_subsets(masks("10", "01", "11"), np.array([0.2, 0.9, 0.5]))
        assert order.tolist() == [1, 2, 0]

    def test_equals_by_size_then_order(self):
        equal = masks("111", "110", "001", "100")
        assert rank_subsets(equal, np.full(4, 0.5)).tolist() == [2, 3, 1, 0]


class TestNormalizedFrequencies:
    def test_equation_4(self):
        drawn = masks("110", "100", "010", "011", "001")
        fitness = np.array([0.9, 0.8, 0.5, 0.2, 0.1])
        result = normalized_frequencies(drawn, fitness, n_top=2, n_bottom=2)
        # Best two: 110 and 100 -> (2, 1, 0), length sqrt 5. Worst two: (0, 1, 2).
        assert result.top.tolist() == [2, 1, 0]
        assert result.bottom.tolist() == [0, 1, 2]
        np.testing.assert_allclose(result.weights, np.array([2, 0, -2]) / np.sqrt(5))

    def test_each_vector_is_normalised_by_its_own_length(self):
        drawn = masks("11", "10", "01")
        result = normalized_frequencies(drawn, np.array([0.9, 0.5, 0.1]), n_top=1, n_bottom=1)
        np.testing.assert_allclose(result.weights, [1 / np.sqrt(2), 1 / np.sqrt(2) - 1])


class TestNestedSubsets:
    def test_first_one_two_three(self):
        nested = nested_subsets(np.array([0.1, 0.4, -0.3, 0.2]), 3)
        np.testing.assert_array_equal(nested, masks("0100", "0101", "1101"))

    def test_equal_weights_keep_their_order(self):
        assert rank_features(np.array([0.1, 0.5, 0.5, 0.1])).tolist() == [1, 2, 0, 3]

    @given(hnp.arrays(np.float64, st.integers(1, 20), elements=st.floats(-1, 1)))
    def test_each_adds_one(self, weights):
        nested = nested_subsets(weights, len(weights))
        assert nested.sum(axis=1).tolist() == list(range(1, len(weights) + 1))
        assert (nested[1:] >= nested[:-1]).all()


@pytest.mark.parametrize("seed", [0, 2**40])
def test_seeds_of_any_size(seed):
    assert draw_subsets(np.full(3, 0.5), 3, seed=seed).shape == (3, 3)
