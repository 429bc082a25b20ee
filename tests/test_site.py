"""The documentation site: built without a warning, whole, and quiet when it is opened."""

import importlib
import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import browsing
import pytest

import nffs

DOCS = Path(__file__).parents[1] / "docs"
MODULES = ("datasets", "errors", "methods", "plotting", "report", "stability", "validation")

for _needed in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(_needed, reason=f"the extra 'docs' is not installed: no {_needed}")


class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what it makes a browser load."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads, self.equations = set(), [], [], 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        self.equations += tag == "math"
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") not in ("index", "search", "next", "prev"):
            self.loads.append(found["href"])
        self.loads += [
            found[name] for name in ("src", "srcset", "data", "poster") if found.get(name)
        ]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does; give its folder and its pages."""
    out = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", DOCS, out],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return out, {path: Page(path) for path in sorted(out.rglob("*.html"))}


def test_every_page_is_there(site):
    folder, pages = site
    written = [*DOCS.glob("*.md"), *(DOCS / "api").glob("*.md")]
    for page in written:
        assert folder / page.relative_to(DOCS).with_suffix(".html") in pages


def test_links_and_anchors_lead_somewhere(site):
    _, pages = site
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {link}"
            # what stands behind a # of the search page is read by its script
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{path.name}: {link}"
            checked += 1
    assert checked > 100


def test_nothing_is_loaded_from_outside(site):
    folder, pages = site
    for path, page in pages.items():
        for load in page.loads:
            assert not re.match(r"(https?:)?//", load), f"{path.name}: {load}"
            target = path.parent / unquote(urlsplit(load).path)
            assert load.startswith("data:") or target.is_file(), f"{path.name}: {load}"
    for path in folder.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", text), path.name


def test_equations_are_mathml(site):
    folder, pages = site
    page = pages[folder / "method.html"]
    assert page.equations >= 4
    text = (folder / "method.html").read_text(encoding="utf-8")
    for number in range(1, 5):
        assert f'<span class="equation-number">({number})</span>' in text
    assert "$$" not in text
    assert r"\frac" not in text


def public_names():
    """Give every public name as the addresses under which it may be documented."""
    for name in nffs.__all__:
        yield {f"nffs.{name}"}
    for part in MODULES:
        module = importlib.import_module(f"nffs.{part}")
        for name, value in vars(module).items():
            home = getattr(value, "__module__", "")
            ours = inspect.isclass(value) or (inspect.isfunction(value) and part != "errors")
            own = name in module.__all__ if hasattr(module, "__all__") else home == module.__name__
            if ours and own and not name.startswith("_"):
                yield {f"nffs.{part}.{name}", f"nffs.{name}"}


def test_every_public_name_has_its_place(site):
    _, pages = site
    anchors = set().union(*(pages[path].anchors for path in pages if path.parent.name == "api"))
    names = list(public_names())
    assert len(names) > 30
    assert [sorted(either) for either in names if not either & anchors] == []


@pytest.mark.parametrize("name", ["NFFS", "Selector", "BinnedForestClassifier"])
def test_fitted_attributes_keep_their_underscore(site, name):
    folder, _ = site
    text = "".join(path.read_text(encoding="utf-8") for path in (folder / "api").glob("*.html"))
    documented = inspect.getdoc(getattr(nffs, name)).partition("Attributes\n----------\n")[2]
    attributes = re.findall(r"^((?:\w+_, )*\w+_)(?= :|$)", documented, re.MULTILINE)
    names = [each for entry in attributes for each in entry.split(", ")]
    assert names
    for each in names:
        assert f'<span class="pre">{each}</span>' in text, each


def test_a_shape_is_no_link(site):
    folder, pages = site
    links = pages[folder / "api" / "selectors.html"].links
    assert [link for link in links if link.endswith("SearchSpace.n_features")] == []


def test_the_front_page_leads_to_every_page(site):
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = [page.name for page in DOCS.glob("*.md") if page.name != "index.md"]
    assert [name for name in pages if f"({name}" not in text] == []


def test_the_gallery_has_every_picture():
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    pictures = [
        path.relative_to(DOCS).as_posix()
        for folder, kind in (("plots", "*.svg"), ("paper", "*.svg"), ("images", "*.png"))
        for path in (DOCS / folder).glob(kind)
    ]
    assert len(pictures) > 20
    # the dark twin of a picture is shown in its place
    shown = {name for name in pictures if f'"{name.replace("-dark.", "-light.")}"' in text}
    assert set(pictures) - shown == set()


def test_pictures_follow_the_colour_scheme(site):
    folder, _ = site
    text = (folder / "gallery.html").read_text(encoding="utf-8")
    assert re.search(r'<img[^>]*class="drawing"[^>]*weights\.svg', text)
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert re.search(r'<img[^>]*class="only-light"[^>]*report-light\.png', text)
    assert re.search(r'<img[^>]*class="only-dark"[^>]*report-dark\.png', text)


@pytest.mark.skipif(bool(browsing.missing()), reason=browsing.missing())
def test_code_can_be_copied_and_output_cannot(site):
    folder, _ = site
    with browsing.chromium() as driver:
        driver.get((folder / "quickstart.html").as_uri())
        buttons = driver.find_elements("css selector", "button.copy")
        typed = driver.find_elements("css selector", ".highlight-python, .highlight-sh")
        assert len(buttons) == len(typed) > 3
        assert driver.find_elements("css selector", ".highlight-text button") == []
        driver.execute_script("arguments[0].click()", buttons[0])
        said = "return new Promise(done => setTimeout(() => done(arguments[0].textContent), 200))"
        assert driver.execute_script(said, buttons[0]) == "Copied"
        errors = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        assert errors == []
