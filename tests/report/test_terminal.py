"""A selection in a terminal: the same numbers as on the page, for every method."""

import io
import re

import pytest
from documents import FINAL, checked, made_up
from rich.console import Console

from nffs.report.terminal import pointer, print_selection, sparkline


def printed(selection, width=80):
    console = Console(file=io.StringIO(), width=width)
    print_selection(selection, console)
    return console.file.getvalue()


def test_the_papers_method(fitted):
    text = printed(fitted.selection_)
    selected = len(fitted.selected_features_)
    assert re.search(r"rank +feature +weight +MI \(nats\) +in best +in worst", text)
    if selected in fitted.nested_.sum(axis=1):
        assert f"{selected} kept" in text
    assert (
        f"{selected} of 46 features selected, f1 {fitted.fitness_:.4f} "
        f"(all features {fitted.all_features_fitness_:.4f})" in text
    )
    assert fitted.final_.verdict in " ".join(text.split())
    assert "with the selection" not in text  # one model: the line above says it all
    assert f"evaluated on: {fitted.evaluated_on_}\npositive label: attack\n" in text


def test_another_method(genetic):
    text = printed(genetic.selection_)
    kept = len(genetic.selected_features_)
    sizes = genetic.archive_masks_.sum(axis=1)
    assert re.search(r"feature +MI \(nats\) +subsets with it", text)
    by_mi = sorted(genetic.selection_.features, key=lambda f: (not f.selected, -f.mi))
    assert all(f" {f.name} " in text for f in by_mi[: min(15, kept)])
    assert f"of the best subset of each size, {sizes.min()} to {sizes.max()} features" in text
    assert f"{kept} kept" in text
    assert f"{kept} of 46 features selected by ga, f1 {genetic.fitness_:.4f} (all" in text


@pytest.mark.parametrize("method", ["nffs", "ga"])
def test_a_stopped_search(method):
    text = printed(made_up(30, method=method, partial=True))
    assert "kept" not in text
    assert text.startswith("The search was interrupted: this is the best subset so far.")


def test_many_features_are_counted():
    text = printed(made_up(2000, n_selected=900, n_nested=999))
    assert text.startswith("900 of 2,000 features selected, f1 0.")
    assert "\nand 885 more\n" in text
    assert len(re.findall(r"^ +\d+ +\S+ +[+-]0\.", text, re.M)) == 15


def test_the_answer_comes_first():
    text = " ".join(printed(checked()).split())
    answer, table = text.index(FINAL.verdict), text.index("rank feature weight")
    assert answer < text.index("12 of 30 features selected") < table


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
