"""The threshold that the triangle method finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nffs.methods.threshold import find_threshold, mi_histogram


def test_by_hand():
    # 16 values, so 4 bars of 0.1 from 0 to 0.4, holding 12, 1, 2 and 1. The line from (0, 12) to
    # (3, 1) passes 8.33 over bar 1 and 4.67 over bar 2: bar 1 lies farthest below it.
    mi = np.array([0.01] * 12 + [0.15, 0.25, 0.28, 0.4])
    assert mi_histogram(mi).counts.tolist() == [12, 1, 2, 1]
    assert np.isclose(find_threshold(mi), 0.1)


def test_nothing_is_tiny():
    # The tallest bar is the last: every feature tells something, so none is cut off.
    assert find_threshold(np.array([0.1] + [0.5] * 8)) == 0.0


def test_nothing_is_known():
    assert find_threshold(np.zeros(10)) == 0.0


def test_one_feature():
    assert find_threshold(np.array([0.3])) == 0.0


@given(hnp.arrays(np.float64, st.integers(1, 60), elements=st.floats(0, 0.7)))
def test_between_zero_and_the_largest(mi):
    assert 0.0 <= find_threshold(mi) <= mi.max()
