"""Ctrl-C and SIGTERM: what was evaluated is kept, and the same command goes on."""

import json
import pkgutil
import signal
import subprocess
import sys
import time

import pytest

from nffs import NFFS, InputError, PartialWarning
from nffs.errors import JournalError
from nffs.search.final import ELIMINATION, FINAL_CHECK, final_phases
from nffs.search.journal import file as journal_file

SMALL = {"n_subsets": 12, "n_nested": 6, "param_groups": [{"n_estimators": 3}], "random_state": 0}
# Both phases, all features, the final check
TOTAL = 12 + 6 + 1 + sum(final_phases(weighs=True).values())


def interrupted(connections, after, **parameters):
    def stop(progress):
        if progress.done == after:
            raise KeyboardInterrupt

    selector = NFFS(**{**SMALL, **parameters}, callbacks=[stop])
    with pytest.warns(PartialWarning, match=f"interrupted after {after} of {TOTAL} subsets"):
        return selector.fit(connections.data, connections.target)


def test_in_phase_1_the_best_drawn_subset_is_kept(connections, tmp_path):
    selector = interrupted(connections, 5)
    assert selector.partial_
    assert selector.drawn_.shape[0] == 5
    assert selector.fitness_ == selector.drawn_fitness_.max()
    assert selector.nested_fitness_.tolist() == [selector.fitness_]
    document = json.loads(selector.selection_.to_json())
    assert document["partial"]
    assert document["all_features_fitness"] is None
    selector.write_report(tmp_path / "report.html")
    assert "best subset so far" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert list(selector.transform(connections.data).columns) == selector.selected_features_


def test_in_phase_2_the_best_subset_of_both_is_kept(connections):
    selector = interrupted(connections, 15)
    assert selector.drawn_.shape[0] == 12
    assert selector.nested_.shape[0] == 3
    best = max(selector.drawn_fitness_.max(), selector.nested_fitness_.max())
    assert selector.fitness_ == best > selector.nested_fitness_.max()
    assert selector.final_ is None
    assert selector.top_counts_.sum() > 0


def test_before_anything_is_evaluated_there_is_nothing_to_keep(connections, monkeypatch):
    from nffs.search import workers

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(workers, "evaluate", stop)
    with pytest.raises(KeyboardInterrupt):
        NFFS(**SMALL).fit(connections.data, connections.target)


def test_between_the_phases_the_best_drawn_subset_is_kept(connections, monkeypatch):
    """An interrupt during the first nested subset, before any of them is known."""
    from nffs.search import workers

    real, done = workers.evaluate, []

    def stop(evaluator, masks, record):
        if len(done) == 12:
            raise KeyboardInterrupt
        done.append(masks)
        return real(evaluator, masks, record)

    monkeypatch.setattr(workers, "evaluate", stop)
    with pytest.warns(PartialWarning, match=f"interrupted after 12 of {TOTAL} subsets"):
        selector = NFFS(**SMALL).fit(connections.data, connections.target)
    assert selector.partial_
    assert selector.fitness_ == selector.drawn_fitness_.max()
    assert selector.top_counts_.sum() > 0


def test_a_journal_goes_on_from_there(connections, tmp_path):
    interrupted(connections, 9, journal=tmp_path / "j")
    whole = NFFS(**SMALL, journal=tmp_path / "j").fit(connections.data, connections.target)
    assert not whole.partial_
    untouched = NFFS(**SMALL).fit(connections.data, connections.target)
    assert whole.selected_features_ == untouched.selected_features_
    assert whole.fitness_ == untouched.fitness_


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_the_command_writes_what_it_has_and_exits_130(connections, tmp_path, number):
    table, out, journal = tmp_path / "t.csv", tmp_path / "s.json", tmp_path / "j"
    connections.frame().write_csv(table)
    command = [sys.executable, "-m", "nffs", "select", table, "--target", "label", "--out", out,
               "--journal", journal, "--subsets", "2000", "--n-jobs", "2", "--top", "9",
               "--bottom", "9"]  # fmt: skip
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 600
    while _evaluations(journal) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert "interrupted after" in stderr
    assert "Interrupted, after " in stdout
    assert json.loads(out.read_text())["partial"]
    runs = subprocess.run(
        [sys.executable, "-m", "nffs", "runs", "list", str(journal), "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    [run] = json.loads(runs.stdout)
    assert run["evaluations"] > 0
    assert run["status"] == "stopped"


def _evaluations(journal):
    if not journal.exists():
        return 0
    try:
        with journal_file.reading(journal) as connection:
            return len(list(journal_file.entries(connection)))
    except (InputError, JournalError):
        return 0  # being made


class TestAnywhere:
    """An interrupt after the first evaluation costs nothing that was found, wherever it comes."""

    @pytest.mark.parametrize("phase", [FINAL_CHECK, ELIMINATION])
    def test_in_the_final_check(self, connections, phase, tmp_path):
        """By models that can weigh features, as the default panel's."""
        seen = []

        def stop(progress):
            seen.append(progress.phase)
            if progress.phase == phase:
                raise KeyboardInterrupt

        with pytest.warns(PartialWarning):
            selector = NFFS(**SMALL, callbacks=[stop], journal=tmp_path / "j").fit(
                connections.data, connections.target
            )
        assert selector.partial_
        assert seen[-1] == phase
        assert status_of(tmp_path / "j") == "stopped"

    def test_after_the_last_candidate_nothing_is_eliminated(self, connections):
        seen = []

        def stop(progress):
            seen.append(progress.phase)
            if progress.phase == FINAL_CHECK and seen.count(FINAL_CHECK) == n_checked:
                raise KeyboardInterrupt

        n_checked = 0
        NFFS(**SMALL, callbacks=[stop]).fit(connections.data, connections.target)
        n_checked = seen.count(FINAL_CHECK)
        seen.clear()
        with pytest.warns(PartialWarning):
            selector = NFFS(**SMALL, callbacks=[stop]).fit(connections.data, connections.target)
        assert ELIMINATION not in seen
        assert len(selector.final_.sizes) == n_checked

    @pytest.mark.parametrize(
        "place",
        [
            "nffs.methods.nffs.nested_subsets",
            "nffs.search.loop.rank_subsets",
            "nffs.search.subsets.Subsets.dismiss",
            "nffs.search.search.Search._cut",
            "nffs.search.journal.journal.Journal.close",
            "nffs.selector.base.FitTasks.end",
            "nffs.selector.base.final_of",
            "nffs.selector.base.searched_points",
        ],
    )
    def test_between_evaluations(self, connections, monkeypatch, tmp_path, place):
        """Once, where the search, its method or what it found is being worked on."""
        holder, name = place.rsplit(".", 1)
        holder = pkgutil.resolve_name(holder)
        real, came = getattr(holder, name), []

        def once(*args, **kwargs):
            if not came:
                came.append(place)
                raise KeyboardInterrupt
            return real(*args, **kwargs)

        choose = "method" if name == "searched_points" else "best"
        selector = NFFS(**SMALL, choose=choose, journal=tmp_path / "j")
        monkeypatch.setattr(holder, name, once)
        with pytest.warns(PartialWarning):
            selector.fit(connections.data, connections.target)
        assert came
        assert selector.partial_
        assert selector.drawn_.shape[0] == 12
        assert selector.selection_.partial


def status_of(journal):
    with journal_file.reading(journal) as connection:
        return connection.execute("SELECT status FROM run").fetchone()[0]
