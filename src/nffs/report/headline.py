"""The first sentences about a selection: what was found, what would be better, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nffs.report.names import clipped
from nffs.search.events import Cut
from nffs.search.final import ELIMINATION, FINAL_CHECK
from nffs.search.search import ALL
from nffs.selection import MemberScore, Point, Selection, in_few_digits

#: A smaller subset is worth a sentence if it has at most this share of the selected features.
FAR_FEWER = 0.7

#: Standard errors by which a selection is clearly better than all features.
CLEARLY = 2.0

#: Phases that are a step of their own, not so many subsets, and what is said if one is left out.
_STEPS = {
    ALL: "all features were not scored",
    FINAL_CHECK: "there was no final check",
    ELIMINATION: "no features were eliminated in the final check",
}


def headline_of(selection: Selection) -> dict[str, Any]:
    """Give the answer, other subsets that are better or smaller, and what the answer lacks.

    Returns
    -------
    dict
        `answer`, one or two sentences; `others`, a list of sentences; `caveats`, a list of those
        about what was stopped, failed or could not be checked.
    """
    final = selection.final
    others = () if selection.picked is not None else (_best(selection), _fewest(selection))
    return {
        "answer": _scores(selection) if final is None else clipped(final.verdict, 500),
        "others": [sentence for sentence in others if sentence],
        "caveats": [clipped(caveat, 600) for caveat in _caveats(selection)],
    }


def shown_score(fitness: float, members: Sequence[MemberScore] | None) -> float:
    """Give the score of a subset by the model that suits it best, as verdicts do."""
    return max((member.selected for member in members), default=fitness) if members else fitness


def _scores(selection: Selection) -> str:
    """Say the scores of a selection that no final check compared with all features."""
    n, n_features = len(selection.selected_features), len(selection.features)
    everything, scoring = selection.all_features_fitness, clipped(selection.scoring)
    who = f"{n:,} of {n_features:,} features"
    who = f"The best subset so far has {who}, " if selection.partial else f"{who} score "
    if everything is None:
        return f"{who}{scoring} {selection.fitness:.3f}."
    ours, theirs = in_few_digits(selection.fitness, everything)
    return f"{who}{scoring} {ours}, all {n_features:,} {theirs}."


def _best(selection: Selection) -> str | None:
    """Say which subset of the front scores more than the selection, if one does."""
    if selection.front is None:
        return None
    members = None if selection.final is None else selection.final.members
    ours = shown_score(selection.fitness, members)
    point = max(selection.front.points, key=_shown)
    if point.size == len(selection.selected_features) or round(_shown(point), 3) <= round(ours, 3):
        return None
    return f"Best: {_features(point.size)}, {_shown(point):.3f}."


def _fewest(selection: Selection) -> str | None:
    """Say how few features do as well as all, if they are far fewer than the selected ones.

    Of a selection that is clearly better than all features nobody wants to know.
    """
    final = selection.final
    if selection.front is None or final is None or final.gain > CLEARLY * final.gain_error > 0:
        return None
    n = len(selection.selected_features)
    for point in selection.front.points:
        check = point.check
        if check is not None and check.gain >= -check.gain_error:
            far = point.size <= FAR_FEWER * n
            said = f"Fewest that do as well as all: {_features(point.size)}, {_shown(point):.3f}."
            return said if far else None
    return None


def _shown(point: Point) -> float:
    return shown_score(point.fitness, None if point.check is None else point.check.members)


def _caveats(selection: Selection) -> list[str]:
    extent, evidence = selection.extent, selection.evidence
    found = []
    if extent is None:
        if selection.partial:
            found.append("The search was interrupted: this is the best subset so far.")
    else:
        if selection.partial or extent.cut:
            found.append(_stopped(selection.partial, extent.cut))
        if extent.failed:
            found.append(
                f"{extent.failed:,} of {extent.planned:,} subsets could not be evaluated and were "
                f"left out; the first failed with {extent.failure}"
            )
    if evidence is not None and evidence.missing:
        found.append(evidence.missing)
    return found


def _stopped(partial: bool, cut: Sequence[Cut]) -> str:
    """Say what is missing of a search that did not come to its end.

    >>> _stopped(False, [Cut("drawn subsets", 60, 180), Cut(FINAL_CHECK, 0, 5)])
    'Stopped early: 60 of 180 drawn subsets; there was no final check.'
    """
    counts = [f"{c.done:,} of {c.planned:,} {c.phase}" for c in cut if c.phase not in _STEPS]
    left_out = [_STEPS[c.phase] for c in cut if c.phase in _STEPS and not c.done]
    if left_out[-2:] == [_STEPS[FINAL_CHECK], _STEPS[ELIMINATION]]:
        del left_out[-1]
    cut_short = [f"the {c.phase} was cut short" for c in cut if c.phase in _STEPS and c.done]
    begun = "Interrupted" if partial else "Stopped early"
    parts = [", ".join(part) for part in (counts, [*cut_short, *left_out]) if part]
    return f"{begun}: {'; '.join(parts)}." if parts else f"{begun}."


def _features(n: int) -> str:
    return "1 feature" if n == 1 else f"{n:,} features"
