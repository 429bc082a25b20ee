"""The searches find what was planted, better than random search with the same budget."""

import numpy as np
import pytest
from scipy.stats import wilcoxon

from nffs import InputError, Selector
from nffs.methods import METHODS, Choice, Evaluated, Method, Round
from nffs.methods.baselines import RandomSearch
from nffs.methods.nffs import _frequencies
from nffs.methods.salps import CHAOTIC_MAPS, SalpSwarm, _Chaos
from nffs.methods.sizes import SearchSizes

SEEDS = range(12)
BUDGET = 400

#: Those that search by the evaluator; filters only rank.
SEARCHES = [
    "nffs",
    "guided",
    "ga",
    "gamifs",
    "bat",
    "pso",
    "sigmoid-pio",
    "cosine-pio",
    "salp",
    "wwo",
    "spsa",
]


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


class Sure(Method):
    """Chooses without asking."""

    name = "sure"

    def propose(self, space, rng, budget):
        return Choice(np.ones(space.n_features, dtype=bool), details="all")
        yield


def test_a_choice_without_a_round_is_evaluated(planted):
    outcome = planted(0).search(Sure(), 5)
    assert outcome.masks.tolist() == [[True] * 30]
    assert (outcome.chosen, outcome.details) == (0, "all")


class Late(RandomSearch):
    """Spends its budget, then chooses something else."""

    name = "late"

    def propose(self, space, rng, budget):
        yield self.round(rng.random((budget, space.n_features)) < 0.5)
        return Choice(np.ones(space.n_features, dtype=bool), details="about another subset")


def test_a_choice_that_the_budget_does_not_cover_is_not_taken(planted):
    outcome = planted(0).search(Late(), 5)
    assert outcome.fitness[outcome.chosen] == outcome.fitness.max()
    assert outcome.details is None


def test_a_phase_that_was_not_announced(connections):
    class Surprise(RandomSearch):
        name = "surprise"

        def propose(self, space, rng, budget):
            yield Round("first", rng.random((3, space.n_features)) < 0.5)

    seen = []
    quick = {"param_groups": [{"n_estimators": 2}], "max_evaluations": 3, "random_state": 0}
    selector = Selector(Surprise(), **quick, callbacks=[seen.append])
    selector.fit(connections.data, connections.target)
    assert {progress.phase for progress in seen} == {"first", "all features"}


def test_a_search_that_is_cut_short_counts_in_proportion():
    """Of three searches pooled the last may have few subsets: the worst are not all of them."""
    masks = np.random.default_rng(0).random((40, 30)) < 0.5
    scores = np.linspace(0, 1, 40).reshape(40, 1, 1)
    drawn = Evaluated(masks, scores, scores.ravel(), np.zeros(40, dtype=bool))
    found = _frequencies(drawn, SearchSizes(180, 45, 45, 70))
    assert found.top.max() <= 10
    assert found.bottom.max() <= 10
    assert found.top.sum() == masks[-10:].sum()
    assert found.bottom.sum() == masks[:10].sum()
