"""Which nested subset is kept, and what pooled searches are."""

from itertools import compress

import numpy as np
import pytest

from nffs import NFFS
from nffs.methods.choosing import choose_nested, standard_error
from nffs.methods.weights import normalized_frequencies, pooled_frequencies
from nffs.search.final import final_phases

MASKS = np.tril(np.ones((4, 4), dtype=bool))


def scores(*means, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.array(means)[:, None, None] + noise * rng.normal(size=(len(means), 3, 2))


def test_the_best_is_the_highest():
    assert choose_nested(MASKS, scores(0.5, 0.8, 0.7, 0.8), "best") == 1


def test_without_noise_one_standard_error_is_the_best():
    assert choose_nested(MASKS, scores(0.5, 0.79, 0.7, 0.8), "one_se") == 3


def test_with_noise_the_smallest_that_is_about_as_good():
    noisy = scores(0.5, 0.795, 0.7, 0.8, noise=0.05)
    best = choose_nested(MASKS, noisy, "best")
    kept = choose_nested(MASKS, noisy, "one_se")
    fitness = noisy.mean(axis=(1, 2))
    within = fitness >= fitness[best] - standard_error(noisy, best)
    assert kept == np.flatnonzero(within)[0] <= best


def test_what_folds_and_groups_have_in_common_is_no_noise():
    """Fold 2 is harder and group 1 better for every subset alike."""
    common = np.array([[0.0, 0.1], [0.0, 0.1], [-0.3, -0.2]])
    table = scores(0.5, 0.6, 0.7, 0.8) + common
    assert standard_error(table, 3) == pytest.approx(0.0, abs=1e-12)


def test_by_hand():
    table = np.array([[[0.5, 0.9]], [[0.7, 0.9]]])
    # left over in subset 1: 0.1 and 0.0; deviation 0.1 / sqrt(2), by sqrt(2)
    assert standard_error(table, 1) == pytest.approx(0.05)


def test_a_single_score_has_no_error():
    assert standard_error(np.array([[[0.5]], [[0.7]]]), 1) == 0.0


def test_pooling_averages_the_weights_of_independent_phases():
    rng = np.random.default_rng(0)
    drawn, fitness = rng.random((24, 5)) < 0.6, rng.random(24)
    drawn[:, 0] = True
    parts = np.split(np.arange(len(drawn)), 3)
    pooled = pooled_frequencies(
        [normalized_frequencies(drawn[part], fitness[part], 2, 2) for part in parts]
    )
    each = [normalized_frequencies(drawn[i : i + 8], fitness[i : i + 8], 2, 2) for i in (0, 8, 16)]
    np.testing.assert_allclose(pooled.weights, np.mean([e.weights for e in each], axis=0))
    np.testing.assert_array_equal(pooled.top, sum(e.top for e in each))


class TestSelector:
    def test_the_smallest_nested_subset_within_one_standard_error(self, connections, quick):
        best = quick(choose="method").fit(connections.data, connections.target)
        small = len(best.one_se_features_) - 1
        assert best.one_se_features_ == list(compress(best.features_, best.nested_[small]))
        least = best.fitness_ - best.standard_error_
        assert best.nested_fitness_[small] >= least
        assert (best.nested_fitness_[:small] < least).all()
        assert set(best.one_se_features_) <= set(best.selected_features_)

    @pytest.mark.parametrize("choose", ["best", "one_se", "all"])
    def test_it_is_told_whatever_was_chosen(self, connections, quick, choose):
        by_method = quick(choose="method").fit(connections.data, connections.target)
        selector = quick(choose=choose).fit(connections.data, connections.target)
        assert selector.one_se_features_ == by_method.one_se_features_
        assert selector.selection_.parameters["choose"] == choose

    def test_pooled_searches_draw_more_and_keep_the_first(self, connections):
        options = {"n_subsets": 12, "n_nested": 6, "param_groups": [{"n_estimators": 5}]}
        one = NFFS(**options, random_state=0).fit(connections.data, connections.target)
        three = NFFS(**options, n_searches=3, random_state=0)
        done = []
        three.set_params(callbacks=[done.append]).fit(connections.data, connections.target)
        assert three.drawn_.shape == (36, len(three.features_))
        np.testing.assert_array_equal(three.drawn_[:12], one.drawn_)
        np.testing.assert_array_equal(three.drawn_fitness_[:12], one.drawn_fitness_)
        assert done[-1].total == 36 + 6 + 1 + sum(final_phases(weighs=True).values())
        assert three.top_counts_.sum() > one.top_counts_.sum()
