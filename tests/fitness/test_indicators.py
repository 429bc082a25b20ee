"""Indicators against scikit-learn's metrics and values worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from nffs.fitness.indicators import auc, average_precision, confusion, f_score, indicators_of


def test_by_hand():
    # TN 3, FP 1, FN 2, TP 4.
    truth = np.array([0] * 4 + [1] * 6)
    positive = np.array([0, 0, 0, 1, 0, 0, 1, 1, 1, 1]) * 0.8 + 0.1
    found = indicators_of(truth, np.column_stack([1 - positive, positive]))
    assert found.precision == pytest.approx(4 / 5)
    assert found.recall == pytest.approx(4 / 6)
    assert found.accuracy == pytest.approx(7 / 10)
    assert found.f_score == pytest.approx(2 * 0.8 * (4 / 6) / (0.8 + 4 / 6))
    # Of 24 pairs 12 are right and 10 are ties (3 * 2 low, 1 * 4 high).
    assert found.auc == pytest.approx((12 + 10 / 2) / 24)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_the_same_as_scikit_learns(seed, n_classes):
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 60)])
    raw = rng.integers(1, 6, (len(truth), n_classes)).astype(float)
    probabilities = raw / raw.sum(axis=1, keepdims=True)
    predicted = probabilities.argmax(axis=1)
    found = indicators_of(truth, probabilities)
    average = "binary" if n_classes == 2 else "macro"
    options = {"average": average, "zero_division": 0.0}
    assert found.precision == pytest.approx(metrics.precision_score(truth, predicted, **options))
    assert found.recall == pytest.approx(metrics.recall_score(truth, predicted, **options))
    assert found.f_score == pytest.approx(metrics.f1_score(truth, predicted, **options))
    assert found.accuracy == pytest.approx(metrics.accuracy_score(truth, predicted))
    score = probabilities[:, 1] if n_classes == 2 else probabilities
    expected = metrics.roc_auc_score(truth, score, multi_class="ovr")
    assert found.auc == pytest.approx(expected)


def test_nothing_predicted_positive():
    counts = confusion(np.array([0, 1]), np.array([0, 0]), 2)
    assert f_score(counts) == 0.0


def test_weights():
    counts = confusion(np.array([0, 1]), np.array([0, 1]), 2, np.array([2.0, 3.0]))
    np.testing.assert_array_equal(counts, [[2, 0], [0, 3]])


def test_one_class_only_has_no_auc():
    assert np.isnan(auc(np.array([True, True]), np.array([0.1, 0.2])))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_average_precision_has_scikit_learns_bits(seed, weighted):
    rng = np.random.default_rng(seed)
    truth = np.append(rng.random(80) < 0.1, True)
    score = rng.integers(0, 30, 81) / 30.0
    weights = rng.random(81) + 0.1 if weighted else None
    expected = metrics.average_precision_score(truth, score, sample_weight=weights)
    assert average_precision(truth, score, weights) == expected


def test_average_precision_without_a_positive_row():
    assert average_precision(np.zeros(3, bool), np.arange(3.0)) == 0.0
