"""One-hot encoding as scikit-learn's encoder does it, with names and as plain data."""

import numpy as np
import polars as pl
import pytest
from sklearn.preprocessing import OneHotEncoder

from nffs.errors import InputError
from nffs.table.encoding import fit_encoding
from nffs.table.reading import read_table

FRAME = pl.DataFrame(
    {
        "length": [1.5, 2.0, 3.5, 4.0, 5.0],
        "color": ["B", "A", "C", "A", None],
        "big": [False, True, True, False, True],
    }
)


def encode(frame, **options):
    table = read_table(frame)
    encoding = fit_encoding(table, **options)
    return encoding, encoding.matrix(table)


def test_names_and_values():
    encoding, matrix = encode(FRAME)
    assert encoding.names == ["length", "color_A", "color_B", "color_C", "color_None", "big"]
    expected = [
        [1.5, 0, 1, 0, 0, 0],
        [2.0, 1, 0, 0, 0, 1],
        [3.5, 0, 0, 1, 0, 1],
        [4.0, 1, 0, 0, 0, 0],
        [5.0, 0, 0, 0, 1, 1],
    ]
    np.testing.assert_array_equal(matrix, expected)
    assert matrix.dtype == np.float32


@pytest.mark.parametrize("options", [{}, {"min_frequency": 30}, {"max_categories": 4}])
def test_the_same_as_scikit_learns_encoder(connections, options):
    frame = connections.data.select("protocol", "service", "flag")
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore", **options)
    expected = encoder.fit_transform(frame.to_numpy().astype(object))
    encoding, matrix = encode(frame, **options)
    np.testing.assert_array_equal(matrix, expected)
    assert encoding.names == encoder.get_feature_names_out(frame.columns).tolist()


def test_unseen_categories_are_zeros():
    encoding, _ = encode(FRAME)
    new = FRAME.with_columns(pl.lit("Z").alias("color"))
    assert not encoding.matrix(read_table(new))[:, 1:5].any()


def test_unseen_categories_are_zeros_beside_folded_ones_too():
    frame = pl.DataFrame({"c": ["a"] * 5 + ["b", "c"]})
    encoding, matrix = encode(frame, min_frequency=2)
    assert encoding.names == ["c_a", "c_infrequent_sklearn"]
    assert matrix[-2:].tolist() == [[0, 1], [0, 1]]
    assert encoding.matrix(read_table(pl.DataFrame({"c": ["d"]}))).tolist() == [[0, 0]]


def test_columns_may_come_in_another_order():
    encoding, matrix = encode(FRAME)
    shuffled = FRAME.select("big", "color", "length")
    np.testing.assert_array_equal(encoding.matrix(read_table(shuffled)), matrix)


def test_large_values_close_together_stay_apart():
    # Seconds since 1970 within a minute: float32 alone would merge them all.
    frame = pl.DataFrame({"time": [1.7e9 + s for s in range(60)]})
    _, matrix = encode(frame)
    assert len(np.unique(matrix)) == 60


def test_ordinary_values_are_untouched():
    encoding, _ = encode(pl.DataFrame({"n": [0, 70, 1000]}))
    assert encoding.columns[0].offset == 0.0


def test_a_category_called_none_is_not_what_is_missing():
    encoding, _ = encode(pl.DataFrame({"fence": ["None", "wood", None, None]}))
    assert encoding.names == ["fence_None", "fence_wood", "fence_missing"]


class TestRefused:
    def test_a_column_of_all_distinct_strings(self):
        frame = pl.DataFrame({"id": [f"r{i}" for i in range(10)], "n": range(10)})
        with pytest.raises(InputError, match=r"'id' holds 10 distinct strings in 10 rows.*drop it"):
            encode(frame, keep_all=True)

    def test_unless_they_are_folded(self):
        frame = pl.DataFrame({"id": [f"r{i}" for i in range(10)]})
        assert encode(frame, max_categories=2)[0].names[-1] == "id_infrequent_sklearn"

    def test_names_that_clash(self):
        frame = pl.DataFrame({"a": ["b_c", "x", "x"], "a_b": ["c", "y", "y"]})
        with pytest.raises(InputError, match="'a', 'a_b' both encode to 'a_b_c'; rename one"):
            encode(frame)

    def test_a_missing_column(self):
        encoding, _ = encode(FRAME)
        with pytest.raises(InputError, match=r"lacks the column\(s\) 'color'"):
            encoding.matrix(read_table(FRAME.drop("color")))

    def test_another_type(self):
        encoding, _ = encode(FRAME)
        with pytest.raises(InputError, match="'color' is numeric but was categorical"):
            encoding.matrix(read_table(FRAME.with_columns(pl.lit(1).alias("color"))))


def test_nsl_kdd_has_the_papers_122_names(nsl_kdd_train):
    X, _ = nsl_kdd_train
    encoding = fit_encoding(read_table(X))
    assert len(encoding.names) == 122
    per_column = {c: sum(e.column == c for e in encoding.columns) for c in ("f2", "f3", "f4")}
    assert per_column == {"f2": 3, "f3": 70, "f4": 11}
    # All 34 of the paper's own selection (table 4) are among them.
    papers = [
        "f2_icmp",
        "f3_IRC",
        "f3_aol",
        "f3_auth",
        "f3_csnet_ns",
        "f3_ctf",
        "f3_daytime",
        "f3_discard",
        "f3_ecr_i",
        "f3_http_8001",
        "f3_imap4",
        "f3_login",
        "f3_name",
        "f3_netbios_ssn",
        "f3_pop_2",
        "f3_pop_3",
        "f3_rje",
        "f3_supdup",
        "f3_telnet",
        "f3_urh_i",
        "f4_OTH",
        "f4_RSTO",
        "f4_RSTOS0",
        "f4_RSTR",
        "f4_S1",
        "f4_SF",
        "f6",
        "f7",
        "f9",
        "f10",
        "f21",
        "f30",
        "f40",
        "f41",
    ]
    assert len(papers) == 34
    assert set(papers) <= set(encoding.names)
