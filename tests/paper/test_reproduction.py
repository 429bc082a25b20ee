"""The whole reproduction on a small table: parts, files, the page."""

import json
import re

import numpy as np
import polars as pl
import pytest
from sklearn.utils import Bunch

from nffs import InputError
from nffs.paper import scores, searches
from nffs.paper.reported import ReportedSubset
from nffs.paper.reproduction import Reproduction
from nffs.paper.standin import STAND_IN, stand_in_split
from nffs.validation.kept import KeptResults

SCORES = tuple((v, 0.05) for v in (0.6, 0.6, 0.7, 0.6, 0.7))
SUBSETS = (
    ReportedSubset("A", "", ("flag", "duration"), 0, 2, SCORES),
    ReportedSubset("NFFS", "", ("root_shell", "src_bytes", "flag_S0"), 3, 3, SCORES),
)


KEEPS = {"tables": "scores", "search": "searches"}


@pytest.fixture
def make(connections, tmp_path):
    """Make small reproductions in one folder; arguments as for `Reproduction`."""

    def make(**changes):
        X, y = connections.data, (connections.target == "attack").astype("int8")
        small = {
            "X": X[:250],
            "y": y[:250],
            "X_test": X[250:],
            "y_test": y[250:],
            "folder": tmp_path,
            "subsets": SUBSETS,
            "parameters": {"n_subsets": 8, "n_nested": 4, "param_groups": [{"n_estimators": 5}]},
            "seeds": (7, 8, 9),
            "n_searches": 2,
        }
        return Reproduction(**{**small, **changes})

    return make


@pytest.fixture
def work(make):
    return make()


def test_attacks_are_positive_however_many_there_are(make):
    work = make()
    many = make(y=1 - work.y)  # in UNSW-NB15 attacks are the more frequent class
    for experiment in (work, many):
        assert experiment.bench.identity["target"].endswith(", positive 1")
        assert experiment.fit("train", 0, lambda: None).positive_ == 1


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
    assert text.count('src="data:image/svg+xml;base64,') == 5
    assert "evaluated on the test file (the paper's protocol)" in text.replace("&#39;", "'")
    # the verdict comes first, then what shows it, and the tables are folded
    found = "Can the paper's numbers be reproduced?"
    plain = text.replace("&#39;", "'")
    assert plain.index(found) < plain.index("The paper against ours") < plain.index("Figure 4:")
    assert plain.index("Figure 4:") < plain.index("What was found") < plain.index("<table ")
    assert text.count("<table ") == len(re.findall(r'<details class="part">', text)) - 1
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"https?://|@import|url\(", text)
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


def test_both_protocols_say_what_they_evaluated_on(work):
    nowhere = KeptResults(None, {}, "")
    results = searches.resumable_searches(work, range(1), nowhere)
    assert [r["evaluated_on"] for r in results] == list(searches.EVALUATED_ON.values())
    table = searches.searches_table(results, reported=0.904)
    assert table.header[-1] == "at least the paper's 0.904"
    assert [row[1] for row in table.rows] == ["1", "1"]


class TestResuming:
    """What was computed is not computed again, and never mixed with anything else."""

    @pytest.fixture
    def done(self, monkeypatch):
        """Note what is computed; stop before the one that is asked for."""
        noted, self.stop = [], None
        score, search = scores.score_subset, searches.Experiment.search

        def note(what):
            if what == self.stop:
                raise KeyboardInterrupt
            noted.append(what)

        monkeypatch.setattr(
            scores, "score_subset", lambda *a, **k: note(a[1].method) or score(*a, **k)
        )
        monkeypatch.setattr(
            searches.Experiment,
            "search",
            lambda self, protocol, seed, *a: (
                note(f"{protocol}-{seed}") or search(self, protocol, seed, *a)
            ),
        )
        return noted

    @pytest.mark.parametrize(
        ("part", "everything", "stop"),
        [
            ("tables", ["A", "NFFS"], "NFFS"),
            ("search", ["test-0", "train-0", "test-1", "train-1"], "train-0"),
        ],
    )
    def test_a_stopped_run_goes_on(self, make, done, tmp_path, part, everything, stop):
        self.stop = stop
        with pytest.raises(KeyboardInterrupt):
            make().run([part], lambda: None)
        self.stop = None
        steps = []
        resumed = make()
        resumed.run([part], lambda: steps.append(1))
        assert done == everything
        assert len(steps) == resumed.steps([part])
        whole = make(folder=tmp_path / "whole")
        whole.run([part], lambda: None)
        assert timeless(resumed.document) == timeless(whole.document)

    def test_figures_are_drawn_again_without_a_search(self, make, done, monkeypatch):
        first = make()
        first.run(["figures"], lambda: None)
        monkeypatch.setattr(searches.Experiment, "fit", None)
        again, steps = make(), []
        again.run(["figures"], lambda: steps.append(1))
        assert done == ["A", "NFFS"]
        assert again.document == first.document
        assert len(steps) == again.steps(["figures"])

    def test_more_searches_keep_the_first(self, make, done):
        make(n_searches=1).run(["search"], lambda: None)
        make().run(["search"], lambda: None)
        assert done == ["test-0", "train-0", "test-1", "train-1"]

    @pytest.mark.parametrize("part", ["tables", "search"])
    @pytest.mark.parametrize(
        ("change", "item"),
        [
            (lambda work: {"X": work.X[::-1], "y": work.y[::-1]}, "'values'"),
            (lambda work: {"X_test": work.X_test[::-1]}, "'values'"),
            (lambda work: {"y": 1 - work.y}, "'target'"),
            (lambda work: {"y_test": 1 - work.y_test}, "'target'"),
            (lambda work: {"seeds": (7, 8, 10)}, "'seeds'"),
        ],
        ids=["rows", "test rows", "labels", "test labels", "seeds"],
    )
    def test_other_work_is_refused(self, make, done, monkeypatch, part, change, item):
        work = make()
        work._open(KEEPS[part])
        with pytest.raises(InputError, match=f"another reproduction .it differs in {item}"):
            make(**change(work)).run([part], lambda: None)
        assert done == []

    def test_other_parameters_are_refused_where_they_matter(self, make):
        work = make()
        work._open("scores"), work._open("searches")
        other = make(parameters={**work.parameters, "n_nested": 3})
        other._open("scores")
        with pytest.raises(InputError, match="it differs in 'n_nested'"):
            other._open("searches")
        with pytest.raises(InputError, match="it differs in 'subsets'"):
            make(subsets=SUBSETS[::-1])._open("scores")

    def test_a_folder_from_before_is_refused_before_the_work(self, make, done, tmp_path):
        (tmp_path / "searches").mkdir()
        (tmp_path / "searches" / "test-0.json").write_text("{}")
        with pytest.raises(InputError, match=r"searches: holds files but no identity\.json"):
            make().run(["tables", "search"], lambda: None)
        assert done == []

    def test_a_half_written_file_does_no_harm_and_a_damaged_one_is_named(self, make, tmp_path):
        work = make()
        work._open("scores")
        (tmp_path / "scores" / ".0-A.1-ff.json").write_text('{"meth')
        work.run(["tables"], lambda: None)
        (tmp_path / "scores" / "0-A.json").write_text('{"meth')
        with pytest.raises(InputError, match=r"0-A\.json: is damaged .*; delete that file"):
            make().run(["tables"], lambda: None)


def timeless(document):
    for search in document.get("searches", ()):
        del search["seconds"]
    return json.loads(json.dumps(document))


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
        assert text.count("Stand-in split: UNSW-NB15") == 1
        # the four figures of results say it too; figure 1 shows the encodings
        drawings = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")]
        assert sum("<!-- Stand-in split -->" in drawing for drawing in drawings) == 4
        scores = next(table for table in work.tables if table.name == "scores")
        assert "whose" not in scores.header
        assert not any("paper" in cell for row in scores.rows for cell in row)
        searched = next(table for table in work.tables if table.name == "searches")
        assert not any("paper's" in cell for cell in searched.header)
        assert not any("agree with the paper" in sentence for sentence in work.sentences)
        assert "The paper against ours" not in text
        assert 'class="point paper"' not in text

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
    sentence = scores.ordering_sentence(results)
    assert "In precision it is first" in sentence
    assert "recall it is not ahead of A" in sentence
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
    assert "by +0.100" in searches.honesty_sentence(searched)
    assert "in 8 of 8 searches" in searches.phases_sentence(searched)
