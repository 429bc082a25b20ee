"""The report: one page, nothing from outside, nothing from the data executed."""

import re

import numpy as np
import polars as pl
import pytest

from nffs.report import render_report


@pytest.fixture
def page(quick, connections):
    return render_report(quick().fit(connections.data, connections.target).selection_)


def test_says_what_was_selected_and_who_judged(quick, connections, page):
    selector = quick().fit(connections.data, connections.target)
    for name in selector.selected_features_:
        assert f"<li>{name}</li>" in page
    assert selector.judged_on_ in page
    assert f"{selector.fitness_:.4f}" in page
    assert f"{selector.all_features_fitness_:.4f}" in page


def test_asks_nobody(page):
    assert not re.search(r"https?://|src=|@import|url\(", page)


def test_three_charts_with_descriptions(page):
    assert page.count("<svg ") == 3 == page.count('role="img" aria-label=')


def test_names_are_text(quick):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    evil = '<script>alert("x")</script>'
    frame = pl.DataFrame({evil: y + rng.normal(0, 0.5, 120), "b": rng.normal(size=120), "ü": y % 2})
    page = render_report(quick(n_nested=2).fit(frame, y).selection_)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_wide_tables_make_small_pages(quick):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3000))
    page = render_report(quick(n_subsets=3).fit(X, X[:, 0] > 0).selection_)
    assert len(page) < 500_000
    assert "2500 more features are left out" in page


def test_written_to_a_file(quick, connections, tmp_path):
    quick().fit(connections.data, connections.target).write_report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
