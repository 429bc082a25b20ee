"""The guided search: its first subsets, its candidates, its rounds, and what it finds."""

import numpy as np
import pytest

from nffs import Selector, make_connections
from nffs.fitness import feature_codes
from nffs.methods import METHODS
from nffs.methods.filters import MIFSU
from nffs.methods.greedy import mifsu_order
from nffs.methods.guided import BATCH, ROUNDS, START, Guided, Learned
from nffs.methods.pairwise import Dependence, entropy_of, pairwise_information
from nffs.methods.proposing import Proposer, nested_geometric, starting_masks
from nffs.methods.surrogate import Surrogate
from nffs.search.method import SearchSpace
from nffs.search.search import Search


@pytest.fixture(scope="module")
def table():
    return make_connections(300, random_state=0)


@pytest.fixture(scope="module")
def evaluation(table):
    selector = Selector("guided", param_groups=[{"n_estimators": 3}], random_state=0)
    return selector.evaluation(table.data, table.target).ranked()


@pytest.fixture(scope="module")
def space(evaluation):
    return SearchSpace.of(evaluation)


@pytest.fixture(scope="module")
def outcome(evaluation):
    return Search(evaluation).run(Guided(), 60)


class TestFirstSubsets:
    @pytest.mark.parametrize("n", [3, 10, 75])
    def test_as_many_as_asked_for(self, space, n):
        masks = starting_masks(space, np.random.default_rng(0), n)
        assert masks.shape == (n, space.n_features)

    def test_all_features_and_those_that_elimination_leaves(self, space):
        masks = starting_masks(space, np.random.default_rng(0), 60)
        known = {mask.tobytes() for mask in masks}
        assert masks[0].all()
        assert all(mask.tobytes() in known for mask in space.eliminated[:10])

    def test_sizes_of_all_scales(self, space):
        sizes = starting_masks(space, np.random.default_rng(0), 75).sum(axis=1)
        d = space.n_features
        for low, high in [(1, 4), (4, 12), (12, d // 2), (d // 2, d)]:
            assert ((sizes >= low) & (sizes < high)).sum() >= 3

    def test_models_that_cannot_tell(self, table):
        selector = Selector("guided", evaluator="paper", random_state=0)
        space = SearchSpace.of(selector.evaluation(table.data, table.target).ranked())
        assert space.eliminated.shape == (0, space.n_features)
        assert len(starting_masks(space, np.random.default_rng(0), 20)) == 20


def test_nested_subsets_at_equal_ratios():
    masks = nested_geometric(np.array([2, 0, 1, 4, 3, 5, 7, 6, 8]), 4)
    assert masks.sum(axis=1).tolist() == [1, 2, 4, 8]
    assert np.flatnonzero(masks[1]).tolist() == [0, 2]


def test_the_greedy_order_is_that_of_mifs_u(space):
    """Which measures all pairs; the rows are few enough to be counted all."""
    matrix = space.matrix
    codes = [feature_codes(matrix[:, block]) for block in space.blocks]
    entropy = np.array([entropy_of(column) for column in codes])
    found = Dependence(space.mi, pairwise_information(codes), entropy)
    assert mifsu_order(space).tolist() == MIFSU().criterion(found)[0]


@pytest.fixture(scope="module")
def made(space):
    """Candidates after sixty subsets: one feature helps, another one hurts."""
    rng = np.random.default_rng(0)
    masks = np.unique(rng.random((60, space.n_features)) < 0.4, axis=0)
    fitness = 0.5 + 0.1 * masks[:, 0] - 0.05 * masks[:, 1] + 0.005 * rng.normal(size=60)
    model = Surrogate.of(masks, fitness, 1e-5)
    return masks, model, Proposer(space, rng).candidates(model, masks)


class TestCandidates:
    def test_they_are_new_distinct_and_not_empty(self, made):
        masks, _, candidates = made
        assert len(np.unique(candidates, axis=0)) == len(candidates) > 200
        assert candidates.any(axis=1).all()
        assert not {m.tobytes() for m in masks} & {c.tobytes() for c in candidates}

    def test_they_have_what_helps_more_often_than_what_hurts(self, made):
        *_, candidates = made
        assert candidates[:, 0].mean() > 0.7 > 0.4 > candidates[:, 1].mean()

    def test_the_best_of_them_is_expected_to_beat_the_best_so_far(self, made):
        masks, model, candidates = made
        assert model.predict(candidates)[0].max() >= model.predict(masks)[0].max() - 1e-3


class TestSearch:
    def test_two_phases_within_the_budget(self):
        assert Guided().phases(45, 60) == {START: 18, ROUNDS: 42}
        assert Guided().phases(45, 2) == {START: 2, ROUNDS: 0}

    def test_what_the_model_learned(self, outcome, space):
        learned = outcome.details
        assert isinstance(learned, Learned)
        assert learned.effects.value.shape == learned.effects.error.shape == (space.n_features,)
        assert learned.fitness.tolist() == outcome.fitness.tolist()
        assert learned.sizes.tolist() == outcome.masks.sum(axis=1).tolist()
        assert np.isnan(learned.expected[:18]).all()
        assert np.isfinite(learned.expected[18:]).all()

    def test_it_learns_what_to_expect(self, outcome):
        """The first rounds hope too much; what came of them makes the later ones sober."""
        learned = outcome.details
        errors = np.abs(learned.fitness - learned.expected)[18:]
        assert errors[-20:].mean() < 0.5 * errors[:10].mean()

    def test_it_chooses_what_the_model_thinks_best_of(self, outcome):
        assert outcome.chosen == outcome.details.smoothed.argmax()

    @pytest.mark.parametrize("seed", range(3))
    def test_fifty_evaluations_find_more_than_250_of_others(self, planted, seed):
        problem = planted(seed)
        guided = problem.search(Guided(), 50, seed).fitness.max()
        for name in ("ga", "nffs", "pso", "random"):
            assert guided > problem.search(METHODS[name](), 250, seed).fitness.max() - 1e-3, name

    def test_any_number_of_threads_gives_the_same_bits(self, table):
        def fit(n_jobs):
            made = Selector(
                "guided", max_evaluations=40, param_groups=[{"n_estimators": 3}],
                random_state=0, n_jobs=n_jobs,
            )  # fmt: skip
            return made.fit(table.data, table.target)

        alone = fit(1)
        for n_jobs in (2, 7):
            found = fit(n_jobs)
            assert np.array_equal(found.archive_masks_, alone.archive_masks_)
            assert np.array_equal(found.archive_fitness_, alone.archive_fitness_)
            assert found.chosen_ == alone.chosen_

    def test_stopped_in_the_middle_it_goes_on_to_the_same_bits(self, table, tmp_path):
        class CrashError(Exception):
            pass

        def crash(progress):
            if progress.done == 18 + BATCH + 3:
                raise CrashError

        def fit(**given):
            made = Selector(
                "guided", max_evaluations=50, param_groups=[{"n_estimators": 3}],
                random_state=0, **given,
            )  # fmt: skip
            return made.fit(table.data, table.target)

        with pytest.raises(CrashError):
            fit(journal=tmp_path / "j", callbacks=[crash])
        resumed, whole = fit(journal=tmp_path / "j"), fit()
        assert np.array_equal(resumed.archive_masks_, whole.archive_masks_)
        assert np.array_equal(resumed.archive_fitness_, whole.archive_fitness_)
