"""What repeating a selection said: in words, as charts, and of every feature."""

import json
from dataclasses import replace

import pytest
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, Selection
from nffs.report import render_report, summarize
from nffs.report.validated import _optimism_verdict, _stability_verdict
from nffs.selection import Evidence
from nffs.validation import nested_score, selection_stability


@pytest.fixture(scope="module")
def evidence(connections):
    selector = NFFS(estimator=GaussianNB(), n_subsets=8, n_nested=4, random_state=0)
    X, y = connections.data, connections.target
    nested = nested_score(selector, X, y, cv=3).to_dict()
    return Evidence(nested, selection_stability(selector, X, y, n_runs=3).to_dict())


@pytest.fixture(scope="module")
def selection(fitted, evidence):
    return fitted.selection_.with_evidence(evidence)


@pytest.mark.parametrize(
    ("value", "word"), [(0.14, "low"), (0.39, "low"), (0.4, "fair"), (0.75, "high"), (1.0, "high")]
)
def test_stability_in_words(value, word):
    assert _stability_verdict(value, "bootstrap").startswith(f"Stability {value:.2f}: {word}; ")


def test_seeds_are_not_samples_of_rows():
    assert "another seed" in _stability_verdict(0.1, "seeds")


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.01, 0.03, "is too high; subtract"),
        (-0.01, 0.03, "cannot tell"),
        (-0.2, -0.1, "is too low"),
    ],
)
def test_optimism_in_words(low, high, words):
    assert words in _optimism_verdict({"mean": 0.5 * (low + high), "low": low, "high": high})


def test_it_is_kept_in_the_file(selection, tmp_path):
    selection.save(tmp_path / "s.json")
    loaded = Selection.load(tmp_path / "s.json")
    assert loaded == selection
    assert render_report(loaded) == render_report(selection)


def test_it_is_that_of_results_given_beside_the_selection(fitted, evidence, selection):
    beside = summarize(fitted.selection_, nested=evidence.nested, stability=evidence.stability)
    assert beside == summarize(selection)


def test_the_folds_one_by_one(selection, evidence):
    nested = summarize(selection)["nested"]
    assert [fold["outer"] for fold in nested["folds"]] == [
        fold["outer"] for fold in evidence.nested["folds"]
    ]
    ahead = sum(fold["outer"] > fold["all_features"] for fold in nested["folds"])
    assert f"ahead in {ahead} of 3 folds" in nested["verdict"]
    page = render_report(selection)
    for fold in nested["folds"]:
        assert f"Fold {fold['number']}: {fold['outer']:.4f} on unseen rows" in page


def test_features_that_are_seldom_selected_again_are_paler(selection, evidence):
    shares = {f["name"]: f["share"] for f in evidence.stability["features"]}
    seldom = [n for n in selection.selected_features if shares.get(n, 1.0) < 0.5]
    shown = summarize(selection)
    assert seldom
    assert shown["selected"]["n_seldom"] == len(seldom)
    page = render_report(selection)
    for name in seldom:
        assert f'<li class="seldom"><bdi>{name}</bdi></li>' in page


def test_the_most_frequent_features_are_drawn(selection, evidence):
    again = summarize(selection)["again"]
    shares = sorted((f["share"] for f in evidence.stability["features"]), reverse=True)
    assert [row["share"] for row in again["rows"]] == shares[:20]
    assert again["n_ever"] == sum(share > 0 for share in shares)


def test_another_subset_has_none_of_it(selection):
    assert selection.at_most(2).evidence is None


def test_a_part_that_is_missing(selection, evidence):
    lacking = replace(evidence, stability=None, missing="The check was interrupted: no stability.")
    summary = summarize(replace(selection, evidence=lacking))
    assert summary["again"] is None
    # of a nested score alone the folds' stability
    assert summary["stability"]["value"] == evidence.nested["stability"]["value"]
    json.dumps(summary)
