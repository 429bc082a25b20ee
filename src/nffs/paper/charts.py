"""The charts of a reproduction's page: the paper against ours, and what the test file is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from nffs.paper.reported import ReportedSubset
from nffs.paper.scores import INDICATORS
from nffs.report.dots import NARROW, WIDE, Dot, Row, dot_rows
from nffs.validation.given import F_SCORE

#: Which rows were used to choose the features, in the words of the chart.
_CHOSEN_ON = {"test": "on the test file", "train": "on training rows"}


def draw_reproduction(
    document: Mapping[str, Any], subsets: Sequence[ReportedSubset]
) -> dict[str, Any]:
    """Draw what the document has; the F-score and the searches for wide and narrow windows."""
    charts: dict[str, Any] = {"f_score": None, "others": {}, "searches": None}
    if "scores" in document:
        pairs = [
            (None if document["stand_in"] else subset, result)
            for subset, result in zip(subsets, document["scores"], strict=True)
        ]
        # The best of the paper first; where it is not beside ours, the best of ours.
        pairs.sort(key=lambda pair: -_value(*pair))
        charts["f_score"] = [_against(pairs, F_SCORE, width) for width in (WIDE, NARROW)]
        charts["others"] = {
            name: _against(pairs, at, NARROW) for at, name in enumerate(INDICATORS) if at != F_SCORE
        }
    if "searches" in document:
        level = None if document["stand_in"] else subsets[-1].scores[F_SCORE][0]
        charts["searches"] = [
            _searches(document["searches"], level, width) for width in (WIDE, NARROW)
        ]
    return charts


def _value(subset: ReportedSubset | None, result: Mapping[str, Any]) -> float:
    means = result["best"]["mean"] if subset is None else [mean for mean, _ in subset.scores]
    return float(means[F_SCORE])


def _against(pairs: Sequence[tuple[Any, Mapping[str, Any]]], at: int, width: int) -> Markup:
    rows, name = [], INDICATORS[at]
    for subset, result in pairs:
        ours, spread = result["best"]["mean"][at], result["best"]["std"][at]
        dots = [Dot(ours, "ours", ours - spread, ours + spread)]
        tip = f"{result['method']}: ours {ours:.3f} ± {spread:.3f}"
        if subset is not None:
            paper, error = subset.scores[at]
            dots.append(Dot(paper, "paper"))  # a ring, above our dot where both are the same
            tip += f", the paper's {paper:.3f} ± {error:.3f}, ours minus it {ours - paper:+.3f}"
        rows.append(Row(result["method"], dots, tip, joined=subset is not None))
    said = "; ".join(row.tip for row in rows[:3])
    return dot_rows(rows, f"{name} of {len(rows)} subsets. {said} ...", name, width=width)


def _searches(searches: Sequence[Mapping[str, Any]], level: float | None, width: int) -> Markup:
    rows = []
    for protocol, name in _CHOSEN_ON.items():
        scores = [s["mean"][F_SCORE] for s in searches if s["protocol"] == protocol]
        mean, low, high = sum(scores) / len(scores), min(scores), max(scores)
        tip = (
            f"features chosen {name}: {len(scores)} searches, F-score {mean:.3f} on average, "
            f"{low:.3f} to {high:.3f}"
        )
        mark = "seen" if protocol == "test" else "ours"
        rows.append(Row(name, [Dot(score, mark) for score in scores], tip))
    label = f"F-score on the test file. {'; '.join(row.tip for row in rows)}"
    return dot_rows(rows, label, "F-score on the test file", level=level, width=width)
