"""How many subsets are drawn, counted and nested."""

import warnings

import pytest

from nffs.errors import InputError
from nffs.methods.sizes import SearchSizes, search_sizes


def test_the_papers_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert search_sizes(122, "auto", "auto", "auto", "auto") == SearchSizes(180, 45, 45, 70)


@pytest.mark.filterwarnings("error")
def test_defaults_shrink_for_narrow_tables_without_a_warning(caplog):
    with caplog.at_level("DEBUG", logger="nffs"):
        assert search_sizes(20, "auto", "auto", "auto", "auto") == SearchSizes(180, 45, 45, 19)
    assert "20 usable features: n_nested 70 -> 19" in caplog.text


def test_very_narrow_tables_have_fewer_subsets():
    assert search_sizes(3, "auto", "auto", "auto", "auto") == SearchSizes(7, 1, 1, 2)


def test_one_feature():
    assert search_sizes(1, "auto", "auto", "auto", "auto") == SearchSizes(3, 1, 1, 1)


def test_a_quarter_is_counted_of_what_is_drawn():
    sizes = search_sizes(100, 40, "auto", "auto", 10)
    assert (sizes.n_top, sizes.n_bottom) == (10, 10)


def test_best_and_worst_must_not_meet():
    with pytest.raises(InputError, match=r"n_top \+ n_bottom must be less than n_subsets"):
        search_sizes(100, 20, 10, 10, "auto")


def test_what_was_asked_for_is_not_shrunk():
    with pytest.raises(
        InputError, match=r"n_nested must be less .*\(10\), found 10; use at most 9"
    ):
        search_sizes(10, 20, 5, 5, 10)
