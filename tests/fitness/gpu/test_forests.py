"""The kernels, as they are: on this machine's CPU by a simulator, and on a GPU where one is."""

import numpy as np
import pytest
from fitness.gpu.problems import (
    GROUPS,
    binned_columns,
    columns_on_device,
    continuous,
    drawn,
    few_values,
    on_cpu,
    on_device,
    probabilities,
    split_of,
)
from fitness.gpu.simulated import SimulatedDevice


def test_forests_are_the_cpus_bit_for_bit_where_every_value_has_a_bin(device):
    # the same bootstrap, the same draws of features, the same exact splits
    rows = few_values()
    masks, seeds = drawn(rows), [3, 1, 4]
    expected = probabilities(on_cpu(rows, pca=None), masks, seeds)
    found = on_device(rows, device, pca=None).probabilities(masks, seeds)
    np.testing.assert_array_equal(found, expected)


def test_forests_on_columns_are_the_cpus_binned_ones(device):
    rows = few_values(seed=1)
    masks, seeds = drawn(rows, seed=1), [0, 0, 2**31]
    expected = probabilities(binned_columns(rows), masks, seeds)
    found = columns_on_device(rows, device).probabilities(masks, seeds)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("pca", [None, 0.93])
def test_continuous_values_give_nearly_the_cpus_forests(device, pca):
    rows = continuous()
    masks, seeds = drawn(rows), [0, 1, 2]
    expected = probabilities(on_cpu(rows, pca=pca), masks, seeds)
    found = np.array(on_device(rows, device, pca=pca).probabilities(masks, seeds))
    assert np.mean(np.abs(found - expected)) < 0.02
    # a stump and its like are the same but for rare splits at other values of a bin
    assert np.mean(found[:, 0] != expected[:, 0]) < 0.1


def test_scores_count_what_the_probabilities_say(device):
    rows = continuous(seed=2)
    masks, seeds = drawn(rows), [5, 6, 7]
    scorer = on_device(rows, device)
    labels = rows.target.take(rows.splits[0].evaluation)
    expected = [
        [scorer.scoring.of_probabilities(p, labels, None) for p in own]
        for own in scorer.probabilities(masks, seeds)
    ]
    np.testing.assert_array_equal(scorer.scores(masks, seeds), expected)


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision", "neg_log_loss"])
def test_any_scorer_gets_the_probabilities(simulated, scoring):
    rows = few_values()
    masks = drawn(rows, 2)
    found = on_device(rows, simulated, pca=None, scoring=scoring).scores(masks, [0, 1])
    expected = on_cpu(rows, pca=None, scoring=scoring).scores(masks, [0, 1])
    np.testing.assert_array_equal(found, expected)


def test_neither_blocks_nor_batches_nor_the_order_matter(compiled):
    rows = continuous()
    masks, seeds = drawn(rows, 4), [0, 1, 2, 3]
    whole = on_device(rows, SimulatedDevice(compiled, blocks=3)).scores(masks, seeds)
    scorer = on_device(rows, SimulatedDevice(compiled, blocks=1))
    for i in (2, 0, 3, 1):
        np.testing.assert_array_equal(
            scorer.scores(masks[i : i + 1], seeds[i : i + 1])[0], whole[i]
        )


def test_a_device_with_little_memory_takes_a_batch_in_parts(compiled):
    rows = continuous()
    masks, seeds = drawn(rows, 4), [0, 1, 2, 3]
    plenty = SimulatedDevice(compiled)
    expected = on_device(rows, plenty).scores(masks, seeds)
    tight = SimulatedDevice(compiled, free=1 << 20)
    np.testing.assert_array_equal(on_device(rows, tight).scores(masks, seeds), expected)
    assert tight.launches.count("grow_forests") > plenty.launches.count("grow_forests") == 1


def test_the_same_search_twice_and_in_other_batches_on_a_gpu(cuda):
    rows = continuous(40_000, 30)
    masks, seeds = drawn(rows, 20), list(range(20))
    scorer = on_device(rows, cuda)
    once = scorer.scores(masks, seeds)
    np.testing.assert_array_equal(scorer.scores(masks, seeds), once)
    parts = [scorer.scores(masks[i : i + 3], seeds[i : i + 3]) for i in range(0, 20, 3)]
    np.testing.assert_array_equal(np.concatenate(parts), once)


def test_a_gpu_computes_what_the_simulator_does(cuda, simulated):
    rows = continuous(1500)
    masks, seeds = drawn(rows), [0, 1, 2]
    np.testing.assert_array_equal(
        on_device(rows, cuda, pca=None).probabilities(masks, seeds),
        on_device(rows, simulated, pca=None).probabilities(masks, seeds),
    )


def test_a_large_split_agrees_with_the_cpu_on_a_gpu(cuda):
    rows = continuous(60_000, 30)
    masks, seeds = drawn(rows, 6), list(range(6))
    groups = [{"n_estimators": 60, "max_depth": depth} for depth in (2, 8, None)]
    found = on_device(rows, cuda, groups).scores(masks, seeds)
    expected = on_cpu(rows, groups).scores(masks, seeds)
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_more_rows_than_are_sampled_for_bins(simulated):
    # bins come from 8,192 of 9,000 rows; a value that is frequent has a bin of its own all the same
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9600, 3))
    X[rng.random(9600) < 0.3, 0] = 0.5
    y = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=9600) > 0.5
    rows = split_of(X, y, 9000)
    masks, groups = np.ones((1, 3), dtype=bool), [{"n_estimators": 3, "max_depth": 4}]
    found = on_device(rows, simulated, groups, pca=None).scores(masks, [0])
    expected = on_cpu(rows, groups, pca=None).scores(masks, [0])
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_rows_that_cannot_be_parted_end_in_a_leaf(simulated):
    X = np.repeat(np.arange(4.0), 50)[:, None]
    y = np.tile([0, 1], 100)  # both classes at every value
    rows = split_of(np.vstack([X, X]), np.r_[y, y], 200)
    masks, groups = np.ones((1, 1), dtype=bool), [{"n_estimators": 4, "max_depth": None}]
    found = on_device(rows, simulated, groups, pca=None).probabilities(masks, [0])
    expected = probabilities(on_cpu(rows, groups, pca=None), masks, [0])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_values_that_lie_in_one_bin_are_parted_by_themselves(simulated, shift):
    # classes alternate within two bins of some 55 rows, and nowhere else
    values = np.arange(14_000) / 14_000
    y = (np.arange(14_000) // 8 % 2 == 1) & (np.abs(np.arange(14_000) - 7_000) < 55)
    inside = np.flatnonzero(np.abs(np.arange(14_000) - 7_000) < 55)
    rows = split_of(
        np.r_[values, values[inside]][:, None] + shift, np.r_[y, y[inside]], len(values)
    )
    masks, groups = np.ones((1, 1), dtype=bool), [{"n_estimators": 5, "max_depth": None}]
    found = on_device(rows, simulated, groups, pca=None).scores(masks, [0])
    expected = on_cpu(rows, groups, pca=None).scores(masks, [0])
    np.testing.assert_allclose(found, expected, atol=0.1)
    assert found > 0.7


def test_more_columns_than_a_block_has_room_for_unasked(device):
    rows = continuous(120, 1500)
    mask = np.ones((1, 1500), dtype=bool)
    groups = [{"n_estimators": 2, "max_depth": 3}]
    found = columns_on_device(rows, device, groups).scores(mask, [0])
    assert found.shape == (1, 1)


def test_equal_rows_are_grown_as_one(compiled):
    # the work falls with the rows; the forest is the same
    rows = few_values(400, 4)
    twice = split_of(np.repeat(rows.matrix, 6, axis=0), np.repeat(rows.target.codes, 6), 6 * 300)
    mask = np.ones((1, 4), dtype=bool)
    device = SimulatedDevice(compiled)
    scorer = on_device(twice, device, pca=None)
    totals = scorer.grown(mask, [0])
    expected = probabilities(on_cpu(twice, pca=None), mask, [0])
    np.testing.assert_array_equal(totals.probabilities(0), expected[0])
    looked, _, nodes = totals.work
    assert nodes > 0
    assert looked < 5 * 2 * 300 * 20  # two columns a node, at most 300 different rows, 20 levels


def test_groups_are_read_off_one_forest_in_any_order(simulated):
    rows = few_values()
    mask = drawn(rows, 1)
    by_group = [
        on_device(rows, simulated, [group], pca=None).scores(mask, [9])[0, 0] for group in GROUPS
    ]
    together = on_device(rows, simulated, GROUPS, pca=None).scores(mask, [9])[0]
    np.testing.assert_array_equal(together, by_group)
