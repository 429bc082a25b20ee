"""The searches find what was planted, better than random search with the same budget."""

import numpy as np
import pytest
from scipy.stats import wilcoxon

from nffs import InputError
from nffs.methods import METHODS, Choice, Method
from nffs.methods.baselines import RandomSearch
from nffs.methods.salps import CHAOTIC_MAPS, SalpSwarm, _Chaos

SEEDS = range(12)
BUDGET = 400

#: Those that search by the evaluator; filters only rank.
SEARCHES = ["nffs", "ga", "gamifs", "bat", "pso", "sigmoid-pio", "cosine-pio", "salp", "wwo"]


def found(name, planted):
    best = []
    for seed in SEEDS:
        problem = planted(seed)
        outcome = problem.search(METHODS[name](), BUDGET, seed)
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


@pytest.mark.parametrize("name", CHAOTIC_MAPS)
def test_chaotic_maps_wander_through_their_range(name):
    drawn = _Chaos(name, np.random.default_rng(0)).draw(2000)
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    assert drawn.max() - drawn.min() > 0.3
    assert len(np.unique(drawn.round(6))) > 100


def test_an_unknown_map(planted):
    problem = planted(0)
    with pytest.raises(InputError, match="chaotic_map: 'lorenz' is not a map; choose one of"):
        problem.search(SalpSwarm(chaotic_map="lorenz"), 10, 0)


class Stubborn(Method):
    """Proposes the same masks for ever."""

    name = "stubborn"

    def propose(self, space, rng, budget):
        first = rng.random((4, space.n_features)) < 0.5
        while True:
            yield self.round(first.copy())


def test_a_method_that_stalls_starts_again_until_its_budget_is_spent(planted):
    problem = planted(0)
    outcome = problem.search(Stubborn(), 18, 0)
    assert len(outcome.fitness) == 18
    assert outcome.n_starts == 5


class Nothing(Method):
    """Proposes no feature at all."""

    name = "nothing"

    def propose(self, space, rng, budget):
        masks = np.zeros((3, space.n_features), dtype=bool)
        found = yield self.round(masks)
        assert (found.masks.sum(axis=1) == 1).all()  # what was evaluated in its stead
        return Choice(np.zeros(space.n_features, dtype=bool))


def test_an_empty_mask_gets_one_feature(planted):
    problem = planted(0)
    outcome = problem.search(Nothing(), 18, 0)
    assert (outcome.masks.sum(axis=1) == 1).all()
    again = problem.search(Nothing(), 18, 0)
    assert (outcome.masks == again.masks).all()


def test_a_larger_budget_of_random_search_has_the_same_first_masks(planted):
    problem = planted(0)
    few, many = (problem.search(RandomSearch(), n, 0).masks for n in (20, 50))
    assert (few == many[:20]).all()


def test_all_subsets_of_a_small_table_are_found_once(planted):
    problem = planted(0, n_features=4)
    outcome = problem.search(METHODS["ga"](), 1000, 0)
    assert len(outcome.fitness) == 15
