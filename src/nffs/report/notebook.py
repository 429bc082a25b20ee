"""A selector in a notebook: scikit-learn's diagram, or what it found once it is fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nffs.selection import Selection

#: Features named in the summary; the others are counted.
MOST_NAMES = 12

_WIDTH, _HEIGHT, _PAD = 220, 48, 5


class FittedSummary:
    """Shows a fitted selector by its result; comes before `BaseEstimator` among the bases.

    Unfitted it is scikit-learn's diagram, and inside a pipeline's diagram always: that is drawn by
    the pipeline, which does not ask its steps.
    """

    def _repr_html_inner(self) -> str:
        # The last thing that `fit` sets: a fit that failed half way has nothing to show.
        if not hasattr(self, "seconds_"):
            return str(super()._repr_html_inner())  # type: ignore[misc]
        return summary_html(self.selection_, repr(self))  # type: ignore[attr-defined]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:  # not where scikit-learn's display is set to text
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def summary_html(selection: Selection, told: str) -> str:
    """Summarize a selection for a notebook.

    Parameters
    ----------
    selection : Selection
        The result. Names in it come from data and are escaped.
    told : str
        The selector as code.

    Returns
    -------
    str
        A piece of HTML in the notebook's own colours, light or dark; no script, no style sheet.
    """
    document = selection.document
    features = sorted(document["features"], key=lambda feature: int(feature["rank"]))
    names = [str(f["name"]) for f in features if f["selected"]]
    listed = ", ".join(f"<code>{escape(name)}</code>" for name in names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        listed += f" and {len(names) - MOST_NAMES} more"
    score = f"<b>{document['fitness']:.4f}</b>"
    if document["all_features_fitness"] is not None:
        score += f" (all features {document['all_features_fitness']:.4f})"
    rows = [
        (document["scoring"], score),
        ("judged on", escape(document["evaluated_on"])),
        ("first by weight", listed),
    ]
    if selection.positive is not None:
        rows.insert(1, ("positive label", escape(selection.positive)))
    if document["partial"]:
        rows.append(("partial", "the search was interrupted"))
    else:
        rows.append(("nested subsets", curve_svg(document)))
    # Notebooks stripe the rows of tables and align them to the right; these are not such tables.
    body = "".join(
        '<div style="display:flex;gap:1em;padding:0.15em 0">'
        f'<div style="flex:0 0 8em;opacity:0.65">{escape(str(name))}</div><div>{value}</div></div>'
        for name, value in rows
    )
    return (
        '<div style="font-family:sans-serif;font-size:0.9em;line-height:1.4;max-width:46em;'
        'border-left:3px solid #0072b2;padding:0.2em 0 0.2em 0.9em">'
        f"<div><b>{len(names)} of {len(features)} features selected</b></div>{body}"
        '<details style="margin-top:0.2em"><summary style="opacity:0.65;cursor:pointer">parameters'
        f'</summary><pre style="white-space:pre-wrap;margin:0.3em 0">{escape(told)}</pre></details>'
        "</div>"
    )


def curve_svg(document: Mapping[str, Any]) -> str:
    """Draw the nested curve: the chosen subset as a dot, all features' score as a dotted line."""
    fitness: Sequence[float] = document["nested_fitness"]
    sizes: Sequence[int] = document["nested_sizes"]
    everything = document["all_features_fitness"]
    levels = [*fitness] if everything is None else [*fitness, everything]
    low, high = min(levels), max(levels)

    def x(size: int) -> float:
        share = (size - sizes[0]) / (sizes[-1] - sizes[0]) if len(sizes) > 1 else 0.5
        return round(_PAD + share * (_WIDTH - 2 * _PAD), 1)

    def y(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_HEIGHT - _PAD - share * (_HEIGHT - 2 * _PAD), 1)

    chosen = document["n_selected"]
    points = " ".join(f"{x(s)},{y(f)}" for s, f in zip(sizes, fitness, strict=True))
    told = (
        f"fitness of the nested subsets of {sizes[0]} to {sizes[-1]} features; kept with {chosen}: "
        f"{document['fitness']:.4f}"
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(told)}" style="display:block"><title>{escape(told)}</title>'
        + (
            ""
            if everything is None
            else f'<path d="M{_PAD} {y(everything)}H{_WIDTH - _PAD}" stroke="currentColor" '
            'stroke-dasharray="1 3" opacity="0.6"/>'
        )
        + f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
        f'<circle cx="{x(chosen)}" cy="{y(document["fitness"])}" r="3.5" fill="#d55e00"/></svg>'
    )
