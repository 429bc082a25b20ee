"""The first sentences about a selection: what was found, what to expect, what is missing.

The headline has the scores that its verdict compares: of the best model with the selection, and of
the best with all features. Everywhere else a subset has one score, the mean over the models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nffs.report.names import clipped, counted
from nffs.report.scores import range_of
from nffs.search.events import Cut
from nffs.search.final import ELIMINATION, FINAL_CHECK
from nffs.search.search import ALL
from nffs.selection import CLEARLY, Selection, in_few_digits

#: A smaller subset is worth a sentence if it has at most this share of the selected features.
FAR_FEWER = 0.7

#: Phases that are one step, not a number of subsets, and what is said if one is left out.
_STEPS = {
    ALL: "all features together were not scored",
    FINAL_CHECK: "there was no final check",
    ELIMINATION: "no features were eliminated in the final check",
}


def headline_of(selection: Selection, nested: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Give the answer, other subsets that are better or smaller, and what the answer lacks.

    Parameters
    ----------
    selection : Selection
        The result.
    nested : mapping, optional
        The facts of a nested score, as `nested_facts` gives them.

    Returns
    -------
    dict
        `answer`, what was found; `score`, the score to expect and why, or nothing; `others`, a list
        of sentences; `caveats`, a list of those about what was stopped, failed or could not be
        checked.
    """
    others = () if selection.picked is not None else (_highest(selection), _fewest(selection))
    return {
        "answer": _found(selection),
        "score": _expected(selection, nested),
        "others": [sentence for sentence in others if sentence],
        "caveats": [clipped(caveat, 600) for caveat in _caveats(selection)],
    }


def _found(selection: Selection) -> str:
    """Say what the final check found, or the scores of a selection without one."""
    if selection.final is not None:
        return clipped(selection.final.verdict, 500)
    n, n_features = len(selection.selected_features), len(selection.features)
    everything, scoring = selection.all_features_fitness, clipped(selection.scoring)
    who = f"{n:,} of {n_features:,} features score"
    if selection.partial:
        who = f"The best subset so far, {n:,} of {n_features:,} features, scores"
    if everything is None:
        return f"{who} {scoring} {selection.fitness:z.3f}."
    ours, theirs = in_few_digits(selection.fitness, everything)
    return f"{who} {scoring} {ours}, all {n_features:,} score {theirs}."


def _expected(selection: Selection, nested: Mapping[str, Any] | None) -> str:
    """Say the score, which rows it is from, and which to expect on new rows."""
    if nested is not None:
        return _expected_of_folds(selection, nested)
    score, unseen = _score_where_chosen(selection), selection.unseen
    if unseen is None or not unseen.models:
        return f"{score}, so expect a little less on new rows."
    expect = range_of(unseen.models)
    if " to " in expect:
        expect += ", depending on the model,"
    return (
        f"{score}; on new rows expect {expect} as measured on {unseen.n_rows:,} rows that the "
        "search never saw."
    )


def _score_where_chosen(selection: Selection) -> str:
    """Say that the score is from the rows of the choice; what it is, if no headline says so."""
    final, one = selection.final, len(selection.selected_features) == 1
    where = f"on the rows used to choose {'it' if one else 'them'}"
    if final is None:
        return f"That is {where}"
    they = "it scores" if one else "they score"
    # The headline has the scores of single models.
    they = f"Averaged over the models, {they}" if len(final.members) > 1 else they.capitalize()
    return f"{they} {clipped(selection.scoring)} {selection.fitness:z.3f} {where}"


def _expected_of_folds(selection: Selection, nested: Mapping[str, Any]) -> str:
    scoring, final = clipped(nested["scoring"]), selection.final
    seen, unseen = f"{selection.fitness:z.3f}", f"{nested['outer']['mean']:z.3f}"
    folds = f"{nested['n_folds']} outer folds that no selection saw"
    mean = ", averaged over the models" if final is not None and len(final.members) > 1 else ""
    said = f"Expect {scoring} {unseen} on new rows{mean}"
    if seen == unseen:
        return (
            f"{said}: the score in {folds} is the same as on the rows used to choose the features."
        )
    where = f"on the rows used to choose the features it is {seen}"
    if nested["optimism"]["low"] > 0:
        where += ", which is too high"
    return f"{said}, as in {folds}; {where}."


def _highest(selection: Selection) -> str | None:
    """Say which subset of the front scores more than the selection, if one does."""
    if selection.front is None:
        return None
    final, n = selection.final, len(selection.selected_features)
    point = max(selection.front.points, key=lambda point: point.fitness)
    if point.size == n or round(point.fitness, 3) <= round(selection.fitness, 3):
        return None
    why = ""
    if final is not None and final.choose in ("best", "one_se"):
        why = "; the difference is within noise" if point.size > n else ", which may be luck"
    return f"Best score: {counted(point.size, 'feature')}, {point.fitness:z.3f}{why}."


def _fewest(selection: Selection) -> str | None:
    """Say how few features do as well as all, if they are far fewer than the selected ones.

    Not for a selection that is clearly better than all features: nobody would want fewer then.
    """
    final = selection.final
    if selection.front is None or final is None or final.gain > CLEARLY * final.gain_error > 0:
        return None
    n, everything = len(selection.selected_features), final.fitness[0]
    for point in selection.front.points:
        check = point.check
        if check is None:
            continue
        # By the best model of each, and by the mean, which is the score that is told.
        if min(check.gain, point.fitness - everything) >= -check.gain_error:
            few = f"{counted(point.size, 'feature')}, {point.fitness:z.3f}"
            far = point.size <= FAR_FEWER * n
            return (
                f"Fewest that do as well as all, within the margin of error: {few}."
                if far
                else None
            )
    return None


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
            were = "was" if extent.failed == 1 else "were"
            found.append(
                f"{extent.failed:,} of {extent.planned:,} subsets could not be evaluated and "
                f"{were} left out; the first failed with {extent.failure}"
            )
    if evidence is not None and evidence.missing:
        found.append(evidence.missing)
    return found


def _stopped(partial: bool, cut: Sequence[Cut]) -> str:
    """Say what is missing from a search that did not finish.

    >>> _stopped(False, [Cut("drawn subsets", 60, 180), Cut(FINAL_CHECK, 0, 5)])
    'Stopped early, after 60 of 180 drawn subsets: there was no final check.'
    """
    counts = [f"{c.done:,} of {c.planned:,} {c.phase}" for c in cut if c.phase not in _STEPS]
    left_out = [_STEPS[c.phase] for c in cut if c.phase in _STEPS and not c.done]
    if left_out[-2:] == [_STEPS[FINAL_CHECK], _STEPS[ELIMINATION]]:
        del left_out[-1]
    cut_short = [f"the {c.phase} was cut short" for c in cut if c.phase in _STEPS and c.done]
    begun, missing = "Interrupted" if partial else "Stopped early", [*cut_short, *left_out]
    after = f", after {_listed(counts)}" if counts else ""
    return f"{begun}{after}{': ' if missing else ''}{_listed(missing)}."


def _listed(parts: Sequence[str]) -> str:
    *others, last = parts or ("",)
    return f"{', '.join(others)} and {last}" if others else last
