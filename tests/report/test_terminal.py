"""A selection in a terminal: the same numbers as on the page, for every method."""

import io
import re
from dataclasses import replace

import pytest
from documents import FINAL, checked, made_up
from rich.console import Console

from nffs.report.sparklines import pointer, sparkline
from nffs.report.terminal import print_selection


def printed(selection, width=80):
    console = Console(file=io.StringIO(), width=width)
    print_selection(selection, console)
    return console.file.getvalue()


def test_the_papers_method(fitted):
    text = printed(fitted.selection_)
    selected = len(fitted.selected_features_)
    assert re.search(r"rank +feature +weight +MI \(nats\)", text)
    wide = printed(fitted.selection_, width=100)
    assert re.search(r"rank +feature +weight +MI \(nats\) +in best +in worst", wide)
    assert f"{selected} kept" in text
    flat = " ".join(text.split())
    assert flat.startswith(fitted.final_.verdict)
    assert f"They score f1 {fitted.fitness_:.3f} on the rows used to choose them, so" in flat
    assert "with the selection" not in text  # one model: the line above says it all
    assert f"evaluated on: {fitted.evaluated_on_}\npositive label: attack\n" in text


def test_another_method(genetic):
    text = printed(genetic.selection_)
    kept = len(genetic.selected_features_)
    sizes = [point.size for point in genetic.front_] + [kept]
    assert re.search(r"feature +MI \(nats\) +subsets with it", text)
    by_mi = sorted(genetic.selection_.features, key=lambda f: (not f.selected, -f.mi))
    assert all(f" {f.name} " in text for f in by_mi[: min(15, kept)])
    assert f"of the best subset of each size, {min(sizes)} to {max(sizes)} features" in text
    assert f"{kept} kept" in text
    ours, all_features = genetic.fitness_, genetic.all_features_fitness_
    assert text.startswith(
        f"{kept} of 46 features score f1 {ours:.3f}, all 46 score {all_features:.3f}."
    )
    assert "method: ga\n" in text


@pytest.mark.parametrize("method", ["nffs", "ga"])
def test_a_stopped_search(method):
    text = printed(made_up(30, method=method, partial=True))
    assert "kept" not in text
    assert text.startswith("The best subset so far, 12 of 30 features, scores f1 0.")
    assert "\nThe search was interrupted: this is the best subset so far.\n" in text


def test_many_features_are_counted():
    text = printed(made_up(2000, n_selected=900, n_nested=999))
    assert text.startswith("900 of 2,000 features score f1 0.")
    assert "\nand 885 more\n" in text
    assert len(re.findall(r"^ +\d+ +\S+ +[+-]0\.", text, re.M)) == 15


def test_the_answer_comes_first():
    text = " ".join(printed(checked()).split())
    assert text.startswith(f"{FINAL.verdict} Averaged over the models, they score f1 0.865 on")
    assert text.index("never saw.") < text.index("rank feature weight")


def test_the_subset_has_one_score():
    """The mean over the models; those stand beside it by name, as in the verdict."""
    text = printed(checked())
    head, _, evidence = text.partition("rank")
    _, verdict, head = " ".join(head.split()).partition(FINAL.verdict)
    assert verdict
    assert re.findall(r"0\.\d+", head) == ["0.865", "0.881", "0.893"]
    assert "mean                          0.8654" in evidence


def test_weights_are_drawn_as_bars():
    lines = printed(made_up(40)).splitlines()
    bars = [found[0] for line in lines if (found := re.search("[▏▎▍▌▋▊▉█]+", line))]
    assert len(bars[0]) == 10
    assert [len(drawn) for drawn in bars[:12]] == sorted(map(len, bars[:12]), reverse=True)


def test_names_are_text_and_lines_fit():
    names = [("[red]x[/red]", None), ("long" * 40, None)]
    text = printed(made_up(20, names=names))
    assert "[red]x[/red]" in text
    assert text.count("g") >= 40  # all of the name, wherever it is folded
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize("length", [20, 27, 33])
def test_names_are_not_broken_inside_words(length):
    """Columns of numbers give way to them."""
    name = ("host_count_last_hour_" * 2)[:length]
    lines = printed(made_up(20, names=[(name, None)])).splitlines()
    assert any(f" {name} " in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_longer_name_is_broken_between_its_words():
    text = printed(made_up(20, names=[("a_number_of_" * 5 + "rows", None)]))
    _, _, text = text.partition("rank")
    found = re.findall(r"(?<= )((?:a_|number_|of_|rows)+)(?= )", text)
    assert "".join(found) == "a_number_of_" * 5 + "rows"


def test_nothing_is_minus_zero():
    made = made_up(5, n_selected=4, n_nested=4)
    weights = replace(made.phases, weight=(0.1, -0.00001, -0.2, -0.3, -0.4))
    text = printed(replace(made, phases=weights))
    assert "+0.0000" in text
    assert "-0.0000" not in text


def test_a_curve_longer_than_the_line_keeps_its_peak():
    values = [0.0] * 500
    values[123] = 1.0
    curve, mark = sparkline(values, 70), pointer(123, 500, "124 kept", 70)
    assert len(curve) == 70
    assert curve.index("█") == mark.index("^")


@pytest.mark.parametrize("n", [1, 2, 71, 72, 73, 143, 1000])
def test_every_mark_is_on_the_line(n):
    for at in range(n):
        mark = pointer(at, n, "here", 72)
        assert len(mark) <= 72
        values = [float(i == at) for i in range(n)]
        if n > 1:
            assert sparkline(values, 72)[mark.index("^")] == "█"
