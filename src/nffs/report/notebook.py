"""A selector as notebooks and prompts show it: scikit-learn's way, or once fitted what it found."""

from __future__ import annotations

from typing import Any

from nffs._sklearn import in_lines
from nffs.report.charts import draw_charts
from nffs.report.palette import NOTEBOOK
from nffs.report.summary import summarize
from nffs.report.templating import environment, source
from nffs.selection import Selection, describe

#: Features named in the summary; the others are counted.
MOST_NAMES = 12


class FittedSummary:
    """Shows a fitted selector by its result; comes before `BaseEstimator` among the bases.

    Unfitted it is scikit-learn's diagram, and inside a pipeline's diagram always: that is drawn by
    the pipeline, which does not ask its steps.
    """

    def _repr_html_inner(self) -> str:
        # The last thing that `fit` sets: a fit that failed half way has nothing to show.
        if not hasattr(self, "seconds_"):
            return str(super()._repr_html_inner())  # type: ignore[misc]
        return render_notebook(self.selection_, super().__repr__())  # type: ignore[attr-defined]

    @in_lines
    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """Give the selector as code; below it, once it is fitted, what it found."""
        code = super().__repr__(N_CHAR_MAX)  # type: ignore[call-arg]
        if not hasattr(self, "seconds_"):
            return code
        return f"{code}\n# {describe(self.selection_)}"  # type: ignore[attr-defined]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:  # not where scikit-learn's display is set to text
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def render_notebook(selection: Selection, code: str) -> str:
    """Render the first part of the report, in the notebook's own ink and without a script.

    `code` is the selector as code. Names come from data and are escaped.
    """
    summary = summarize(selection)
    names = summary["selected"]["shown"][:MOST_NAMES]
    template = environment().get_template("notebook.html.j2")
    return template.render(
        summary,
        names=names,
        n_more=len(selection.selected_features) - len(names),
        charts=draw_charts(summary, "curve", "subsets"),
        code=code,
        colours=NOTEBOOK,
        style=source("charts.css"),
    )
