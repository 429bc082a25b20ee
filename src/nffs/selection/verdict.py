"""What a final check says in words: whether the selection beats all features, or a guess."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.stats import norm, t

from nffs.selection.parts import MemberScore

#: Standard errors by which a lead is clear, unless so many subsets were compared that the luckiest
#: of them may have it by chance.
CLEARLY = 2.0


def verdict_of(
    members: Sequence[MemberScore],
    n_selected: int,
    n_features: int,
    *,
    n_constant: int = 0,
    may_keep_all: bool = True,
    gain: float,
    gain_error: float,
    guess: float | None,
    n_looks: int = 1,
    n_splits: int = 1,
) -> str:
    """Say what was found, in a sentence.

    Each side is represented by the model of the panel that suits it best, so that all features are
    not measured by a model that they hurt.

    Parameters
    ----------
    members : sequence of MemberScore
        The score of every model of the panel.
    n_selected, n_features : int
        How many features were selected, and how many there are that vary.
    n_constant : int, default=0
        How many more features do not vary.
    may_keep_all : bool, default=True
        Whether `max_features` allows all features.
    gain, gain_error : float
        The best score of the panel with the selection minus the best with all features, and its
        standard error.
    guess : float or None
        The score of the best guess that is the same for all rows, if there is one.
    n_looks, n_splits : int, default=1
        How many subsets were compared, and the splits behind the error. By chance alone the best of
        that many may be `luck` standard errors better, so a smaller lead does not count as a gain;
        one of more than two standard errors is told all the same.

    Examples
    --------
    >>> scores = [MemberScore("forest", 0.83, 0.79), MemberScore("logistic", 0.70, 0.80)]
    >>> verdict_of(scores, 9, 40, gain=0.03, gain_error=0.01, guess=0.5)
    '9 of 40 features do better than all 40 (0.830 by forest against 0.800 by logistic).'
    >>> verdict_of(scores[:1], 9, 40, gain=0.04, gain_error=0.015, guess=0.5, n_looks=250)
    '9 of 40 features do at least as well as all 40, probably better (0.830 against 0.790).'
    """
    selected = max(members, key=lambda member: member.selected)
    everything = max(members, key=lambda member: member.all_features)
    ours, theirs = in_few_digits(selected.selected, everything.all_features)
    if len(members) > 1:
        # One name is enough for both where it is the same.
        ours += "" if selected is everything else f" by {selected.name}"
        theirs += f" by {everything.name}"
    scores = f"({ours} against {theirs})"
    keeps_all, n_features = n_selected == n_features, n_features + n_constant
    by_chance = luck(n_looks, n_splits) * gain_error
    # The set of all features was not chosen, so chance does not favour it.
    if (
        guess is not None
        and everything.all_features - guess <= max(gain_error, 1e-9)
        and selected.selected - guess <= max(by_chance, 1e-9)
    ):
        if selected.selected - guess > max(CLEARLY * gain_error, 1e-9):
            return (
                f"The selection may beat a constant guess ({selected.selected:.4f} against "
                f"{guess:.4f}), or it is only the luckiest of many; all {n_features:,} features do "
                f"not ({everything.all_features:.4f})."
            )
        return (
            f"Nothing beats a constant guess: it scores {guess:.4f}, the selection "
            f"{selected.selected:.4f}, all {n_features:,} features {everything.all_features:.4f}. "
            "These columns may say nothing about the target."
        )
    if keeps_all:
        kept = "all that vary" if n_constant else "all"
        return f"No subset beats all {n_features:,} features; {kept} are kept."
    whom = f"{n_selected:,} of {n_features:,} features {'does' if n_selected == 1 else 'do'}"
    if gain > by_chance:
        return f"{whom} better than all {n_features:,} {scores}."
    if gain > CLEARLY * gain_error:
        return f"{whom} at least as well as all {n_features:,}, probably better {scores}."
    if gain >= -gain_error:
        return f"{whom} as well as all {n_features:,} {scores}."
    consider = "keeping all of them" if may_keep_all else "allowing more"
    return f"{whom} worse than all {n_features:,} {scores}. Consider {consider}."


def in_few_digits(*scores: float) -> list[str]:
    """Write scores in three digits, in four if they would look the same and are not.

    >>> in_few_digits(0.9701, 0.969), in_few_digits(0.9991, 0.9987), in_few_digits(0.5, 0.5)
    (['0.970', '0.969'], ['0.9991', '0.9987'], ['0.500', '0.500'])
    """
    short = [f"{score:.3f}" for score in scores]
    return short if len(set(short)) == len(set(scores)) else [f"{score:.4f}" for score in scores]


def luck(n_looks: int, n_splits: int = 1) -> float:
    """Give the most standard errors by which the best of so many equal subsets leads by chance.

    The expected maximum of n standard normal numbers is below the root of 2 log n. An error that
    comes from a few splits is itself uncertain, so Student's t takes the normal's place.

    >>> luck(1), round(luck(280), 1), round(luck(280, 10), 1)
    (1.0, 3.4, 5.0)
    """
    normal = max(1.0, math.sqrt(2.0 * math.log(max(1, n_looks))))
    return normal if n_splits < 2 else float(t.isf(norm.sf(normal), n_splits - 1))
