"""One method against its rivals: Wilcoxon's test over tables, Holm's correction, groups by rank."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from nffs.validation.comparison.ranks import compare_margins, holm, not_apart

pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.005]) == pytest.approx([0.03, 0.04, 0.04, 0.02])
    assert holm([0.4, 0.9]) == [0.8, 0.9]
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@given(pvalues, st.floats(0.001, 0.2))
def test_holm_rejects_what_its_procedure_rejects(values, alpha):
    """Step down: the smallest against alpha / n, the next against alpha / (n - 1), until one."""
    rejected = set()
    for done, place in enumerate(np.argsort(values, kind="stable")):
        if (len(values) - done) * values[place] > alpha:
            break
        rejected.add(place)
    assert {i for i, p in enumerate(holm(values)) if p <= alpha} == rejected


def test_margins_over_tables():
    rng = np.random.default_rng(0)
    clear, none = rng.uniform(0.01, 0.1, 12), rng.normal(0, 0.1, 12)
    found = compare_margins({"clear": clear, "none": none, "same": np.zeros(12)})
    assert list(found) == ["clear", "none", "same"]
    assert (found["clear"].better, found["clear"].worse) == (12, 0)
    assert found["clear"].mean == pytest.approx(clear.mean())
    assert found["clear"].pvalue == wilcoxon(clear).pvalue
    assert found["clear"].adjusted == 3 * found["clear"].pvalue
    assert found["none"].pvalue > 0.05
    assert (found["same"].pvalue, found["same"].better, found["same"].n_blocks) == (1.0, 0, 12)


def test_rounding_is_no_difference():
    noise = 1e-16 * np.arange(-4, 5)
    assert compare_margins({"twin": noise})["twin"].pvalue == 1.0
    assert compare_margins({"twin": noise})["twin"].better == 0


@given(st.lists(st.floats(1, 30), min_size=2, max_size=15), st.floats(0.1, 10))
def test_two_methods_share_a_group_if_their_ranks_are_close(ranks, difference):
    ranks = np.array(ranks)
    groups = not_apart(ranks, difference)
    for i in range(len(ranks)):
        for j in range(i):
            low, high = sorted((ranks[i], ranks[j]))
            together = any(i in group and j in group for group in groups)
            assert together == (high <= low + difference)
    sets = [set(group) for group in groups]
    assert not any(a < b for a in sets for b in sets)
