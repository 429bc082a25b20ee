"""What the report's tests share: a selection, a journal, and a browser where there is one."""

import browsing
import pytest
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, Selector
from nffs.report import render_report
from nffs.search.journal.journal import kept_in
from nffs.validation import nested_score, selection_stability


@pytest.fixture(scope="session")
def fitted(connections, tmp_path_factory):
    """A selector that is done in a moment, with its journal."""
    path = tmp_path_factory.mktemp("search") / "search.db"
    return NFFS(
        estimator=GaussianNB(), n_subsets=20, n_nested=12, random_state=0, journal=path
    ).fit(connections.data, connections.target)


@pytest.fixture(scope="session")
def genetic(connections):
    """A selector by another method."""
    selector = Selector("ga", estimator=GaussianNB(), max_evaluations=40, random_state=0)
    return selector.fit(connections.data, connections.target)


@pytest.fixture(scope="session")
def guided(connections):
    """A selector by the guided search."""
    selector = Selector("guided", estimator=GaussianNB(), max_evaluations=40, random_state=0)
    return selector.fit(connections.data, connections.target)


@pytest.fixture(scope="session")
def checked_page(connections, fitted):
    """A page with nested scores and stability, as `nffs select --check` writes it."""
    selector = NFFS(estimator=GaussianNB(), n_subsets=8, n_nested=4, random_state=0)
    X, y = connections.data, connections.target
    nested = nested_score(selector, X, y, cv=3, models={"bayes": GaussianNB()})
    again = selection_stability(selector, X, y, n_runs=3)
    return render_report(fitted.selection_, nested=nested, stability=again)


@pytest.fixture(scope="session")
def page(fitted):
    return render_report(fitted.selection_)


@pytest.fixture(scope="session")
def genetic_page(genetic):
    return render_report(genetic.selection_)


@pytest.fixture(scope="session")
def guided_page(guided):
    return render_report(guided.selection_)


@pytest.fixture
def empty_journal(tmp_path):
    path = tmp_path / "empty.db"
    with kept_in(path, {"evaluated_on": "x", "scoring": "'f1'"}, ["a", "b"], {}):
        pass
    return path


@pytest.fixture(scope="session")
def _chromium():
    lacking = browsing.missing()
    if lacking:
        pytest.skip(lacking)
    with browsing.chromium() as driver:
        # Nothing may come from anywhere but the file.
        driver.execute_cdp_cmd("Network.enable", {})
        offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
        yield driver


@pytest.fixture
def browser(_chromium, tmp_path):
    """Open a page from a file; gives Selenium's driver. Logs begin with the page."""

    def open_page(text, *, width=1280, dark=False):
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        browsing.look(_chromium, width=width, dark=dark)
        _chromium.get("about:blank")
        for log in ("browser", "performance"):
            _chromium.get_log(log)
        _chromium.get(path.as_uri())
        return _chromium

    return open_page
