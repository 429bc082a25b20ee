"""The equations of the Gaussian process over masks, each beside a plain way to compute it."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel as TheirKernel

from nffs.methods.surrogate import MOST, Kernel, Surrogate, measured_noise


def some_masks(n, d, seed=0):
    masks = np.random.default_rng(seed).random((n, d)) < 0.5
    return np.unique(masks, axis=0)


def additive(masks, noise=0.0, seed=0):
    effects = np.zeros(masks.shape[1])
    effects[:4] = 0.08, 0.05, -0.05, 0.03
    return 0.5 + masks @ effects + noise * np.random.default_rng(seed).normal(size=len(masks))


class TestKernel:
    weights = np.array([0.5, 0.3, 0.2])
    a = np.array([[True, False, True], [False, False, False]])
    b = np.array([[True, True, False], [True, True, True]])

    def test_distance_adds_the_weights_of_what_differs(self):
        found = Kernel(self.weights, 1.0, 0.0).distances(self.a, self.b)
        assert found == pytest.approx(np.array([[0.5, 0.3], [0.8, 1.0]]), abs=1e-6)

    def test_covariance_is_a_function_of_the_distance(self):
        kernel = Kernel(self.weights, scale=0.4, share=0.25)
        found = kernel(np.array([0.0, 0.5]))
        assert found == pytest.approx([1.0, 0.75 * np.exp(-0.5 / 0.4) + 0.25 * 0.0])

    def test_the_linear_part_is_a_product_of_signs(self):
        kernel = Kernel(self.weights, scale=1.0, share=1.0)
        signs_a, signs_b = 2.0 * self.a - 1.0, 2.0 * self.b - 1.0
        expected = (signs_a * self.weights) @ signs_b.T
        assert kernel(kernel.distances(self.a, self.b)) == pytest.approx(expected, abs=1e-6)

    @pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
    def test_no_covariance_is_negative_definite(self, share):
        masks = some_masks(60, 12)
        kernel = Kernel(np.full(12, 1 / 12), 0.3, share)
        assert np.linalg.eigvalsh(kernel(kernel.distances(masks, masks))).min() > -1e-5


class _Same(TheirKernel):
    """Our kernel as scikit-learn takes one."""

    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, X, Y=None, eval_gradient=False):
        a, b = X > 0.5, (X if Y is None else Y) > 0.5
        return self.kernel(self.kernel.distances(a, b))

    def diag(self, X):
        return np.ones(len(X))

    def is_stationary(self):
        return False


class TestPrediction:
    def test_it_is_scikit_learns(self):
        masks, new = some_masks(80, 12), some_masks(30, 12, seed=1)
        fitness = additive(masks, 0.01)
        ours = Surrogate.of(masks, fitness, noise=1e-4)
        theirs = GaussianProcessRegressor(_Same(ours.kernel), alpha=ours.noise, optimizer=None)
        theirs.fit(masks.astype(float), (fitness - fitness.mean()) / fitness.std())
        mean, deviation = theirs.predict(new.astype(float), return_std=True)
        found, error = ours.predict(new)
        assert found == pytest.approx(fitness.mean() + fitness.std() * mean, abs=1e-5)
        assert error == pytest.approx(fitness.std() * deviation, abs=1e-4)

    def test_it_predicts_what_it_has_not_seen(self):
        masks, new = some_masks(100, 20), some_masks(100, 20, seed=1)
        model = Surrogate.of(masks, additive(masks, 0.01), noise=1e-4)
        assert np.corrcoef(model.predict(new)[0], additive(new))[0, 1] > 0.95

    def test_it_knows_what_it_does_not_know(self):
        masks = some_masks(60, 12)
        model = Surrogate.of(masks, additive(masks), noise=1e-6)
        assert model.predict(masks)[1].max() < model.predict(~masks)[1].mean()

    def test_features_that_matter_weigh_more(self):
        masks = some_masks(100, 20)
        model = Surrogate.of(masks, additive(masks, 0.01), noise=1e-4)
        assert model.kernel.weights[:3].min() > 2 * model.kernel.weights[4:].max()
        assert model.kernel.weights.sum() == pytest.approx(1.0)

    def test_interactions_are_learned_too(self):
        """A plain sum of effects knows nothing of two features that count only together."""
        masks, new = some_masks(300, 8), some_masks(100, 8, seed=1)
        both = lambda m: 0.5 + 0.1 * (m[:, 0] ^ m[:, 1])  # noqa: E731
        model = Surrogate.of(masks[::2], both(masks[::2]), noise=1e-6)
        assert np.corrcoef(model.predict(new)[0], both(new))[0, 1] > 0.6

    def test_what_was_found_is_used_again(self):
        masks = some_masks(100, 20)
        fitness = additive(masks, 0.01)
        before = Surrogate.of(masks[:60], fitness[:60], noise=1e-4)
        after = Surrogate.of(masks, fitness, 1e-4, before)
        assert (after.kernel, after.noise) == (before.kernel, before.noise)
        assert len(after.masks) == 100

    def test_of_many_the_best_are_kept(self):
        masks = some_masks(MOST + 300, 16)
        fitness = additive(masks, 0.01)
        model = Surrogate.of(masks, fitness, noise=1e-4)
        assert len(model.masks) == MOST
        best = masks[np.argsort(-fitness)[:50]]
        kept = {mask.tobytes() for mask in model.masks}
        assert all(mask.tobytes() in kept for mask in best)

    def test_scores_that_are_all_equal(self):
        masks = some_masks(20, 6)
        mean, deviation = Surrogate.of(masks, np.full(len(masks), 0.5), 0.0).predict(masks)
        assert mean == pytest.approx(0.5)
        assert np.isfinite(deviation).all()


class TestNoise:
    def test_it_is_the_variance_of_the_mean(self):
        rng = np.random.default_rng(0)
        true, folds = rng.normal(size=(2000, 1, 1)), rng.normal(size=(1, 3, 1))
        scores = true + folds + rng.normal(scale=0.2, size=(2000, 3, 1)).repeat(2, axis=2)
        assert measured_noise(scores) == pytest.approx(0.04 / 3, rel=0.05)

    def test_one_split_tells_nothing(self):
        assert measured_noise(np.ones((5, 1, 2))) == 0.0

    def test_what_could_not_be_evaluated_is_left_out(self):
        scores = np.random.default_rng(0).normal(size=(40, 3, 2))
        with_nan = np.concatenate([scores, np.full((1, 3, 2), np.nan)])
        assert measured_noise(with_nan) == pytest.approx(measured_noise(scores))
