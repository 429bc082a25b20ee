"""The comparison study's runs: kept in small files, counted only while the code gives the same."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from nffs import make_connections

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import _kept  # noqa: E402
from _kept import KeptRuns, points  # noqa: E402
from _page import what_is_there  # noqa: E402
from _runs import (  # noqa: E402
    EVALUATORS,
    Unit,
    coverage,
    kept_runs,
    make_runs,
    of_other_code,
    units,
)
from _study import study_of  # noqa: E402
from _tables import Table  # noqa: E402

QUICK = {"evaluator": ["logistic"]}


def a_run(method="random", seed=0, **changed):
    score = {"selected": 0.7512345678, "all_features": 0.5}
    return {
        "method": method,
        "seed": seed,
        "score": 0.81234567,
        "unseen": 0.75,
        "models": dict.fromkeys(_kept.MODELS, score),
        "n_features": 2,
        "features": ["b", "service_http, or so"],
        "evaluations": 10,
        "seconds": 1.23456,
        "curve": [[1, 0.5], [3, 0.6], [9, 0.81234567]],
        **changed,
    }


@pytest.fixture
def kept(tmp_path):
    return KeptRuns(tmp_path / "kept", EVALUATORS["panel"])


def test_a_run_comes_back_with_six_digits(kept):
    kept.add("wine", 50, 13, a_run())
    (run,) = kept.runs("wine")
    assert run["score"] == 0.812346
    assert run["optimism"] == pytest.approx(0.062346)
    assert run["models"]["boosting"] == {"selected": 0.751235, "all_features": 0.5}
    assert run["features"] == ["b", "service_http, or so"]
    assert (run["budget"], run["n_columns"], run["n_features"]) == (50, 13, 2)
    assert run["curve"] == [[1, 0.5], [2, 0.5], [4, 0.6], [8, 0.6], [10, 0.8123]]
    assert (kept.n_columns("wine"), kept.n_columns("crx")) == (13, 0)


def test_names_that_come_later_do_not_change_earlier_runs(kept):
    kept.add("wine", 50, 13, a_run())
    many = [f"x{i}" for i in range(40)]
    kept.add("wine", 50, 13, a_run(seed=1, features=[*many, "b"]))
    kept.add("wine", 50, 13, a_run(seed=2, features=[]))
    first, second, third = (set(run["features"]) for run in kept.runs("wine"))
    assert first == {"b", "service_http, or so"}
    assert second == {*many, "b"}
    assert third == set()


def test_lines_are_sorted_so_that_two_orders_make_one_file(kept, tmp_path):
    other = KeptRuns(tmp_path / "other", EVALUATORS["panel"])
    runs = [("ga", 1), ("ga", 0), ("random", 0)]
    for method, seed in runs:
        kept.add("wine", 50, 13, a_run(method, seed))
    for method, seed in reversed(runs):
        other.add("wine", 50, 13, a_run(method, seed))
    files = [(one.folder / "wine.csv").read_bytes() for one in (kept, other)]
    assert files[0] == files[1]


def test_the_code_of_a_run_is_its_method_evaluator_and_golden_result(kept, tmp_path, monkeypatch):
    _kept.code_of.cache_clear()
    codes = {kept.code("ga"), kept.code("pso"), KeptRuns(tmp_path, QUICK).code("ga")}
    assert len(codes) == 3
    before = {name: kept.code(name) for name in ("ga", "pso")}
    golden = json.loads(_kept._GOLDEN.read_text())
    golden["method ga"]["fitness"] = "0.5"
    changed = tmp_path / "results.json"
    changed.write_text(json.dumps(golden))
    monkeypatch.setattr(_kept, "_GOLDEN", changed)
    _kept.code_of.cache_clear()
    assert kept.code("ga") != before["ga"]
    assert kept.code("pso") == before["pso"]
    _kept.code_of.cache_clear()


def test_runs_of_other_code_are_told_not_counted_and_replaced(kept, monkeypatch):
    plan = units(["wine"], {50: ["ga", "random"]}, [0])
    monkeypatch.setattr(KeptRuns, "code", lambda self, method: f"{method} of yesterday")
    kept.add("wine", 50, 13, a_run("ga"))
    kept.add("wine", 50, 13, a_run("random"))
    assert plan[0].missing(kept) == []
    monkeypatch.setattr(KeptRuns, "code", lambda self, method: f"{method} of today")
    assert plan[0].missing(kept) == ["ga", "random"]
    assert kept_runs(plan, kept) == ({}, [])
    assert of_other_code(plan, kept) == {"ga": 1, "random": 1}
    kept.add("wine", 50, 13, a_run("ga", score=0.9))
    assert [run["score"] for run in kept.todays("wine")] == [0.9]
    assert of_other_code(plan, kept) == {"random": 1}
    assert len(kept.runs("wine")) == 2


def test_another_process_goes_on_with_the_next_table(kept):
    def never():
        raise AssertionError("the table is held by another process")

    with kept.held("wine") as ours, kept.held("wine") as theirs:
        assert (ours, theirs) == (True, False)
        make_runs(Unit("wine", 50, 0, ("all",)), kept, never, 1)
    with kept.held("wine") as ours:
        assert ours


def test_only_what_is_missing_is_run_and_what_fails_is_told(tmp_path, monkeypatch):
    kept, loaded = KeptRuns(tmp_path, QUICK), []
    made = make_connections(120)

    def load():
        loaded.append(1)
        return Table(made.data, np.array(made.target), evaluation={"pos_label": "attack"})

    def broken(*_):
        raise ValueError("it is\nbroken")

    monkeypatch.setattr("nffs.methods.genetic.GeneticAlgorithm.propose", broken)
    plan = units(["small"], {4: ["all", "ga", "random"]}, [0, 1])
    make_runs(plan[0], kept, load, 1)
    make_runs(plan[0], kept, load, 1)
    assert len(loaded) == 1
    found, failed = kept_runs(plan, kept)
    assert {method: len(runs) for method, runs in found[4]["small"].items()} == {
        "all": 1,
        "random": 1,
    }
    assert failed == ["ga on small, 4 evaluations, seed 0: ValueError: it is broken"]
    assert kept.n_columns("small") >= max(run.get("n_features", 0) for run in kept.runs("small"))


def test_the_page_says_how_complete_the_study_is(kept):
    for method in ("guided", "random"):
        kept.add("wine", 50, 13, a_run(method))
    kept.add("crx", 50, 46, a_run("guided"))
    plan = units(["wine", "crx"], {50: ["guided", "random"], 250: ["guided"]}, [0, 1])
    found, failed = kept_runs(plan, kept)
    study = study_of(found, {"wine": 13, "crx": 46})
    said = what_is_there(coverage(plan, kept), {"ga": 2}, study, failed, []).splitlines()
    assert said[0].startswith(
        "- **50 evaluations: 3 of 8 runs are made.** All methods have run with seed 0 on 1 of 2 "
        "tables. Ranked here: 2 methods on 1 tables, 1 seed"
    )
    assert said[1] == "- **250 evaluations: 0 of 4 runs are made.**"
    assert "may give other results: 2 of `ga` (2 runs)" in said[2]


def test_the_points_of_a_curve_end_with_the_last_evaluation():
    assert points(1).tolist() == [1]
    assert points(8).tolist() == [1, 2, 4, 8]
    assert points(50).tolist() == [1, 2, 4, 8, 16, 32, 50]


def test_the_committed_runs_can_be_read_and_are_small():
    folder = BENCHMARKS / "kept" / "panel"
    kept = KeptRuns(folder, EVALUATORS["panel"])
    for file in sorted(folder.glob("*.csv")):
        for run in kept.runs(file.stem):
            assert len(run["features"]) == run.get("n_features", 0), (file.stem, run["method"])
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2**20
