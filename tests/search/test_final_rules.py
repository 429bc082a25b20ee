"""The rules of the final check, worked by hand on made-up scores, and its candidates."""

import numpy as np
import pytest

from nffs.fitness import Fitness
from nffs.search.allowed import Allowed
from nffs.search.final import (
    FINAL_CHECK,
    difference,
    final_phases,
    nested,
    run_final_check,
)

ALL, LEFT, RIGHT = (True, True), (True, False), (False, True)


def check(evaluate, masks, fitness, choose="best", mi=None, eliminate=None, n_rows=np.inf):
    """Run a check after a search that evaluated some masks and chose the first."""
    masks = np.array(masks)
    mi = np.arange(masks.shape[1], 0, -1.0) if mi is None else mi
    fitness = np.array(fitness, float)
    return run_final_check(evaluate, eliminate, masks, fitness, 0, mi, choose, n_rows)


class TestRules:
    """Worked by hand: of two features there are three subsets, and all of them are candidates."""

    def chosen(self, choose, everything, left, right=None):
        table = {ALL: everything, LEFT: left}
        table[RIGHT] = np.zeros_like(everything) if right is None else right

        def evaluate(masks):
            return [Fitness(np.array(table[tuple(mask.tolist())], float)) for mask in masks]

        masks, scores, chosen = check(evaluate, [LEFT, RIGHT], [0.9, 0.1], choose)
        assert masks[0].all()
        assert len(masks) == len(scores) == 3
        return tuple(masks[chosen].tolist())

    # Three splits, one model. The standard error of the differences 0.03, -0.02 and 0.02 is 0.0153:
    # their mean is 0.01, their standard deviation 0.0265.
    SAME = np.array([[0.8], [0.9], [1.0]])
    APART = np.array([[0.03], [-0.02], [0.02]])
    # Of 0.01, 0.02 and 0.03 the mean is 0.02 and the standard error 0.0058.
    CLEARLY = np.array([[0.01], [0.02], [0.03]])

    @pytest.mark.parametrize("choose", ["best", "one_se"])
    def test_of_equals_the_smaller(self, choose):
        assert self.chosen(choose, self.SAME, self.SAME) == LEFT

    @pytest.mark.parametrize("choose", ["best", "one_se"])
    def test_of_equals_of_one_size_the_better_then_the_first(self, choose):
        assert self.chosen(choose, self.SAME, self.SAME, self.SAME) == LEFT
        worse = self.SAME - 1e-9 * self.APART
        assert self.chosen(choose, self.SAME, worse, self.SAME) == RIGHT

    def test_best_puts_a_part_of_the_lead_down_to_luck(self):
        """Dropping one of two features is charged half of two standard errors: here 0.0153."""
        apart = self.APART - self.APART.mean()
        assert self.chosen("best", self.SAME, self.SAME + apart + 0.02) == LEFT
        assert self.chosen("best", self.SAME, self.SAME + apart + 0.01) == ALL
        # without noise there is no luck
        assert self.chosen("best", self.SAME, self.SAME + 0.003) == LEFT

    def test_best_wants_a_difference_that_is_small_and_within_a_standard_error(self):
        # 0.01 behind, and 0.0153 put down to luck: within the error of 0.0153 before it was
        assert self.chosen("best", self.SAME, self.SAME - self.APART) == ALL
        # An error of 0.0015, as much is luck: 0.001 and 0.002 behind
        close = (self.APART - self.APART.mean()) / 10
        assert self.chosen("best", self.SAME, self.SAME - close + 0.0005) == LEFT
        assert self.chosen("best", self.SAME, self.SAME - close - 0.0005) == ALL
        # small, and beyond doubt
        assert self.chosen("best", self.SAME, self.SAME - 0.0013) == ALL

    def test_one_se_wants_a_whole_one(self):
        assert self.chosen("one_se", self.SAME, self.SAME - self.APART) == LEFT
        assert self.chosen("one_se", self.SAME, self.SAME - self.CLEARLY) == ALL

    def test_all_features_stay_unless_a_subset_is_better_by_more_than_a_standard_error(self):
        assert self.chosen("all", self.SAME, self.SAME + self.APART) == ALL
        assert self.chosen("all", self.SAME, self.SAME) == ALL
        assert self.chosen("all", self.SAME, self.SAME + self.CLEARLY) == LEFT

    def test_then_only_what_is_better_itself_may_take_their_place(self):
        """As good as the best, and smaller, is not enough: it must beat all features itself."""
        apart = self.APART - self.APART.mean()

        def chosen(worse):
            table = {
                (True, True, True): self.SAME,
                (True, True, False): self.SAME + self.CLEARLY,
                (True, False, False): self.SAME + self.CLEARLY - worse,
            }

            def evaluate(masks):
                zeros = np.zeros_like(self.SAME)
                return [Fitness(table.get(tuple(mask.tolist()), zeros)) for mask in masks]

            masks = [(True, True, False), (True, False, False)]
            found, _, place = check(evaluate, masks, [0.9, 0.8], "all")
            return found[place].tolist()

        # 0.004 behind the best, within the error of 0.0153, but only 0.016 ahead of all features,
        # within that of 0.0173
        assert chosen(apart + 0.004) == [True, True, False]
        assert chosen(0.0 * apart) == [True, False, False]

    def test_the_members_of_a_panel_count_alike(self):
        """Of a split the mean over the members counts: what one gains the other may lose."""
        everything = np.hstack([self.SAME, self.SAME])
        left = np.hstack([self.SAME + self.APART, self.SAME - self.APART])
        assert difference(left, everything) == (0.0, 0.0)
        assert self.chosen("best", everything, left) == LEFT
        assert self.chosen("all", everything, left) == ALL

    def test_with_one_split_the_error_is_among_the_members(self):
        everything, left = np.array([[0.8, 0.9]]), np.array([[0.82, 0.94]])
        gain, error = difference(left, everything)
        # of 0.02 and 0.04 the standard deviation is 0.01414, over the root of two 0.01
        assert (gain, error) == pytest.approx((0.03, 0.01))
        assert self.chosen("all", everything, left) == LEFT
        assert difference(left[:, :1], everything[:, :1]) == pytest.approx((0.02, 0.0))


class TestCandidates:
    """Scores without noise: every useful feature adds to them, every other one costs a little."""

    N = 24

    def search(self, useful, n=80):
        """Give masks of a search, what scores them, and the calls of the latter."""
        worth = np.where(np.isin(np.arange(self.N), useful), 0.1, -0.01)
        asked = []

        def evaluate(masks):
            asked.append(masks)
            return [Fitness(np.full((4, 1), worth @ mask)) for mask in masks]

        masks = np.random.default_rng(0).random((n, self.N)) < 0.5
        return masks, masks @ worth, evaluate, asked

    def test_all_features_then_the_methods_choice_then_the_best(self):
        masks, fitness, evaluate, asked = self.search([3, 7])
        check(evaluate, masks, fitness)
        assert asked[0][0].all()
        assert np.array_equal(asked[0][1], masks[0])
        # of equals the smaller, then the first
        best = sorted(range(len(masks)), key=lambda i: (-fitness[i], masks[i].sum(), i))[:3]
        assert np.array_equal(asked[0][2:], masks[best])

    def test_nested_subsets_by_information_from_one_feature_on(self):
        masks, fitness, evaluate, asked = self.search([3, 7])
        mi = np.random.default_rng(1).random(self.N)
        check(evaluate, masks, fitness, mi=mi)
        order = np.argsort(-mi)
        tried = {mask.tobytes() for some in asked for mask in some}
        for size in (2, 3, 5, 8, 14, 18):
            mask = np.isin(np.arange(self.N), order[:size])
            assert mask.tobytes() in tried
        assert nested(order, Allowed.everything(self.N)).sum(axis=1).tolist() == [
            2,
            3,
            5,
            8,
            14,
            18,
        ]

    def test_each_once_none_empty_and_no_more_than_announced(self):
        most = final_phases(weighs=False)[FINAL_CHECK]
        for useful in ([0], [3, 7], range(12), range(self.N)):
            masks, fitness, evaluate, asked = self.search(useful)
            found, *_ = check(evaluate, masks, fitness)
            tried = np.concatenate(asked)
            assert np.array_equal(tried, found)
            assert tried.any(axis=1).all()
            assert len(np.unique(tried, axis=0)) == len(tried) <= most

    @pytest.mark.parametrize("choose", ["best", "one_se", "all"])
    def test_useless_features_are_dropped_and_useful_ones_kept(self, choose):
        masks, fitness, evaluate, _ = self.search([3, 7, 11, 20])
        found, _, chosen = check(evaluate, masks, fitness, choose)
        kept = set(np.flatnonzero(found[chosen]))
        assert kept >= {3, 7, 11, 20}
        assert len(kept) <= 6

    @pytest.mark.parametrize("choose", ["best", "one_se", "all"])
    def test_all_features_win_if_each_is_useful(self, choose):
        masks, fitness, evaluate, _ = self.search(range(self.N))
        found, _, chosen = check(evaluate, masks, fitness, choose)
        assert chosen == 0
        assert found[0].all()

    @pytest.mark.parametrize("n", [0, 1])
    def test_nothing_to_choose_from(self, n):
        masks, fitness, evaluate, _ = self.search([3])
        assert check(lambda some: evaluate(some)[:n], masks, fitness) is None

    def test_without_the_score_of_all_features_there_is_no_check(self):
        masks, fitness, evaluate, _ = self.search([3])
        assert check(lambda some: [None, *evaluate(some)[1:]], masks, fitness) is None
        assert check(lambda some: [None] * len(some), masks, fitness) is None

    def test_one_feature_is_all_of_them(self):
        def evaluate(masks):
            return [Fitness(np.ones((3, 2))) for _ in masks]

        assert check(evaluate, [[True]], [0.5]) is None


class TestElimination:
    """What every fold eliminates by itself, from all features and from the best candidate."""

    N = 8

    def check(self, by_size, search=0.7, everything=0.7, n_rows=np.inf, n_steps=2):
        """Check with given scores for sizes; the search found one subset, of half the features."""
        found = np.arange(self.N) < self.N // 2
        asked = []

        def evaluate(masks):
            return [
                Fitness(np.full((4, 1), everything if mask.all() else search)) for mask in masks
            ]

        def eliminate(mask):
            asked.append(mask)
            if len(asked) > n_steps:
                return None
            sizes = [int(mask.sum()), *(size for size in by_size if size < mask.sum())]
            masks = np.array([np.cumsum(mask) <= size for size in sizes]) & mask
            return masks, np.array([np.full((4, 1), by_size.get(size, 0.0)) for size in sizes])

        masks, scores, chosen = check(evaluate, [found], [0.9], eliminate=eliminate, n_rows=n_rows)
        return masks, scores, chosen, asked

    def test_it_begins_with_all_features_then_with_the_best(self):
        masks, _, _, asked = self.check({5: 0.6, 2: 0.5}, search=0.8)
        assert [int(mask.sum()) for mask in asked] == [8, 4]
        assert masks.sum(axis=1).tolist() == [8, 4, 5, 2, 2]

    def test_it_begins_once_if_all_features_are_the_best(self):
        assert len(self.check({5: 0.6}, search=0.6)[-1]) == 1

    def test_a_size_that_is_better_wins(self):
        masks, scores, chosen, _ = self.check({5: 0.8, 2: 0.5}, search=0.6)
        assert masks[chosen].sum() == 5
        assert scores[chosen].mean() == pytest.approx(0.8)

    def test_the_smallest_of_those_that_are_as_good(self):
        masks, _, chosen, _ = self.check({5: 0.8, 3: 0.8, 2: 0.5}, search=0.6)
        assert masks[chosen].sum() == 3

    def test_of_few_rows_a_size_is_charged_for_what_it_drops(self):
        """Of 20 rows one is 0.05: two of them, times three quarters of the features, are 0.075.

        One row, 0.05, is not told apart from the score of all features.
        """
        assert self.chosen_size({2: 0.724}, n_rows=20) == 8
        assert self.chosen_size({2: 0.726}, n_rows=20) == 2
        assert self.chosen_size({2: 0.724}, n_rows=40) == 2

    def chosen_size(self, by_size, n_rows):
        masks, _, chosen, _ = self.check(by_size, search=0.0, n_rows=n_rows)
        return masks[chosen].sum()

    def test_stopped_it_leaves_what_was_found(self):
        masks, _, _, asked = self.check({5: 0.6, 2: 0.5}, search=0.8, n_steps=1)
        assert len(asked) == 2
        assert masks.sum(axis=1).tolist() == [8, 4, 5, 2]
