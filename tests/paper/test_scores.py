"""Scoring reported subsets: best and matching parameters, set beside the paper's."""

import pytest

from nffs.paper import scores
from nffs.paper.reported import ReportedSubset
from nffs.validation.given import F_SCORE, TestBench
from nffs.validation.kept import KeptResults


@pytest.fixture(scope="module")
def bench(connections):
    X, y = connections.data, connections.target
    return TestBench(X[:250], y[:250], X[250:], y[250:], pos_label="attack")


def subset(method, *features, f=0.6):
    return ReportedSubset(method, "", features, 0, 0, tuple((v, 0.05) for v in (f,) * 5))


SUBSETS = [subset("A", "flag", "duration"), subset("B", "root_shell", "src_bytes", "flag")]


@pytest.fixture(scope="module")
def results(bench):
    return scores.resumable_scores(bench, SUBSETS, (7, 8, 9), KeptResults(None, {}, ""))


def test_both_choices_of_parameters(results):
    for result in results:
        assert {"n_estimators", "max_depth", "mean", "std"} <= set(result["best"])
        assert result["best"]["mean"][F_SCORE] > 0
        assert len(result["best_runs"]) == 3


def test_the_table_shows_the_paper_and_both_of_ours(results):
    table = scores.scores_table(SUBSETS, results)
    assert [row[1] for row in table.rows] == ["the paper", "ours, matching", "ours, best"] * 2
    assert "trees, depth" in table.rows[1][2]
    markdown, latex, csv = table.to_markdown(), table.to_latex(), table.to_csv()
    assert markdown.count("\n") == len(table.rows) + 4
    assert r"\toprule" in latex
    assert "±" not in latex
    assert csv.startswith("method,whose,parameters,precision")


def test_agreement_is_two_standard_deviations_or_a_hundredth():
    row = ReportedSubset("R", "", ("a",), 1, 1, ((0.5, 0.001), (0.5, 0.1)) + ((0.5, 0.0),) * 3)
    result = {"best": {"mean": [0.509, 0.69, 0.5, 0.511, 0.491]}}
    assert scores.agreement(row, result, "best") == [True, True, True, False, True]


def test_the_ordering_is_tested_in_pairs(results):
    table = scores.ordering_table(results)
    assert table.rows[0][0] == "NFFS minus A"
    assert all("(p " in cell for cell in table.rows[0][1:])
