"""A real notebook, run by a real kernel: what its outputs show."""

import html
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import numpy as np
import polars as pl
import pytest
import sklearn
from nbclient import NotebookClient
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from nffs import NFFS, Selector
from nffs.report.palette import BAR, BLUE, MARK

CELLS = (
    "from nffs import NFFS, make_connections\n"
    "table = make_connections(300)\n"
    "selector = NFFS(n_subsets=12, n_nested=8, random_state=0)\n"
    "selector",
    "selector.fit(table.data, table.target)",
    "from nffs.plotting import NestedCurveDisplay\nNestedCurveDisplay.from_selector(selector);",
    "selector.report()",
    "from sklearn.naive_bayes import GaussianNB\n"
    "for seed in range(3):\n"
    "    again = NFFS(estimator=GaussianNB(), n_subsets=4, n_nested=2, random_state=seed)\n"
    "    again.fit(table.data, table.target)\n"
    "again.set_params(callbacks=[]).fit(table.data, table.target);",
    "again.set_params(callbacks=None, n_top=9).fit(table.data, table.target)",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The outputs of the cells, as a reader sees them."""
    home = tmp_path_factory.mktemp("jupyter")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    kept = {name: os.environ.get(name) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR")}
    os.environ.update(dict.fromkeys(kept, str(home)))
    try:
        client = NotebookClient(book, timeout=300, kernel_name="python3", allow_errors=True)
        client.execute(cwd=str(Path.cwd()))
    finally:
        for name, value in kept.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
    return [cell.outputs for cell in book.cells]


def bundles(cell):
    return [o.data for o in cell if o.output_type in ("display_data", "execute_result")]


def test_unfitted_it_is_scikit_learns_diagram(outputs):
    (shown,) = bundles(outputs[0])
    assert "sk-top-container" in shown["text/html"]
    assert shown["text/plain"].startswith("NFFS(")


def test_the_bar_ends_full_in_one_output(outputs):
    bar, result = bundles(outputs[1])
    assert re.search(r'<progress max="(\d+)" value="\1"', bar["text/html"])
    # 12 drawn, 8 nested, all features, and what the final check had to try
    done = int(re.search(r"<span>(\d+)/\1</span>", bar["text/html"])[1])
    assert done > 12 + 8 + 1
    assert "<span>done</span>" in bar["text/html"]
    assert "sk-top-container" not in result["text/html"]


def test_nothing_is_written_beside_the_outputs(outputs):
    for cell in outputs[:5]:
        written = [o for o in cell if o.output_type in ("stream", "error")]
        # Once in a new copy of the repository, the kernels are compiled, and a note says so.
        assert [o for o in written if "compiling the kernels" not in o.get("text", "")] == []


def test_the_fits_of_a_cell_share_one_bar(outputs):
    (bar,) = bundles(outputs[4])
    assert "<progress max=" in bar["text/html"]
    assert "<span>done</span>" in bar["text/html"]


def test_a_fit_that_is_refused_shows_no_bar(outputs):
    assert any(o.output_type == "error" and "n_top" in o.evalue for o in outputs[5])
    assert all("<progress" not in shown["text/html"] for shown in bundles(outputs[5]))


def test_the_whole_report_is_shown_inline(outputs):
    (shown,) = bundles(outputs[3])
    assert shown["text/plain"].startswith("<nffs report: ")
    frame = shown["text/html"]
    assert re.match(r'<iframe title="nffs report" sandbox="allow-scripts" ', frame)
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>")
    assert "nffs selection report" in page


def test_the_report_can_be_saved_and_is_the_written_one(quick, connections, tmp_path):
    selector = quick().fit(connections.data, connections.target)
    selector.report().save(tmp_path / "saved.html")
    selector.write_report(tmp_path / "written.html")
    saved = (tmp_path / "saved.html").read_text(encoding="utf-8")
    assert saved == (tmp_path / "written.html").read_text(encoding="utf-8")
    assert saved == str(selector.report())


def test_fitted_it_is_a_summary(outputs):
    shown = bundles(outputs[1])[1]["text/html"]
    assert re.search(r"<b>\d+ of \d+ features do [^<]+</b>", shown)
    assert "10-fold stratified cross-validation of the training rows" in shown
    assert re.search(r"<b>0\.\d{4}</b>, mean of \w+ 0\.\d{4} and \w+ 0\.\d{4}", shown)
    assert re.search(r'<p class="verdict">Averaged over the models, they score f1 0\.\d{3}', shown)
    assert "chosen in the final check" in shown
    assert '<path class="front"' in shown


def test_a_display_is_shown_as_a_picture(outputs):
    assert any("image/png" in shown for shown in bundles(outputs[2]))


class _Strict(HTMLParser):
    """Follows the tags: each that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_names_are_text(quick):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    evil = '<script>alert("x")</script>'
    frame = pl.DataFrame({evil: y + rng.normal(0, 0.5, 120), evil[1:]: y + rng.normal(0, 0.5, 120)})
    shown = quick(n_nested=1).fit(frame, y)._repr_mimebundle_()["text/html"]
    assert "script&gt;alert(&#34;x&#34;)&lt;/script&gt;" in shown
    page = _Strict()
    page.feed(shown)
    assert not page.open
    assert "script" not in page.seen


def test_it_has_the_selectors_numbers(quick, connections):
    selector = quick().fit(connections.data, connections.target)
    shown = selector._repr_html_()
    assert (
        f"<b>{selector.fitness_:.4f}</b> (all features {selector.all_features_fitness_:.4f})"
        in shown
    )
    assert f"<b>{selector.final_.verdict}</b>" in shown
    weights = dict(zip(selector.features_, selector.frequency_weights_, strict=True))
    ranks = dict(zip(selector.features_, selector.ranking_, strict=True))
    first = sorted(selector.selected_features_, key=ranks.get)[:10]
    bars = re.findall(
        r"<li><span><bdi>(.+?)</bdi></span><i style=\"width: ([\d.]+)%\"></i><b>(.+?)</b></li>",
        shown,
    )
    assert [name for name, *_ in bars] == first
    assert [value for *_, value in bars] == [f"{weights[name]:+.4f}" for name in first]
    lengths = [100 * max(0, weights[name]) / weights[first[0]] for name in first]
    assert [float(length) for _, length, _ in bars] == pytest.approx(lengths, abs=0.06)
    assert "<dt>positive label</dt><dd><bdi>attack</bdi></dd>" in shown
    assert len(shown) < 16_000


def test_many_features_are_counted(quick):
    X = np.random.default_rng(0).normal(size=(80, 40))
    selector = quick(n_nested=39, choose="method").fit(X, X.sum(axis=1) > 0)
    n_more = len(selector.selected_features_) - 10
    assert n_more > 0
    assert f"and {n_more} more" in selector._repr_html_()


def test_colours_are_the_notebooks(quick, connections):
    shown = quick().fit(connections.data, connections.target)._repr_html_()
    assert set(re.findall(r"#[0-9a-f]{6}", shown)) == {BLUE, MARK, BAR}
    assert "--ink: currentColor" in shown
    # nothing outside of the output is styled
    rules = re.search(r"<style>(.*?)</style>", shown, re.S)[1]
    selectors = re.sub(r"/\*.*?\*/|\{.*?\}", "\n", rules, flags=re.S).replace(",", "\n").split("\n")
    assert all(s.strip().startswith(".nffs") for s in selectors if s.strip())


def test_a_partial_search_has_no_curve(quick, connections):
    selector = quick().fit(connections.data, connections.target)
    selector.partial_, selector.all_features_fitness_ = True, float("nan")
    shown = selector._repr_html_()
    assert "Interrupted" in shown
    assert "<svg" not in shown


def test_pipelines_keep_their_diagram(quick, connections):
    pipeline = make_pipeline(quick(), LogisticRegression())
    pipeline.fit(connections.data, connections.target)
    shown = pipeline._repr_html_()
    assert "sk-top-container" in shown
    assert "NFFS" in shown
    assert 'class="verdict"' not in shown


def test_another_method_is_shown_by_its_subsets(connections):
    selector = Selector("ga", max_evaluations=12, random_state=0)
    shown = selector.fit(connections.data, connections.target)._repr_html_()
    assert re.search(r"<b>\d+ of 46 features score f1 0\.", shown)
    assert "<dt>method</dt><dd><bdi>ga</bdi></dd>" in shown
    assert shown.count('<circle class="dot"') == 12 + 1  # and the legend's


def test_scikit_learns_text_display_is_respected(quick, connections):
    selector = quick().fit(connections.data, connections.target)
    with sklearn.config_context(display="text"):
        assert "text/html" not in selector._repr_mimebundle_()
        assert not hasattr(selector, "_repr_html_")


def test_a_fit_that_failed_shows_the_diagram(connections):
    selector = NFFS(n_subsets=3, n_top=2, n_bottom=2)
    with pytest.raises(ValueError, match="n_top"):
        selector.fit(connections.data, connections.target)
    assert "sk-top-container" in selector._repr_html_()
