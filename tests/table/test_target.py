"""Labels of any type, two classes or more."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nffs.errors import InputError
from nffs.table.target import read_target


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "no"],
        np.array([0, 1, 0]),
        np.array([False, True, False]),
        np.array(["no", "yes", "no"], dtype=object),
        pd.Series(["no", "yes", "no"], dtype="category"),
        pd.Series([1.0, 2.0, 1.0]),
        pl.Series(["no", "yes", "no"]),
        pl.Series([-1, 1, -1]),
        pa.chunked_array([["no", "yes", "no"]]),
    ],
    ids=lambda y: f"{type(y).__module__.split('.')[0]} {getattr(y, 'dtype', '')}",
)
def test_any_type(y):
    labels = read_target(y)
    assert labels.codes.tolist() == [0, 1, 0]
    assert labels.n_classes == 2


def test_the_positive_label_gets_code_1():
    labels = read_target(["attack", "normal", "attack"], pos_label="attack")
    assert labels.classes.tolist() == ["normal", "attack"]
    assert labels.codes.tolist() == [1, 0, 1]
    assert labels.decode().tolist() == ["attack", "normal", "attack"]
    assert labels.positive == "attack"


@pytest.mark.parametrize(
    ("y", "positive"),
    [
        (["fraud", "legit", "legit"], "fraud"),
        (["fraud", "legit", "fraud"], "legit"),
        (["no", "yes", "no", "yes"], "yes"),  # as many of both: the second in sorted order
        (np.array([0, 1, 1]), 0),
        (np.array([False, True, True]), False),
        (pl.Series([2.5, 7.0, 7.0]).cast(pl.Int64), 2),
    ],
)
def test_the_rarer_class_is_the_positive_one(y, positive):
    labels = read_target(y)
    assert labels.positive_label == positive
    assert type(labels.positive_label) is type(positive)
    assert labels.positive == str(positive)
    assert labels.classes[1] == positive
    assert labels.decode().tolist() == list(y)


def test_some_rows_keep_the_positive_class_of_all():
    labels = read_target(["b", "a", "b", "b", "a"])
    assert labels.take(np.array([0, 1, 4])).positive == "a"
    assert labels.followed_by(["a"] * 9, argument="y_val").positive == "a"


def test_the_digest_names_the_positive_class():
    y = ["a", "b", "b"]
    assert read_target(y).digest().endswith(", positive a")
    assert read_target(y).digest() == read_target(y, pos_label="a").digest()
    assert read_target(y).digest() != read_target(y, pos_label="b").digest()
    assert "positive" not in read_target(["a", "b", "c"]).digest()


def test_more_than_two_classes():
    labels = read_target(["c", "a", "b"])
    assert labels.codes.tolist() == [2, 0, 1]
    assert labels.positive is None
    assert labels.positive_label is None


def test_further_labels_use_the_same_codes():
    known = read_target(["b", "a"], pos_label="a")
    assert known.followed_by(["a", "a"], argument="y_val").codes.tolist() == [0, 1, 1, 1]


class TestRefused:
    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (["a", "a"], "one class only"),
            ([1.0, np.nan], "missing labels"),
            (pl.Series(["a", None, "b"]), "missing labels in 1 rows"),
            (np.array(["a", None, "b"], dtype=object), "missing labels"),
            (np.array(["a", True, "b"], dtype=object), r"mixes types \(bool, str\)"),
            (pd.Series(["a", 1, "b"], dtype=object), r"mixes types \(int, str\)"),
        ],
    )
    def test_bad_labels(self, y, message):
        with pytest.raises(InputError, match=f"^y: .*{message}"):
            read_target(y)

    def test_numbers_with_fractions_are_no_classes(self):
        with pytest.raises(InputError, match=r"^y: found a continuous target, but classes"):
            read_target([0.5, 1.5, 2.25], task="classification")

    def test_positive_label_that_is_not_there(self):
        with pytest.raises(InputError, match="pos_label: 'x' is not a class; found 'a', 'b'"):
            read_target(["a", "b"], pos_label="x")

    def test_positive_label_of_three_classes(self):
        with pytest.raises(InputError, match="pos_label: given for 3 classes"):
            read_target(["a", "b", "c"], pos_label="a")

    def test_a_class_that_training_lacks(self):
        with pytest.raises(InputError, match=r"y_val: holds the class\(es\) 'z' that y does not"):
            read_target(["a", "b"]).followed_by(["a", "z"], argument="y_val")
