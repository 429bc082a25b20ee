"""`nffs compare` on a small file."""

import json

import pytest


@pytest.fixture
def run(nffs, table):
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


def test_kept_runs_are_not_run_again(run, tmp_path):
    arguments = ["--methods", "ig,all", "--keep", tmp_path / "runs"]
    first, second = run(*arguments), run(*arguments)
    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout  # the seconds too: they are those of the first run
    assert len(list((tmp_path / "runs").glob("*-*.json"))) == 4


def test_a_test_file_holds_the_unseen_rows(run, table):
    done = run("--methods", "all", "--test", table)
    assert done.exit_code == 0, done.stderr
    assert "unseen: test rows that no method saw" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--methods", "pzo"], "--methods: 'pzo' is not a method; did you mean 'pso'?"),
        (["--methods", "all", "--scoring", "f2"], "--scoring: 'f2' is not a scorer"),
        (["--methods", "all", "--report", "nowhere/c.html"], "--report: the folder nowhere does"),
    ],
)
def test_misuse_is_one_sentence(run, arguments, said):
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_seed_and_evaluation_reach_the_runs(run):
    options = ["--methods", "random", "--unit", "column", "--no-pca", "--json", "--quiet"]
    done = run(*options, "--seed", "3")
    assert json.loads(done.stdout)["seeds"] == [3, 4]
    assert done.stdout != run(*options).stdout


def test_an_interrupt_keeps_finished_runs(run, tmp_path, monkeypatch):
    from nffs import Selector

    fit = Selector.fit

    def stopped(self, *arguments, **more):
        if self.method == "all":
            raise KeyboardInterrupt
        return fit(self, *arguments, **more)

    monkeypatch.setattr(Selector, "fit", stopped)
    done = run("--methods", "ig,all", "--keep", tmp_path / "runs")
    assert done.exit_code == 130
    assert "finished runs are in" in done.stderr
    assert (tmp_path / "runs" / "ig-0.json").exists()
