"""A reproduction as an HTML page: what it found in sentences, then figures, then tables."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nffs.atomic import write_text
from nffs.report.page import render

#: What the figures show, by the names of their files.
CAPTIONS = {
    "figure-1": "Figure 1: one-hot and ordinal encoding",
    "figure-4": "Figure 4: mutual information and the threshold",
    "figure-5": "Figure 5: fitness of the drawn subsets with and without PCA",
    "figure-6": "Figure 6: drawn against nested subsets",
    "figure-7": "Figure 7: F-score and AUC of the reported subsets",
}


def write_reproduction(folder: Path, figures: Iterable[str], **page: Any) -> Path:
    """Write the page into the folder that has the SVG files of the figures, and give its path.

    Its title, its sentences and its tables are given by these names, and so is the notice, what a
    reader must know before anything else; it may be empty.
    """
    # As images, not as part of the page: every drawing brings names and styles of its own.
    charts = {
        CAPTIONS[name]: base64.b64encode((folder / f"{name}.svg").read_bytes()).decode()
        for name in figures
    }
    path = folder / "index.html"
    write_text(path, render("reproduction.html.j2", page, charts=charts))
    return path
