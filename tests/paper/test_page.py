"""The page of a reproduction, drawn from the results of full runs that the docs hold."""

import json
import re
from pathlib import Path

import pytest

from nffs.paper.report import render_reproduction
from nffs.paper.reported import NSL_KDD
from nffs.paper.verdict import verdict_lines

FULL = Path(__file__).parents[2] / "docs" / "paper" / "nsl-kdd.json"


@pytest.fixture(scope="module")
def document():
    return json.loads(FULL.read_text(encoding="utf-8"))


def test_three_lines_say_what_was_found(document):
    agreement, order, worth = verdict_lines(document, NSL_KDD)
    # the sentences of the run say the same at length
    said = document["sentences"][1:3]
    counted = [re.findall(r"(\d+) of 8 reported subsets agree", sentence) for sentence in said]
    assert f"With the best forest parameters, {counted[1][0]} of 8 F-scores agree" in agreement
    assert f"with those that match the paper best, {counted[0][0]} of 8." in agreement
    assert "In accuracy and F-score; in the others it is not ahead of BAT, LSSVM and" in order
    means = [row[3].partition("±")[0] for row in _table(document, "searches")["rows"]]
    assert (
        f"see the test file score {means[0]} on it, those that do not see it score {means[1]}"
        in worth
    )
    assert worth.endswith("none of 30 honest searches reach the paper's 0.904.")


def test_the_headline_counts_what_agrees(document):
    said = "NFFS on NSL-KDD: 7 of 8 F-scores agree with the paper's"
    page = render_reproduction(document, NSL_KDD, {}).replace("&#39;", "'")
    assert f"<h1>{said}</h1>" in page.replace("\N{NON-BREAKING HYPHEN}", "-")
    other = {**document, "stand_in": True}
    assert "<h1>NFFS on NSL-KDD</h1>" in render_reproduction(other, NSL_KDD, {})


def _table(document, name):
    return next(table for table in document["tables"] if table["name"] == name)


def test_the_paper_and_ours_stand_on_one_line(document):
    page = render_reproduction(document, NSL_KDD, {})
    chart = page.partition('class="on-wide">')[2].partition("</svg>")[0]
    tips = re.findall(r'data-tip="([^"]+)"', chart.replace("&#39;", "'"))
    names = [tip.partition(":")[0] for tip in tips]
    reported = sorted(NSL_KDD, key=lambda subset: -subset.scores[3][0])
    assert names == [subset.method for subset in reported]
    assert chart.count('class="joint"') == chart.count('class="point paper"') == 8
    (bat,) = [result for result in document["scores"] if result["method"] == "BAT"]
    ours, paper = bat["best"]["mean"][3], 0.812
    assert (
        f"BAT: ours {ours:.3f} ± {bat['best']['std'][3]:.3f}, the paper's {paper:.3f}"
        in " ".join(tips)
    )


def test_a_run_of_the_searches_alone_has_their_chart(document):
    part = {name: document[name] for name in ("title", "stand_in", "seeds", "searches")}
    page = render_reproduction({**part, "sentences": [], "tables": []}, NSL_KDD, {})
    assert "What is it worth to see the test file?" in page
    assert "The paper against ours" not in page
    assert page.count('class="point seen"') == 2 * 30 + 1  # wide, narrow, and the legend
