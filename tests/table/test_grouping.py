"""Groups of categories: profiles, the best cuts, and how many groups held-out rows ask for."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nffs.table.grouping import (
    choose_grouping,
    fewest_within_error,
    grouping,
    groupings,
    optimal_ends,
)
from nffs.table.profiles import ClassShares, Means, profile_of, summed
from nffs.table.target import read_target


def sums_of(y, codes, n_codes, weights=None):
    target = read_target(np.asarray(y))
    profile = profile_of(target)
    return profile, summed(profile.each(target, profile.origin(target)), codes, n_codes, weights)


def parts_of(y, codes, n_codes, n_parts=10):
    target = read_target(np.asarray(y))
    profile = profile_of(target)
    each = profile.each(target, profile.origin(target))
    part = np.random.default_rng(0).permutation(len(codes)) % n_parts
    chosen = [part == number for number in range(n_parts)]
    return profile, np.stack([summed(each[rows], codes[rows], n_codes) for rows in chosen])


class TestProfiles:
    def test_shares_are_pulled_to_those_of_all_rows(self):
        profile, sums = sums_of(["a", "a", "b", "b", "b", "a"], np.array([0, 0, 0, 1, 1, 1]), 2)
        assert sums.tolist() == [[2, 1], [1, 2]]
        # 3 rows of a category and 3 more, half of them a: (2 + 1.5) / 6
        assert profile.values(profile.smoothed(sums, 3.0)).tolist() == [
            pytest.approx([3.5 / 6, 2.5 / 6]),
            pytest.approx([2.5 / 6, 3.5 / 6]),
        ]
        assert profile.rows(profile.smoothed(sums, 3.0)).tolist() == pytest.approx([3, 3])

    def test_means_are_pulled_to_that_of_all_rows(self):
        profile, sums = sums_of([1.5, 2.5, 9.0, 11.0], np.array([0, 0, 1, 1]), 2)
        assert isinstance(profile, Means)
        assert profile.values(sums)[:, 0].tolist() == [-4.0, 4.0]  # from the mean of all, 6
        assert profile.values(profile.smoothed(sums, 2.0))[:, 0].tolist() == [-2.0, 2.0]

    def test_entropy_is_what_one_profile_loses(self):
        assert ClassShares().spread(np.array([[1.0, 3.0]]))[0] == pytest.approx(
            -np.log(1 / 4) - 3 * np.log(3 / 4)
        )

    def test_squared_error_is_what_one_mean_loses(self):
        values = np.array([1.0, 2.0, 6.0])
        sums = np.array([[3.0, values.sum(), (values**2).sum()]])
        assert Means().spread(sums)[0] == pytest.approx(((values - 3.0) ** 2).sum())

    def test_the_direction_of_many_classes_has_like_beside_like(self):
        shares = np.array([[8, 1, 1], [1, 1, 8], [7, 2, 1], [1, 2, 7]], dtype=float)
        along = ClassShares().along(shares)
        assert np.sort(np.argsort(along)[:2]).tolist() in ([0, 2], [1, 3])

    def test_weights_count_as_rows(self):
        codes = np.array([0, 0, 1])
        _, weighted = sums_of([0, 1, 1], codes, 2, np.array([2.0, 1.0, 3.0]))
        # The rarer label, counted without weights, is the positive one: it comes second.
        assert weighted.tolist() == [[1, 2], [3, 0]]


def lost(profile, atoms, ends):
    starts = [0, *ends[:-1]]
    return sum(
        float(profile.spread(atoms[i:j].sum(axis=0)[None])[0])
        for i, j in zip(starts, ends, strict=True)
    )


class TestTheBestCuts:
    @given(
        arrays(np.float64, (7, 2), elements=st.integers(0, 9).map(float)).filter(
            lambda found: (found.sum(axis=1) > 0).all()
        )
    )
    def test_no_other_cuts_of_the_line_lose_less(self, atoms):
        profile = ClassShares()
        for k, ends in enumerate(optimal_ends(profile, atoms, 7), start=1):
            assert len(ends) == k
            least = min(lost(profile, atoms, [*cut, 7]) for cut in combinations(range(1, 7), k - 1))
            assert lost(profile, atoms, ends.tolist()) == pytest.approx(least, abs=1e-9)

    def test_no_other_grouping_of_two_classes_loses_less(self):
        rng = np.random.default_rng(0)
        sums, profile = rng.integers(1, 20, size=(6, 2)).astype(float), ClassShares()
        # Hardly smoothed: the loss of a grouping is that of its own rows.
        found = groupings(profile, sums, 1e-9, 3)[2]

        def loss(group_of):
            return profile.spread(summed(sums, np.array(group_of), 3)).sum()

        ways = np.stack(np.meshgrid(*[range(3)] * 6), axis=-1).reshape(-1, 6)
        assert loss(found.group_of) == pytest.approx(min(loss(way) for way in ways))

    def test_numbers_are_cut_between_their_clusters(self):
        y = np.array([0.1, 0.2, 5.1, 5.2, 9.1, 9.2])
        profile, sums = sums_of(y, np.array([2, 2, 0, 0, 1, 1]), 3)
        assert grouping(profile, sums, 1.0, 3).group_of.tolist() == [1, 2, 0]  # by their means


class TestGroups:
    @given(st.integers(0, 1000), st.integers(2, 4))
    def test_the_order_of_the_categories_does_not_matter(self, seed, n_classes):
        rng = np.random.default_rng(seed)
        sums = rng.integers(0, 30, size=(20, n_classes)).astype(float) + 1.0
        order = rng.permutation(20)
        found, turned = (grouping(ClassShares(), s, 10.0, 4) for s in (sums, sums[order]))
        assert found.group_of[order].tolist() == turned.group_of.tolist()
        assert found.unknown == turned.unknown

    def test_are_numbered_by_the_share_of_the_positive_class(self):
        sums = np.array([[1, 99], [99, 1], [50, 50.0]])
        assert grouping(ClassShares(), sums, 1.0, 3).group_of.tolist() == [2, 0, 1]

    def test_a_category_without_rows_is_in_the_group_most_like_all_rows(self):
        sums = np.array([[90, 10], [10, 90], [52, 48], [0, 0.0]])
        found = grouping(ClassShares(), sums, 1.0, 3)
        assert found.group_of[3] == found.unknown == found.group_of[2]

    def test_rare_categories_join_the_frequent_ones_that_are_like_all_rows(self):
        frequent = np.array([[900, 100], [100, 900], [500, 500]])
        sums = np.concatenate([frequent, [[1, 0], [0, 1], [2, 0], [0, 2]]]).astype(float)
        assert grouping(ClassShares(), sums, 100.0, 3).group_of.tolist() == [0, 2, 1, 1, 1, 1, 1]

    def test_fewer_than_asked_for_where_no_more_can_be_told_apart(self):
        sums = np.array([[5, 5], [5, 5], [9, 1.0]])
        assert grouping(ClassShares(), sums, 1.0, 3).n_groups == 2

    def test_thousands_of_categories_with_a_frequent_one(self):
        rng = np.random.default_rng(0)
        sums = rng.integers(0, 3, size=(5000, 2)) + 1.0
        sums[7] = [0, 4000]
        found = grouping(ClassShares(), sums, 10.0, 3)
        assert (found.group_of == found.group_of[7]).sum() == 1


class TestHowMany:
    @pytest.mark.parametrize("seed", range(3))
    def test_a_random_identifier_has_one_group(self, seed):
        rng = np.random.default_rng(seed)
        codes, y = rng.integers(1000, size=2000), rng.integers(2, size=2000)
        assert choose_grouping(*parts_of(y, codes, 1000))[1] == 1

    def test_one_that_repeats_and_tells_has_more(self):
        rng = np.random.default_rng(0)
        codes = rng.integers(100, size=4000)
        y = (rng.random(4000) < np.where(codes % 2, 0.9, 0.1)).astype(int)
        profile, parts = parts_of(y, codes, 100)
        strength, n_groups = choose_grouping(profile, parts)
        assert n_groups == 2
        found = grouping(profile, parts.sum(axis=0), strength, n_groups)
        target = read_target(y)  # of two classes the rarer one is the positive one
        positive = np.arange(100) % 2 == target.classes[1]
        assert (found.group_of == positive).all()

    @pytest.mark.parametrize("n_groups", [2, 4])
    def test_as_many_as_there_are_levels(self, n_groups):
        rng = np.random.default_rng(0)
        codes = rng.integers(12, size=3000)
        y = 3.0 * (codes % n_groups) + rng.normal(size=3000)
        assert choose_grouping(*parts_of(y, codes, 12))[1] == n_groups

    def test_never_more_than_allowed(self):
        rng = np.random.default_rng(1)
        codes = rng.integers(12, size=3000)
        assert choose_grouping(*parts_of(3.0 * codes + 0.5, codes, 12), most=5)[1] == 5

    def test_the_fewest_within_a_standard_error(self):
        losses = np.array([[9.0, 9.0], [4.0, 6.0], [5.0, 4.0], [np.inf, 1.0]])
        assert fewest_within_error(losses) == 1
