"""What a reproduction found, in three lines: agreement, order, and what the test file is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nffs.paper.reported import ReportedSubset
from nffs.paper.scores import agreement, not_ahead_of
from nffs.validation.given import F_SCORE


def verdict_lines(document: Mapping[str, Any], subsets: Sequence[ReportedSubset]) -> list[str]:
    """Give the lines that a reproduction's parts allow; on other rows than the paper's not all."""
    lines = []
    if "scores" in document:
        if not document["stand_in"]:
            lines.append(_agreement_line(document["scores"], subsets))
        lines.append(_ordering_line(document["scores"]))
    if "searches" in document:
        reported = None if document["stand_in"] else subsets[-1].scores[F_SCORE][0]
        lines.append(_fairness_line(document["searches"], reported))
    return lines


def headline(document: Mapping[str, Any], subsets: Sequence[ReportedSubset]) -> str:
    """Name the reproduction and say how much of the paper it confirms, where it can tell."""
    if "scores" not in document or document["stand_in"]:
        return str(document["title"])
    results = document["scores"]
    near = _agreeing(results, subsets, "best")
    return f"{document['title']}: {near} of {len(results)} F-scores agree with the paper's"


def _agreement_line(results: Sequence[Mapping[str, Any]], subsets: Sequence[ReportedSubset]) -> str:
    near = {which: _agreeing(results, subsets, which) for which in ("best", "matching")}
    return (
        "Can the paper's numbers be reproduced? With the best forest parameters, "
        f"{near['best']} of {len(results)} F-scores agree with the paper's; with those that match "
        f"the paper best, {near['matching']} of {len(results)}."
    )


def _agreeing(
    results: Sequence[Mapping[str, Any]], subsets: Sequence[ReportedSubset], which: str
) -> int:
    return sum(
        agreement(subset, dict(result), which)[F_SCORE]
        for subset, result in zip(subsets, results, strict=True)
    )


def _ordering_line(results: Sequence[Mapping[str, Any]]) -> str:
    behind = not_ahead_of(results)
    first = [name for name, rivals in behind.items() if not rivals]
    rivals = sorted({rival for ahead in behind.values() for rival in ahead})
    if not rivals:
        answer = "In all five indicators"
    elif first:
        answer = f"In {_listed(first)}; in the others it is not ahead of {_listed(rivals)}"
    else:
        answer = f"In none of the five indicators: it is not ahead of {_listed(rivals)}"
    return (
        f"Is the paper's subset first? {answer}. Every subset got the same search for parameters."
    )


def _fairness_line(searches: Sequence[Mapping[str, Any]], reported: float | None) -> str:
    f = {
        protocol: np.array([s["mean"][F_SCORE] for s in searches if s["protocol"] == protocol])
        for protocol in ("test", "train")
    }
    seen, unseen = f["test"].mean(), f["train"].mean()
    reach = ""
    if reported is not None:
        n = int((f["train"] >= reported).sum())
        reach = (
            f"; {n or 'none'} of {len(f['train'])} honest searches "
            f"reach{'es' if n == 1 else ''} the paper's {reported:.3f}"
        )
    return (
        f"Can such scores be expected on new data? Searches that see the test file score "
        f"{seen:.3f} on it, those that do not see it score {unseen:.3f}{reach}."
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
