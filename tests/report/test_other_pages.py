"""The pages of comparisons, reproductions and shifts, and notebooks, in a real browser."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from browsing import axe, cut_off, overflow
from documents import checked, compared, made_up

from nffs import make_connections, shift
from nffs.paper.report import render_reproduction
from nffs.paper.reported import NSL_KDD
from nffs.report import render_report
from nffs.report.inline import InlinePage
from nffs.report.notebook import render_notebook
from nffs.validation.comparison.report import render_comparison

pytest.importorskip("selenium", reason="selenium is not installed: pip install -e '.[dev]'")

from selenium.webdriver import Keys
from selenium.webdriver.common.by import By

MARGINS = {
    "guided": 0.05, "ga": 0.04, "mrmr": 0.03, "nffs": 0.01, "all": 0.0, "association-rules": -0.05,
}  # fmt: skip
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'


@pytest.fixture(scope="module")
def comparison():
    return render_comparison(compared(MARGINS))


@pytest.fixture(scope="module")
def one_model():
    return render_comparison(compared(dict.fromkeys(["nffs", "ga"], 0.0), 1, models=["forest"]))


@pytest.fixture(scope="module")
def reproduction():
    path = Path(__file__).parents[2] / "docs" / "paper" / "nsl-kdd.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    return render_reproduction(document, NSL_KDD, {"figure-4": DRAWING}, "a notice")


@pytest.fixture(scope="module")
def notebook():
    """Results of cells on the ground of a notebook, which is dark where the window is."""
    shown = [
        render_notebook(checked(30), "NFFS(random_state=0)"),
        render_notebook(made_up(300, method="ga", n_selected=60), "Selector('ga')"),
        InlinePage(render_report(checked(30)), "nffs report")._repr_html_(),
    ]
    style = (
        ":root { --jp-layout-color0: white } body { background: white; color: black }"
        "@media (prefers-color-scheme: dark) { :root { --jp-layout-color0: #111 }"
        " body { background: #111; color: white } }"
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title>'
        '<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">'
        f"<style>{style}</style><body><main><h1>A notebook</h1>{''.join(shown)}</main></body>"
    )


@pytest.fixture(scope="module")
def shifted():
    old, new = make_connections(400).data, make_connections(300, random_state=1).data
    new = new.with_columns(
        pl.col("dst_bytes") * 3, pl.lit("ssh").alias("service"), pl.lit(None).alias("<b>new</b>")
    )
    return str(shift(old, new).report())


@pytest.fixture(scope="module")
def alike():
    table = make_connections(300).data
    return str(shift(table, table).report())


PAGES = ["comparison", "one_model", "reproduction", "shifted", "alike", "notebook"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", PAGES)
def test_fits_says_nothing_and_is_accessible(browser, request, which, width, dark):
    driver = browser(request.getfixturevalue(which), width=width, dark=dark)
    assert overflow(driver) == 0
    assert axe(driver) == []
    assert overflow(driver) == 0  # with everything open
    assert driver.get_log("browser") == []
    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is not dark


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", ["comparison", "reproduction", "shifted"])
def test_rows_tell_their_numbers_by_keyboard(browser, request, which, width):
    driver = browser(request.getfixturevalue(which), width=width)
    charts = driver.find_elements(By.CSS_SELECTOR, "svg.dots")
    (first, *_) = [chart for chart in charts if chart.is_displayed()]
    told = [row.get_attribute("data-tip") for row in first.find_elements(By.CSS_SELECTOR, ".catch")]
    assert len(told) > 5
    for tip in told[:2]:
        first.send_keys(Keys.ARROW_DOWN)
        (shown,) = [t for t in driver.find_elements(By.CSS_SELECTOR, ".tip") if t.is_displayed()]
        assert shown.text == tip
        assert overflow(driver) == 0
    first.send_keys(Keys.ESCAPE)
    assert not any(t.is_displayed() for t in driver.find_elements(By.CSS_SELECTOR, ".tip"))


@pytest.mark.parametrize("width", [1280, 390])
def test_names_of_methods_lie_within_their_charts(browser, comparison, width):
    driver = browser(comparison, width=width)
    outside = driver.execute_script(
        "return Array.from(document.querySelectorAll('svg text')).filter(t => {"
        " const [a, b] = [t.getBoundingClientRect(), t.ownerSVGElement.getBoundingClientRect()];"
        " return a.width && (a.left < b.left - 1 || a.right > b.right + 1"
        " || a.top < b.top - 1 || a.bottom > b.bottom + 1); }).map(t => t.textContent)"
    )
    assert outside == []


def test_curves_are_lines_and_no_areas(browser, comparison):
    driver = browser(comparison)
    curves = driver.find_elements(By.CSS_SELECTOR, ".curve")
    assert len(curves) > 5
    assert {curve.value_of_css_property("fill") for curve in curves} == {"none"}


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", ["comparison", "reproduction", "shifted"])
def test_no_table_is_cut_off(browser, request, which, width):
    driver = browser(request.getfixturevalue(which), width=width)
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    tables = driver.find_elements(By.CSS_SELECTOR, ".scroll")
    assert tables
    assert cut_off(driver) == []


def test_a_shift_says_what_moved(browser, shifted):
    driver = browser(shifted)
    assert re.fullmatch(
        r"2 of 29 columns moved between 400 old and 300 new rows\.",
        driver.find_element(By.TAG_NAME, "h1").text,
    )
    assert driver.find_element(By.CLASS_NAME, "notice").text == "Only in the new table: <b>new</b>."
    rows = driver.find_elements(By.CSS_SELECTOR, "#table tbody tr")
    assert len(rows) == 29
    assert re.match(r"service 0\.\d{3} yes categorical 'ssh' .* → 100 %; ", rows[0].text)
    assert "gone: " in rows[0].text
    driver.find_element(By.CSS_SELECTOR, ".tools input[type=checkbox]").click()
    shown = [row.text.split()[0] for row in rows if row.is_displayed()]
    assert set(shown) == {"service", "dst_bytes"}


def test_a_table_on_a_phone_names_every_cell(browser, reproduction):
    driver = browser(reproduction, width=390)
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    row = driver.find_element(By.CSS_SELECTOR, "[aria-label^='Is the paper'] tbody tr")
    heads = driver.execute_script(
        "return Array.from(arguments[0].cells).slice(1)"
        ".map(cell => getComputedStyle(cell, '::before').content)",
        row,
    )
    assert heads == ['"precision"', '"recall"', '"accuracy"', '"F-score"', '"AUC"']


def test_a_notebook_has_no_marks_of_a_slider(notebook):
    cells = notebook.partition("<iframe")[0]
    assert 'class="pick' not in cells
    assert "available without" not in cells


def test_the_page_in_a_notebook_is_alive_and_shut_in(browser, notebook):
    driver = browser(notebook)
    frame = driver.find_element(By.TAG_NAME, "iframe")
    assert 400 < frame.size["height"] < 900
    assert frame.size["width"] > 1000
    # the notebook cannot look into it, nor it into the notebook
    assert driver.execute_script("return arguments[0].contentDocument", frame) is None
    driver.switch_to.frame(frame)
    try:
        assert "features" in driver.find_element(By.TAG_NAME, "h1").text
        assert driver.find_elements(By.CSS_SELECTOR, "th button")  # its script runs
    finally:
        driver.switch_to.default_content()
