"""The whole reproduction on a small table: parts, files, resuming."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.utils import Bunch

from nffs.paper import scores, searches
from nffs.paper.reported import ReportedSubset
from nffs.paper.reproduction import Reproduction
from nffs.paper.standin import STAND_IN, stand_in_split

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
    assert len(document["sentences"]) == 7
    assert "drawn_fitness" not in document["searches"][0]
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
    assert [r["evaluated_on"] for r in results] == list(searches.TOLD.values())
    table = searches.searches_table(results, reported=0.904)
    assert table.header[-1] == "at least the paper's 0.904"
    assert [row[1] for row in table.rows] == ["1", "1"]


class TestStandIn:
    """Rows that are not the paper's are never set beside the paper's numbers."""

    def test_everything_is_marked_and_the_papers_numbers_are_left_out(self, work, tmp_path):
        work.stand_in = STAND_IN
        work.sentences.append(STAND_IN)
        work.title = "NFFS on a table"
        page = work.run(["tables", "figures", "search"], lambda: None)
        text = page.read_text(encoding="utf-8").replace("&#39;", "'")
        assert "<h1>NFFS on a table: stand-in split</h1>" in text
        assert all(table.title.startswith("Stand-in split: ") for table in work.tables)
        # the four figures of results say it too; figure 1 shows the encodings
        assert text.count("<!-- Stand-in split -->") == 4
        scores = next(table for table in work.tables if table.name == "scores")
        assert "whose" not in scores.header
        assert not any("paper" in cell for row in scores.rows for cell in row)
        searched = next(table for table in work.tables if table.name == "searches")
        assert not any("paper's" in cell for cell in searched.header)
        assert not any("agree with the paper" in sentence for sentence in work.sentences)

    def test_the_split_is_stratified_stated_and_the_same_every_time(self):
        rng = np.random.default_rng(0)
        data = Bunch(
            data=pl.DataFrame({"row": np.arange(900)}),
            target=rng.integers(0, 2, 900),
            family=np.repeat(["a", "b", "c"], 300),
        )
        X, y, X_test, y_test = stand_in_split(data)
        assert (len(X), len(X_test)) == (600, 300)
        assert sorted([*X["row"], *X_test["row"]]) == list(range(900))
        np.testing.assert_array_equal(y, data.target[X["row"].to_numpy()])
        np.testing.assert_array_equal(y_test, data.target[X_test["row"].to_numpy()])
        assert np.bincount(X_test["row"].to_numpy() // 300).tolist() == [100, 100, 100]
        assert X.equals(stand_in_split(data)[0])


def test_the_claims_are_answered_in_sentences():
    results = [
        {"method": "A", "best_runs": [[0.5, 0.9, 0.5, 0.5, 0.5 + i / 100] for i in range(8)]},
        {"method": "NFFS", "best_runs": [[0.6, 0.8, 0.6, 0.6, 0.6 + i / 99] for i in range(8)]},
    ]
    told = scores.ordering_sentence(results)
    assert "precision: first" in told
    assert "recall: not ahead of A" in told
    searched = [
        {
            "protocol": protocol,
            "mean": [0.0, 0.0, 0.0, f + seed / 100, 0.0],
            "drawn_fitness": [0.5, 0.6],
            "nested_fitness": [0.55, 0.6 + (seed + 1) / 100],
        }
        for protocol, f in (("test", 0.8), ("train", 0.7))
        for seed in range(8)
    ]
    assert "+0.100 above" in searches.honesty_sentence(searched)
    assert "in 8 of 8 searches" in searches.phases_sentence(searched)
