"""A reproduction as an HTML page: a verdict, then charts, then what they were made of."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from nffs.paper.charts import draw_reproduction
from nffs.paper.reported import ReportedSubset
from nffs.paper.verdict import headline, verdict_lines
from nffs.report.page import render
from nffs.validation.given import F_SCORE

#: What the figures show, by the names of their files.
CAPTIONS = {
    "figure-1": "Figure 1: one-hot and ordinal encoding",
    "figure-4": "Figure 4: mutual information and the threshold",
    "figure-5": "Figure 5: fitness of the drawn subsets with and without PCA",
    "figure-6": "Figure 6: drawn against nested subsets",
    "figure-7": "Figure 7: F-score and AUC of the reported subsets",
}


def render_reproduction(
    document: Mapping[str, Any],
    subsets: Sequence[ReportedSubset],
    figures: Mapping[str, bytes],
    notice: str = "",
) -> str:
    """Render what a reproduction found, from the document that `reproduction.json` holds.

    Parameters
    ----------
    document : mapping
        All that was found.
    subsets : sequence of ReportedSubset
        What the paper reports, the paper's own subset last.
    figures : mapping of str to bytes
        The paper's figures as SVG files, by their names.
    notice : str
        What a reader must know before anything else.
    """
    # As images, not as part of the page: every drawing brings names and styles of its own.
    drawn = {CAPTIONS[name]: base64.b64encode(text).decode() for name, text in figures.items()}
    page = {
        "title": headline(document, subsets),
        "notice": notice,
        "verdict": verdict_lines(document, subsets),
        "stand_in": document["stand_in"],
        "n_seeds": len(document["seeds"]),
        "reported": subsets[-1].scores[F_SCORE][0],
        "figures": drawn,
        "sentences": [sentence for sentence in document["sentences"] if sentence != notice],
        "tables": document["tables"],
    }
    return render("reproduction.html.j2", page, charts=draw_reproduction(document, subsets))
