"""`nffs compare` on a small file."""

import json
import re
from pathlib import Path

import pytest
from documents import compared

from nffs.cli.compare import _lines


@pytest.fixture
def run(nffs, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # runs are kept where the command is given

    def go(*arguments):
        small = ["--budget", "6", "--runs", "2", "--n-jobs", "1"]
        return nffs("compare", table, "--target", "label", *small, *arguments)

    return go


def test_it_prints_a_row_for_every_method(run, tmp_path):
    page, data = tmp_path / "c.html", tmp_path / "c.json"
    done = run("--methods", "nffs,ga,random", "--report", page, "--out", data)
    assert done.exit_code == 0, done.stderr
    for name in ("nffs", "ga", "random"):
        assert f"\n  {name} " in done.stdout
    assert "unseen: 100 rows, held out anew for every seed, which no method saw" in done.stdout
    assert "Friedman" in done.stdout
    assert "\npositive label: attack\n" in done.stdout
    document = json.loads(data.read_text(encoding="utf-8"))
    assert [row["name"] for row in document["methods"]] == ["nffs", "ga", "random"]
    written = page.read_text(encoding="utf-8")
    assert "<svg" in written
    assert "Positive label: <bdi>attack</bdi>" in written
    assert f"wrote {data}" in done.stderr
    assert f"wrote {page}" in done.stderr


def test_other_models_rank_the_methods(run):
    done = run("--methods", "ig,all", "--models", "logistic,forest")
    assert done.exit_code == 0, done.stderr
    assert "rank models unseen" in done.stdout
    lines = done.stdout.splitlines()
    (head,) = [line.split() for line in lines if line.startswith("  method") and "gain" in line]
    assert head == ["method", "models", "gain", "logistic", "forest"]
    (everything,) = [line.split()[-3:] for line in lines[8:] if line.startswith("  all ")]
    assert everything == ["+0.0000", "+0.0000", "+0.0000"]
    assert max(map(len, lines)) <= 80
    alone = run("--methods", "ig,all", "--models", "none")
    assert "rank        unseen" in alone.stdout
    assert "gain" not in alone.stdout


def test_kept_runs_are_not_run_again(run, tmp_path):
    arguments = ["--methods", "ig,all", "--keep", tmp_path / "runs"]
    first, second = run(*arguments), run(*arguments)
    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout  # the seconds too: they are those of the first run
    assert len(list((tmp_path / "runs").glob("*-*.json"))) == 4


def test_a_test_file_holds_the_unseen_rows(run, table):
    done = run("--methods", "ig", "--test", table)
    assert done.exit_code == 0, done.stderr
    assert "unseen: test rows that no method saw" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--methods", "pzo"], "--methods: 'pzo' is not a method; did you mean 'pso'?"),
        (["--methods", "ig", "--models", "forst"], "--models: 'forst' is not a model; did you"),
        (["--methods", "ig", "--scoring", "f2"], "--scoring: 'f2' is not a scorer"),
        (["--methods", "ig", "--report", "nowhere/c.html"], "--report: the folder nowhere does"),
    ],
)
def test_misuse_is_one_sentence(run, arguments, said):
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_seed_and_evaluation_reach_the_runs(run):
    options = ["--methods", "random", "--unit", "column", "--json", "--quiet"]
    done = run(*options, "--seed", "3")
    assert json.loads(done.stdout)["seeds"] == [3, 4]
    assert done.stdout != run(*options).stdout


def names(folder):
    return sorted(path.name for path in folder.glob("*-*.json"))


def folder_in(text):
    return Path(re.search(r"runs are saved in ([^;\n]+)", text)[1])


def test_it_says_what_it_will_do_and_what_every_run_gave(run):
    done = run("--methods", "ig,random")
    plan, kept, *lines, last = done.stderr.splitlines()
    assert plan == (
        "nffs: comparing 2 methods (ig, random) over 2 seeds: 4 runs of at most 6 evaluations, "
        "24 in all"
    )
    assert "runs are saved in nffs-comparison" in kept
    assert len(lines) == 4
    for number, (line, who) in enumerate(
        zip(lines, ["ig, seed 0", "random, seed 0", "ig, seed 1", "random, seed 1"], strict=True)
    ):
        said = rf"nffs: run {number + 1} of 4: {who}: 0\.\d{{4}} on unseen rows, \d+ feature"
        assert re.match(said, line)
        assert ("; roughly 0:0" in line) == (number < 3)
    assert last.startswith("nffs: runs are in nffs-comparison")


def test_quiet_says_nothing_of_it(run):
    assert run("--methods", "ig", "--quiet").stderr == ""


def test_runs_are_kept_without_being_asked_and_found_again(run, tmp_path, monkeypatch):
    from nffs import Selector

    first = run("--methods", "ig")
    folder = folder_in(first.stderr)
    assert folder.parent == Path("nffs-comparison")
    assert folder.name.startswith("train-")
    assert names(tmp_path / folder) == ["ig-0.json", "ig-1.json"]
    more = run("--methods", "ig,random")
    assert folder_in(more.stderr) == folder
    assert "2 of them are done already" in more.stderr
    assert "ig, seed" not in more.stderr
    monkeypatch.setattr(Selector, "fit", None)
    assert run("--methods", "ig").stdout == first.stdout


def test_another_comparison_has_another_folder(run, tmp_path):
    first, second = run("--methods", "ig"), run("--methods", "ig", "--cv", "2")
    assert first.exit_code == second.exit_code == 0
    assert folder_in(first.stderr) != folder_in(second.stderr)
    (tmp_path / "results").mkdir()
    third = run("--methods", "ig", "--out", "results/c.json")
    assert folder_in(third.stderr) == Path("results") / folder_in(first.stderr)


def test_nothing_is_kept_if_so_wished(run, tmp_path):
    done = run("--methods", "ig", "--no-keep")
    assert done.exit_code == 0
    assert "runs are not saved (--no-keep)" in done.stderr
    assert list(tmp_path.iterdir()) == []
    both = run("--methods", "ig", "--no-keep", "--keep", "runs")
    assert both.exit_code == 2
    assert "--keep, --no-keep: cannot be used together" in both.stderr


def test_a_folder_that_cannot_be_made(run, tmp_path):
    (tmp_path / "nffs-comparison").touch()
    done = run("--methods", "ig")
    assert done.exit_code == 2
    assert "cannot be used" in done.stderr
    assert "--no-keep" in done.stderr


def test_a_handful_by_default_and_all_by_one_word(nffs, table, tmp_path, monkeypatch):
    from nffs.methods import METHODS
    from nffs.validation.comparison.comparison import DEFAULT_METHODS

    monkeypatch.chdir(tmp_path)
    seen = []

    def stopped(self, *_arguments, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("nffs.Selector.fit", stopped)
    for arguments in ([], ["--methods", "all"]):
        done = nffs("compare", table, "--target", "label", *arguments)
        assert done.exit_code == 130
        assert "no run was finished" in done.stderr
        seen.append(re.search(r"comparing \d+ methods \((.+)\) over (\d+) seeds", done.stderr))
    handful, every = (found[1].split(", ") for found in seen)
    assert handful == list(DEFAULT_METHODS)
    assert set(every) | {"boruta"} == set(METHODS)
    assert seen[0][2] == "5"


@pytest.mark.parametrize("keep", [["--keep", "runs"], [], ["--no-keep"]])
def test_an_interrupt_says_what_is_done_and_how_to_go_on(run, tmp_path, monkeypatch, keep):
    from nffs import Selector

    fit = Selector.fit

    def stopped(self, *arguments, **more):
        if self.method == "random":
            raise KeyboardInterrupt
        return fit(self, *arguments, **more)

    monkeypatch.setattr(Selector, "fit", stopped)
    done = run("--methods", "ig,random", *keep)
    assert done.exit_code == 130
    assert done.stdout.startswith("1 of 4 runs are done")
    assert re.search(r"^  ig +1 0\.\d{4}", done.stdout, re.M)
    assert "positive label: attack" in done.stdout
    if keep == ["--no-keep"]:
        assert "finished runs were not saved" in done.stderr
    else:
        folder = folder_in(done.stderr)
        assert f"finished runs are in {folder}; run the same command to continue" in done.stderr
        assert names(tmp_path / folder) == ["ig-0.json"]
    assert run("--methods", "ig,random", "--json", *keep).stdout == ""


@pytest.mark.parametrize(
    ("margin", "said"),
    [(0.05, "methods whose mean ranks differ by more than"), (0.0, "does not tell the methods ap")],
)
def test_whether_methods_differ_is_said_in_words(margin, said):
    document = compared({"guided": 2 * margin, "ga": margin, "all": 0.0, "mrmr": -margin})
    (line,) = [line for line in _lines(document) if "Friedman" in line]
    assert said in line
