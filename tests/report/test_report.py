"""The page as text: complete, escaped, bounded, asking nobody."""

import json
import re
import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest
from documents import made_up

from nffs.fitness.evaluator import Fitness
from nffs.report import render_journal, render_report
from nffs.search.journal.journal import kept_in
from nffs.search.tasks import Result
from nffs.selection import Front, Point

MOST_BYTES = 2_000_000


def test_says_what_was_selected_and_on_which_rows(fitted, page):
    for name in fitted.selected_features_:
        assert f"<li><bdi>{name}</bdi></li>" in page
    assert fitted.evaluated_on_ in page
    assert f"positive label <bdi>{fitted.classes_[1]}</bdi>" in page
    assert f"{fitted.fitness_:.4f}" in page
    assert f"{fitted.all_features_fitness_:.4f}" in page
    assert fitted.fingerprint_["values"] in page


def test_asks_nobody(page):
    assert not re.search(r"https?://|src=|@import|url\(", page)


def test_charts_have_descriptions(page):
    assert page.count('role="img" aria-label="') == 7


def test_names_are_text_everywhere():
    evil = "</script><script>alert(1)</script>&\u2028'\""
    page = render_report(made_up(20, names=[(evil, None), (evil, evil)], scoring=evil))
    assert page.count("<script") == 2  # the data and our own
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page
    island = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
    assert not set("<>&\u2028") & set(island)
    assert json.loads(island)["threshold"]["selected"][0][0] == evil.replace("\u2028", "\ufffd")


@pytest.mark.parametrize("method", ["nffs", "ga"])
@pytest.mark.parametrize("n_features", [50, 500, 20_000])
def test_size_and_time(n_features, method):
    selection = made_up(n_features, method=method)
    began = time.process_time()
    page = render_report(selection)
    assert time.process_time() - began < 5
    assert len(page.encode()) <= MOST_BYTES


@pytest.mark.parametrize("character", ["&", "<", "😀", "\u202e"])
def test_the_worst_names_do_not_burst_it(character):
    long = character * 10_000
    names = [(f"{long}{i}", f"{i}{long}") for i in range(1000)]
    selection = made_up(20_000, names=names, n_selected=900, n_nested=9000)
    assert len(render_report(selection).encode()) <= MOST_BYTES


@pytest.mark.parametrize("character", ["x", "😀"])
def test_a_long_front_does_not_burst_it(character):
    """Some 20,000 names are listed in a selection of a wide table."""
    names = [(f"{i}" + character * 100, None) for i in range(19_999)]
    sizes = range(1, 199)
    points = tuple(
        Point(n, 0.5 + n / 1000, 0.01, tuple(range(n * 100, n * 100 + n))) for n in sizes
    )
    selection = made_up(20_000, names=names, front=Front(points, ()))
    page = render_report(selection)
    assert len(page.encode()) <= MOST_BYTES
    island = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
    steps = json.loads(island)["picks"]["steps"]
    for step in steps:
        assert step["size"] == 12 or len(step["names"]) + step["n_more"] == step["size"]
    assert (steps[0]["size"], steps[-1]["size"]) == (1, 198)


def test_it_says_what_is_not_shown():
    page = render_report(made_up(20_000))
    assert "The table has 800 of 20,000 features: the selected before the others" in page
    assert "19,979 more are not drawn" in page


def test_written_to_a_file(fitted, tmp_path):
    fitted.write_report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")


def evaluated(mask, scores):
    return Result(mask, Fitness(scores), 0.1, "here")


class TestJournal:
    def test_shows_what_it_holds_and_says_so(self, fitted):
        page = render_journal(fitted.journal)
        n_searched = len(fitted.archive_fitness_) + 1  # and all features
        assert f"{n_searched} evaluations of a search over 45 features" in page
        assert f"{fitted.n_evaluations_ - n_searched} more in the final check" in page
        assert "no mutual information, no weights and no final choice" in page
        assert fitted.final_.searched_on in page
        everything = fitted.final_.searched_all_features
        best = max(*fitted.drawn_fitness_, *fitted.nested_fitness_, everything)
        assert f"{best:.4f}" in page
        assert f"{everything:.4f}" in page
        assert ">finished<" in page
        assert not re.search(r"https?://|src=|@import|url\(", page)

    def test_the_worst_names_do_not_burst_it(self, tmp_path):
        names = [f"{i}" + "&" * 10_000 for i in range(1000)]
        worst = {"&" * 10_000: "&" * 10_000, "evaluated_on": "<" * 10_000}
        rng = np.random.default_rng(0)
        with kept_in(tmp_path / "j.db", worst, names, worst) as journal:
            for mask in rng.random((12, len(names))) < 0.5:
                journal.record(evaluated(mask, rng.random((2, 2))))
        assert len(render_journal(tmp_path / "j.db").encode()) <= MOST_BYTES

    def test_damaged_rows_are_left_out_and_counted(self, tmp_path):
        path = tmp_path / "j.db"
        with kept_in(path, {"evaluated_on": "x", "scoring": "'f1'"}, ["a", "b"], {}) as journal:
            for mask in ([True, False], [True, True]):
                journal.record(evaluated(np.array(mask), np.ones((1, 1))))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE evaluation SET checksum = x'00' WHERE n_features = 1")
        page = render_journal(path)
        assert "1 evaluation of a search" in page
        assert "1 damaged row is left out" in page

    def test_without_an_evaluation(self, empty_journal):
        assert "The journal holds no evaluations yet." in render_journal(empty_journal)
