"""The documentation site: Markdown pages as they stand in docs/, and docstrings. See `make docs`.

The pages hold no navigation, so that they read well as plain Markdown on a code host; it is here.
Nothing is loaded from anywhere at build time, and the built pages open offline.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))  # for _entries, _mathml and _pictures

from nffs import __version__  # noqa: E402

#: The side bar. Pages are called there as they call themselves.
NAVIGATION = {
    "Begin": (
        "quickstart",
        "gallery",
        "tutorial-connections",
        "tutorial-nsl-kdd",
        "tutorial-thyroid",
        "tutorial-genes",
        "tutorial-houses",
        "which-selector",
        "faq",
    ),
    "User guide": (
        "files",
        "pipelines",
        "categories",
        "missing",
        "dates",
        "imbalance",
        "constraints",
        "honesty",
        "shift",
        "unlabelled",
        "transfer",
        "regression",
        "wide",
        "scale",
        "gpu",
        "journal",
        "callbacks",
        "other-methods",
        "guided",
        "plotting",
        "report",
        "terminal",
    ),
    "How it works": ("method", "engine", "reliability", "benchmarks", "comparison-study", "paper"),
    "Reference": ("api/index", "commands", "glossary"),
    "The project": ("architecture", "contributing", "changelog"),
}

project = "nffs"
author = "The nffs developers"
release = version = __version__
copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "_entries",
    "_mathml",
    "_pictures",
]
# introductions are parts of generated pages
exclude_patterns = [
    "_build",
    "categories/*",
    "comparison/*",
    "gpu/*",
    "honesty/*",
    "imbalance/*",
    "missing/*",
    "paper/*",
    "regression/*",
    "reliability/*",
    "scale/*",
    "shift/*",
    "transfer/*",
    "wide/*",
]

myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

napoleon_google_docstring = False  # numpydoc's
napoleon_use_rtype = False
autodoc_typehints = "none"  # docstrings say types in words
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
default_role = "code"  # `name` in docstrings

# every reference to a name of ours must lead somewhere; words such as "optional" need not
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!nffs\.).*")]

html_theme = "furo"
html_title = f"nffs {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("copy.js", {"defer": "defer"})]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_math_renderer = "mathml"
html_theme_options = {
    "light_logo": "logo-light.svg",
    "dark_logo": "logo-dark.svg",
    "sidebar_hide_name": True,
    "navigation_with_keys": True,
}
pygments_style = "tango"
pygments_dark_style = "monokai"


def add_navigation(app: Any, name: str, source: list[str]) -> None:
    """Put the side bar's tables of contents at the end of the front page."""
    if name != "index":
        return
    for section, pages in NAVIGATION.items():
        lines = "\n".join(pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {section}\n\n{lines}\n```\n"


def setup(app: Any) -> None:
    """Let Sphinx call us when it reads a page."""
    app.connect("source-read", add_navigation)
