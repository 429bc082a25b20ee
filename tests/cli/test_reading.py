"""Files as people have them: what is read, and the note that a user reads about it."""

import gzip
import io
import zipfile
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from nffs.cli.reading import How, packing, read_file
from nffs.errors import InputError

PLAIN = pl.DataFrame({"age": [31, 42], "name": ["ann", "bo"]})


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Write content to a file and read it as a user would; give the table and the notes."""
    monkeypatch.chdir(tmp_path)

    def run(content, name="t.csv", **how):
        path = Path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        notes = []
        return read_file(path, How(**how), notes.append), notes

    return run


@pytest.fixture
def refused(read):
    """Give the sentence that answers a file which cannot be read."""

    def run(content, name="t.csv", **how):
        with pytest.raises(InputError) as told:
            read(content, name, **how)
        return str(told.value)

    return run


def check_plain(found, *notes):
    """Check that a table is the plain one, and the notes."""
    assert_frame_equal(found[0], PLAIN)
    assert found[1] == list(notes)


def test_a_plain_file_needs_no_words(read):
    check_plain(read("age,name\n31,ann\n42,bo\n"))


class TestSeparators:
    @pytest.mark.parametrize(
        ("sign", "shown"),
        [(";", "';'"), ("\t", "tab"), ("|", "'|'")],
        ids=["semicolon", "tab", "bar"],
    )
    def test_is_found_and_told(self, read, sign, shown):
        text = "age,name\n31,ann\n42,bo\n".replace(",", sign)
        note = f"t.csv: read with separator {shown} (or give --separator)"
        check_plain(read(text), note)

    @pytest.mark.parametrize("ending", ["tsv", "tab"])
    def test_tabs_need_no_words_where_the_ending_names_them(self, read, ending):
        check_plain(read("age\tname\n31\tann\n42\tbo\n", f"t.{ending}"))

    @pytest.mark.parametrize("given", ["\t", "\\t", "tab"])
    def test_a_tab_can_be_given(self, read, given):
        text = "age\tname\n31\tann\n42\tbo\n"
        check_plain(read(text, separator=given))

    @pytest.mark.parametrize("given", ["", ";;", "é", '"'])
    def test_what_is_not_one_character_is_refused(self, refused, given):
        assert f"--separator: {given!r} is not one character" in refused("", separator=given)

    def test_signs_within_quotes_do_not_count(self, read):
        frame, notes = read('a,b\n"x;y;z",1\n"u;v;w",2\n')
        assert (frame.columns, notes) == (["a", "b"], [])

    def test_a_given_one_is_believed(self, read):
        frame, notes = read("a;b,c\n1;2,3\n", separator=",")
        assert (frame.columns, notes) == (["a;b", "c"], [])

    def test_a_comma_within_numbers_is_none(self, read):
        frame, notes = read("1,5;2,5\n3,5;4,5\n", header=False)
        assert frame.rows() == [(1.5, 2.5), (3.5, 4.5)]
        assert "separator ';'" in notes[0]

    def test_single_quotes(self, read):
        frame, notes = read("'a b',c\n'x, y',1\n'z',2\n")
        assert frame.rows() == [("x, y", 1), ("z", 2)]
        assert frame.columns == ["a b", "c"]
        assert notes == ["t.csv: read with quotes '"]

    def test_an_apostrophe_is_no_quote(self, read):
        frame, notes = read("a,b\n'tis,1\n'twas,2\n")
        assert (frame["a"].to_list(), notes) == (["'tis", "'twas"], [])

    @given(
        sign=st.sampled_from(";\t|,"),
        rows=st.lists(
            st.lists(st.text("ab ,;|\t'x1.", max_size=5), min_size=3, max_size=3),
            min_size=2,
            max_size=8,
        ),
    )
    def test_whatever_is_quoted_is_parted_as_it_was_written(self, tmp_path_factory, sign, rows):
        frame = pl.DataFrame(
            [[f"t{cell}" for cell in row] for row in rows], schema=["a", "b", "c"], orient="row"
        )
        path = tmp_path_factory.mktemp("quoted") / "t.csv"
        frame.write_csv(path, separator=sign, quote_style="always")
        assert read_file(path, How(), lambda _: None).equals(frame)


class TestDecimals:
    def test_a_decimal_comma_is_found_and_told(self, read):
        frame, notes = read("size;price\n1;1,5\n2;2,25\n")
        assert frame.rows() == [(1, 1.5), (2, 2.25)]
        assert "t.csv: decimal comma in 'price'; --decimal . turns this off" in notes

    def test_within_quotes_too(self, read):
        frame, notes = read('size,price\n1,"1,5"\n2,"2,25"\n')
        assert frame["price"].to_list() == [1.5, 2.25]
        assert notes == ["t.csv: decimal comma in 'price'; --decimal . turns this off"]

    def test_within_quotes_it_can_be_said(self, read):
        frame, _ = read('size,price\n1,"1,234"\n2,"2,345"\n', decimal=",")
        assert frame["price"].to_list() == [1.234, 2.345]

    def test_then_points_part_thousands(self, read):
        frame, notes = read("price;people\n1,5;1.234\n2.000,25;5.678\n")
        assert frame.rows() == [(1.5, 1234), (2000.25, 5678)]
        assert "t.csv: points separate thousands in 'price', 'people'" in notes

    def test_points_that_cannot_part_thousands_are_told(self, read):
        frame, notes = read("price;share\n1,5;0.5\n2,25;0.75\n")
        assert frame["share"].to_list() == [0.5, 0.75]
        assert "t.csv: decimal points in 'share', unlike in other columns" in notes

    def test_what_may_be_either_is_not_guessed(self, read):
        frame, notes = read("price;x\n1,234;1\n5,678;2\n")
        assert frame["price"].to_list() == ["1,234", "5,678"]
        assert (
            "t.csv: text that looks like numbers in 'price', such as '1,234': each value is a "
            "category; write plain numbers instead, or give --decimal"
        ) in notes

    @pytest.mark.parametrize(("decimal", "first"), [(",", 1.234), (".", 1234)])
    def test_but_can_be_said(self, read, decimal, first):
        frame, _ = read("price;x\n1,234;1\n5,678;2\n", decimal=decimal)
        assert frame["price"][0] == first

    def test_another_sign_is_refused(self, refused):
        assert "--decimal: ';' is neither ',' nor '.'" in refused("", decimal=";")
        assert "--decimal, --separator: both are ','" in refused("", decimal=",", separator=",")


class TestMissing:
    @pytest.mark.parametrize("text", ["NA", "N/A", "n/a", "?", "-", "null", "NULL", "nan", " NA "])
    def test_in_numbers_it_is_told(self, read, text):
        frame, notes = read(f"age,name\n31,a\n{text},b\n42,{text}\n")
        assert frame["age"].to_list() == [31, None, 42]
        assert frame["name"].to_list() == ["a", "b", text]
        told = f"t.csv: 1 cell(s) {text.strip()!r} in 'age' read as missing; --na '' keeps them"
        assert notes == [told]

    def test_empty_cells_need_no_words(self, read):
        frame, notes = read('age,name\n31,a\n,b\n"",c\n')
        assert (frame["age"].to_list(), notes) == ([31, None, None], [])

    def test_many_columns_get_one_line(self, read):
        frame, notes = read("a,b\n1.5,?\n?,2\n?,3\n")
        assert frame.rows() == [(1.5, None), (None, 2), (None, 3)]
        assert notes == ["t.csv: 3 cell(s) '?' in 'a', 'b' read as missing; --na '' keeps them"]

    def test_none_if_the_user_says_so(self, read):
        frame, notes = read("age,name\n31,a\nNA,b\n", missing=("",))
        assert (frame["age"].to_list(), notes) == (["31", "NA"], [])

    def test_what_the_user_names_is_missing_everywhere(self, read):
        frame, notes = read("age,name\n31,a\n-999,b\n42,none\n", missing=("-999", "none"))
        assert frame.rows() == [(31, "a"), (None, "b"), (42, None)]
        assert notes == []

    def test_other_text_among_numbers_is_told(self, read):
        ages = "".join(f"{age},a\n" for age in range(30))
        frame, notes = read(f"age,name\n{ages}unknown,b\n")
        assert frame["age"].dtype == pl.String
        told = "t.csv: 'age' is text because of 'unknown'; --na 'unknown' reads such cells as"
        assert notes == [f"{told} missing"]

    def test_infinite_numbers_stay(self, read):
        assert read("a,b\n1,x\ninf,y\n")[0]["a"].to_list() == [1.0, float("inf")]

    @given(st.lists(st.one_of(st.none(), st.integers(-(2**60), 2**60)), min_size=2).filter(any))
    def test_whole_numbers_stay_exact(self, tmp_path_factory, numbers):
        path = tmp_path_factory.mktemp("whole") / "t.csv"
        cells = ["NA" if n is None else str(n) for n in numbers]
        path.write_text("n,x\n" + "".join(f"{cell},a\n" for cell in cells))
        assert read_file(path, How(), lambda _: None)["n"].to_list() == numbers


@pytest.mark.parametrize("text", ["12 %", "12.5%", "$5", "€ 1.234,50", "1.234 EUR", "1'234"])
def test_amounts_are_told(read, text):
    frame, notes = read(f'amount,x\n"{text}",1\n"{text}",2\n')
    assert frame["amount"].to_list() == [text, text]
    told = f"t.csv: text that looks like numbers in 'amount', such as {text!r}: each value is a"
    assert notes[0].startswith(told)


@pytest.mark.parametrize("text", ["A12", "12 Main Street", "2024-01-02", "x", "v1.2"])
def test_other_text_is_not(read, text):
    assert read(f"amount,x\n{text},1\n{text},2\n")[1] == []


def test_iso_dates_are_dates(read):
    found, notes = read(
        "day,at,code\n2024-01-05,2024-01-05 10:30:00,a-1\n2024-02-06,2024-02-06T11:00:00,b-2\n"
    )
    assert [dtype.is_temporal() for dtype in found.dtypes] == [True, True, False]
    assert notes == []


class TestHeader:
    def test_blanks_around_names_go(self, read):
        check_plain(read(" age , name \n31,ann\n42,bo\n"))

    def test_names_that_are_then_the_same_are_refused(self, refused):
        assert "t.csv: duplicate column names 'a'" in refused("a, a\n1,2\n")

    @pytest.mark.parametrize(
        ("name", "shown"),
        [("", "the first column, which has no name,"), ("Unnamed: 0", "column 'Unnamed: 0'")],
    )
    def test_row_numbers_are_left_out(self, read, name, shown):
        told = f"t.csv: {shown} is left out as row numbers; rename it to keep it"
        check_plain(read(f"{name},age,name\n0,31,ann\n1,42,bo\n"), told)

    def test_unless_the_user_names_them(self, read):
        frame, notes = read("Unnamed: 0,a\n0,31\n1,42\n", named=frozenset(["Unnamed: 0"]))
        assert (frame.columns, notes) == (["Unnamed: 0", "a"], [])

    def test_row_names_as_r_writes_them(self, read):
        frame, notes = read('"age","name"\n"1",31,"ann"\n"2",42,"bo"\n')
        assert frame.equals(PLAIN)
        assert "the first column, which has no name, is left out" in notes[0]

    def test_a_separator_at_the_end_of_lines(self, read):
        told = "t.csv: 1 column(s) with neither name nor value left out"
        check_plain(read("age,name,\n31,ann,\n42,bo,\n"), told)

    def test_a_name_that_is_missing_is_made(self, read):
        frame, notes = read("age,,name\n31,x,ann\n42,y,bo\n")
        assert frame.columns == ["age", "column_2", "name"]
        assert notes == ["t.csv: column(s) without a name are called 'column_2'"]

    def test_none(self, read):
        frame, _ = read("31,ann\n42,bo\n", header=False)
        assert frame.columns == ["f1", "f2"]


class TestLines:
    @pytest.mark.parametrize("end", ["\n\n\n", "\r\n\r\n", "\n,\n,\n"])
    def test_blank_ones_are_left_out(self, read, end):
        told = "t.csv: 2 line(s) without a value left out"
        if end == "\r\n\r\n":
            told = "t.csv: 1 line(s) without a value left out"
        check_plain(read("age,name\n31,ann\n42,bo" + end), told)

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_whatever_ends_them(self, read, end):
        check_plain(read(f"age,name{end}31,ann{end}42,bo{end}"))

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_a_short_one_is_named(self, refused, quote):
        told = refused(f"a,b,c\n1,{quote}2{quote},3\n1,2\n1,2,\n")
        assert told == "t.csv: line 3 has 2 fields where 3 are expected; repair or remove it."

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_beside_an_empty_one_too(self, refused, quote):
        told = refused(f"a,b,c\n1,{quote}2{quote},3\n1,2\n,,\n")
        assert "line 3 has 2 fields where 3 are expected" in told

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_an_empty_last_cell_is_not_short(self, read, quote):
        frame, _ = read(f"a,b,c\n1,{quote}2{quote},3\n1,2,\n")
        assert frame["c"].to_list() == [3, None]


class TestEncodings:
    TEXT = "größe,name\n31,Zoë\n42,bo\n"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
    def test_utf_8_needs_no_words(self, read, encoding):
        frame, notes = read(self.TEXT.encode(encoding))
        assert (frame.columns, frame["name"][0], notes) == (["größe", "name"], "Zoë", [])

    @pytest.mark.parametrize(
        ("encoding", "told"),
        [
            ("latin-1", "not UTF-8, so read as windows-1252; --encoding sets another"),
            ("utf-16", "read as UTF-16"),
            ("utf-16-le", "read as UTF-16-LE"),
            ("utf-16-be", "read as UTF-16-BE"),
            ("utf-32", "read as UTF-32"),
        ],
    )
    def test_others_are_recognised_and_told(self, read, encoding, told):
        frame, notes = read(self.TEXT.encode(encoding))
        assert (frame.columns, frame["name"][0]) == (["größe", "name"], "Zoë")
        assert notes == [f"t.csv: {told}"]

    def test_a_letter_late_in_a_long_file(self, read):
        text = "a,name\n" + "1,ann\n" * 900_000 + "2,Zoë\n"
        frame, notes = read(text.encode("latin-1"))
        assert frame["name"][-1] == "Zoë"
        assert "windows-1252" in notes[0]

    def test_a_given_one_is_believed(self, read):
        frame, notes = read("a,name\n1,Łódź\n".encode("cp1250"), encoding="cp1250")
        assert (frame["name"][0], notes) == ("Łódź", [])

    def test_one_that_does_not_fit_is_named(self, refused):
        told = refused("a,b\n1,é\n".encode("latin-1"), encoding="utf-8")
        assert "t.csv: not readable as utf-8 (byte 0xe9 in line 2); give its encoding" in told
        assert "windows-1252 (byte 0x81 in line 2); give its" in refused(b"a,b\n1,\x81\n")

    def test_an_unknown_one(self, refused):
        assert "--encoding: 'utf-9' is unknown" in refused("a,b\n", encoding="utf-9")

    def test_what_is_not_text(self, refused):
        assert "t.csv: not readable as CSV (it is not text)" in refused(b"\x89PNG\r\n\x1a\n\0\0\1")


class TestPacked:
    TEXT = b"age,name\n31,ann\n42,bo\n"

    @pytest.fixture(params=[".gz", ".bz2", ".xz", ".zst", ".zip"])
    def packed(self, request, tmp_path):
        path = tmp_path / f"packed.csv{request.param}"
        with packing(path, path) as file:
            file.write(self.TEXT)
        return request.param, path.read_bytes()

    def test_is_unpacked(self, read, packed):
        ending, content = packed
        assert len(content) != len(self.TEXT)
        check_plain(read(content, f"t.csv{ending}"))
        check_plain(read(content, f"t{ending}"))

    def test_cut_short_it_names_the_file(self, refused, packed):
        ending, content = packed
        told = refused(content[:-9], f"t.csv{ending}")
        assert told.startswith(f"t.csv{ending}: the compressed file is cut short or damaged (")

    def test_an_archive_of_several_files(self, refused):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("a.csv", self.TEXT)
            archive.writestr("b.csv", self.TEXT)
        told = refused(packed.getvalue(), "t.zip")
        assert "t.zip: the archive holds 2 files ('a.csv', 'b.csv'); unpack it and name one" in told


class TestFormats:
    def test_arrow(self, read):
        for write, ending in (
            (pl.DataFrame.write_ipc, "feather"),
            (pl.DataFrame.write_ipc_stream, "arrow"),
        ):
            content = io.BytesIO()
            write(PLAIN, content)
            check_plain(read(content.getvalue(), f"t.{ending}"))

    def test_json_lines(self, read):
        frame, notes = read('{"age": 31, "name": "ann"}\n{"age": "NA", "name": "bo"}\n', "t.jsonl")
        assert frame.rows() == [(31, "ann"), (None, "bo")]
        assert "1 cell(s) 'NA' in 'age' read as missing" in notes[0]

    def test_parquet_with_the_index_of_pandas(self, read):
        content = io.BytesIO()
        PLAIN.to_pandas().set_index([["x", "y"]]).to_parquet(content)
        frame, notes = read(content.getvalue(), "t.parquet")
        assert frame.equals(PLAIN)
        assert "t.parquet: column '__index_level_0__' is left out" in notes[0]

    def test_a_spreadsheet(self, read):
        pytest.importorskip("fastexcel")
        sheet = workbook([" age ", "name"], [31, "ann"], ["NA", "bo"])
        frame, notes = read(sheet, "t.xlsx")
        assert frame.rows() == [(31, "ann"), (None, "bo")]
        assert frame.columns == ["age", "name"]
        assert notes == [
            "t.xlsx: sheet 'First' is read, the first of 2",
            "t.xlsx: 1 cell(s) 'NA' in 'age' read as missing; --na '' keeps them",
        ]

    @pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.jsonl", "t.xlsx"])
    def test_what_is_none_is_refused(self, refused, name):
        assert refused("neither of them", name).startswith(f"{name}: not a readable ")

    def test_an_unknown_ending_gets_the_list(self, refused):
        told = refused("a,b\n1,2\n", "t.sav")
        assert told.startswith("t.sav: files that end in '.sav' cannot be read; use .csv, .txt,")
        assert ".xlsx" in told
        assert ".zst" in told

    @pytest.mark.parametrize("name", ["T.CSV", "table", "t.v2.csv"])
    def test_names_of_text(self, read, name):
        check_plain(read("age,name\n31,ann\n42,bo\n", name))

    @pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "csv.gz"])
    def test_a_name_is_no_pattern(self, read, ending):
        """The file t[1] is read, not t1; q* is not two files."""
        for name, value in (("t1", 1), ("t[1]", 2), ("q*", 3), ("qx", 4)):
            frame, content = pl.DataFrame({"a": [value], "b": [value]}), io.BytesIO()
            if ending == "parquet":
                frame.write_parquet(content)
            elif ending == "feather":
                frame.write_ipc(content)
            else:
                content.write(frame.write_csv().encode())
            packed = gzip.compress(content.getvalue()) if ending == "csv.gz" else content.getvalue()
            assert read(packed, f"{name}.{ending}")[0]["a"].to_list() == [value]


class TestKnownColumns:
    def test_codes_stay_text(self, read):
        frame, _ = read("code,x\n007,1\n012,2\n", kinds={"code": "categorical"})
        assert frame["code"].to_list() == ["007", "012"]

    def test_in_a_file_without_a_header(self, read):
        frame, _ = read("007,1\n012,2\n", header=False, kinds={"f1": "categorical"})
        assert frame["f1"].to_list() == ["007", "012"]

    def test_numbers_of_which_none_is_there(self, read):
        frame, _ = read("age,x\n,1\n,2\n", kinds={"age": "numeric"})
        assert frame["age"].dtype == pl.Float64


def test_a_line_of_many_columns(read):
    n = 30_000
    text = ",".join(f"g{i}" for i in range(n)) + "\n" + "\n".join(",".join("1" * n) for _ in "ab")
    frame, notes = read(text)
    assert (frame.shape, notes) == ((2, n), [])


@given(
    st.one_of(
        st.binary(max_size=60),
        st.text("ab1,;\t|\"'\n\r.-%é \0", max_size=60).map(str.encode),
    ),
    st.sampled_from(["t.csv", "t.tsv", "t.csv.gz", "t.jsonl", "t.feather", "t.xlsx", "t"]),
    st.booleans(),
)
def test_whatever_a_file_holds_there_is_a_table_or_a_sentence(
    tmp_path_factory, content, name, header
):
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(content)
    with suppress(InputError):
        assert len(read_file(path, How(header=header), lambda _: None))


def workbook(*rows):
    """Make a spreadsheet of two sheets, of which the first holds some rows."""

    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    lines = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r0" '
        f'Type="{rels}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rels}"><sheets>'
        '<sheet name="First" sheetId="1" r:id="r1"/><sheet name="Other" sheetId="2" r:id="r2"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{rels}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="r2" Type="{rels}/worksheet" Target="worksheets/sheet2.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData>'
        "</worksheet>",
        "xl/worksheets/sheet2.xml": f'<worksheet xmlns="{main}"><sheetData/></worksheet>',
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()
