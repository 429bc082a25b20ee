"""Interrupts whose exception somebody catches, drops or takes for a fault: none is lost.

They come at named places, in this process, so that nothing here depends on time.
"""

import importlib
import json
import os
import signal

import pytest

from nffs import Selection

if os.name == "nt":
    pytest.skip("signals as on POSIX", allow_module_level=True)

#: Between the words "searching ..." and the first evaluation that is reported.
PLACES = {
    "ranking the features": ("nffs.fitness.evaluation", "Evaluation", "ranked"),
    "opening the journal": ("nffs.search.journal.journal", "connect"),
    "reading the journal": ("nffs.search.journal.journal", "Journal", "known"),
    "preparing the engine": ("nffs.fitness.evaluator", "Evaluator", "__init__"),
    "starting the threads": ("nffs.search.search", "workers_for"),
    "finding BLAS": ("nffs.fitness.blas", "_OneThread", "_find"),
    "reporting a subset": ("nffs.search.subsets", "Subsets", "_report"),
}


@pytest.fixture
def interrupted(nffs, monkeypatch):
    """Run a command that gets a signal at a place, once; `then` is done with what it raises."""

    def run(place, arguments, then=lambda error: None, number=signal.SIGINT):
        came = []
        module, *holders, name = place
        holder = importlib.import_module(module)
        for part in holders:
            holder = getattr(holder, part)
        real = getattr(holder, name)

        def first(*args, **kwargs):
            if not came:
                came.append(place)
                try:
                    os.kill(os.getpid(), number)
                except KeyboardInterrupt as error:
                    then(error)
            return real(*args, **kwargs)

        monkeypatch.setattr(holder, name, first)
        done = nffs(*arguments)
        assert came
        assert done.exit_code == 130, done.stderr
        assert "bug in nffs" not in done.stderr
        return done

    return run


def raised(error):
    raise error


def turned(error):
    raise ImportError("half a module")


@pytest.fixture
def select(table, tmp_path):
    """A search that would take long; all that is wanted of it is its first subsets."""
    return ["select", table, "--target", "label", "--method", "random", "--holdout", "0",
            "--budget", "2000", "--cv", "2", "--journal", tmp_path / "journal",
            "--out", tmp_path / "selection.json"]  # fmt: skip


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_one_that_is_caught_ends_the_search_at_its_next_subset(
    interrupted, select, place, tmp_path, capfd
):
    interrupted(place, [*select, "--n-jobs", "2"])
    assert "nffs: stopping; once more to stop at once" in capfd.readouterr().err
    selection = Selection.load(tmp_path / "selection.json")
    assert selection.partial
    assert selection.evaluations < 20


def test_an_evaluation_is_not_tried_again_for_an_interrupt(interrupted, select, tmp_path):
    """Every error of an evaluation is a reason to try again, and an interrupt can become one."""
    place = ("nffs.fitness.evaluator", "Evaluator", "__call__")
    interrupted(place, [*select, "--n-jobs", "1"], turned)
    assert Selection.load(tmp_path / "selection.json").evaluations < 20


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("validate", ["--method", "random", "--budget", "9", "--folds", "2", "--models", "none"]),
        ("stability", ["--method", "random", "--budget", "9", "--runs", "2"]),
        ("compare", ["--methods", "random", "--budget", "9", "--runs", "2", "--models", "none",
                     "--no-keep"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("then", [lambda error: None, raised], ids=["caught", "raised"])
def test_one_ends_the_whole_command_not_one_of_its_searches(
    interrupted, table, tmp_path, command, options, then
):
    out = tmp_path / "out.json"
    arguments = [command, table, "--target", "label", "--cv", "2", "--out", out, *options]
    done = interrupted(PLACES["reporting a subset"], arguments, then, signal.SIGTERM)
    assert "nffs: interrupted." in done.stderr
    assert done.stdout == ""
    assert not out.exists()


def test_a_fold_whose_search_was_interrupted_gives_no_score(connections):
    from nffs import Selector
    from nffs.validation import nested_score

    def stop(progress):
        if progress.done == 3:
            raise KeyboardInterrupt

    selector = Selector("random", max_evaluations=9, cv=2, callbacks=[stop], random_state=0)
    with pytest.raises(KeyboardInterrupt):
        nested_score(selector, connections.data, connections.target, cv=2)


#: A search that is done in no time.
QUICK = ["--target", "label", "--method", "kbest", "--budget", "2", "--cv", "2"]

#: In `select`, before anything is evaluated.
EARLY = {
    "reading the table": ("nffs.cli.table", "TableOptions", "training"),
    "holding rows out": ("nffs.cli.holdout", "Holdout", "announce"),
}


@pytest.mark.parametrize("place", EARLY.values(), ids=EARLY)
def test_one_that_is_caught_before_the_search_ends_the_command(interrupted, table, tmp_path, place):
    out = tmp_path / "selection.json"
    done = interrupted(place, ["select", table, *QUICK, "--out", out])
    assert "nffs: interrupted." in done.stderr
    assert done.stdout == ""
    assert not out.exists()


#: In `select`, when the search is done.
LATE = {
    "keeping the outcome": ("nffs.selector.base", "TableSelector", "_keep"),
    "scoring models": ("nffs.validation.unseen", "score_models"),
    "making the document": ("nffs.selection", "Selection", "to_json"),
    "printing": ("nffs.cli.terminal", "print_selection"),
    "writing the selection": ("nffs.cli.options", "save"),
    "rendering the page": ("nffs.report", "render_report"),
}


@pytest.mark.parametrize("place", LATE.values(), ids=LATE)
@pytest.mark.parametrize("then", [lambda error: None, raised], ids=["caught", "raised"])
def test_one_after_the_search_costs_nothing_that_was_found(
    interrupted, table, tmp_path, place, then
):
    out, page = tmp_path / "selection.json", tmp_path / "page.html"
    arguments = ["select", table, *QUICK, "--holdout", "0.2", "--out", out, "--report", page]
    done = interrupted(place, arguments, then)
    assert "the selection is complete" in done.stderr
    assert not Selection.load(out).partial
    assert "</html>" in page.read_text(encoding="utf-8")
    assert done.stdout


def test_one_while_a_result_is_written_leaves_it_whole(interrupted, table, tmp_path):
    out = tmp_path / "out.json"
    arguments = ["stability", table, *QUICK, "--runs", "2", "--out", out]
    done = interrupted(("nffs.cli.options", "save"), arguments, raised)
    assert "interrupted, but all was done" in done.stderr
    assert done.stdout
    assert json.loads(out.read_text(encoding="utf-8"))["selections"]


def test_one_that_nothing_hears_of_still_decides_the_exit_code(interrupted, table, tmp_path, nffs):
    out = tmp_path / "selection.json"
    nffs("select", table, *QUICK, "--holdout", "0", "--out", out)
    done = interrupted(("nffs.selection", "Selection", "load"), ["pick", out])
    assert "selected:" in done.stdout
