"""The selected columns of new tables."""

import numpy as np
import polars as pl
import pytest

from nffs import InputError, Selection
from nffs.selection import apply_columns
from nffs.table.encoding import EncodedColumn


@pytest.mark.parametrize("convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_names_that_are_patterns_to_polars(convert):
    frame = pl.DataFrame({"a": [1], "*": [2], "^a.*$": [3], "ab": ["x"]})
    wanted = ["^a.*$", "*"]
    out = apply_columns(convert(frame), [EncodedColumn(name, "numeric") for name in wanted])
    assert pl.DataFrame(out).equals(frame[wanted])


class TestArrays:
    """An array has no names: its columns are told by their places, or not at all."""

    @pytest.fixture
    def numbers(self):
        rng = np.random.default_rng(0)
        return rng.normal(size=(60, 4)), np.arange(60) % 2

    @pytest.fixture
    def selection(self, quick, numbers):
        def select(names):
            X, y = numbers
            selector = quick(n_nested=3).fit(pl.DataFrame(X, schema=names), y)
            return Selection.of_fitted(selector)

        return select

    def test_after_a_frame_is_refused(self, selection, numbers):
        with pytest.raises(InputError, match=r"X: has no column names.* 'a', 'b'"):
            selection(list("abcd")).transform(numbers[0])

    def test_after_a_frame_whose_names_are_places_in_another_order(self, selection, numbers):
        with pytest.raises(InputError, match="X: has no column names"):
            selection(["x1", "x0", "x2", "x3"]).transform(numbers[0])

    def test_of_another_width(self, quick, numbers):
        X, y = numbers
        selection = quick(n_nested=3).fit(X, y).selection_
        assert len(selection.transform(X)) == 60
        with pytest.raises(InputError, match=r"an array of 5 columns, but .* made with 4"):
            selection.transform(np.hstack([X, X[:, :1]]))
