"""Mutual information (eq. 1)."""

import numpy as np
from sklearn.metrics import mutual_info_score

from nffs.fitness.information import feature_information, mutual_information
from nffs.fitness.splits import SplitRows, eval_split
from nffs.table.target import Labels


def rows_of(matrix, codes, weights=None):
    labels = Labels(np.asarray(codes), np.unique(codes))
    splits, told = eval_split(len(codes), 0)
    return SplitRows(np.asarray(matrix, dtype=np.float32), labels, weights, splits, told)


def single(matrix, codes, weights=None):
    rows = rows_of(matrix, codes, weights)
    return feature_information(rows, [np.array([i]) for i in range(rows.matrix.shape[1])])


class TestEquation1:
    def test_by_hand(self):
        # Joint counts [[3, 1], [1, 3]] of 8 rows: 0.75 ln 1.5 + 0.25 ln 0.5, less the bias
        # (4 cells - 2 values - 2 classes + 1) / (2 * 8).
        x = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        y = np.array([0, 0, 0, 1, 1, 1, 1, 0])
        expected = 0.75 * np.log(1.5) + 0.25 * np.log(0.5) - 1 / 16
        assert np.isclose(mutual_information(x, y), expected)

    def test_plug_in_part_is_scikit_learns(self):
        rng = np.random.default_rng(0)
        x, y = rng.integers(0, 7, 5000), rng.integers(0, 3, 5000)
        bias = (7 * 3 - 7 - 3 + 1) / (2 * 5000)
        plug_in = mutual_info_score(x, y)
        assert np.isclose(mutual_information(x, y), max(0.0, plug_in - bias))

    def test_independent_is_zero(self):
        assert mutual_information(np.tile([0, 1], 50), np.repeat([0, 1], 50)) == 0.0

    def test_weights_count_as_repetitions(self):
        x, y = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1])
        weights = np.array([3.0, 3.0, 3.0, 3.0])
        assert mutual_information(x, y) == mutual_information(x, y, weights=weights)

    def test_weight_zero_removes_a_row(self):
        x, y = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 0])
        weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
        assert np.isclose(
            mutual_information(x, y, weights=weights), mutual_information(x[:4], y[:4])
        )


class TestColumns:
    def test_a_column_of_row_numbers_tells_nothing(self):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 2, 3000)
        telling = y + rng.normal(0, 1.0, 3000)
        identifier, informed = single(np.column_stack([np.arange(3000), telling]), y)
        assert identifier < 0.01
        assert informed > 0.08

    def test_continuous_noise_tells_nothing_in_small_tables(self):
        rng = np.random.default_rng(2)
        noise = single(rng.normal(size=(800, 20)), rng.integers(0, 2, 800))
        assert noise.mean() < 0.01

    def test_order_preserving_changes_do_not_matter(self):
        rng = np.random.default_rng(3)
        x = rng.integers(0, 1000, 2000).astype(float)
        y = (x + rng.normal(0, 200, 2000) > 500).astype(int)
        plain, cubed = single(np.column_stack([x, x**3 / 1e6]), y)
        assert plain == cubed

    def test_indicators_of_one_column_together(self):
        y = np.array([0, 1, 2] * 40)
        indicators = np.eye(3)[y]
        [together] = feature_information(rows_of(indicators, y), [np.array([0, 1, 2])])
        assert np.isclose(together, np.log(3) - (3 - 3 - 3 + 1) / (2 * 120))

    def test_only_training_rows_are_looked_at(self):
        y = np.array([0, 1] * 20)
        labels = Labels(y, np.array([0, 1]))
        # The column gives the label away, but only in the rows that judge.
        column = np.where(np.arange(40) < 20, 0.0, y)[:, None].astype(np.float32)
        splits, told = eval_split(20, 20)
        [found] = feature_information(
            SplitRows(column, labels, None, splits, told), [np.array([0])]
        )
        assert found == 0.0
