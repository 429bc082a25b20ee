"""Every mistake gets one sentence, exit code 2, and nothing is written."""

import numpy as np
import polars as pl
import pytest

SMALL = ("--subsets", "6", "--nested", "4", "--cv", "2")


@pytest.fixture
def refused(nffs, tmp_path):
    """Run `nffs select` on a frame or text; give the one sentence it must answer with."""

    def run(content, *options, target="label"):
        path = tmp_path / "in.csv"
        if isinstance(content, pl.DataFrame):
            content.write_csv(path)
        else:
            path.write_text(content)
        out = tmp_path / "out.json"
        result = nffs("select", path, "--target", target, "--out", out, *SMALL, *options)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert not out.exists()
        assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]
        sentences = [
            s
            for s in result.stderr.splitlines()
            if "defaults shrank" not in s and "searching" not in s
        ]
        assert len(sentences) == 1
        assert sentences[0].startswith("nffs: ")
        return sentences[0]

    return run


@pytest.fixture
def frame(connections):
    return connections.frame().select("duration", "src_bytes", "root_shell", "flag", "label")


def with_first(frame, column, value):
    values = frame[column].to_list()
    return frame.with_columns(pl.Series(column, [value, *values[1:]], strict=False))


def test_missing_numbers(refused, frame):
    broken = with_first(with_first(frame, "duration", None), "src_bytes", None)
    told = refused(broken, "--missing", "error")
    assert "missing values (NaN) in numeric column(s) 'duration', 'src_bytes'" in told


def test_infinite_numbers(refused, frame):
    assert "infinite values (inf) in numeric column(s) 'duration'" in refused(
        with_first(frame, "duration", np.inf)
    )


def test_one_class_only(refused, frame):
    told = refused(frame.with_columns(pl.lit("normal").alias("label")))
    assert "--target label: found one class only ('normal')" in told


def test_a_class_with_fewer_rows_than_folds(refused, frame):
    told = refused(with_first(frame, "label", "rare"))
    assert "'rare' have 1 rows, fewer than the 2 folds" in told


def test_a_constant_table(refused, frame):
    told = refused(frame.select(pl.lit(1).alias("a"), pl.lit("x").alias("b"), "label"))
    assert "all 2 feature(s) are constant" in told


def test_no_feature_column(refused, frame):
    assert "no feature column" in refused(frame.select("label"))


def test_duplicate_column_names(refused):
    assert "duplicate column names 'a'" in refused("a,b,a,label\n1,2,3,x\n4,5,6,y\n")


def test_a_target_that_is_not_there(refused, frame):
    told = refused(frame, target="lable")
    assert "--target:" in told
    assert "has no column 'lable'; did you mean 'label'? It has 'duration'" in told


def test_a_continuous_target(refused, frame):
    told = refused(frame, "--task", "classification", target="duration")
    assert "--target duration: found a continuous target" in told
    assert "with --task regression" in told


def test_the_target_among_the_features(refused, frame):
    told = refused(frame.with_columns(pl.col("label").alias("truth")))
    assert "the target is among the features: column 'truth'" in told


def test_a_column_of_all_distinct_strings(refused, frame):
    ids = pl.Series("id", [f"record {i}" for i in range(len(frame))])
    told = refused(frame.with_columns(ids), "--keep-all")
    assert "column 'id' holds 400 distinct strings in 400 rows" in told


def test_an_empty_file(refused):
    assert "the file is empty" in refused("")


def test_a_file_with_a_header_only(refused):
    assert "the table has no rows" in refused("a,label\n")


@pytest.mark.parametrize(
    ("line", "fields"), [("1,2,3,x", 4), ("1,2", 2)], ids=["too long", "too short"]
)
def test_a_broken_line_is_named(refused, line, fields):
    rows = "".join(f"{i},{i % 3},{'xy'[i % 2]}\n" for i in range(20))
    told = refused(f"a,b,label\n{rows}{line}\n{rows}")
    assert f"line 22 has {fields} fields where 3 are expected" in told


def test_a_file_that_is_not_text(nffs, tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b"a,label\n\xff\xfe\x00,x\n")
    result = nffs("select", path, "--target", "label")
    assert result.exit_code == 2
    assert "not readable" in result.stderr


def test_a_file_that_is_not_parquet(nffs, tmp_path):
    path = tmp_path / "in.parquet"
    path.write_text("a,label\n1,x\n")
    result = nffs("select", path, "--target", "label")
    assert result.exit_code == 2
    assert "not a readable Parquet file" in result.stderr


def test_a_file_that_is_not_there(nffs, tmp_path):
    result = nffs("select", tmp_path / "none.csv", "--target", "label")
    assert result.exit_code == 2
    assert "no such file" in result.stderr


def test_best_and_worst_that_meet(refused, frame):
    told = refused(frame, "--top", "3", "--bottom", "3")
    assert "--top + --bottom must be less than --subsets, found 3 + 3 >= 6" in told


def test_more_nested_subsets_than_features(refused, frame):
    assert "--nested must be less than the number of usable features" in refused(
        frame, "--nested", "40"
    )


def test_an_unknown_score(refused, frame):
    assert "--scoring: 'f2' is not a scorer" in refused(frame, "--scoring", "f2")


def test_a_positive_label_that_is_not_there(refused, frame):
    assert "--positive: 'bad' is not a label; there are 'attack', 'normal'" in refused(
        frame, "--positive", "bad"
    )


def test_missing_labels(refused, frame):
    told = refused(with_first(frame, "label", None).select("label", "duration", "flag"))
    assert "1 labels are missing in column 'label'" in told


def test_no_threads(refused, frame):
    assert "--n-jobs: 0 threads do nothing; give 1 or more" in refused(frame, "--n-jobs", "0")


def test_bytes_as_labels(nffs, connections, tmp_path):
    path = tmp_path / "in.parquet"
    connections.frame().with_columns(pl.col("label").cast(pl.Binary)).write_parquet(path)
    result = nffs("select", path, "--target", "label", *SMALL)
    assert result.exit_code == 2
    assert "--target label: holds labels of type bytes; convert them to text" in result.stderr


def test_too_little_memory_is_no_fault(nffs, table, monkeypatch):
    def fit(*_, **__):
        raise MemoryError

    monkeypatch.setattr("nffs.NFFS.fit", fit)
    result = nffs("select", table, "--target", "label", *SMALL)
    assert result.exit_code == 1
    assert "nffs: not enough memory; use fewer rows (--max-rows)" in (result.stderr)


def test_a_folder_that_is_not_there(nffs, table, tmp_path):
    out = tmp_path / "none" / "selection.json"
    result = nffs("select", table, "--target", "label", "--out", out)
    assert result.exit_code == 2
    assert "--out: the folder" in result.stderr


def test_a_test_file_with_another_type(nffs, table, connections, tmp_path):
    path = tmp_path / "test.csv"
    connections.frame().with_columns(pl.lit("long").alias("duration")).write_csv(path)
    result = nffs("select", table, "--target", "label", "--test", path, *SMALL)
    assert result.exit_code == 2
    assert "column 'duration' is categorical but was numeric" in result.stderr


class TestTransform:
    @pytest.fixture
    def selection(self, nffs, table, tmp_path):
        path = tmp_path / "selection.json"
        nffs("select", table, "--target", "label", "--out", path, *SMALL)
        return path

    @pytest.fixture
    def column(self, selection):
        """A raw column that the selection uses."""
        from nffs import Selection

        return Selection.load(selection).output_columns[0].column

    def refuse(self, nffs, frame, selection, tmp_path):
        path, out = tmp_path / "new.csv", tmp_path / "out.csv"
        frame.write_csv(path)
        result = nffs("transform", path, "--selection", selection, "--out", out)
        assert result.exit_code == 2, result.output
        assert not out.exists()
        return result.stderr

    def test_a_lacking_column(self, nffs, connections, selection, column, tmp_path):
        told = self.refuse(nffs, connections.data.drop(column), selection, tmp_path)
        assert f"new.csv: lacks the column(s) {column!r}" in told

    def test_another_type(self, nffs, connections, selection, column, tmp_path):
        kind = connections.data[column].dtype
        other = pl.lit(1) if kind == pl.String else pl.lit("text")
        told = self.refuse(
            nffs, connections.data.with_columns(other.alias(column)), selection, tmp_path
        )
        assert f"column {column!r} is" in told

    def test_no_selection(self, nffs, connections, tmp_path):
        told = self.refuse(nffs, connections.data, tmp_path / "none.json", tmp_path)
        assert "--selection: no such file" in told

    def test_a_column_to_keep_that_is_not_there(self, nffs, table, selection, tmp_path):
        out = tmp_path / "out.csv"
        result = nffs(
            "transform", table, "--selection", selection, "--out", out, "--keep", "nothing"
        )
        assert result.exit_code == 2
        assert "--keep" in result.stderr


@pytest.mark.parametrize("unit", [None, "ms", "us"])
@pytest.mark.parametrize("command", ["select", "transform"])
def test_dates_that_no_calendar_has(nffs, connections, tmp_path, unit, command):
    days = pl.Series(np.arange(len(connections.target)) % 2 * 2 * 10**9)
    frame = connections.frame().with_columns(
        when=days.cast(pl.Int32).cast(pl.Date)
        if unit is None
        else (days * 10**9).cast(pl.Datetime(unit))
    )
    path, out = tmp_path / "in.arrow", tmp_path / "out.csv"
    frame.write_ipc(path)
    options = ["--target", "label", *SMALL]
    if command == "transform":
        connections.frame().write_csv(tmp_path / "whole.csv")
        kept = tmp_path / "kept.json"
        assert nffs("select", tmp_path / "whole.csv", *options, "--out", kept).exit_code == 0
        options = ["--selection", kept, "--keep", "when", "--out", out]
    result = nffs(command, path, *options)
    assert result.exit_code == 2
    assert result.stderr.strip() == (
        f"nffs: {path}: column 'when' holds dates outside the years 1 to 9999; correct them, or "
        "leave the column out."
    )
    assert not out.exists()
