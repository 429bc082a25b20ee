"""SPSA-FSR: its equations, and the way of its importances."""

import numpy as np
import pytest

from nffs.methods import Evaluated
from nffs.methods.spsa import SPSA, barzilai_borwein, estimated_gradient, smooth, subset_of


def test_a_pair_of_scores_estimates_the_gradient():
    """``(y+ - y-) / (2 c D)``, worked out by hand."""
    signs = np.array([[1.0, -1.0, 1.0]])
    found = estimated_gradient(np.array([0.9]), np.array([0.7]), signs, perturbation=0.05)
    assert found == pytest.approx([2.0, -2.0, 2.0])


def test_gradients_are_averaged():
    signs = np.array([[1.0, -1.0], [1.0, 1.0]])
    plus, minus = np.array([0.8, 0.5]), np.array([0.6, 0.6])
    # (0.2, -0.2) and (-0.1, -0.1), over 2 c = 0.1, in the mean
    assert estimated_gradient(plus, minus, signs, 0.05) == pytest.approx([0.5, -1.5])


def test_the_averaged_gradient_of_a_linear_score_is_its_slope():
    rng = np.random.default_rng(0)
    slope = np.array([0.3, 0.0, -0.2, 0.1])
    signs = rng.choice([-1.0, 1.0], size=(40_000, 4))
    found = estimated_gradient(0.05 * signs @ slope, -0.05 * signs @ slope, signs, 0.05)
    assert found == pytest.approx(slope, abs=0.01)


def test_barzilai_and_borweins_gain():
    """``s.s / |s.q|``, and on a parabola the inverse of its curvature."""
    step = np.array([0.3, -0.4])
    assert barzilai_borwein(step, np.array([-1.0, 0.0])) == pytest.approx(0.25 / 0.3)
    assert barzilai_borwein(step, -8.0 * step) == pytest.approx(1 / 8)
    assert barzilai_borwein(step, np.zeros(2)) == 0.0


def test_gains_are_averaged_over_the_last_three():
    assert smooth([0.01], 3) == 0.01
    assert smooth([5.0, 0.1, 0.2, 0.6], 3) == pytest.approx(0.3)


def test_importances_are_rounded_and_one_feature_is_left():
    importances = np.array([[0.5, 0.49, 1.0], [0.1, 0.4, 0.0], [0.0, 0.0, 0.0]])
    assert subset_of(importances).tolist() == [
        [True, False, True],
        [False, True, False],
        [True, False, False],
    ]


def answer(round_, fitness):
    fitness = np.asarray(fitness, dtype=float)
    failed = np.zeros(len(fitness), dtype=bool)
    return Evaluated(round_.masks, fitness[:, None, None], fitness, failed)


def test_the_first_step_goes_where_the_better_of_two_subsets_was(planted):
    """Pairs are opposite at first, and the least gain is enough to change the subset."""
    rng = np.random.default_rng(0)
    proposals = SPSA(gradients=1).propose(planted(0), rng, budget=100)
    pair = next(proposals)
    assert (pair.masks[0] == ~pair.masks[1]).all()
    better = pair.masks[1].copy()
    step = proposals.send(answer(pair, [0.2, 0.8]))
    assert (step.masks[0] == better).all()


def test_where_nothing_gets_better_it_ends_to_start_again(planted):
    proposals = SPSA(patience=3).propose(planted(0), np.random.default_rng(0), budget=100)
    round_ = next(proposals)
    for _ in range(2 * (1 + 3) - 1):  # two rounds a step; the first is better than nothing
        round_ = proposals.send(answer(round_, np.full(len(round_.masks), 0.5)))
    with pytest.raises(StopIteration):
        proposals.send(answer(round_, np.full(len(round_.masks), 0.5)))
