"""The page in a real browser, opened from a file, without a network."""

import json
import re
from dataclasses import replace

import pytest
from browsing import axe, cut_off, overflow
from documents import checked, made_up

from nffs.report import render_journal, render_report
from nffs.report.templating import breakable
from nffs.search.events import Cut
from nffs.selection import Check, Extent, Front, MemberScore, Point
from nffs.table.encoding import EncodedColumn

pytest.importorskip("selenium", reason="selenium is not installed: pip install -e '.[dev]'")

from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
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

PAGES = ["page", "checked_page", "guided_page", "genetic_page", "journal_page", "panel_page"]


@pytest.fixture(scope="module")
def journal_page(fitted):
    return render_journal(fitted.journal)


@pytest.fixture(scope="module")
def panel_page():
    """A page about a panel of models and a search that a time limit stopped."""
    selection, points = checked(), []
    for size, score in ((3, 0.8), (12, 0.8654), (20, 0.8661)):
        members = (MemberScore("forest", score - 0.02, 0.8), MemberScore("ridge", score + 0.02, 0))
        check = Check(f"{size} of 30 features do so.", members, 0.0, 0.01)
        points.append(Point(size, score, 0.004, tuple(range(size)), check))
    columns = tuple(EncodedColumn(f.column, "numeric") for f in selection.features)
    extent = Extent(258, (Cut("drawn subsets", 60, 180), Cut("elimination", 0, 2)))
    return render_report(replace(selection, front=Front(tuple(points), columns), extent=extent))


@pytest.fixture(scope="module")
def wide_page():
    return render_report(made_up(20_000, n_selected=900, n_nested=9000))


def column(driver, place):
    """The cells of a column of the feature table, as they are shown."""
    return driver.execute_script(
        "return Array.from(document.querySelectorAll('#table tbody tr'))"
        ".filter(r => !r.hidden).map(r => r.cells[arguments[0]].innerText.trim())",
        place,
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", PAGES)
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


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_of_20_000_columns_opens_offline_and_fits(browser, wide_page, width):
    driver = browser(wide_page, width=width)
    assert driver.get_log("browser") == []
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert overflow(driver) == 0


@pytest.mark.parametrize("which", [*PAGES, "wide_page"])
def test_no_table_is_cut_off_on_a_phone(browser, request, which):
    driver = browser(request.getfixturevalue(which), width=390)
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    assert overflow(driver) == 0
    assert cut_off(driver) == []


def test_no_table_is_cut_off_by_long_names(browser, checked_page):
    """With every column that the table can have, at the width of a small notebook's screen."""
    long = "dst_host_srv_diff_host_rate"
    noise = re.compile(r"<bdi>noise_<wbr>(\d+)</bdi>")
    assert len(set(noise.findall(checked_page))) == 12
    page = noise.sub(rf"<bdi>{breakable(long)}_<wbr>\1</bdi>", checked_page)
    driver = browser(page)
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    assert len(driver.find_elements(By.CSS_SELECTOR, "#table thead th")) == 11
    assert cut_off(driver) == []


def test_the_first_screen_has_one_score_of_the_selection(browser, panel_page):
    """Its models' scores, and those on unseen rows, are named as such."""
    driver = browser(panel_page)
    seen = [
        driver.find_element(By.CSS_SELECTOR, place).text
        for place in (".facts .main .value", ".facts .main + div .value", "#pick-score")
    ]
    assert seen == ["0.881 to 0.893", "0.8654", "0.8654"]
    expected, score = driver.find_elements(By.CSS_SELECTOR, ".facts dt")[:2]
    assert expected.text == "f1 to expect on new rows"
    assert score.text == "f1 on the rows used to choose"
    answer = driver.find_element(By.TAG_NAME, "h1").text
    assert "(0.877 by logistic against 0.843 by forest)" in answer
    lede = driver.find_element(By.CLASS_NAME, "lede").text
    assert lede.startswith("Averaged over the models, they score f1 0.865 on the rows used to ")
    notice = driver.find_element(By.CLASS_NAME, "notice").text
    assert notice.startswith(
        "Stopped early, after 60 of 180 drawn subsets: no features were eliminated"
    )


class TestSize:
    """The slider over the front: features, score, code, and the mark in the chart."""

    def shown(self, driver):
        names = driver.execute_script(
            "return Array.from(document.querySelectorAll("
            "'#chosen-names li, #picked-names li')).filter(li => li.offsetParent)"
            ".map(li => li.innerText.trim())"
        )
        ids = ("pick-size", "pick-score", "pick-interval", "code-1", "code-2")
        texts = {name: driver.find_element(By.ID, name).text for name in ids}
        mark = driver.find_element(By.CSS_SELECTOR, "#front-chart .picked")
        return {"names": names, **texts, "mark": mark.get_attribute("cx")}

    def test_by_keyboard_everything_changes(self, browser, page, fitted):
        driver, selection = browser(page), fitted.selection_
        slider, before = driver.find_element(By.ID, "size"), self.shown(driver)
        assert set(before["names"]) == set(selection.selected_features)
        assert before["pick-score"] == f"{selection.fitness:.4f}"
        slider.send_keys(Keys.HOME)
        after = self.shown(driver)
        assert all(after[name] != before[name] for name in before)
        point = selection.front.points[0]
        small = selection.at_most(point.size)
        assert set(after["names"]) == set(small.selected_features)
        assert after["pick-size"] == str(point.size)
        assert after["pick-score"] == f"{point.fitness:.4f}"
        low = point.fitness - 1.96 * point.standard_error
        assert after["pick-interval"].startswith(f"95 % interval {low:.4f} to ")
        assert f'Selection.load("selection.json").at_most({point.size})' in after["code-1"]
        assert f"nffs pick selection.json --at-most {point.size} --out" in after["code-2"]
        assert slider.get_attribute("aria-valuetext").startswith(f"{point.size} feature")
        driver.find_element(By.ID, "pick-reset").click()
        assert self.shown(driver) == before
        assert driver.get_log("browser") == []

    def test_the_models_scores_change_with_the_size(self, browser, panel_page):
        driver = browser(panel_page)
        mean, score = (driver.find_element(By.ID, f"pick-{what}") for what in ("mean", "score"))
        assert mean.text == "mean of forest 0.8543 and logistic 0.8765"
        driver.find_element(By.ID, "size").send_keys(Keys.HOME)
        assert (score.text, mean.text) == ("0.8000", "mean of forest 0.7800 and ridge 0.8200")
        assert driver.find_element(By.ID, "pick-verdict").text == "3 of 30 features do so."

    def test_larger_ones_can_be_had_too(self, browser, genetic):
        driver = browser(render_report(genetic.selection_.at_most(genetic.front_[0].size)))
        driver.find_element(By.ID, "size").send_keys(Keys.END)
        size = genetic.front_[-1].size
        shown = self.shown(driver)
        assert f".of_size({size})" in shown["code-1"]
        assert f"--size {size} " in shown["code-2"]

    def test_a_mark_of_the_chart_can_be_touched(self, browser, page):
        driver = browser(page, width=390)
        mark = driver.find_elements(By.CSS_SELECTOR, "#front-chart .pick")[-2]
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
        finger = PointerInput("touch", "finger")
        touch = ActionBuilder(driver, mouse=finger)
        touch.pointer_action.move_to(mark).pointer_down().pointer_up()
        touch.perform()
        steps = driver.execute_script(
            "return JSON.parse(document.getElementById('data').textContent).picks.steps"
        )
        shown = driver.find_element(By.ID, "pick-size").text
        assert shown == str(steps[-2]["size"])


class TestTips:
    """What a mark says: to a mouse, a finger and the keyboard."""

    def tip(self, driver):
        return driver.find_element(By.CSS_SELECTOR, ".tip")

    @pytest.mark.parametrize("which", ["page", "checked_page", "guided_page"])
    def test_by_keyboard(self, browser, request, which):
        driver = browser(request.getfixturevalue(which))
        for chart in driver.find_elements(By.CSS_SELECTOR, "svg[role=img]"):
            tips = [
                mark.get_attribute("data-tip")
                for mark in chart.find_elements(By.CSS_SELECTOR, "[data-tip]")
            ]
            chart.send_keys(Keys.ARROW_RIGHT)
            assert self.tip(driver).text == tips[0]
            said = driver.find_element(By.ID, "said")
            assert said.get_attribute("textContent") == tips[0]
            chart.send_keys(Keys.END)
            assert self.tip(driver).text == tips[-1]
            chart.send_keys(Keys.ESCAPE)
            assert not self.tip(driver).is_displayed()

    def test_by_touch(self, browser, checked_page):
        driver = browser(checked_page, width=390)
        mark = driver.find_element(By.CSS_SELECTOR, "figure .bar[data-tip]")
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
        touch = ActionBuilder(driver, mouse=PointerInput("touch", "finger"))
        touch.pointer_action.move_to(mark).pointer_down().pointer_up()
        touch.perform()
        tip = self.tip(driver)
        assert tip.is_displayed()
        assert tip.text == mark.get_attribute("data-tip")
        assert overflow(driver) == 0
        assert driver.get_log("browser") == []

    def test_by_mouse_beside_a_mark_and_away(self, browser, page):
        driver = browser(page)
        chart = driver.find_element(By.ID, "front-chart")
        mark = chart.find_element(By.CSS_SELECTOR, ".chosen")
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
        ActionChains(driver).move_to_element(mark).perform()
        assert "features, 0." in self.tip(driver).text
        away = driver.find_element(By.TAG_NAME, "h1")
        ActionChains(driver).move_to_element(away).perform()
        assert not self.tip(driver).is_displayed()


def test_selected_again_is_on_the_screen(browser, checked_page):
    driver = browser(checked_page)
    (head,) = driver.find_elements(By.XPATH, "//th[contains(., 'selected again')]")
    box = driver.execute_script("return arguments[0].getBoundingClientRect().right", head)
    frame = driver.execute_script(
        "return document.getElementById('table').parentElement.getBoundingClientRect().right"
    )
    assert box <= frame <= 1280


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


def test_all_that_lie_below_the_threshold_are_counted(browser, wide_page):
    """Also those that the page does not list: 900 are selected, and it lists 200."""
    driver = browser(wide_page)
    slider = driver.find_element(By.ID, "threshold")
    text = driver.find_element(By.ID, "threshold-text")
    assert text.text.endswith("900 of the 900 selected among them.")
    slider.send_keys(Keys.END)
    assert text.text.startswith("0 of 19,999 features")
    assert text.text.endswith(" and 895 more.")


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
        ".threshold.steps[document.getElementById('threshold').value]"
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
    button = driver.find_element(By.CSS_SELECTOR, "[data-copy=code-2]")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
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


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", PAGES)
def test_accessible(browser, request, which, width, dark):
    assert axe(browser(request.getfixturevalue(which), width=width, dark=dark)) == []
