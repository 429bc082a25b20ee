"""A selector as notebooks and prompts show it: scikit-learn's way, or once fitted what it found."""

from __future__ import annotations

from typing import Any

from nffs._sklearn import in_lines
from nffs.report.charts import draw_charts
from nffs.report.palette import NOTEBOOK
from nffs.report.summary import summarize
from nffs.report.templating import environment, source
from nffs.selection import Selection, describe

#: Features that the summary shows; the others are counted.
MOST_FEATURES = 10


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
    """Render the first part of the report, in the notebook's own text colour and without a script.

    `code` is the selector as code. Names come from data and are escaped.
    """
    summary = summarize(selection)
    if summary["subsets"] is not None:
        summary["subsets"]["picks"] = []  # there is no slider that they are the places of
    measure, bars = _first_features(summary)
    template = environment().get_template("notebook.html.j2")
    return template.render(
        summary,
        measure=measure,
        bars=bars,
        n_more=len(selection.selected_features) - len(bars),
        charts=draw_charts(summary, "subsets"),
        code=code,
        colours=NOTEBOOK,
        style=source("charts.css"),
    )


def _first_features(summary: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Give the selected features that count most, each with its bar's length, and what counts.

    That is the weight of the paper's method, what a feature adds by the model of the guided search,
    or else its mutual information with the label.
    """
    selected = [row for row in summary["features"]["rows"] if row["selected"]]
    key, measure = "mi", "mutual information"
    if summary["has_phases"] and any(row["weight"] for row in selected):
        key, measure = "weight", "weight"
    elif summary["features"]["with_effects"]:
        key, measure = "effect", "what it adds"
    first = sorted(selected, key=lambda row: -row[key])[:MOST_FEATURES]
    largest = max((row[key] for row in first), default=0.0)
    return measure, [
        {
            "name": row["name"],
            "value": row[key],
            "share": max(0.0, row[key] / largest) if largest > 0 else 0.0,
        }
        for row in first
    ]
