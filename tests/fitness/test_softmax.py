"""The passes of logistic regression give what the formulas say."""

import numpy as np
import pytest

from nffs.fitness import softmax


def rows(n_classes, n=700, seed=0):
    rng = np.random.default_rng(seed)
    shape = (1 if n_classes == 2 else n_classes, n)
    margins, along = (rng.normal(size=shape).astype(np.float32) * 5 for _ in range(2))
    codes = rng.integers(0, n_classes, n).astype(np.int32)
    return margins, along, codes, rng.uniform(0, 2, n).astype(np.float32)


def exact(margins, n_classes):
    """Give class probabilities in double precision, a class a row."""
    wide = margins.astype(np.float64)
    if n_classes == 2:
        wide = np.r_[np.zeros_like(wide), wide]
    powers = np.exp(wide - wide.max(axis=0))
    return powers / powers.sum(axis=0)


CLASSES = pytest.mark.parametrize("n_classes", [2, 3, 11])


@CLASSES
def test_probabilities(n_classes):
    margins, *_ = rows(n_classes)
    margins[:, :3] *= 100.0
    found = np.empty((margins.shape[1], n_classes))
    softmax.probabilities(margins, found)
    np.testing.assert_allclose(found, exact(margins, n_classes).T, atol=5e-7)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)


@CLASSES
def test_a_step_leaves_residuals_and_curvature(n_classes):
    margins, along, codes, weight = rows(n_classes)
    shares = exact(margins + np.float32(0.3) * along, n_classes)
    truth = np.arange(n_classes)[:, None] == codes
    if n_classes == 2:
        shares, truth = shares[1:], truth[1:]
    residual, curvature = np.empty_like(margins), np.empty_like(weight)
    there = margins + np.float32(0.3) * along
    softmax.advance(margins, along, np.float32(0.3), codes, weight, residual, curvature)
    np.testing.assert_allclose(margins, there, rtol=1e-6)
    np.testing.assert_allclose(residual, (truth - shares) * weight, atol=2e-6)
    expected = (shares * (1 - shares)).mean(axis=0) * weight
    np.testing.assert_allclose(curvature, expected, atol=2e-6)


@CLASSES
def test_a_look_gives_the_derivatives_of_the_loss(n_classes):
    margins, along, codes, weight = rows(n_classes)

    def loss(far):
        shares = exact(margins.astype(np.float64) + far * along.astype(np.float64), n_classes)
        return float((weight * np.log(shares[codes, np.arange(len(codes))])).sum())

    far, h = 0.2, 1e-4
    slope, curvature = softmax.look(margins, along, np.float32(far), codes, weight)
    assert slope == pytest.approx((loss(far + h) - loss(far - h)) / (2 * h), rel=1e-3)
    second = (loss(far + h) - 2 * loss(far) + loss(far - h)) / h**2
    assert curvature == pytest.approx(-second, rel=1e-3)
