"""The summary: one plain, bounded dict that says what the page shows."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from documents import made_up
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, InputError, Selection, Selector
from nffs.report import render_report, summarize, to_json
from nffs.report.names import SHOWN, Names, clipped, visible
from nffs.report.tables import MOST_ROWS
from nffs.selection import Learned
from nffs.validation import nested_score, selection_stability

OLD = Path(__file__).parents[1] / "selection-format-1.json"


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
    assert score["all_features"] == fitted.all_features_fitness_
    assert score["gain"] == pytest.approx(fitted.fitness_ - fitted.all_features_fitness_)
    assert summary["final"]["verdict"] == fitted.final_.verdict
    curve = summary["curve"]
    assert [p["fitness"] for p in curve["points"]] == fitted.nested_fitness_.tolist()
    if summary["final"]["is_nested"]:
        assert curve["chosen"]["fitness"] == fitted.fitness_
    else:
        assert curve["chosen"] is None
    steps, place = summary["picks"]["steps"], summary["picks"]["step"]
    assert steps[place]["size"] == len(fitted.selected_features_)
    assert steps[place]["score"] == fitted.fitness_
    assert curve["all_features"] == fitted.final_.searched_all_features
    assert curve["one_se"]["size"] == len(fitted.one_se_features_)


def test_without_a_final_check_the_choice_is_on_the_curve(quick, connections):
    selector = quick(choose="method").fit(connections.data, connections.target)
    summary = summarize(selector.selection_)
    best = max(summary["curve"]["points"], key=lambda p: p["fitness"])
    assert summary["final"] is summary["unseen"] is None
    assert summary["curve"]["chosen"] == best
    assert best["error"] == pytest.approx(selector.standard_error_)
    page = render_report(selector.selection_)
    assert "final check" not in page.split("</style>")[1]


def test_the_threshold_slider_counts_exactly(fitted):
    shown = summarize(fitted.selection_)["information"]
    threshold, above, selected = shown["steps"][shown["step"]]
    assert threshold == fitted.threshold_
    varying = fitted.probability_weights_ > 0
    assert above == shown["n_above"] == (fitted.mi_[varying] > fitted.threshold_).sum()
    kept = [fitted.mi_[fitted.features_.index(n)] for n in fitted.selected_features_]
    assert selected == shown["n_selected_above"] == sum(mi > fitted.threshold_ for mi in kept)
    assert shown["steps"][-1][1] == 0


def test_every_feature_is_selected_or_left_out_for_a_reason(fitted):
    summary = summarize(fitted.selection_)
    groups = {group["key"]: group["count"] for group in summary["left_out"]}
    n_left_out = len(fitted.features_) - len(fitted.selected_features_)
    assert groups == {"constant": 1, "checked": n_left_out - 1}


def test_without_a_final_check_ranks_are_the_reason(quick, connections):
    selector = quick(choose="method").fit(connections.data, connections.target)
    summary = summarize(selector.selection_)
    groups = {group["key"]: group["count"] for group in summary["left_out"]}
    assert sum(groups.values()) + len(selector.selected_features_) == len(selector.features_)
    assert groups["constant"] == (selector.probability_weights_ == 0).sum() == 1
    assert groups["beyond"] == len(selector.features_) - 1 - len(selector.nested_)


@pytest.mark.parametrize("unit", ["category", "column"])
def test_raw_columns(quick, connections, unit):
    selector = quick(unit=unit).fit(connections.data, connections.target)
    shown = summarize(selector.selection_)["columns"]
    assert shown["n_columns"] == connections.data.width
    assert sum(row["encoded"] for row in shown["rows"]) == len(selector.encoded_feature_names_)
    assert sum(row["kept"] for row in shown["rows"]) == selector.support_.sum()
    used = {c.column for c in selector.selection_.output_columns}
    assert {row["name"] for row in shown["rows"] if row["kept"]} == used


def test_optimism_and_stability_can_be_passed_in(quick, connections, fitted, tmp_path):
    X, y = connections.data, connections.target
    nested = nested_score(quick(), X, y, cv=2)
    again = selection_stability(quick(), X, y, n_runs=2)
    shown = summarize(fitted.selection_, nested=nested, stability=again)
    assert shown["nested"]["optimism"]["mean"] == nested.optimism.mean
    assert shown["stability"]["value"] == again.stability.value
    shares = dict(zip(again.names, again.share, strict=True))
    for row in shown["features"]["rows"]:
        assert row["share"] == shares.get(row["name"]["text"])
    # of a nested score alone the folds' stability
    assert shown["nested"]["positive"] == nested.positive == "attack"
    alone = summarize(fitted.selection_, nested=nested.to_dict())
    assert alone["stability"]["value"] == nested.stability.value
    fitted.write_report(tmp_path / "report.html", nested=nested, stability=again)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{nested.optimism.mean:+.4f}" in page
    assert "2 selections over <bdi>bootstrap samples</bdi>" in page


@pytest.fixture(scope="module")
def validated(connections):
    """A nested score with one model, as plain data."""
    selector = NFFS(estimator=GaussianNB(), n_subsets=4, n_nested=2, random_state=0)
    models = {"a <b>ayes</b>": GaussianNB()}
    X, y = connections.data, connections.target
    return nested_score(selector, X, y, cv=2, models=models).to_dict()


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.01, 0.03, "gains"), (-0.03, -0.01, "loses"), (-0.01, 0.03, "does as well"),
     (0.0, 0.0, "does as well")],
)  # fmt: skip
def test_what_other_models_make_of_it(fitted, validated, low, high, words):
    given = json.loads(json.dumps(validated))
    (scores,) = given["models"].values()
    scores["difference"] = {"mean": 0.0123, "deviation": 0.01, "low": low, "high": high}
    (model,) = summarize(fitted.selection_, nested=given)["nested"]["models"]
    assert model["verdict"] == words
    page = render_report(fitted.selection_, nested=given)
    table = page[page.index('<h2 id="models">') :].partition("</section>")[0]
    assert f'<td class="word">{words}</td>' in table
    assert f"<td>{scores['selected']['mean']:.4f}</td>" in table
    assert "<td>+0.0123</td>" in table
    assert "a &lt;b&gt;ayes&lt;/b&gt;" in table
    assert page.count('href="#models"') == 1


def test_a_nested_score_without_models(fitted, validated):
    """As earlier versions wrote it, or as it is if none were asked for."""
    lacking = {name: value for name, value in validated.items() if name != "models"}
    for given in (lacking, {**validated, "models": {}}):
        page = render_report(fitted.selection_, nested=given)
        assert "<dt>Optimism" in page
        assert "#models" not in page


def test_without_them_their_place_is_left_out(page):
    assert "<dt>Optimism" not in page
    assert "<dt>Stability" not in page


@pytest.mark.parametrize("given", [{"nested": {}}, {"stability": {}}, {"nested": 3}])
def test_other_things_are_refused_by_name(fitted, given):
    with pytest.raises(InputError, match=next(iter(given))):
        summarize(fitted.selection_, **given)


def test_files_of_earlier_versions(fitted):
    """What was added since is left out, not missed."""
    selection = fitted.selection_
    phases = replace(selection.phases, nested_standard_errors=(), one_se_features=())
    old = replace(
        selection, columns=(), fingerprint={}, standard_error=None, phases=phases,
        features=tuple(replace(f, column=f.name, category=None) for f in selection.features),
    )  # fmt: skip
    page = render_report(old)
    assert fitted.selected_features_[0] in page
    assert "Raw columns" not in page
    assert "Data fingerprint" not in page
    assert "standard error" not in page.split("<main")[1].split("<table")[0]


class TestWithoutPhases:
    """Other methods have everything but what is the paper's alone."""

    def test_subsets_by_size(self, genetic):
        summary = summarize(genetic.selection_)
        subsets = summary["subsets"]
        sizes = genetic.archive_masks_.sum(axis=1).tolist()
        assert subsets["points"] == np.c_[sizes, genetic.archive_fitness_].tolist()
        assert subsets["chosen"] == [len(genetic.selected_features_), genetic.fitness_]
        assert [size for size, _ in subsets["by_size"]] == sorted(set(sizes))
        assert max(score for _, score in subsets["by_size"]) == genetic.archive_fitness_.max()
        assert subsets["front"] == [[p.size, p.fitness] for p in genetic.front_]
        assert subsets["checked"] == []
        assert [s["n"] for s in summary["spread"]["series"]] == [len(genetic.archive_fitness_)]
        assert summary["curve"] is summary["best_and_worst"] is None
        assert summary["first"]["measure"] == "mi"
        assert json.loads(to_json(summary)) == summary

    def test_features_and_why_they_were_left_out(self, genetic):
        summary = summarize(genetic.selection_)
        rows = summary["features"]["rows"]
        kept = len(genetic.selected_features_)
        assert all(row["selected"] for row in rows[:kept])
        mi = [row["mi"] for row in rows[kept:]]
        assert mi == sorted(mi, reverse=True)
        groups = {group["key"]: group["count"] for group in summary["left_out"]}
        assert sum(groups.values()) + kept == len(genetic.features_)
        tried = genetic.archive_masks_.any(axis=0)
        assert groups["constant"] == genetic.constant_.sum() == 1
        assert groups.get("never", 0) == (~tried & ~genetic.constant_).sum()

    def test_its_page(self, genetic):
        page = render_report(genetic.selection_)
        assert page.count('role="img" aria-label="') == 5
        assert "subsets evaluated by <bdi>ga</bdi>" in page
        assert "subsets with it" in page
        for absent in ("threshold</", ">weight<", "phase", "best rank"):
            assert absent not in page.split("<footer")[0].split("</style>")[1]


class TestFront:
    """Size against score, for every method, and whatever was picked from it."""

    def test_where_there_was_a_final_check_it_is_of_its_candidates(self, fitted):
        subsets = summarize(fitted.selection_)["subsets"]
        final = fitted.final_
        assert subsets["checked"] == np.c_[final.sizes, final.fitness].tolist()
        assert subsets["front"][-1][1] == max(final.fitness)
        assert subsets["n_points"] == len(fitted.archive_fitness_)

    def test_files_without_one_show_that_of_the_subsets(self, genetic):
        selection = genetic.selection_
        old = summarize(replace(selection, front=None))
        assert old["subsets"]["front"] == summarize(selection)["subsets"]["front"]
        assert "nffs pick" in render_report(selection)
        assert "nffs pick" not in render_report(replace(selection, front=None))

    def test_a_picked_one_says_so(self, fitted):
        small = fitted.selection_.at_most(3)
        summary = summarize(small)
        n, n_all = len(small.selected_features), len(fitted.features_)
        assert (summary["picked"], summary["title"]) == (3, f"{n} of {n_all} features selected")
        assert summary["subsets"]["chosen"] == [n, small.fitness]
        groups = {group["key"]: group["count"] for group in summary["left_out"]}
        assert groups == {"constant": 1, "picked": n_all - n - 1}
        page = render_report(small)
        assert "Picked from the front: the best subset of at most 3 features" in page
        assert "The rule was" not in page
        assert "The rule was" in render_report(fitted.selection_)

    def test_a_nested_subset_of_its_size_is_not_taken_for_it(self, quick, connections):
        selector = quick(choose="method").fit(connections.data, connections.target)
        small = replace(selector.selection_.at_most(2), fitness=0.123)
        assert summarize(small)["curve"]["chosen"]["fitness"] == 0.123

    def test_the_best_so_far(self, genetic):
        course = summarize(genetic.selection_)["course"]
        assert [score for _, score in course["points"]] == genetic.archive_fitness_.tolist()
        for number, score in course["best"]:
            assert score == genetic.archive_fitness_[:number].max()
            assert score == genetic.archive_fitness_[number - 1]
        assert course["best"][-1][1] == genetic.archive_fitness_.max()
        assert course["n_first"] is None

    def test_files_of_the_first_format_do_not_have_all_scores_in_their_turn(self, fitted):
        assert summarize(fitted.selection_)["course"]["n_points"] == len(fitted.archive_fitness_)
        old = Selection.load(OLD)
        assert summarize(old)["course"] is None
        assert "What do fewer features cost?" in render_report(old)


class TestLearned:
    """What the model of the guided search learned."""

    def test_the_largest_effects_in_their_order(self, guided):
        shown = summarize(guided.selection_)["effects"]
        effects = guided.learned_.effects
        values = [bar["value"] for bar in shown["bars"]]
        assert values == sorted(values, reverse=True)
        assert sorted(map(abs, values)) == sorted(np.abs(effects.value))[-20:]
        for bar in shown["bars"]:
            place = guided.features_.index(bar["name"]["text"])
            assert bar["high"] - bar["value"] == pytest.approx(1.96 * effects.error[place])
            assert bar["selected"] is (bar["name"]["text"] in guided.selected_features_)
        assert shown["n_features"] == len(guided.features_) - 1  # one is constant

    def test_expected_and_observed(self, guided):
        summary = summarize(guided.selection_)
        learned = guided.learned_
        asked = ~np.isnan(learned.expected)
        pairs = np.c_[learned.expected, learned.fitness][asked]
        assert summary["expected"]["points"] == pairs.tolist()
        assert summary["expected"]["error"] == pytest.approx(np.abs(np.diff(pairs)).mean())
        assert summary["course"]["n_first"] == (~asked).sum() == 12

    def test_its_page(self, guided):
        page = render_report(guided.selection_)
        assert page.count('role="img" aria-label="') == 7
        assert "What does every feature add?" in page
        assert '<th scope="col">adds</th>' in page
        first = summarize(guided.selection_)["features"]["rows"][0]
        assert f"<td>{first['effect']:+.4f}</td>" in page

    def test_a_file_has_the_same_page(self, guided, tmp_path):
        guided.selection_.save(tmp_path / "selection.json")
        assert render_report(Selection.load(tmp_path / "selection.json")) == render_report(
            guided.selection_
        )

    def test_a_search_without_rounds_has_effects_alone(self, connections):
        selector = Selector("guided", estimator=GaussianNB(), max_evaluations=3, random_state=0)
        selector.fit(connections.data, connections.target)
        summary = summarize(selector.selection_)
        assert summary["expected"] is None
        assert "Did the model know" not in render_report(selector.selection_)

    def test_names_are_escaped_and_wide_tables_bounded(self):
        n = 3000
        made = made_up(n, names=[("<script>", None)], method="guided")
        learned = Learned((0.5, *(0.001,) * (n - 1)), (0.01,) * n, (0.5, 0.6), (None, 0.7))
        page = render_report(replace(made, learned=learned))
        assert "&lt;script&gt; +0.5000" in page
        assert len(summarize(replace(made, learned=learned))["effects"]["bars"]) == 20


def test_a_stopped_search(connections):
    def stop(progress):
        if progress.done == 5:
            raise KeyboardInterrupt

    selector = NFFS(n_subsets=12, n_nested=4, callbacks=[stop], random_state=0)
    with pytest.warns(match="interrupted"):
        selector.fit(connections.data, connections.target)
    summary = summarize(selector.selection_)
    assert summary["partial"]
    assert summary["first"]["measure"] == "mi"  # there are no weights yet
    assert summary["best_and_worst"] is None
    (caveat,) = summary["headline"]["caveats"]
    assert caveat == (
        "Interrupted, after 5 of 12 drawn subsets and 0 of 4 nested subsets: all features together "
        "were not scored and there was no final check."
    )
    assert summary["headline"]["answer"].startswith("The best subset so far, ")
    assert caveat in render_report(selector.selection_).partition("<main")[0]


def test_a_single_subset_is_no_picture(connections):
    def stop(progress):
        raise KeyboardInterrupt

    selector = NFFS(n_subsets=12, n_nested=4, callbacks=[stop], random_state=0)
    with pytest.warns(match="interrupted"):
        selector.fit(connections.data, connections.target)
    summary = summarize(selector.selection_)
    assert (summary["subsets"], summary["spread"], summary["course"]) == (None, None, None)
    assert 'id="front"' not in render_report(selector.selection_)


def test_selected_and_best_ranked_stay_in_a_capped_table():
    shown = summarize(made_up(3000))["features"]
    assert (len(shown["rows"]), shown["n_more"]) == (MOST_ROWS, 3000 - MOST_ROWS)
    assert all(row["selected"] for row in shown["rows"][:12])
    assert [row["rank"] for row in shown["rows"]] == list(range(1, MOST_ROWS + 1))


class TestNames:
    def test_short_ones_are_as_they_are(self):
        assert Names()("ü") == {"text": "ü", "whole": None, "length": 1}

    def test_long_ones_open(self):
        shown = Names()("x" * 10_000)
        assert len(shown["text"]) == SHOWN
        assert shown["whole"] == "x" * 10_000

    def test_until_there_is_no_room(self):
        names = Names(room=12_000)
        assert names("<" * 3000)["whole"]
        assert names("<" * 3000)["whole"] is None

    def test_characters_that_cannot_be_seen_or_written(self):
        assert visible("a\0b\nc\x9bd") == "a␀b␊c\ufffdd"
        assert clipped("\ud800").encode() == b"?"

    def test_characters_that_turn_text_around_are_marked(self):
        assert visible("a\u202eb\u2066") == "a\ufffdb\ufffd"
