"""The documentation site: Markdown pages as they stand in docs/, and docstrings. See `make docs`.

The pages hold no navigation, so that they read well as plain Markdown on a code host; it is here.
Nothing is loaded from anywhere at build time, and the built pages open offline.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))  # for _entries and _mathml

from nffs import __version__  # noqa: E402

#: The side bar: pages and what they are called there. A page that is not there is left out.
NAVIGATION = {
    "Begin": {
        "quickstart": "Quick start",
        "tutorial-connections": "Tutorial: the embedded table",
        "tutorial-nsl-kdd": "Tutorial: NSL-KDD",
        "which-selector": "Which selector?",
        "faq": "Questions",
    },
    "User guide": {
        "files": "Files",
        "pipelines": "Pipelines",
        "categories": "Categorical data",
        "missing": "Missing values",
        "dates": "Dates and times",
        "constraints": "What may be selected",
        "honesty": "Honest scores",
        "transfer": "Your kind of model",
        "regression": "Numbers to predict",
        "other-methods": "Other methods",
        "guided": "The guided search",
        "callbacks": "Callbacks",
        "scale": "Big data",
        "wide": "Wide tables",
        "journal": "Resume a search",
        "dask": "Dask",
        "plotting": "Plots and notebooks",
        "report": "The report",
        "terminal": "The terminal",
        "commands": "Commands",
    },
    "How it works": {
        "method": "The method",
        "engine": "The engine",
        "reliability": "What is promised",
        "benchmarks": "Benchmarks",
        "comparison-study": "All methods compared",
        "paper": "The paper, reproduced",
    },
    "Reference": {"api/index": "API", "glossary": "Glossary"},
    "The project": {
        "architecture": "Architecture",
        "contributing": "Contributing",
        "changelog": "Changelog",
    },
}

project = "nffs"
author = "The nffs developers"
release = version = __version__
copyright = author

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "_entries", "_mathml"]
# introductions are parts of generated pages
exclude_patterns = [
    "_build",
    "comparison/*",
    "honesty/*",
    "paper/*",
    "regression/*",
    "reliability/*",
    "scale/*",
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
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}
pygments_style = "tango"
pygments_dark_style = "monokai"


def add_navigation(app: Any, name: str, source: list[str]) -> None:
    """Put the side bar's tables of contents at the end of the front page."""
    if name != "index":
        return
    for section, pages in NAVIGATION.items():
        lines = "\n".join(
            f"{title} <{page}>" for page, title in pages.items() if (DOCS / f"{page}.md").exists()
        )
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {section}\n\n{lines}\n```\n"


def setup(app: Any) -> None:
    """Let Sphinx call us when it reads a page."""
    app.connect("source-read", add_navigation)
