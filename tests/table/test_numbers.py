"""Numbers to predict: how they are told from classes, and what they answer."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nffs.errors import InputError
from nffs.table.numbers import Numbers
from nffs.table.target import MANY_VALUES, Labels, read_target

WHOLE = st.lists(st.integers(-1000, 1000), min_size=2, max_size=120).filter(
    lambda y: len(set(y)) > 1
)


class TestTheTaskIsToldFromTheTarget:
    @given(WHOLE)
    def test_many_whole_numbers_are_numbers_and_few_are_classes(self, y):
        expected = "regression" if len(set(y)) > MANY_VALUES else "classification"
        kinds = [
            y,
            np.array(y),
            np.array(y, dtype=np.float32),
            np.array(y, dtype=object),
            pd.Series(y, dtype="Int64"),
            pl.Series(y),
        ]
        assert {read_target(kind).task for kind in kinds} == {expected}

    @given(WHOLE, st.integers(0, 1000))
    def test_a_single_fraction_makes_numbers(self, y, at):
        y = [float(v) for v in y]
        y[at % len(y)] += 0.5
        assert read_target(y).task == "regression"

    @pytest.mark.parametrize(
        "y",
        [
            [str(i) for i in range(99)],
            [True, False, True],
            pd.Series(["1.5", "2.5"], dtype="category"),
        ],
        ids=["text", "booleans", "categories"],
    )
    def test_what_is_no_number_is_classes(self, y):
        assert isinstance(read_target(y), Labels)

    def test_it_can_be_set(self):
        few, many = np.arange(40) % 5, np.arange(40)
        assert isinstance(read_target(few, task="regression"), Numbers)
        assert isinstance(read_target(many, task="classification"), Labels)

    def test_classes_too_rare_for_folds_may_be_numbers(self):
        with pytest.raises(InputError, match="To predict them as numbers, set task="):
            read_target([1, 2, 3, 4, 5, 6]).folds(3, seed=0)

    def test_naming_a_positive_class_makes_classes(self):
        assert read_target([0, 1, 0, 1], pos_label=1).task == "classification"


class TestNumbers:
    @given(
        st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=300).filter(lambda y: len(set(y)) > 1)
    )
    def test_every_stratum_has_rows_and_follows_the_numbers(self, y):
        numbers = read_target(y, task="regression")
        assert set(numbers.strata) == set(range(numbers.n_strata))
        assert numbers.n_strata >= 2
        order = np.argsort(numbers.values, kind="stable")
        assert (np.diff(numbers.strata[order]) >= 0).all()

    def test_strata_are_about_equal(self):
        counts = np.bincount(read_target(np.random.default_rng(0).normal(size=1000)).strata)
        assert len(counts) == 10
        assert counts.min() > 90

    def test_folds_have_no_strata(self):
        splitter, name = read_target(np.linspace(0, 1, 20)).folds(4, seed=0)
        assert name == "4-fold cross-validation"
        assert sorted(len(test) for _, test in splitter.split(np.empty(20))) == [5] * 4

    def test_further_rows_are_read_as_these(self):
        both = read_target([0.5, 1.5, 2.5]).followed_by([7, 8], argument="y_val")
        assert both.values.tolist() == [0.5, 1.5, 2.5, 7.0, 8.0]
        assert both.borders.tolist() == read_target([0.5, 1.5, 2.5]).borders.tolist()

    def test_the_digest_names_the_numbers(self):
        assert read_target([0.5, 1]).digest() == read_target(pl.Series([0.5, 1.0])).digest()
        assert read_target([0.5, 1]).digest() != read_target([0.5, 2]).digest()

    def test_there_are_no_classes(self):
        numbers = read_target([0.5, 1.5])
        assert (numbers.positive, numbers.positive_label, len(numbers.classes)) == (None, None, 0)

    @pytest.mark.parametrize(
        ("y", "given", "message"),
        [
            ([2.5, 2.5], {}, "y: found the same number .2.5. in all 2 rows"),
            (["a", "b"], {"task": "regression"}, "y: holds 'a' and other values that are no"),
            ([0.5, 1.5], {"task": "regression", "pos_label": 1.5}, "pos_label: is for classes"),
            ([0.5, np.nan], {}, "y: missing labels"),
            ([0.5, 1.5], {"task": "ranking"}, "task: 'ranking' is not a task"),
        ],
    )
    def test_refused(self, y, given, message):
        with pytest.raises(InputError, match=f"^{message}"):
            read_target(y, **given)

    def test_training_rows_that_do_not_vary(self):
        with pytest.raises(InputError, match="cv: the training rows of split 1 all have the same"):
            read_target([0.5, 0.5, 1.0]).check_training(np.array([0, 1]), 1)
