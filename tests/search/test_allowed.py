"""Which subsets are allowed, and what becomes of those that are not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nffs.search.allowed import Allowed, by_lot
from nffs.search.final import run_final_check


def allowed(sizes, included=(), smallest=1, largest=None):
    sizes = np.array(sizes)
    inside = np.zeros(len(sizes), dtype=bool)
    inside[list(included)] = True
    return Allowed(inside, sizes, smallest, int(sizes.sum()) if largest is None else largest)


def repaired(rules, mask, order=None):
    mask = np.array(mask, dtype=bool)
    rules.repair(mask, np.arange(len(mask)) if order is None else np.array(order))
    return mask.astype(int).tolist()


@st.composite
def cases(draw):
    """Rules that some subset keeps to, a subset, and an order."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=9))
    bits = st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)).map(np.array)
    inside, mask, good = draw(bits), draw(bits), draw(bits)
    good |= inside
    if not good.any():
        good[0] = True
    n = int(good @ np.array(sizes))
    smallest, largest = draw(st.integers(1, n)), draw(st.integers(n, sum(sizes)))
    order = np.array(draw(st.permutations(range(len(sizes)))))
    return Allowed(inside, np.array(sizes), smallest, largest), mask, order


@settings(max_examples=300)
@given(cases())
def test_every_subset_can_be_repaired(case):
    rules, mask, order = case
    before = mask.copy()
    rules.repair(mask, order)
    assert rules(mask[None])[0]
    if rules(before[None])[0]:
        assert mask.tolist() == before.tolist()
    # nothing comes in that need not, and nothing goes that may stay
    if (before | rules.included) @ rules.sizes > rules.largest and (rules.sizes == 1).all():
        assert not (mask & ~before & ~rules.included).any()
        assert mask.sum() == rules.largest


@settings(max_examples=200)
@given(cases(), st.integers(1, 600))
def test_counting_is_never_too_low(case, most):
    rules, mask, _ = case
    n = len(mask)
    masks = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
    exact = int(rules(masks).sum())
    assert rules.count(most) >= min(most, exact)
    if (rules.sizes == 1).all():
        assert rules.count(most) == min(most, exact)


def test_the_last_of_the_order_go_and_the_first_come():
    rules = allowed([1] * 5, included=[3], smallest=2, largest=3)
    assert repaired(rules, [1, 1, 1, 0, 0]) == [1, 1, 0, 1, 0]
    assert repaired(rules, [1, 1, 1, 0, 0], order=[2, 1, 0, 3, 4]) == [0, 1, 1, 1, 0]
    assert repaired(rules, [0, 0, 0, 0, 0], order=[4, 3, 2, 1, 0]) == [0, 0, 0, 1, 1]


def test_groups_go_and_come_as_a_whole():
    rules = allowed([3, 1, 2, 1], smallest=3, largest=3)
    assert repaired(rules, [1, 1, 0, 0]) == [1, 0, 0, 0]
    assert repaired(rules, [0, 1, 0, 0]) == [0, 1, 1, 0]
    assert repaired(rules, [0, 1, 0, 1]) == [0, 1, 1, 0]  # only a group of two makes up for one


def test_a_ranking_is_cut_where_it_may_be():
    order, counts = allowed([1] * 6, included=[5, 1], smallest=3, largest=5).leading([0, 1, 2, 3])
    assert order.tolist() == [1, 5, 0, 2, 3]
    assert list(counts) == [3, 4, 5]
    order, counts = allowed([2, 1, 1], largest=3).leading([0, 1, 2])
    assert list(counts) == [1, 2]
    order, counts = allowed([1] * 4, smallest=3).leading([2])  # too short: it will be repaired
    assert (order.tolist(), list(counts)) == ([2], [1])


def test_lots_favour_what_is_informative():
    mi = np.array([0.5, 0.3, 0.1, 0.0])
    first = [int(by_lot(mi, np.random.default_rng(seed))[0]) for seed in range(500)]
    assert first.count(0) > first.count(1) > first.count(2) > first.count(3) > 0
    assert sorted(by_lot(np.zeros(5), np.random.default_rng(0))) == [0, 1, 2, 3, 4]


class TestFinalCheck:
    def check(self, choose, rules, worth):
        """Give the candidates and the choice where a subset is worth the sum of its features."""

        class Found:
            def __init__(self, mask):
                score = mask @ np.array(worth) / sum(worth)
                self.scores = np.array([[score], [score + 0.001], [score - 0.001]])

        masks = np.eye(len(worth), dtype=bool)
        for mask in masks:
            rules.repair(mask, np.arange(len(worth)))
        fitness = masks @ np.array(worth)
        found = run_final_check(
            lambda masks: [Found(mask) for mask in masks], None,
            masks, fitness, 0, np.array(worth, dtype=float), choose, n_rows=np.inf, allowed=rules,
        )  # fmt: skip
        return found[0], found[2]

    @pytest.mark.parametrize("choose", ["best", "one_se", "all"])
    def test_all_features_are_compared_with_but_not_chosen_if_they_are_too_many(self, choose):
        rules = allowed([1] * 8, included=[7], largest=3)
        masks, chosen = self.check(choose, rules, [9, 8, 7, 6, 5, 4, 3, 2])
        assert masks[0].all()
        assert rules(masks[1:]).all()
        assert masks[chosen].astype(int).tolist() == [1, 1, 0, 0, 0, 0, 0, 1]

    @pytest.mark.parametrize("choose", ["best", "one_se", "all"])
    def test_too_few_are_no_candidates(self, choose):
        rules = allowed([1] * 8, smallest=5)
        masks, chosen = self.check(choose, rules, [1, 0, 0, 0, 0, 0, 0, 0])
        assert rules(masks).all()
        assert masks[chosen].sum() == (8 if choose == "all" else 5)
