"""The page in a real browser, opened from a file, without a network."""

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from documents import made_up

from nffs.report import render_journal, render_report

pytest.importorskip("selenium", reason="selenium is not installed: pip install -e '.[dev]'")

from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

HOSTILE = [
    ("<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>"),
    ("</script><script>window.hacked = 1</script>", None),
    ("\"'><svg onload=window.hacked=1>", "'\" onmouseover=window.hacked=1 x='"),
    ("{{ 7 * 7 }}${7*7}", "</title></style><iframe srcdoc='<script>1</script>'>"),
    ("👩‍👩‍👧‍👦🏳️‍🌈" * 5, "日本語"),
    ("اسم العمود", "קטגוריה"),
    ("\u202eevil\u2066", "\u0000\u2028\n"),
    ("long" * 2500, "x" * 10_000),
]


@pytest.fixture(scope="module")
def journal_page(fitted):
    return render_journal(fitted.journal)


def overflow(driver):
    """By how many pixels the page is wider than the window."""
    return driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def column(driver, place):
    """The cells of a column of the feature table, as they are shown."""
    return driver.execute_script(
        "return Array.from(document.querySelectorAll('#table tbody tr'))"
        ".filter(r => !r.hidden).map(r => r.cells[arguments[0]].innerText.trim())",
        place,
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", ["page", "guided_page", "genetic_page", "journal_page"])
def test_opens_offline_and_fits(browser, request, which, width, dark):
    driver = browser(request.getfixturevalue(which), width=width, dark=dark)
    assert driver.get_log("browser") == []
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [
        m["params"]["request"]["url"]
        for m in messages
        if m["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert sum(url.startswith("file:") for url in asked) == 1
    assert driver.execute_script("return innerWidth") == width
    assert overflow(driver) == 0
    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is not dark


def test_the_threshold_moves_by_keyboard(browser, page):
    driver = browser(page)
    slider = driver.find_element(By.ID, "threshold")
    text = driver.find_element(By.ID, "threshold-text")
    before, start = text.text, slider.get_attribute("value")
    slider.send_keys(Keys.ARROW_RIGHT * 40)
    assert text.text != before
    assert slider.get_attribute("aria-valuetext") in text.text
    slider.send_keys(Keys.END)
    assert text.text.startswith("0 of 45 features")
    assert not driver.find_elements(By.CSS_SELECTOR, "#information .bar.above")
    driver.find_element(By.ID, "threshold-reset").click()
    assert (slider.get_attribute("value"), text.text) == (start, before)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_threshold_can_be_dragged(browser, page, width):
    driver = browser(page, width=width)
    chart = driver.find_element(By.ID, "information")
    line = chart.find_element(By.CSS_SELECTOR, ".threshold circle")
    before = line.location["x"]
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    actions = ActionChains(driver).move_to_element(line).click_and_hold()
    actions.move_by_offset(60, 10).release().perform()
    assert line.location["x"] == pytest.approx(before + 60, abs=3)
    value, above, _ = driver.execute_script(
        "return JSON.parse(document.getElementById('data').textContent)"
        ".steps[document.getElementById('threshold').value]"
    )
    text = driver.find_element(By.ID, "threshold-text").text
    assert text.startswith(f"{above} of 45 features lie above {value:.4f} nats")


def test_sorting(browser, page, fitted):
    driver = browser(page)
    heads = driver.find_elements(By.CSS_SELECTOR, "#table thead th")
    place = [head.text for head in heads].index("MI (nats)")
    button = heads[place].find_element(By.TAG_NAME, "button")
    button.click()
    assert heads[place].get_attribute("aria-sort") == "descending"
    assert [float(v) for v in column(driver, place)] == sorted(
        (round(float(mi), 4) for mi in fitted.mi_), reverse=True
    )
    button.send_keys(Keys.ENTER)
    assert heads[place].get_attribute("aria-sort") == "ascending"
    names = heads[1].find_element(By.TAG_NAME, "button")
    names.click()
    assert column(driver, 1) == sorted(fitted.features_, key=str.lower)
    assert heads[place].get_attribute("aria-sort") is None


def test_searching(browser, page, fitted):
    driver = browser(page)
    search = driver.find_element(By.CSS_SELECTOR, "[type=search]")
    search.send_keys("SERVICE_")
    assert sorted(column(driver, 1)) == sorted(
        n for n in fitted.features_ if n.startswith("service_")
    )
    search.clear()
    search.send_keys(Keys.SPACE)
    driver.find_element(By.CSS_SELECTOR, ".tools [type=checkbox]").click()
    assert set(column(driver, 1)) == set(fitted.selected_features_)
    shown = driver.find_element(By.CSS_SELECTOR, ".tools output").text
    assert shown == f"{len(fitted.selected_features_)} of {len(fitted.features_)} rows"


def test_copying(browser, page):
    driver = browser(page)
    driver.find_element(By.CSS_SELECTOR, "[data-copy=code-2]").click()
    said = driver.find_element(By.ID, "said")
    driver.execute_async_script(
        "const [said, done] = arguments;"
        "(function wait() { said.textContent ? done() : setTimeout(wait, 10); })()",
        said,
    )
    assert said.get_attribute("textContent") == "Copied to the clipboard."
    search = driver.find_element(By.CSS_SELECTOR, "[type=search]")
    search.send_keys(Keys.CONTROL, "v")
    code = driver.find_element(By.ID, "code-2").text
    assert search.get_attribute("value") == code
    assert code.startswith("nffs transform ")


def test_readable_without_scripts(browser, page, fitted):
    driver = browser(page)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.refresh()
        shown = driver.find_element(By.TAG_NAME, "body").text
        controls = driver.find_elements(By.CSS_SELECTOR, "[data-script], th button")
        assert not any(control.is_displayed() for control in controls)
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert all(name in shown for name in fitted.selected_features_)
    assert "lie above the threshold used" in shown


def test_printing_leaves_the_controls_out(browser, page):
    driver = browser(page, dark=True)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not driver.find_element(By.ID, "threshold").is_displayed()
    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert paper == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_names_are_text(browser, width):
    selection = made_up(40, names=HOSTILE, n_selected=len(HOSTILE))
    driver = browser(render_report(selection), width=width)
    ActionChains(driver).move_to_element(driver.find_element(By.ID, "selected")).perform()
    assert driver.execute_script("return window.hacked") is None
    assert driver.get_log("browser") == []
    assert driver.find_elements(By.CSS_SELECTOR, "img, iframe, main script, svg[onload]") == []
    assert overflow(driver) == 0
    names = driver.execute_script(
        "return Array.from(document.querySelectorAll('ul.names:not(.plain) li'))"
        ".map(li => li.querySelector('p bdi, bdi').textContent)"
    )
    assert names[1] == "</script><script>window.hacked = 1</script>"
    assert "اسم العمود_קטגוריה" in names
    # A long name is short until it is opened, by the keyboard too.
    last = driver.find_elements(By.CSS_SELECTOR, "ul.names:not(.plain) li")[-1]
    assert last.size["height"] < 100
    last.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    whole = last.find_element(By.TAG_NAME, "p").text
    assert whole.startswith("longlong")
    assert len(whole) > 9_000
    assert overflow(driver) == 0


def _axe():
    """The newest axe-core that an installed package brings, as a script."""
    for package in ("axe_playwright_python", "axe_core_python"):
        if find_spec(package) is not None:
            home = Path(next(iter(import_module(package).__path__)))
            return (home / "axe.min.js").read_text(encoding="utf-8")
    return pytest.skip("axe-core is not installed: pip install -e '.[dev]'")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", ["page", "guided_page", "genetic_page", "journal_page"])
def test_accessible(browser, request, which, width, dark):
    script = _axe()
    driver = browser(request.getfixturevalue(which), width=width, dark=dark)
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    driver.execute_script(script)
    found = driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    assert found["passes"]
    grave = [
        (v["id"], v["impact"], [node["html"][:200] for node in v["nodes"][:3]])
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]
    assert grave == []
