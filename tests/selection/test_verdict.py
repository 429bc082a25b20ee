"""What a final check says, sentence by sentence."""

from dataclasses import replace

import pytest

from nffs import Selection
from nffs.selection.parts import Final, MemberScore
from nffs.selection.verdict import verdict_of

PANEL = [MemberScore("forest", 0.83, 0.79), MemberScore("logistic", 0.75, 0.8)]


def verdict(members=PANEL, n_selected=9, gain=0.03, gain_error=0.01, guess=0.5, n_looks=1):
    return verdict_of(
        members, n_selected, 40, gain=gain, gain_error=gain_error, guess=guess, n_looks=n_looks
    )


def test_better():
    """Each side by the model that likes it best."""
    assert verdict() == (
        "9 of 40 features do better than all 40 (0.830 by forest against 0.800 by logistic)."
    )


@pytest.mark.parametrize("gain_error", [0.014, 0.01])
def test_a_clear_lead_that_the_luckiest_of_many_may_have_by_chance(gain_error):
    """Three standard errors are much for one subset, and no more than luck for the best of 250."""
    assert verdict(gain_error=gain_error, n_looks=250) == (
        "9 of 40 features do at least as well as all 40, probably better (0.830 by forest against "
        "0.800 by logistic)."
    )


def test_a_small_lead_of_the_luckiest_of_many():
    assert "do as well as all 40" in verdict(gain=0.02, n_looks=250)


@pytest.mark.parametrize("gain", [0.01, 0.0, -0.01])
def test_as_well_within_the_error(gain):
    assert verdict(gain=gain) == (
        "9 of 40 features do as well as all 40 (0.830 by forest against 0.800 by logistic)."
    )


def test_worse():
    worse = [MemberScore("forest", 0.7, 0.79), MemberScore("logistic", 0.71, 0.8)]
    assert verdict(worse, gain=-0.09) == (
        "9 of 40 features do worse than all 40 (0.710 against 0.800 by logistic). "
        "Consider keeping all of them."
    )


def test_all_are_kept():
    assert verdict(n_selected=40, gain=0.0, gain_error=0.0) == (
        "No subset beats all 40 features; all are kept."
    )


@pytest.mark.parametrize("guess", [0.821, 0.83, 0.9])
def test_nothing_beats_a_constant_guess(guess):
    """Not by more than the error, whichever side is the better one."""
    said = (
        f"Nothing beats a constant guess: it scores {guess:.4f}, the selection 0.8300, all 40 "
        "features 0.8000. These columns may say nothing about the target."
    )
    assert verdict(guess=guess) == said
    turned = [MemberScore(m.name, m.all_features, m.selected) for m in PANEL]
    assert verdict(turned, guess=guess).startswith("Nothing beats a constant guess")


def test_a_lead_over_a_guess_that_the_luckiest_of_many_may_have_by_chance():
    """A selection with 0.92 where a guess has 0.61 is not said to be no better than the guess."""
    lead = [MemberScore("forest", 0.92, 0.46)]
    assert verdict(lead, gain=0.46, gain_error=0.1, guess=0.61, n_looks=250) == (
        "The selection may beat a constant guess (0.9200 against 0.6100), or it is only the "
        "luckiest of many; all 40 features do not (0.4600)."
    )


def test_all_features_beat_a_guess_though_the_selection_does_not():
    poor = [MemberScore("forest", 0.5, 0.8)]
    assert verdict(poor, gain=-0.3).startswith("9 of 40 features do worse than all 40")


def test_a_guess_counts_for_all_features_too():
    """All features kept have no error of their own against themselves: any more than a guess is."""
    none = [MemberScore("forest", 0.5, 0.5)]
    kept = {"n_selected": 40, "gain": 0.0, "gain_error": 0.0}
    assert verdict(none, **kept).startswith("Nothing beats a constant guess")
    assert verdict(none, **kept, guess=0.49) == "No subset beats all 40 features; all are kept."


def test_without_a_guess():
    assert verdict(guess=None) == verdict(guess=0.0)


def test_one_feature_and_one_model():
    assert verdict([MemberScore("group 1", 0.83, 0.8)], n_selected=1) == (
        "1 of 40 features does better than all 40 (0.830 against 0.800)."
    )


@pytest.mark.parametrize("guess", [0.5, None])
def test_it_is_kept_in_the_file(quick, connections, tmp_path, guess):
    selection = quick().fit(connections.data, connections.target).selection_
    assert isinstance(selection.final, Final)
    given = replace(selection, final=replace(selection.final, guess=guess))
    given.save(tmp_path / "s.json")
    assert Selection.load(tmp_path / "s.json").final == given.final
