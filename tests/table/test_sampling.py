"""A sample evaluates; counts and covariances come from all rows, wherever those are."""

import json
import logging
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold

from nffs import NFFS, InputError, ParquetTable, make_connections
from nffs.fitness import Evaluation
from nffs.fitness.information import feature_information
from nffs.fitness.moments import moments_of
from nffs.table.encoding import fit_encoding
from nffs.table.problem import Problem
from nffs.table.reading import read_table
from nffs.table.sampling import stratified_sample
from nffs.table.target import read_target

SMALL = {"n_subsets": 12, "n_nested": 6, "max_rows": 1000, "random_state": 0}
TABLE = make_connections(5000, random_state=0)


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "large.parquet"
    TABLE.frame().write_parquet(path, row_group_size=777)
    return path


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Many blocks, whose ends fall into row groups."""
    for module in ("nffs.table.reading", "nffs.table.parquet"):
        monkeypatch.setattr(f"{module}.BLOCK", 512)


def timeless(selector):
    return replace(selector.selection_, seconds=0.0)


class TestSample:
    def test_classes_keep_their_shares(self):
        labels = read_target(np.repeat(["a", "b", "c"], [6000, 3000, 1000]))
        rows = stratified_sample(labels, 500, seed=0)
        assert np.array_equal(rows, np.unique(rows))
        assert np.bincount(labels.codes[rows]).tolist() == [300, 150, 50]

    def test_rare_classes_keep_enough_rows(self):
        labels = read_target(np.repeat(["a", "b", "c"], [99_000, 990, 10]))
        rows = stratified_sample(labels, 1000, seed=0)
        assert np.bincount(labels.codes[rows]).tolist() == [970, 20, 10]

    @pytest.mark.parametrize(
        ("counts", "max_rows", "drawn"),
        [
            ([500, 500, 500, 500, 500, 3], 100, [21, 19, 19, 19, 19, 3]),
            ([3000, 3000, 200], 60, [20, 20, 20]),
            ([9000, 500, 500], 30, [10, 10, 10]),
            ([900, 100], 10, [5, 5]),
        ],
    )
    def test_few_rows_are_shared_and_no_more_are_drawn(self, counts, max_rows, drawn):
        labels = read_target(np.repeat(np.arange(len(counts)), counts), pos_label=None)
        rows = stratified_sample(labels, max_rows, seed=0)
        assert sorted(np.bincount(labels.codes[rows])) == sorted(drawn)

    @given(st.lists(st.integers(1, 300), min_size=2, max_size=12), st.integers(10, 600))
    def test_never_more_than_asked_and_no_class_is_lost(self, counts, max_rows):
        labels = read_target(np.repeat(np.arange(len(counts)), counts))
        assume(sum(counts) > max_rows >= sum(min(count, 5) for count in counts))
        drawn = np.bincount(labels.codes[stratified_sample(labels, max_rows, seed=0)])
        there = np.bincount(labels.codes)
        assert max_rows - len(counts) < drawn.sum() <= max_rows
        assert (drawn >= np.minimum(there, 5)).all()
        assert (drawn <= there).all()

    def test_fewer_rows_than_classes_need_are_refused(self):
        labels = read_target(np.repeat(np.arange(12), 50))
        with pytest.raises(InputError, match=r"max_rows: 30 rows are too few for 12 classes.* 60"):
            stratified_sample(labels, 30, seed=0)

    def test_the_seed_decides(self):
        labels = read_target(np.tile([0, 1], 500))
        first, again, other = (stratified_sample(labels, 100, seed) for seed in (0, 0, 1))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


class TestAllRows:
    def problem(self, X, **changes):
        return Problem.read(X, TABLE.target, **{"seed": 0, "max_rows": 1000, **changes})

    def rows(self, problem):
        return Evaluation.of(NFFS(), problem, 0).rows

    def test_rows_beyond_are_all_that_are_not_in_the_sample(self):
        problem = self.problem(TABLE.data)
        blocks = list(problem.beyond.blocks(""))
        assert len(blocks) == 10
        whole = fit_encoding(read_table(TABLE.data)).matrix(read_table(TABLE.data))
        both = np.concatenate([problem.matrix, *(matrix for matrix, *_ in blocks)])
        assert sorted(map(bytes, both)) == sorted(map(bytes, whole))

    def test_moments_are_those_of_the_rows_together(self):
        problem = self.problem(TABLE.data)
        blocks = [matrix for matrix, *_ in problem.beyond.blocks("")]
        together = moments_of(blocks, problem.matrix.shape[1])
        stacked = np.concatenate(blocks).astype(np.float64)
        assert np.allclose(together.mean, stacked.mean(axis=0))
        assert np.allclose(together.scatter / together.n, np.cov(stacked.T, bias=True))

    def test_mutual_information_counts_all_rows(self):
        """Of columns with few values it is exactly that of all training rows."""
        problem = self.problem(TABLE.data, eval_set=(TABLE.data[:50], TABLE.target[:50]))
        rows, blocks = self.rows(problem), problem.beyond.blocks("")
        columns = [np.array([i]) for i in range(rows.matrix.shape[1])]
        found = feature_information(rows, columns, blocks)
        all_rows = self.rows(
            self.problem(TABLE.data, eval_set=(TABLE.data[:50], TABLE.target[:50]), max_rows=None)
        )
        expected = feature_information(all_rows, columns)
        few = [len(np.unique(column)) <= 3 for column in all_rows.matrix.T]
        assert np.array_equal(found[few], expected[few])
        assert np.abs(found - expected).max() < 0.02

    def test_weights_beyond_the_sample_count(self):
        weights = np.random.default_rng(0).random(5000)
        problem = self.problem(TABLE.data, sample_weight=weights)
        seen = np.concatenate([problem.weights, *(w for *_, w in problem.beyond.blocks(""))])
        assert np.allclose(np.sort(seen), np.sort(weights))

    def test_groups_are_not_looked_at_beyond_the_sample(self):
        """A row beyond it may be of a group that evaluates."""
        problem = self.problem(TABLE.data, groups=np.arange(5000) % 7)
        evaluation = Evaluation.of(NFFS(cv=GroupKFold(3)), problem, 0).ranked()
        assert evaluation.rows.beyond is None
        assert len(evaluation.rows.matrix) == 1000


def test_memory_and_file_give_the_same_bits(parquet):
    table = ParquetTable(parquet, target="label")
    assert table.shape == (5000, 29)
    there = NFFS(**SMALL).fit(table, table.labels())
    here = NFFS(**SMALL).fit(TABLE.data, TABLE.target)
    assert timeless(there) == timeless(here)
    assert np.array_equal(there.feature_names_in_, here.feature_names_in_)
    assert there.transform(TABLE.data[:3]).columns == list(there.get_feature_names_out())
    assert there.evaluated_on_ == (
        "10-fold stratified cross-validation of a stratified sample of 1000 of the 5000 training "
        "rows"
    )


def test_the_number_of_threads_does_not_matter(parquet):
    table = ParquetTable(parquet, target="label")
    one, two = (NFFS(**SMALL, n_jobs=n).fit(table, table.labels()) for n in (1, 2))
    assert timeless(one).features == timeless(two).features


def test_more_rows_than_there_are_changes_nothing():
    with_it = NFFS(**{**SMALL, "max_rows": 5000}).fit(TABLE.data, TABLE.target)
    without = NFFS(**{**SMALL, "max_rows": None}).fit(TABLE.data, TABLE.target)
    assert with_it.fitness_ == without.fitness_
    assert with_it.evaluated_on_ == without.evaluated_on_


def test_other_rows_beyond_the_sample_are_another_search(tmp_path):
    """A journal of one is refused by the other."""
    NFFS(**SMALL, journal=tmp_path / "j").fit(TABLE.data, TABLE.target)
    sample = stratified_sample(read_target(TABLE.target), 1000, seed=0)
    outside = int(np.setdiff1d(np.arange(5000), sample)[0])
    changed = TABLE.data.with_columns(
        pl.when(pl.int_range(pl.len()) == outside)
        .then(pl.col("duration") + 1)
        .otherwise(pl.col("duration"))
        .alias("duration")
    )
    with pytest.raises(InputError, match="belongs to another search: beyond was 4000 rows"):
        NFFS(**SMALL, journal=tmp_path / "j").fit(changed, TABLE.target)


def test_splits_by_row_numbers_are_refused():
    with pytest.raises(InputError, match="max_rows: cv lists rows of the whole table"):
        NFFS(**SMALL, cv=[(np.arange(100), np.arange(100, 200))]).fit(TABLE.data, TABLE.target)


def test_reading_is_told(parquet, caplog):
    table = ParquetTable(parquet, target="label")
    with caplog.at_level(logging.INFO, logger="nffs"):
        NFFS(**SMALL).fit(table, table.labels())
    told = [r.getMessage().split(": ")[-1] for r in caplog.records if "reading" in r.getMessage()]
    assert told == ["their categories", "taking 1000 of them", "mutual information", "covariance"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": "no"}, "target: .* has no column 'no'"),
        ({"drop": ["no"]}, "drop: .* has no column 'no'"),
    ],
)
def test_columns_that_are_not_there(parquet, change, said):
    with pytest.raises(InputError, match=said):
        ParquetTable(parquet, **{"target": "label", **change})


def test_files_that_are_no_tables(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        ParquetTable(tmp_path / "no", target="label")
    (tmp_path / "text").write_text("no table")
    with pytest.raises(InputError, match="not a readable Parquet file"):
        ParquetTable(tmp_path / "text", target="label")


def test_the_command_line_reads_in_parts(parquet, tmp_path):
    command = [sys.executable, "-m", "nffs", "select", str(parquet), "--target", "label",
               "--max-rows", "1000", "--subsets", "12", "--nested", "6", "--json"]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "a stratified sample of 1000 of the 5000" in json.loads(result.stdout)["evaluated_on"]
    assert f"reading 5000 rows of {parquet}" in " ".join(result.stderr.split())
    wrong = subprocess.run([*command, "--drop", "no"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "has no column 'no'" in " ".join(wrong.stderr.split())


def test_five_million_rows_within_eight_gib(tmp_path):
    """The kernel counts the memory of a process of its own; reading tells how far it is."""
    path, rng = tmp_path / "large.parquet", np.random.default_rng(0)
    n = 5_000_000
    signal = rng.random(n, dtype=np.float32)
    frame = {f"noise_{i}": rng.random(n, dtype=np.float32) for i in range(3)}
    frame |= {"signal": signal, "flag": signal > 0.9, "label": signal + frame["noise_0"] / 2 > 0.7}
    pl.DataFrame(frame).write_parquet(path)
    command = [sys.executable, "-m", "nffs", "select", str(path), "--target", "label",
               "--max-rows", "20000", "--subsets", "8", "--nested", "3"]  # fmt: skip
    errors = tmp_path / "stderr"
    with errors.open("w") as file:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file)
        _, status, used = os.wait4(process.pid, 0)
    told = errors.read_text()
    assert status == 0, told
    assert used.ru_maxrss * 1024 < 8 * 2**30
    assert "reading 5000000 rows" in told
    assert "searching 5 features of 20000 rows" in " ".join(told.split())
