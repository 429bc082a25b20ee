"""The whole reproduction on a small table: parts, files, resuming."""

import json

import pytest

from nffs.paper import searches
from nffs.paper.reported import ReportedSubset
from nffs.paper.reproduction import Reproduction

SCORES = tuple((v, 0.05) for v in (0.6, 0.6, 0.7, 0.6, 0.7))
SUBSETS = (
    ReportedSubset("A", "", ("flag", "duration"), 0, 2, SCORES),
    ReportedSubset("NFFS", "", ("root_shell", "src_bytes", "flag_S0"), 3, 3, SCORES),
)


@pytest.fixture
def work(connections, tmp_path):
    X, y = connections.data, (connections.target == "attack").astype("int8")
    return Reproduction(
        X[:250],
        y[:250],
        X[250:],
        y[250:],
        tmp_path,
        subsets=SUBSETS,
        parameters={"n_subsets": 8, "n_nested": 4, "param_groups": [{"n_estimators": 5}]},
        seeds=(7, 8, 9),
        n_searches=2,
    )


def test_everything_is_written(work, tmp_path):
    steps = []
    page = work.run(["tables", "figures", "search"], lambda: steps.append(1))
    assert page == tmp_path / "index.html"
    for name in ("types", "classes", "subsets", "scores", "ordering", "searches", "chosen"):
        for ending in ("md", "csv", "tex"):
            assert (tmp_path / f"{name}.{ending}").stat().st_size > 0
    for number in (1, 4, 5, 6, 7):
        assert (tmp_path / f"figure-{number}.svg").exists()
        assert (tmp_path / f"figure-{number}.png").exists()
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg ") == 5
    assert "judged on the test file (the paper's protocol)" in text.replace("&#39;", "'")
    document = json.loads((tmp_path / "reproduction.json").read_text())
    assert len(document["searches"]) == 4
    assert len(document["sentences"]) == 4
    assert 0 < len(steps) <= work.steps(["tables", "figures", "search"])


def test_a_part_alone(work, tmp_path):
    work.run(["tables"], lambda: None)
    assert (tmp_path / "scores.md").exists()
    assert not (tmp_path / "searches.md").exists()
    assert not list(tmp_path.glob("*.svg"))


def test_searches_go_on_where_they_were(work, tmp_path, monkeypatch):
    first = searches.resumable_searches(work._experiment(), work.bench, range(1), tmp_path / "s")
    done = []
    real = searches.Experiment.search
    monkeypatch.setattr(
        searches.Experiment,
        "search",
        lambda self, protocol, seed, *a: (
            done.append((protocol, seed)) or real(self, protocol, seed, *a)
        ),
    )
    both = searches.resumable_searches(work._experiment(), work.bench, range(2), tmp_path / "s")
    assert done == [("test", 1), ("train", 1)]
    assert both[:2] == first


def test_both_protocols_say_who_judged(work, tmp_path):
    results = searches.resumable_searches(work._experiment(), work.bench, range(1), tmp_path / "s")
    assert [r["judged_on"] for r in results] == list(searches.TOLD.values())
    table = searches.searches_table(results, reported=0.904)
    assert table.header[-1] == "at least the paper's 0.904"
    assert [row[1] for row in table.rows] == ["1", "1"]
