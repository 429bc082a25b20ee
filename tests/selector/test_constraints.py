"""What may be selected: names, patterns and places, contradictions, and what results say of it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, InputError, Selection, Selector
from nffs.errors import AdjustedWarning
from nffs.report import render_report, summarize
from nffs.table.constraints import constraints_text

FLAGS = ["flag_OTH", "flag_REJ", "flag_RSTO", "flag_S0", "flag_SF", "flag_SH"]


@pytest.fixture
def fit(connections):
    """Fit a selector that evaluates one subset, all that may be selected."""

    def run(X=None, **parameters):
        X = connections.data if X is None else X
        return Selector("all", estimator=GaussianNB(), random_state=0, **parameters).fit(
            X, connections.target
        )

    return run


@pytest.fixture
def refused(fit):
    def run(X=None, **parameters):
        with pytest.raises(InputError) as caught:
            fit(X, **parameters)
        return str(caught.value)

    return run


def excluded(selector):
    return [
        n for n, out in zip(selector.encoded_feature_names_, selector.excluded_, strict=True) if out
    ]


class TestNames:
    @pytest.mark.parametrize(
        ("exclude", "found"),
        [
            ("flag", FLAGS),
            ("flag_*", FLAGS),
            (["flag_S?"], ["flag_S0", "flag_SF", "flag_SH"]),
            (["flag_S[0F]", "duration"], ["duration", "flag_S0", "flag_SF"]),
            ("flag_SF", ["flag_SF"]),
            (3, FLAGS),
            (np.array([0, 4]), ["duration", "src_bytes"]),
            (("duration",), ["duration"]),
            (pd.Index(["duration"]), ["duration"]),
            (None, []),
        ],
    )
    def test_a_column_its_categories_a_pattern_or_a_place(self, fit, exclude, found):
        assert excluded(fit(exclude=exclude)) == found

    def test_a_name_is_taken_as_it_is_before_it_is_a_pattern(self, fit, connections):
        X = connections.data.rename({"duration": "d[0]", "src_bytes": "d0"})
        assert excluded(fit(X, exclude="d[0]")) == ["d[0]"]

    def test_whole_columns(self, fit):
        selector = fit(unit="column", include="service", exclude=["noise_*", "flag"])
        assert "service" in selector.selected_features_
        assert {n for n in excluded(selector) if not n.startswith("noise")} == set(FLAGS)

    def test_arrays_have_places_and_names(self, fit, connections):
        X = connections.data.select(pl.selectors.float()).to_numpy()
        selector = fit(X, include=[1, "x2"], exclude=0)
        assert {"x1", "x2"} <= set(selector.selected_features_)
        assert excluded(selector) == ["x0"]

    def test_names_that_nothing_has(self, refused):
        told = refused(include="duratoin")
        assert told.startswith("include: no column is called 'duratoin'; did you mean 'duration'?")
        told = refused(exclude=["flag", "sources_*"])
        assert told.startswith("exclude: no column matches 'sources_*'; there are 'duration', ")
        told = refused(together=[["flag", "durations"]])
        assert told.startswith(
            "together: no column is called 'durations'; did you mean 'duration'?"
        )
        told = refused(exclude=29)
        assert told == "exclude: there is no column 29; positions go from 0 to 28."
        told = refused(exclude=[True])
        assert told.startswith("exclude: found True; give names of columns, patterns such as")
        told = refused(unit="column", include="flag_S*")
        assert told == (
            "include: 'flag_S*' names categories of 'flag', which unit='column' keeps or drops as "
            "a whole; name 'flag' itself, or select with unit='category'."
        )

    def test_a_category_that_these_rows_lack_is_only_warned_of(self, fit):
        """A fold may lack it."""
        with pytest.warns(
            AdjustedWarning, match="no category of 'flag' is called 'flag_SG' in the"
        ):
            fit(exclude="flag_SG")


class TestContradictions:
    @pytest.mark.parametrize(
        ("parameters", "sentence"),
        [
            (
                {"include": ["duration", "flag_SF"], "exclude": "flag"},
                "include: 'flag_SF' is excluded as well; take it out of one of the two.",
            ),
            (
                {"include": ["flag", "duration"], "max_features": 5},
                "include: 7 features are always selected, more than max_features=5; include fewer "
                "or raise it, or count whole columns with unit='column'.",
            ),
            (
                {"include": ["flag", "duration"], "max_features": 1, "unit": "column"},
                "include: 2 features are always selected, more than max_features=1; include fewer "
                "or raise it.",
            ),
            (
                {"min_features": 5, "max_features": 4},
                "min_features: 5 is more than max_features=4; lower one or raise the other.",
            ),
            (
                {"min_features": 20, "exclude": ["flag", "service", "noise_*"]},
                "min_features: 20 is more than the 17 feature(s) that vary and are not excluded; "
                "use at most 17.",
            ),
            (
                {"exclude": "*"},
                "exclude: leaves none of the 45 feature(s) that vary; exclude fewer.",
            ),
            (
                {"together": [["duration", "flag"]], "exclude": "flag_SF"},
                "together: 'flag_SF' is excluded, but 'duration', 'flag_OTH', 'flag_REJ', "
                "'flag_RSTO', 'flag_S0' and 1 more of the same group is not excluded; exclude the "
                "whole group, or none of it.",
            ),
            (
                {"together": [["duration", "host_count"]], "exclude": 0, "include": "host_count"},
                "together: 'duration' is excluded, but 'host_count' of the same group is always "
                "selected; exclude the whole group, or none of it.",
            ),
            (
                {"together": [["duration", "flag"], ["flag_S*", "service"]]},
                "together: 'flag_S0', 'flag_SF', 'flag_SH' is in more than one group; join the "
                "groups, or take it out of one.",
            ),
            (
                {"together": ["duration", "flag"]},
                "together: found 'duration' where a group belongs; give a list of groups, such as "
                "[['a', 'b'], ['c', 'd']].",
            ),
            (
                {"together": [["flag"]], "max_features": 5},
                "together: a group has 6 features, more than max_features=5, and could never be "
                "selected; raise it, or exclude the group.",
            ),
        ],
    )
    def test_each_gets_a_sentence(self, refused, parameters, sentence):
        assert refused(**parameters) == sentence

    def test_sizes_that_whole_groups_cannot_have(self, refused, fit):
        X = np.random.default_rng(0).normal(size=(400, 5))
        pairs = {"together": [["x0", "x1"], ["x2", "x3"]]}
        three = {"min_features": 3, "max_features": 3}
        assert len(fit(X, **pairs, **three).selected_features_) == 3
        assert refused(X, **pairs, **three, exclude="x4") == (
            "together: no subset of whole groups has 3 to 3 features; let min_features and "
            "max_features lie further apart."
        )

    @pytest.mark.parametrize(
        "parameters",
        [{"max_features": 0}, {"min_features": 1.5}, {"together": 3}, {"include": 2.5}],
    )
    def test_values_that_are_none(self, fit, parameters):
        with pytest.raises(ValueError, match=next(iter(parameters))):
            fit(**parameters)

    def test_constant_features_are_left_out_even_if_included(self, fit):
        with pytest.warns(AdjustedWarning, match="include: constant in these rows, .*'sensor_ver"):
            selector = fit(include=["sensor_version", "duration"], max_features=2)
        assert "duration" in selector.selected_features_
        assert "sensor_version" not in selector.selected_features_


class TestResults:
    @pytest.fixture(scope="class")
    @classmethod
    def selector(cls, connections):
        parameters = {
            "include": np.array(["duration"]),
            "exclude": ("noise_*", 2),
            "together": [["src_bytes", "dst_bytes"], ["flag"]],
            "min_features": 2,
            "max_features": 12,
        }
        selector = NFFS(n_subsets=12, n_nested=6, random_state=0, **parameters)
        return selector.fit(connections.data, connections.target)

    def test_vectors_are_over_single_features(self, selector, connections):
        assert selector.features_ == selector.encoded_feature_names_
        mi = dict(zip(selector.features_, selector.mi_, strict=True))
        assert mi["src_bytes"] == mi["dst_bytes"] > 0
        assert mi["noise_01"] == 0
        ranks = dict(zip(selector.features_, selector.ranking_, strict=True))
        assert ranks["duration"] == 1
        assert sorted(ranks.values()) == list(range(1, len(ranks) + 1))
        assert list(selector.transform(connections.data).columns) == selector.selected_features_
        sizes = selector.nested_.sum(axis=1).tolist()
        assert (min(sizes) >= 2, max(sizes) <= 12) == (True, True)

    def test_a_selection_keeps_the_parameters(self, selector, tmp_path):
        selector.selection_.save(tmp_path / "s.json")
        selection = Selection.load(tmp_path / "s.json")
        assert selection == selector.selection_
        assert selection.parameters["include"] == ["duration"]
        assert selection.parameters["exclude"] == ["noise_*", 2]
        assert selection.parameters["together"] == [["src_bytes", "dst_bytes"], ["flag"]]
        left_out = [feature.column for feature in selection.features if feature.excluded]
        assert set(left_out) == {"service", *(f"noise_{n:02}" for n in range(1, 13))}

    def test_the_report_says_them(self, selector):
        summary = summarize(selector.selection_)
        said = (
            "always 'duration'; never 'noise_*', '2'; 'src_bytes', 'dst_bytes' together; 'flag' "
            "together; at least 2 features; at most 12 features"
        )
        assert summary["constraints"] == said
        assert '<p class="soft">Constraints: <bdi>always &#39;duration&#39;;' in render_report(
            selector.selection_
        )
        reasons = {group["key"]: group["count"] for group in summary["left_out"]}
        assert reasons["excluded"] == int(selector.excluded_.sum())
        assert reasons["constant"] == 1
        assert summary["information"]["n_features"] == 45 - reasons["excluded"]

    def test_the_verdict_does_not_advise_what_is_not_allowed(self, fit):
        few = fit(max_features=1, choose="best")
        assert few.final_.sizes[0] == 45
        assert "onsider keeping all" not in few.final_.verdict

    def test_a_file_may_hold_anything(self):
        assert constraints_text({}) == ""
        assert constraints_text({"include": 2.5, "together": 1, "max_features": "x"})
