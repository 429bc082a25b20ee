"""The first sentences: the verdict, what would be better, and what is missing of it."""

from dataclasses import replace

import pytest
from documents import FINAL, checked, made_up
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, Selection, StopPhase, StopSearch
from nffs.report import render_report, summarize
from nffs.report.headline import headline_of
from nffs.search.events import Cut
from nffs.selection import Check, Evidence, Extent, Front, MemberScore, Point


def point(size, score, gain=0.0, gain_error=0.0):
    """A subset whose models score higher and lower than their mean."""
    members = (MemberScore("forest", score + 0.05, 0.8), MemberScore("ridge", score - 0.05, 0.7))
    return Point(size, score, 0.002, tuple(range(size)), Check("so", members, gain, gain_error))


def with_front(*points, gain=0.0033):
    """Of a selection that a final check found about as good as all features."""
    final = replace(FINAL, gain=gain)
    return replace(checked(), final=final, front=Front(points, ()))


def test_the_verdict_of_the_final_check():
    assert headline_of(checked()) == {
        "answer": FINAL.verdict,
        "score": "Averaged over the models, they score f1 0.865 on the rows used to choose them; "
        "on new rows expect 0.881 to 0.893, depending on the model, as measured on 1,234 rows "
        "that the search never saw.",
        "others": [],
        "caveats": [],
    }


def test_the_headline_has_the_scores_that_it_compares():
    """Of the best model with the selection, and of the best with all features."""
    assert "(0.877 by logistic against 0.843 by forest)." in headline_of(checked())["answer"]


def test_where_no_row_was_held_out_less_is_to_be_expected():
    alone = replace(FINAL, members=FINAL.members[:1])
    found = headline_of(replace(checked(), final=alone, unseen=None))["score"]
    assert found == (
        "They score f1 0.865 on the rows used to choose them, so expect a little less on new rows."
    )
    one = replace(checked(), selected_features=("a",), unseen=None)
    assert headline_of(one)["score"].startswith(
        "Averaged over the models, it scores f1 0.865 on the rows used to choose it, so"
    )


@pytest.mark.parametrize(
    ("mean", "low", "said"),
    [
        (0.851, 0.002, "; on the rows used to choose the features it is 0.865, which is too high."),
        (0.861, -0.002, "; on the rows used to choose the features it is 0.865."),
        (
            0.865,
            -0.002,
            ": the score in 5 outer folds that no selection saw is the same as on the rows used "
            "to choose the features.",
        ),
    ],
)
def test_scores_of_outer_folds_are_what_to_expect(mean, low, said):
    nested = {"scoring": "f1", "n_folds": 5, "outer": {"mean": mean}, "optimism": {"low": low}}
    found = headline_of(checked(), nested)["score"]
    assert found.startswith(f"Expect f1 {mean:.3f} on new rows, averaged over the models")
    assert found.endswith(said)


def test_a_better_one_is_named():
    found = headline_of(with_front(point(2, 0.7, gain=-0.2), point(12, 0.87), point(20, 0.91)))
    assert found["others"] == ["Best score: 20 features, 0.910; the difference is within noise."]


def test_one_that_only_looks_the_same_is_not():
    assert headline_of(with_front(point(20, 0.86545)))["others"] == []


def test_the_fewest_that_do_as_well():
    found = headline_of(with_front(point(1, 0.5, gain=-0.2), point(5, 0.84, -0.01, 0.02)))
    assert found["others"] == [
        "Fewest that do as well as all, within the margin of error: 5 features, 0.840."
    ]
    near = headline_of(with_front(point(11, 0.84, -0.01, 0.02)))
    assert near["others"] == []
    # Its best model does as well as all features' best, but the score that is told does not.
    poor = headline_of(with_front(point(5, 0.7, -0.01, 0.02)))
    assert poor["others"] == []
    better = headline_of(with_front(point(5, 0.84, -0.01, 0.02), gain=0.05))
    assert better["others"] == []


def test_a_picked_one_is_what_was_asked_for():
    selection = replace(with_front(point(20, 0.91)), picked=12)
    assert headline_of(selection)["others"] == []


def test_without_a_final_check_the_scores():
    selection = made_up(30)
    said = headline_of(selection)["answer"]
    assert said == f"12 of 30 features score f1 {selection.fitness:.3f}, all 30 score 0.880."
    less = "That is on the rows used to choose them, so expect a little less on new rows."
    assert headline_of(selection)["score"] == less
    alone = replace(selection, all_features_fitness=None)
    assert headline_of(alone)["answer"].endswith(f"score f1 {selection.fitness:.3f}.")


class TestCaveats:
    def test_what_failed(self):
        extent = Extent(200, (), failed=3, failure="ValueError: no <such> thing")
        selection = replace(checked(), extent=extent)
        (said,) = headline_of(selection)["caveats"]
        assert said.startswith("3 of 200 subsets could not be evaluated and were left out; the")
        page = render_report(selection)
        assert "ValueError: no &lt;such&gt; thing" in page.partition("<main")[0]

    def test_what_was_stopped_in_the_final_check(self):
        cut = (Cut("final check", 3, 5), Cut("elimination", 0, 2))
        (said,) = headline_of(replace(checked(), extent=Extent(200, cut)))["caveats"]
        assert said == (
            "Stopped early: the final check was cut short and no features were eliminated in the "
            "final check."
        )

    def test_a_check_that_was_interrupted(self):
        evidence = Evidence(None, None, "The check was interrupted: no stability.")
        found = headline_of(replace(checked(), evidence=evidence))
        assert found["caveats"] == ["The check was interrupted: no stability."]

    @pytest.mark.parametrize(
        ("error", "phase", "said"),
        [
            (StopPhase, "drawn subsets", "Stopped early, after 6 of 12 drawn subsets."),
            (
                StopSearch,
                "nested subsets",
                "Stopped early, after 1 of 6 nested subsets: all features together were not "
                "scored and there was no final check.",
            ),
            (StopSearch, "all features", "Stopped early: there was no final check."),
        ],
    )
    def test_a_callback_that_stops(self, connections, tmp_path, error, phase, said):
        """As a time limit does; whoever reads the file hears of it too."""

        def stop(progress):
            if progress.phase == phase and (progress.done == 6 or phase != "drawn subsets"):
                raise error

        selector = NFFS(
            estimator=GaussianNB(), n_subsets=12, n_nested=6, callbacks=[stop], random_state=0
        ).fit(connections.data, connections.target)
        selector.selection_.save(tmp_path / "s.json")
        found = summarize(Selection.load(tmp_path / "s.json"))["headline"]
        assert found["caveats"] == [said]
        assert not selector.partial_

    def test_a_search_that_came_to_its_end_has_none(self, fitted, genetic, guided):
        for selector in (fitted, genetic, guided):
            assert headline_of(selector.selection_)["caveats"] == []
