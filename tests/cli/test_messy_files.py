"""From a messy file to a result: what the commands say on stderr, and what options do."""

import gzip
import io
import json
import os

import polars as pl
import pytest

from nffs import Selection
from nffs.cli.writing import write_file

SMALL = ("--subsets", "6", "--nested", "4", "--cv", "2")


@pytest.fixture(scope="module")
def german(connections, tmp_path_factory):
    """A table as a German spreadsheet exports it, row numbers and all."""
    frame = connections.frame().select("duration", "error_rate", "src_bytes", "flag", "label")
    text = frame.with_row_index("").write_csv(separator=";", decimal_comma=True)
    path = tmp_path_factory.mktemp("german") / "größen.csv"
    path.write_bytes(text.replace("flag", "Prüfung").encode("latin-1"))
    return path


NOTES = (
    "not UTF-8, so read as windows-1252; --encoding sets another",
    "read with separator ';' (or give --separator)",
    "decimal comma in 'duration', 'error_rate'; --decimal . turns this off",
    "the first column, which has no name, is left out as row numbers",
)


def test_everything_decided_is_told(nffs, german):
    result = nffs("select", german, "--target", "label", "--json", *SMALL)
    assert result.exit_code == 0, result.stderr
    for note in NOTES:
        assert f"nffs: {german}: {note}" in result.stderr
    document = json.loads(result.stdout)
    columns = {c["name"]: c["kind"] for c in document["columns"]}
    kinds = {"duration": "numeric", "error_rate": "numeric", "src_bytes": "numeric"}
    assert columns == {**kinds, "Prüfung": "categorical"}
    assert len(document["reading"]) == len(NOTES)
    for note, kept in zip(NOTES, document["reading"], strict=True):
        assert kept.startswith(f"{german}: {note}")


@pytest.mark.parametrize(
    "command",
    [
        "select F --holdout 0",
        "validate F --folds 2 --models none",
        "compare F --methods all --budget 2 --runs 1 --models none --no-keep",
        "evaluate F F --features Prüfung --seeds 7",
    ],
)
def test_what_was_decided_is_a_part_of_the_result(nffs, german, command, tmp_path):
    """A program that asks for JSON, and a file that is kept, say how the table was read."""
    words = [german if word == "F" else word for word in command.split()]
    small = () if words[0] in ("compare", "evaluate") else SMALL
    out = tmp_path / "result.json"
    result = nffs(*words, "--target", "label", "--quiet", "--json", "--out", out, *small)
    assert result.exit_code == 0, result.stderr
    assert NOTES[0] not in result.stderr
    assert NOTES[0] in json.loads(result.stdout)["reading"][0]
    assert out.read_text(encoding="utf-8") == result.stdout
    if words[0] == "select":
        assert NOTES[0] in Selection.load(out).at_most(1).reading[0]


def test_quiet_is_quiet(nffs, german):
    result = nffs("select", german, "--target", "label", "--quiet", *SMALL)
    assert "read with" not in result.stderr


def test_options_leave_nothing_to_find_out(nffs, german):
    options = ("--separator", ";", "--decimal", ",", "--encoding", "latin-1", "--drop", "")
    result = nffs("select", german, "--target", "label", *options, *SMALL)
    assert result.exit_code == 0, result.stderr
    assert f"{german}:" not in result.stderr


def test_missing_numbers_are_told_by_their_text(nffs, tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{'n/a' if i == 7 else i},{'xy'[i % 2]}\n" for i in range(40))
    path.write_text("age,label\n" + rows)
    result = nffs("select", path, "--target", "label", *SMALL)
    assert f"{path}: 1 cell(s) 'n/a' in 'age' read as missing; --na '' keeps them" in result.stderr


def test_na_names_what_is_missing(nffs, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,label\n" + "".join(f"{i},{'xy-'[i % 3]}\n" for i in range(30)))
    result = nffs("select", path, "--target", "label", "--na", "-", *SMALL)
    assert result.exit_code == 2
    assert "10 labels are missing in column 'label'" in result.stderr


def test_a_test_file_is_read_as_the_training_file_was(nffs, connections, tmp_path):
    """Codes that are text in one file stay text in the other, where all are numbers."""
    frame = connections.frame().select("duration", "src_bytes", "label")
    codes = pl.Series("code", [f"{i % 5}" for i in range(len(frame))])
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    frame.with_columns(codes.replace("4", "A")).write_csv(train)
    frame.with_columns(codes.replace("4", "3")).write_csv(test)
    result = nffs("select", train, "--target", "label", "--test", test, *SMALL)
    assert result.exit_code == 0, result.stderr


def test_names_that_are_patterns_to_polars(nffs, connections, tmp_path):
    frame = connections.frame().select("duration", "src_bytes", "flag", "label")
    frame = frame.rename({"duration": "*", "src_bytes": "^d.*$", "flag": "^.*"})
    train, selection, out = (tmp_path / name for name in ("t.csv", "s.json", "out.parquet"))
    frame.write_csv(train)
    result = nffs("select", train, "--target", "label", "--out", selection, *SMALL)
    assert result.exit_code == 0, result.stderr
    keep = ("--keep", "*", "--keep", "^d.*$")
    nffs("transform", train, "--selection", selection, "--out", out, *keep)
    reduced = pl.read_parquet(out)
    assert reduced[["*", "^d.*$"]].equals(frame[["*", "^d.*$"]])


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_a_path_is_no_pattern(nffs, connections, tmp_path, ending):
    """As a pattern, t[1] names t1, and t[1]* both."""
    frame = connections.frame().select("duration", "src_bytes", "flag", "label")
    for name, content in {"t[1]": frame, "t[1]*": frame, "t1": frame[:7].reverse()}.items():
        write_file(content, tmp_path / f"{name}.{ending}")
    found = []
    for name in ("t[1]", "t[1]*"):
        table, selection, out = tmp_path / f"{name}.{ending}", tmp_path / "s.json", tmp_path / "o"
        result = nffs("select", table, "--target", "label", "--out", selection, *SMALL)
        assert result.exit_code == 0, result.stderr
        assert "of 400 rows" in result.stderr
        assert nffs("transform", table, "--selection", selection, "--out", out).exit_code == 0
        found.append(out.read_text())
    assert found[0] == found[1]
    numbers = {"duration", "src_bytes"} & set(Selection.load(selection).selected_features)
    reduced = pl.read_csv(found[0].encode(), schema_overrides={"duration": pl.Float64})
    assert reduced.select(sorted(numbers)).equals(frame.select(sorted(numbers)))
    assert len(reduced) == len(frame)


@pytest.mark.parametrize(("labels", "is_told"), [("xyNA", True), ("x?", False)])
def test_labels_that_look_missing_are_told(nffs, tmp_path, labels, is_told):
    """Beside several classes, that is: two may be called + and -."""
    path = tmp_path / "t.csv"
    names = ["x", "y", "NA"] if labels == "xyNA" else ["x", "?"]
    path.write_text("a,label\n" + "".join(f"{i},{names[i % len(names)]}\n" for i in range(30)))
    result = nffs("select", path, "--target", "label", "--method", "kbest", "--budget", "2")
    assert result.exit_code == 0, result.stderr
    told = f"{path}: 10 row(s) have the label 'NA', which is taken for a class; drop those rows if"
    assert (told in result.stderr) is is_told
    assert ("have the label" in result.stderr) is is_told


@pytest.fixture(scope="module")
def selection(nffs, connections, tmp_path_factory):
    folder = tmp_path_factory.mktemp("transform")
    table, path = folder / "t.csv", folder / "selection.json"
    connections.frame().select("duration", "src_bytes", "flag", "label").write_csv(table)
    nffs("select", table, "--target", "label", "--out", path, *SMALL)
    return path


class TestTransform:
    def run(self, nffs, frame, selection, out):
        source = out.with_name("new.csv")
        frame.write_csv(source)
        result = nffs("transform", source, "--selection", selection, "--out", out)
        assert result.exit_code == 0, result.stderr
        return out

    def test_needs_the_selected_columns_alone_in_any_order(
        self, nffs, connections, selection, tmp_path
    ):
        needed = Selection.load(selection).raw_features
        all_columns = self.run(nffs, connections.frame(), selection, tmp_path / "all.csv")
        few = connections.frame().with_columns(other=pl.lit("?")).select("other", *needed[::-1])
        assert self.run(nffs, few, selection, tmp_path / "few.csv").read_text() == (
            all_columns.read_text()
        )

    @pytest.mark.parametrize(
        "ending", ["tsv", "csv.bz2", "csv.xz", "csv.zst", "csv.zip", "feather", "jsonl", "pq"]
    )
    def test_writes_what_it_reads(self, nffs, connections, selection, tmp_path, ending):
        from nffs.cli.reading import How, read_file

        out = self.run(nffs, connections.frame(), selection, tmp_path / f"out.{ending}")
        notes = []
        reduced = read_file(out, How(), notes.append)
        assert reduced.columns == Selection.load(selection).feature_names_out
        assert (len(reduced), notes) == (400, [])

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("o.sav", "--out: files that end in '.sav' cannot be written; use .csv,"),
            ("o.xlsx", "--out: spreadsheets are read, not written"),
        ],
    )
    def test_an_ending_that_is_not_written(self, nffs, table, selection, tmp_path, name, told):
        result = nffs("transform", table, "--selection", selection, "--out", tmp_path / name)
        assert result.exit_code == 2
        assert told in result.stderr


def test_a_target_whose_name_looks_like_a_pattern(nffs, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{i % 7},{i % 3},{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    path.write_text("\n".join(["^a.+$,*,^lab.l$", *rows]))
    result = nffs("select", path, "--target", "^lab.l$", "--positive", "no", "--method", "kbest",
                  "--budget", "2", "--cv", "2", "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["positive"] == "no"


@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz"])
def test_a_file_whose_name_is_no_text(nffs, connections, tmp_path, ending):
    """As archives of other systems leave them: bytes that are not UTF-8."""
    path = tmp_path / os.fsdecode(f"f\xfcr-{ending}.{ending}".encode("latin-1"))
    frame = connections.frame()
    written = io.BytesIO()
    frame.write_parquet(written) if ending == "parquet" else frame.write_csv(written)
    content = written.getvalue()
    path.write_bytes(gzip.compress(content) if ending == "csv.gz" else content)
    selection = path.with_suffix(".json")
    small = ("--target", "label", "--method", "kbest", "--budget", "2", "--cv", "2")
    report = path.with_suffix(".html")
    done = nffs("select", path, *small, "--out", selection, "--report", report)
    assert done.exit_code == 0, done.output
    assert json.loads(selection.read_text())["selected_features"]
    assert nffs("transform", path, "--selection", selection, "--out", path).exit_code == 2
    assert nffs("report", selection, "--out", report).exit_code == 0
    assert nffs("shift", path, path).exit_code == 0


@pytest.mark.parametrize("end", ['"', '1.5,"', '1.5,"\n'])
def test_a_file_that_is_cut_at_a_quote(nffs, tmp_path, end):
    path = tmp_path / "t.csv"
    path.write_text("a,label\n" + "1.5,0\n2.5,1\n" * 20 + end)
    done = nffs("select", path, "--target", "label")
    assert done.exit_code == 2
    assert "the file is cut short; copy it again." in done.stderr


def test_a_panic_of_the_reader_is_a_sentence(nffs, tmp_path, monkeypatch):
    """Errors of polars' own code are no `Exception`."""
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,y\n")

    def panic(*_, **__):
        raise pl.exceptions.PanicException("slice index starts at 1 but ends at 0")

    monkeypatch.setattr(pl, "read_csv", panic)
    done = nffs("select", tmp_path / "t.csv", "--target", "label")
    assert done.exit_code == 2
    assert "not readable as CSV (slice index starts at 1 but ends at 0)." in done.stderr
    assert isinstance(done.exception, SystemExit)
