"""The progress of a search: its pace, and the bar as a callback."""

import copy
import pickle

import numpy as np
import pytest

from nffs import Progress, ProgressBar
from nffs.report.progress import Pace, bar_html


def progress(done, elapsed, total=100, phase="drawn subsets"):
    return Progress(phase, done, total, np.ones(5, dtype=bool), 0.6, 0.7, elapsed)


def test_the_pace_does_not_count_what_a_journal_knew():
    pace = Pace()
    for i in range(11):
        pace.step(progress(81 + i, 2.0 * i))  # 80 were there before
    assert pace.text() == "0.5/s"
    assert pace.left() == "0:18 left"


def test_the_pace_follows_the_search():
    pace = Pace()
    for i in range(300):
        pace.step(progress(i, i * 0.01 if i < 200 else 2 + (i - 200) * 1.0, total=1000))
    assert pace.per_second == pytest.approx(1.0)


def test_slow_searches_are_shown_by_the_minute():
    pace = Pace()
    pace.step(progress(1, 0))
    assert (pace.text(), pace.left()) == ("-/s", "-:-- left")
    pace.step(progress(2, 30))
    assert (pace.text(), pace.left()) == ("2.0/min", "49:00 left")


def test_another_search_has_its_own_pace():
    pace = Pace()
    for elapsed in (0, 10, 0, 1, 2):
        pace.step(progress(1, elapsed))
    assert pace.per_second == pytest.approx(1.0)


def test_html_is_escaped_and_says_when_it_is_over():
    pace = Pace()
    shown = bar_html(progress(5, 1.0, phase="<b>"), pace)
    assert "<b>" not in shown
    assert 'max="100" value="5"' in shown
    assert "<span>done</span>" in bar_html(progress(100, 75.0), pace)
    assert "1:15 in all" in bar_html(progress(100, 75.0), pace)


def test_html_of_a_search_that_needed_fewer_subsets_is_full_too():
    shown = bar_html(progress(66, 44.0), Pace(), ended=True)
    assert 'max="66" value="66"' in shown
    assert "<span>done</span><span>66 subsets</span>" in shown
    assert "0:44 in all" in shown


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_bars_travel_with_a_selector_that_is_cloned_or_sent(copied):
    bar = ProgressBar(pause=3)
    bar(progress(1, 0.1))
    bar = copied(bar)
    bar(progress(1, 0.1))
    assert bar.pause == 3


def test_it_changes_nothing(quick, connections):
    fitness = [
        quick(callbacks=callbacks)
        .fit(connections.data, connections.target)
        .nested_fitness_.tolist()
        for callbacks in (None, [ProgressBar()])
    ]
    assert fitness[0] == fitness[1]
