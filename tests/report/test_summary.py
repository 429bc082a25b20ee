"""The summary: one plain, bounded dict that says what the page shows."""

import json

import pytest
from documents import made_up

from nffs import NFFS, InputError, Selection
from nffs.report import render_report, summarize, to_json
from nffs.report.names import SHOWN, Names, clipped, visible
from nffs.report.tables import MOST_ROWS
from nffs.validation import nested_score, selection_stability


def test_it_is_plain_data(fitted):
    summary = summarize(fitted.selection_)
    assert json.loads(to_json(summary)) == summary


def test_it_says_what_the_selector_says(fitted):
    summary = summarize(fitted.selection_)
    assert [n["text"] for n in summary["selected"]["shown"]] == sorted(
        fitted.selected_features_, key=lambda n: fitted.ranking_[fitted.features_.index(n)]
    )
    score = summary["score"]
    assert score["value"] == fitted.fitness_
    assert score["evaluated_on"] == fitted.evaluated_on_
    assert score["positive"] == fitted.classes_[1]
    assert score["gain"] == pytest.approx(fitted.fitness_ - fitted.all_features_fitness_)
    curve = summary["curve"]
    assert [p["fitness"] for p in curve["points"]] == fitted.nested_fitness_.tolist()
    assert curve["chosen"]["size"] == len(fitted.selected_features_)
    assert curve["one_se"]["size"] == len(fitted.one_se_features_)
    best = max(curve["points"], key=lambda p: p["fitness"])
    assert best["error"] == pytest.approx(fitted.standard_error_)


def test_the_threshold_slider_counts_exactly(fitted):
    told = summarize(fitted.selection_)["information"]
    threshold, above, selected = told["steps"][told["step"]]
    assert threshold == fitted.threshold_
    varying = fitted.probability_weights_ > 0
    assert above == told["n_above"] == (fitted.mi_[varying] > fitted.threshold_).sum()
    kept = [fitted.mi_[fitted.features_.index(n)] for n in fitted.selected_features_]
    assert selected == told["n_selected_above"] == sum(mi > fitted.threshold_ for mi in kept)
    assert told["steps"][-1][1] == 0


def test_every_feature_is_selected_or_left_out_for_a_reason(fitted):
    summary = summarize(fitted.selection_)
    groups = {group["key"]: group["count"] for group in summary["left_out"]}
    assert sum(groups.values()) + len(fitted.selected_features_) == len(fitted.features_)
    assert groups["constant"] == (fitted.probability_weights_ == 0).sum() == 1
    assert groups["beyond"] == len(fitted.features_) - 1 - len(fitted.nested_)


@pytest.mark.parametrize("unit", ["category", "column"])
def test_raw_columns(quick, connections, unit):
    selector = quick(unit=unit).fit(connections.data, connections.target)
    told = summarize(selector.selection_)["columns"]
    assert told["n_columns"] == connections.data.width
    assert sum(row["encoded"] for row in told["rows"]) == len(selector.encoded_feature_names_)
    assert sum(row["kept"] for row in told["rows"]) == selector.support_.sum()
    used = {c["column"] for c in selector.selection_.document["transform"]}
    assert {row["name"] for row in told["rows"] if row["kept"]} == used


def test_optimism_and_stability_can_be_passed_in(quick, connections, fitted, tmp_path):
    X, y = connections.data, connections.target
    nested = nested_score(quick(), X, y, cv=2)
    again = selection_stability(quick(), X, y, n_runs=2)
    told = summarize(fitted.selection_, nested=nested, stability=again)
    assert told["nested"]["optimism"]["mean"] == nested.optimism.mean
    assert told["stability"]["value"] == again.stability.value
    shares = dict(zip(again.names, again.share, strict=True))
    for row in told["features"]["rows"]:
        assert row["share"] == shares.get(row["name"]["text"])
    # of a nested score alone the folds' stability
    alone = summarize(fitted.selection_, nested=nested.to_dict())
    assert alone["stability"]["value"] == nested.stability.value
    fitted.write_report(tmp_path / "report.html", nested=nested, stability=again)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{nested.optimism.mean:+.4f}" in page
    assert "2 selections over <bdi>bootstrap</bdi>" in page


def test_without_them_their_place_is_left_out(page):
    assert "<dt>Optimism" not in page
    assert "<dt>Stability" not in page


@pytest.mark.parametrize("given", [{"nested": {}}, {"stability": {}}, {"nested": 3}])
def test_other_things_are_refused_by_name(fitted, given):
    with pytest.raises(InputError, match=next(iter(given))):
        summarize(fitted.selection_, **given)


def test_a_selection_without_its_parts_is_refused():
    with pytest.raises(InputError, match="selection: lacks 'all_features_fitness'"):
        summarize(Selection({"format": 1}))


def test_documents_of_earlier_versions(fitted):
    """What was added since is left out, not missed."""
    document = json.loads(fitted.selection_.to_json())
    for item in (
        "versions", "fingerprint", "columns", "nested_sizes", "nested_standard_errors",
        "standard_error", "one_se_features",
    ):  # fmt: skip
        del document[item]
    for feature in document["features"]:
        del feature["column"], feature["category"]
    page = render_report(Selection(document))
    assert fitted.selected_features_[0] in page
    assert "Raw columns" not in page
    assert "Data fingerprint" not in page


def test_a_stopped_search(connections):
    def stop(progress):
        if progress.done == 5:
            raise KeyboardInterrupt

    selector = NFFS(n_subsets=12, n_nested=4, callbacks=[stop], random_state=0)
    with pytest.warns(match="interrupted"):
        selector.fit(connections.data, connections.target)
    summary = summarize(selector.selection_)
    assert summary["partial"]
    assert summary["weights"] is None
    assert "interrupted" in render_report(selector.selection_)


def test_selected_and_best_ranked_stay_in_a_capped_table():
    told = summarize(made_up(3000))["features"]
    assert (len(told["rows"]), told["n_more"]) == (MOST_ROWS, 3000 - MOST_ROWS)
    assert all(row["selected"] for row in told["rows"][:12])
    assert [row["rank"] for row in told["rows"]] == list(range(1, MOST_ROWS + 1))


class TestNames:
    def test_short_ones_are_as_they_are(self):
        assert Names()("ü") == {"text": "ü", "whole": None, "length": 1}

    def test_long_ones_open(self):
        told = Names()("x" * 10_000)
        assert len(told["text"]) == SHOWN
        assert told["whole"] == "x" * 10_000

    def test_until_there_is_no_room(self):
        names = Names(room=12_000)
        assert names("<" * 3000)["whole"]
        assert names("<" * 3000)["whole"] is None

    def test_characters_that_cannot_be_seen_or_written(self):
        assert visible("a\0b\nc") == "a␀b␊c"
        assert clipped("\ud800").encode() == b"?"

    def test_characters_that_turn_text_around_are_marked(self):
        assert visible("a\u202eb\u2066") == "a\ufffdb\ufffd"
