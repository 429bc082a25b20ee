"""Stability measures against values worked out by hand, and the properties they must have."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from nffs.errors import InputError
from nffs.stability import jaccard, kuncheva, nogueira, selection_frequencies


def _table(m, d, share, seed):
    return (np.random.default_rng(seed).random((m, d)) < share).astype(np.int8)


tables = st.builds(
    _table,
    st.integers(2, 9),
    st.integers(2, 12),
    st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
    st.integers(0, 10**6),
)


class TestNogueira:
    def test_by_hand(self):
        """Definition 4 in fractions: 3 selections of 4 features."""
        Z = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]
        variances = [Fraction(3, 2) * p * (1 - p) for p in map(Fraction, ("1", "2/3", "1/3", "0"))]
        filled = Fraction(6, 3) / 4
        expected = 1 - sum(variances) / 4 / (filled * (1 - filled))
        assert expected == Fraction(1, 3)
        assert nogueira(Z).value == pytest.approx(float(expected))

    def test_variance_by_hand(self):
        """Theorem 7, written out term by term for the same selections."""
        Z = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]
        p, phi, k, d = (
            [Fraction(1), Fraction(2, 3), Fraction(1, 3), Fraction(0)],
            Fraction(1, 3),
            2,
            4,
        )
        parts = []
        for row in Z:
            shared = sum(z * q for z, q in zip(row, p, strict=True)) / d
            size = Fraction(sum(row))
            rest = 2 * size * k / d**2 - size / d - Fraction(k, d) + 1
            parts.append((shared - size * k / d**2 + phi / 2 * rest) * 4)
        mean = sum(parts) / 3
        variance = Fraction(4, 9) * sum((part - mean) ** 2 for part in parts)
        found = nogueira(Z, confidence=0.9)
        assert found.variance == pytest.approx(float(variance))
        reach = norm.ppf(0.95) * float(variance) ** 0.5
        assert found.low == pytest.approx(1 / 3 - reach)

    def test_the_variance_is_that_of_repeated_selections(self):
        rng = np.random.default_rng(0)
        share = np.r_[np.full(5, 0.8), np.full(15, 0.1)]
        repeats = [nogueira(rng.random((40, 20)) < share) for _ in range(600)]
        spread = np.var([r.value for r in repeats])
        assert np.mean([r.variance for r in repeats]) == pytest.approx(spread, rel=0.15)

    def test_the_interval_holds_the_truth_as_often_as_it_says(self):
        rng = np.random.default_rng(1)
        share = np.r_[np.full(5, 0.8), np.full(15, 0.1)]
        filled = share.mean()
        truth = 1 - (share * (1 - share)).mean() / (filled * (1 - filled))
        repeats = [nogueira(rng.random((60, 20)) < share) for _ in range(400)]
        held = np.mean([r.low <= truth <= r.high for r in repeats])
        assert 0.9 <= held <= 0.99

    @given(tables)
    def test_fully_defined_and_bounded(self, Z):
        found = nogueira(Z)
        assert np.isfinite([found.value, found.variance, found.low, found.high]).all()
        assert -1 / (len(Z) - 1) - 1e-9 <= found.value <= 1 + 1e-9

    @given(tables)
    def test_the_maximum_is_reached_by_equal_selections_alone(self, Z):
        same = bool((Z[0] == Z).all())
        assert (nogueira(Z).value > 1 - 1e-9) == same

    @given(st.integers(0, 10**6))
    def test_strictly_monotone_in_the_spread_of_features(self, seed):
        """Moving a choice to a feature chosen as often or more, sizes unchanged, is more stable."""
        rng = np.random.default_rng(seed)
        Z = _table(rng.integers(2, 10), rng.integers(2, 13), 0.5, seed)
        counts = Z.sum(axis=0)
        moves = [
            (row, rare, common)
            for row in range(len(Z))
            for rare in np.flatnonzero(Z[row] == 1)
            for common in np.flatnonzero(Z[row] == 0)
            if counts[common] >= counts[rare]
        ]
        if not moves:
            return
        row, rare, common = moves[rng.integers(len(moves))]
        moved = Z.copy()
        moved[row, rare], moved[row, common] = 0, 1
        assert nogueira(moved).value > nogueira(Z).value

    def test_corrected_for_chance(self):
        """Random selections of whatever size are worth nothing."""
        rng = np.random.default_rng(2)
        for size in (2, 25, 48):
            Z = np.zeros((400, 50), dtype=bool)
            for row in Z:
                row[rng.choice(50, size, replace=False)] = True
            assert abs(nogueira(Z).value) < 0.01

    @settings(max_examples=50)
    @given(st.integers(2, 8), st.integers(3, 10), st.data())
    def test_equals_kuncheva_for_equal_sizes(self, m, d, data):
        k = data.draw(st.integers(1, d - 1))
        rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
        Z = np.zeros((m, d), dtype=bool)
        for row in Z:
            row[rng.choice(d, k, replace=False)] = True
        assert nogueira(Z).value == pytest.approx(kuncheva(Z))


def test_kuncheva_by_hand():
    # d = 4, k = 2; pairs share 2, 1 and 1 features: (r d - k^2) / (k (d - k)) = 1, 0, 0
    assert kuncheva([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]) == pytest.approx(1 / 3)


def test_jaccard_by_hand():
    Z = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]
    assert jaccard(Z) == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    assert jaccard([[0, 0], [0, 0]]) == 1.0


@given(tables)
def test_jaccard_is_the_mean_over_pairs_of_sets(Z):
    sets = [set(np.flatnonzero(row)) for row in Z]
    pairs = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in combinations(sets, 2)]
    assert jaccard(Z) == pytest.approx(np.mean(pairs))


def test_frequencies_by_hand():
    share, low, high = selection_frequencies(np.array([[1, 0]] * 8 + [[0, 0]] * 2))
    np.testing.assert_allclose(share, [0.8, 0.0])
    # Wilson's interval for 8 of 10
    np.testing.assert_allclose([low[0], high[0]], [0.4902, 0.9433], atol=1e-4)
    assert low[1] == pytest.approx(0.0, abs=1e-12)
    assert high[1] == pytest.approx(0.2775, abs=1e-4)


@pytest.mark.parametrize(
    ("selections", "told"),
    [
        ([1, 0], "table of selections"),
        ([[1, 0]], "at least two"),
        ([[1, 2], [0, 1]], "booleans"),
    ],
)
def test_what_is_no_table_of_selections_is_refused(selections, told):
    with pytest.raises(InputError, match=told):
        nogueira(selections)


def test_kuncheva_refuses_unequal_sizes():
    with pytest.raises(InputError, match="equal size"):
        kuncheva([[1, 0, 0], [1, 1, 0]])
