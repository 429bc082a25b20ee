"""The searches find what was planted, better than random search with the same budget."""

import numpy as np
import pytest
from scipy.stats import wilcoxon

from nffs.rivals import METHODS
from nffs.rivals._base import run_method

SEEDS = range(12)
BUDGET = 400

#: Those that search by the evaluator; filters only rank.
SEARCHES = ["nffs", "ga", "gamifs", "pso"]


def found(name, planted):
    best = []
    for seed in SEEDS:
        problem = planted(seed)
        outcome = run_method(METHODS[name](), problem, problem, BUDGET, seed)
        assert len(outcome.fitness) <= BUDGET
        best.append(outcome.fitness[outcome.chosen])
    return np.array(best)


@pytest.fixture(scope="module")
def by_chance(planted):
    return found("random", planted)


@pytest.mark.parametrize("name", SEARCHES)
def test_it_beats_random_search(name, planted, by_chance):
    reached = found(name, planted)
    assert reached.mean() > by_chance.mean() + 0.03, (reached.mean(), by_chance.mean())
    assert wilcoxon(reached, by_chance, alternative="greater").pvalue < 0.01
