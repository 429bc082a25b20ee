"""Columns that are no features are left out and named; rare categories are folded and told."""

import warnings

import numpy as np
import pandas as pd
import pytest

from nffs import NFFS, InputError, Selector
from nffs.errors import AdjustedWarning
from nffs.report import write_report
from nffs.selection import Selection
from nffs.table.encoding import fit_encoding
from nffs.table.reading import read_table
from nffs.table.unfit import is_numbered

SMALL = {
    "n_subsets": 4,
    "n_top": 1,
    "n_bottom": 1,
    "n_nested": 1,
    "evaluator": "logistic",
    "cv": 2,
    "choose": "method",
    "random_state": 0,
}
RNG = np.random.default_rng(0)
N = 120
Y = RNG.integers(0, 2, N)
GOOD = pd.DataFrame({"a": RNG.normal(size=N) + Y, "kind": RNG.choice(["p", "q"], N)})
ID = [f"u{i}" for i in range(N)]
TEXT = [" ".join(RNG.choice(["the", "cat", "sat", "on", "a", "mat"], 8)) for _ in range(N)]
DAYS = [f"{day}" for day in np.arange("2024-01-01", "2024-04-30", dtype="datetime64[D]")]


def fit(X, **parameters):
    return NFFS(**SMALL, **parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (ID, "identifier"),
        ([*ID[:-1], "u0"], "identifier"),
        ([*ID[:100], *[None] * 20], "identifier"),
        (TEXT, "free text"),
        (DAYS, "dates as text"),
        ([f"{i / 7:.4f}" for i in range(N)], "numbers as text"),
        (["NA", *(f"{i / 7:.4f}" for i in range(N - 1))], "numbers as text"),
        ([f"{i:04}" for i in range(N)], "identifier"),
        ([f"10.0.0.{i}" for i in range(N)], "identifier"),
        (GOOD["a"], "copy"),
        (GOOD["kind"], "copy"),
    ],
)
def test_left_out_and_named(values, why):
    with pytest.warns(AdjustedWarning, match=r"X: left out: .*'odd'.*Set keep_all"):
        selector = fit(GOOD.assign(odd=values))
    assert selector.left_out_ == {"odd": why}
    assert selector.features_ == ["a", "kind_p", "kind_q"]
    assert list(selector.get_feature_names_out()) == selector.selected_features_
    assert selector.transform(GOOD.assign(odd="other")).shape[0] == N


@pytest.mark.parametrize(
    "values",
    [
        RNG.choice(["x", "y", None], N),  # missing, but a category
        RNG.choice([f"c{i}" for i in range(50)], N),
        np.arange(N) * 1.5,  # numbers may all differ
        [*ID[:30], *[None] * 90],  # nearly always missing, which may tell something
    ],
)
def test_features_stay(values):
    assert fit(GOOD.assign(odd=values)).left_out_ == {}


def test_constant_columns_alone_are_nothing_to_tell(recwarn):
    selector = fit(GOOD.assign(unit="cm", nothing=np.nan))
    assert selector.left_out_ == {}
    assert not [w for w in recwarn if "left out" in str(w.message)]
    assert not {"unit_cm", "nothing"} & set(selector.selected_features_)


def test_all_in_one_note():
    with pytest.warns(AdjustedWarning) as told:
        fit(GOOD.assign(id=ID, text=TEXT, b=GOOD["a"], unit=1))
    assert [str(w.message) for w in told if "left out" in str(w.message)] == [
        "X: left out: identifiers 'id'; free text 'text'; copies of other columns 'b'; constant "
        "'unit'. Set keep_all to keep them where possible."
    ]


def test_dates_as_text_are_told():
    few = [f"2024-01-{i % 9 + 1:02} 10:30" for i in range(N)]
    with pytest.warns(AdjustedWarning, match="X: dates written as text: 'day'; each date is a cat"):
        assert len(fit(GOOD.assign(day=few)).features_) == 12
    with pytest.warns(
        AdjustedWarning, match="dates as text .convert them to dates to use them. 'd"
    ):
        fit(GOOD.assign(day=DAYS))


def test_files_and_reports_name_them(tmp_path):
    selector = fit(GOOD.assign(id=ID))
    selector.selection_.save(tmp_path / "selection.json")
    loaded = Selection.load(tmp_path / "selection.json")
    assert loaded.left_out == {"id": "identifier"}
    write_report(loaded, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Not searched: <bdi>identifiers &#39;id&#39;</bdi>" in page


class TestKeepAll:
    def test_refuses_identifiers(self):
        with pytest.raises(InputError, match="column 'id' holds 120 distinct strings in 120 rows"):
            fit(GOOD.assign(id=ID), keep_all=True)

    def test_keeps_the_others(self):
        selector = fit(GOOD.assign(b=GOOD["a"]), keep_all=True)
        assert selector.features_ == ["a", "kind_p", "kind_q", "b"]


class TestByName:
    def test_including_one_says_why_not(self):
        with pytest.raises(InputError, match="include: 'id' is left out as identifier; set keep_a"):
            fit(GOOD.assign(id=ID), include="id")

    def test_excluding_one_is_no_mistake(self):
        assert "id" not in fit(GOOD.assign(id=ID), exclude=["id", "kind"]).features_

    def test_places_are_those_of_the_table(self):
        X = pd.DataFrame({"id": ID, **GOOD})
        assert "kind_p" not in fit(X, exclude=2).selected_features_
        assert fit(X, include=1).selected_features_[0] == "a"


def test_nothing_left():
    with pytest.raises(InputError, match=r"identifiers 'id'.* No feature is left"):
        fit(pd.DataFrame({"id": ID}))


class TestNumbersOfRows:
    def test_are_noted_if_they_are_selected(self):
        with pytest.warns(AdjustedWarning, match="looks like an identifier.*: 'row'"):
            fit(GOOD.assign(row=RNG.permutation(N) + 10**6), include="row")

    @pytest.mark.parametrize(
        ("values", "is_one"),
        [
            (np.arange(60) + 0.5, True),  # an offset was taken away
            (np.arange(49), False),  # too few to say
            (np.arange(60) % 59, False),
            (np.arange(60) * 100, False),
            (np.arange(60) * 1.5, False),
            (np.full(60, np.nan), False),
        ],
    )
    def test_are_whole_different_and_close(self, values, is_one):
        assert is_numbered(np.asarray(values, dtype=np.float32)) == is_one


class TestManyCategories:
    URLS = pd.DataFrame({"url": [*["home"] * 300, *[f"page{i % 250}" for i in range(700)]]})

    def test_are_folded_and_told(self):
        y = np.tile([0, 1], 500)
        with pytest.warns(AdjustedWarning, match="'url' has many categories; the 250 rarest"):
            selector = NFFS(**SMALL).fit(self.URLS, y)
        assert selector.features_ == ["url_home", "url_infrequent_sklearn"]

    def test_are_not_told_if_it_was_asked_for(self):
        y = np.tile([0, 1], 500)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            NFFS(min_frequency=50, **SMALL).fit(self.URLS, y)
        assert not [one for one in warned if "many categories" in str(one.message)]

    def test_or_not_if_the_user_says_so(self):
        table = read_table(self.URLS)
        assert len(fit_encoding(table, max_categories=None).columns) == 251
        assert len(fit_encoding(table, min_frequency=3).columns) == 202
        assert len(fit_encoding(table, max_categories=5).columns) == 5

    def test_some_are_not(self):
        table = read_table(self.URLS[:499])
        assert len(fit_encoding(table).columns) == 200


class TestTheTargetsName:
    def test_a_target_made_from_a_column_may_keep_its_name(self):
        y = (GOOD["a"] > 0).rename("a")
        selector = NFFS(**SMALL).fit(GOOD, y)
        assert "a" in selector.features_

    @pytest.mark.parametrize("made", [lambda y: y, lambda y: y.astype(float), lambda y: y == 1])
    def test_the_target_itself_is_refused(self, made):
        y = pd.Series(Y, name="y")
        with pytest.raises(InputError, match="the target 'y' is among the features"):
            Selector("ig", max_evaluations=3).fit(GOOD.assign(y=made(y)), y)
