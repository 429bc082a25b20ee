"""Comparisons: what they measure, that they resume, and what they say of ranks."""

import json
import re
from dataclasses import asdict

import numpy as np
import pytest
from scipy.stats import friedmanchisquare
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, InputError, ParquetTable, Selector
from nffs.methods import METHODS
from nffs.validation import MODELS, compare
from nffs.validation.chosen import fitness
from nffs.validation.comparison import comparison
from nffs.validation.comparison.ranks import compare_ranks, critical_difference
from nffs.validation.comparison.report import render_comparison
from nffs.validation.comparison.summary import summarize
from nffs.validation.transfer import Transfer

QUICK = {"param_groups": [{"n_estimators": 3, "max_depth": 4}]}
THREE = {"methods": ["nffs", "ga", "ig"], "budget": 12, "seeds": 3, "models": (), **QUICK}
TWO = {"methods": ["ig", "all"], "budget": 4, "seeds": 2, **QUICK}


@pytest.fixture(scope="module")
def halves(connections):
    y = np.array(connections.target)
    return connections.data[:300], y[:300], (connections.data[300:], y[300:])


@pytest.fixture(scope="module")
def found(halves):
    X, y, test = halves
    return compare(X, y, test=test, **THREE).document


def test_every_run_is_a_selectors(found, halves):
    X, y, test = halves
    row = found["methods"][1]
    assert [run["seed"] for run in row["runs"]] == [0, 1, 2]
    selector = Selector("ga", max_evaluations=12, random_state=2, **QUICK).fit(X, y)
    run = row["runs"][2]
    assert run["score"] == selector.fitness_
    assert run["features"] == selector.selected_features_
    assert run["evaluations"] == 12
    assert run["optimism"] == run["score"] - run["unseen"]
    # The unseen score is what nffs.validation gives for the same columns and rows.
    evaluator = NFFS(random_state=0, **QUICK)
    assert run["unseen"] == fitness(evaluator, selector.support_, X, y, eval_set=test)
    assert row["unseen"]["mean"] == pytest.approx(np.mean([r["unseen"] for r in row["runs"]]))
    best = np.maximum.accumulate(selector.archive_fitness_)
    assert run["curve"][-1][1] == best[-1]
    assert [point[0] for point in run["curve"]] == (
        np.unique(best, return_index=True)[1] + 1
    ).tolist()


def test_the_unseen_rows_steer_nothing(found, halves):
    X, y, (X_test, y_test) = halves
    other = compare(X, y, test=(X_test, y_test[::-1]), **THREE).document
    for mine, theirs in zip(found["methods"], other["methods"], strict=True):
        assert [r["features"] for r in mine["runs"]] == [r["features"] for r in theirs["runs"]]
        assert mine["score"] == theirs["score"]
    assert found["methods"][0]["unseen"] != other["methods"][0]["unseen"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("runs") / "kept"


@pytest.fixture(scope="module")
def modelled(halves, kept):
    X, y, test = halves
    return compare(X, y, test=test, keep=kept, **TWO).document


class TestOtherModels:
    """Methods are ranked by what models score that had no part in the search."""

    def test_every_run_has_their_scores(self, modelled, halves):
        X, y, test = halves
        assert modelled["models"] == ["forest", "boosting", "logistic"]
        ig, everything = modelled["methods"]
        for run in everything["runs"]:
            assert run["gain"] == 0.0
            assert all(m["selected"] == m["all_features"] for m in run["models"].values())
        run = ig["runs"][0]
        evaluator = NFFS(random_state=0, **QUICK)
        evaluation = evaluator.evaluation(X, y, eval_set=test, unit="category")
        mask = np.isin(evaluation.encoding.names, run["features"])
        scores = Transfer(MODELS, evaluation).scores(mask)
        assert run["models"] == {name: asdict(score) for name, score in scores.items()}
        assert run["transfer"] == pytest.approx(np.mean([s.selected for s in scores.values()]))
        assert run["gain"] == pytest.approx(np.mean([s.difference for s in scores.values()]))
        # The same rows for every seed: all columns were scored once.
        for other in ig["runs"] + everything["runs"]:
            for name, model in other["models"].items():
                assert model["all_features"] == run["models"][name]["all_features"]

    def test_methods_are_summed_up_by_model(self, modelled):
        for row in modelled["methods"]:
            for name, found in row["models"].items():
                scores = [run["models"][name] for run in row["runs"]]
                selected = np.mean([score["selected"] for score in scores])
                assert found["selected"]["mean"] == pytest.approx(selected)
                everything = np.mean([score["all_features"] for score in scores])
                assert found["difference"]["mean"] == pytest.approx(selected - everything)
            means = [found["selected"]["mean"] for found in row["models"].values()]
            assert row["transfer"]["mean"] == pytest.approx(np.mean(means))

    def test_their_mean_ranks(self, halves):
        """The evaluator prefers one method, the models the other."""
        runs = [
            {**RUN, "method": name, "seed": seed, "unseen": unseen,
             "models": {"a": {"selected": theirs, "all_features": 0.5},
                        "b": {"selected": 0.6, "all_features": 0.5}}}
            for seed in range(2)
            for name, unseen, theirs in (("ga", 0.9, 0.3), ("ig", 0.8, 0.7))
        ]  # fmt: skip
        ranked = summarize(runs, ["ga", "ig"], ["x"], 1, ["a", "b"])
        assert ranked["ranked_by"] == "transfer"
        ga, ig = ranked["methods"]
        assert (ga["rank"], ga["rank_transfer"], ga["rank_unseen"]) == (2.0, 2.0, 1.0)
        assert (ig["rank"], ig["rank_transfer"], ig["rank_unseen"]) == (1.0, 1.0, 2.0)
        assert ig["transfer"]["mean"] == pytest.approx(0.65)
        assert ga["gain"]["mean"] == pytest.approx(-0.05)
        assert ga["models"]["a"]["difference"]["mean"] == pytest.approx(-0.2)
        alone = summarize(runs, ["ga", "ig"], ["x"], 1, [])
        assert alone["ranked_by"] == "unseen"
        assert [row["rank"] for row in alone["methods"]] == [1.0, 2.0]

    def test_they_are_part_of_what_a_folder_holds(self, halves, kept, modelled, monkeypatch):
        X, y, test = halves
        assert "forest: RandomForestClassifier" in (kept / "identity.json").read_text()
        for models in ((), ["forest"], {**MODELS, "forest": GaussianNB()}):
            with pytest.raises(InputError, match=r"\(it differs in 'models'\)"):
                compare(X, y, test=test, keep=kept, models=models, **TWO)
        monkeypatch.setattr(Selector, "fit", None)  # everything is there
        assert compare(X, y, test=test, keep=kept, n_jobs=2, **TWO).document == modelled

    def test_any_number_of_threads(self, halves, modelled):
        X, y, test = halves
        again = compare(X, y, test=test, n_jobs=3, **TWO).document
        timeless(again), timeless(fresh := json.loads(json.dumps(modelled)))
        assert again == fresh

    def test_they_never_see_what_is_held_out_for_another_seed(self, connections):
        X, y = connections.data, connections.target
        few = {**TWO, "methods": ["all"], "models": {"bayes": GaussianNB()}}
        both, second = (compare(X, y, **{**few, "seeds": s}).document for s in ([0, 1], [1]))
        runs = both["methods"][0]["runs"]
        assert runs[0]["models"] != runs[1]["models"]
        assert runs[1]["models"] == second["methods"][0]["runs"][0]["models"]

    def test_the_page_has_them(self, modelled):
        page = render_comparison(modelled)
        part = page[page.index("Every model as a table") :].partition("</section>")[0]
        for row in modelled["methods"]:
            for found in row["models"].values():
                shown = f"{found['selected']['mean']:.4f} ({found['difference']['mean']:+.4f})"
                assert shown in part
            assert f"<td>{row['transfer']['mean']:.4f}</td>" in page
            assert f">{row['unseen']['mean']:.4f}</td>" in page
        for model in modelled["models"]:
            assert f"<h3><bdi>{model}</bdi></h3>" in page


#: A run, as far as it takes to sum it up.
RUN = {
    "score": 0.5, "optimism": 0.0, "n_features": 1, "evaluations": 1, "seconds": 0.0,
    "features": ["x"], "curve": [[1, 0.5]],
}  # fmt: skip


def test_mean_curves_rise_and_end_where_the_runs_do(found):
    for row in found["methods"]:
        curve = [value for _, value in row["curve"]]
        assert curve == sorted(curve)
        assert curve[-1] == pytest.approx(np.mean([run["curve"][-1][1] for run in row["runs"]]))


@pytest.fixture
def seen(monkeypatch):
    """Give what methods were fitted to, by seed."""
    seen = {}
    fit = Selector.fit

    def noted(self, X, y, **more):
        seen.setdefault(self.random_state, []).append((X, y, more.get("groups")))
        return fit(self, X, y, **more)

    monkeypatch.setattr(Selector, "fit", noted)
    return seen


def test_every_seed_holds_out_other_rows_for_all_methods(connections, seen):
    few = {"methods": ["all", "ig"], "budget": 1, **QUICK}
    X, y = connections.data.with_row_index("row"), np.array(connections.target)
    found = compare(X, y, held_out=0.4, seeds=2, **few).document
    assert found["unseen_on"] == "160 rows, held out anew for every seed, which no method saw"
    rows = {seed: [set(x["row"].to_list()) for x, _, _ in fits] for seed, fits in seen.items()}
    assert [len(kept) for kept in rows[0]] == [240, 240]
    assert rows[0][0] == rows[0][1]
    assert rows[0][0] != rows[1][0]
    # What was held out is what the unseen score comes from.
    kept = sorted(rows[1][0])
    held = sorted(set(range(400)) - rows[1][0])
    run = found["methods"][0]["runs"][1]
    evaluator = NFFS(random_state=0, **QUICK)
    mask = Selector("all", **QUICK).fit(X[kept], y[kept]).support_
    assert run["unseen"] == fitness(evaluator, mask, X[kept], y[kept], eval_set=(X[held], y[held]))
    # A seed's rows do not depend on which other seeds there are.
    again = compare(X, y, held_out=0.4, seeds=[1], **few).document
    assert again["methods"][0]["runs"][0]["unseen"] == run["unseen"]


def test_groups_are_held_out_whole(connections, seen):
    groups = np.arange(400) // 50
    few = {"methods": ["all"], "seeds": 1, "budget": 1, "cv": GroupKFold(3), **QUICK}
    found = compare(connections.data, connections.target, held_out=0.25, groups=groups, **few)
    assert found.document["unseen_on"].startswith("25% of the groups, held out anew")
    ((_, _, kept),) = seen[0]
    assert np.bincount(kept, minlength=8).tolist().count(50) == 6


def test_a_folder_for_other_groups_is_refused(halves, tmp_path):
    X, y, test = halves
    few = {"methods": ["all"], "seeds": 1, "budget": 1, "cv": GroupKFold(3), **QUICK}
    groups = np.arange(300) // 50
    compare(X, y, test=test, groups=groups, keep=tmp_path / "runs", **few)
    with pytest.raises(InputError, match=r"it differs in 'groups'"):
        compare(X, y, test=test, groups=groups[::-1], keep=tmp_path / "runs", **few)


def test_names_that_some_seeds_have_alone_count_for_stability(connections):
    few = {"methods": ["ig"], "seeds": 4, "budget": 3, "min_frequency": 0.1, **QUICK}
    row = compare(connections.data, connections.target, **few).document["methods"][0]
    assert row["stability"]["value"] <= 1


def test_a_sample_scores_and_a_file_is_not_held_out(halves, tmp_path):
    X, y, test = halves
    path = tmp_path / "t.parquet"
    X.with_columns(label=y).write_parquet(path)
    table = ParquetTable(path, target="label")
    few = {"methods": ["ig"], "seeds": 1, "budget": 2, "max_rows": 100, **QUICK}
    there = compare(table, table.labels(), test=test, **few).document
    here = compare(X, y, test=test, **few).document
    timeless(there), timeless(here)
    assert there == here
    assert "a stratified sample of 100 of the 300 training rows" in here["evaluated_on"]
    with pytest.raises(InputError, match="ParquetTable cannot be held out; give test"):
        compare(table, table.labels(), **few)


def test_a_comparison_goes_on_where_it_was_stopped(found, halves, tmp_path, monkeypatch):
    X, y, test = halves
    fits = []
    fit = Selector.fit

    def counted(self, *args, **more):
        if len(fits) == 4:
            raise KeyboardInterrupt
        fits.append(self.method)
        return fit(self, *args, **more)

    monkeypatch.setattr(Selector, "fit", counted)
    with pytest.raises(KeyboardInterrupt):
        compare(X, y, test=test, keep=tmp_path / "runs", **THREE)
    monkeypatch.setattr(Selector, "fit", fit)
    runs = []
    again = compare(
        X, y, test=test, keep=tmp_path / "runs", n_jobs=2, on_run=runs.append, **THREE
    ).document
    assert len(runs) == 9
    timeless(again), timeless(fresh := json.loads(json.dumps(found)))
    assert again == fresh
    monkeypatch.setattr(Selector, "fit", None)  # everything is there
    compare(X, y, test=test, keep=tmp_path / "runs", **THREE)


def timeless(document):
    for row in document["methods"]:
        del row["seconds"]
        for run in row["runs"]:
            del run["seconds"]


def test_a_folder_of_another_comparison_is_refused(halves, tmp_path):
    X, y, test = halves
    few = {"methods": ["all"], "seeds": 1, **QUICK}
    compare(X, y, test=test, budget=1, keep=tmp_path / "runs", **few)
    with pytest.raises(InputError, match=r"another comparison \(it differs in 'budget'\)"):
        compare(X, y, test=test, budget=2, keep=tmp_path / "runs", **few)
    with pytest.raises(InputError, match=r"another comparison \(it differs in 'target'\)"):
        compare(X, y[::-1], test=test, budget=1, keep=tmp_path / "runs", **few)
    (tmp_path / "runs" / "all-0.json").write_text('{"method":')
    with pytest.raises(InputError, match=r"all-0\.json: is damaged .* delete that file"):
        compare(X, y, test=test, budget=1, keep=tmp_path / "runs", **few)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"holds files but no identity\.json"):
        compare(X, y, test=test, budget=1, keep=tmp_path / "mine", **few)


def test_a_scorer_of_ones_own_counts_with_its_arguments(halves, tmp_path):
    X, y, test = halves
    few = {"methods": ["all"], "seeds": 1, "budget": 1, "keep": tmp_path / "runs", **QUICK}
    lenient, strict = (
        make_scorer(fbeta_score, beta=beta, pos_label="attack") for beta in (0.1, 10)
    )
    before = compare(X, y, test=test, scoring=lenient, **few)
    with pytest.raises(InputError, match=r"another comparison \(it differs in 'scoring'\)"):
        compare(X, y, test=test, scoring=strict, **few)
    again = compare(X, y, test=test, scoring=lenient, **few)
    assert again.document["methods"] == before.document["methods"]
    plain = {**few, "keep": tmp_path / "lambdas"}  # a lambda of the same code goes on
    for _ in range(2):
        compare(X, y, test=test, scoring=lambda e, X, y: e.score(X, y), **plain)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["pzo"]}, "method: 'pzo' is not a method"),
        ({"methods": []}, "methods: is empty"),
        ({"methods": "ga"}, "methods: found 'ga'; give a list of names, or 'all'"),
        ({"seeds": 0}, "seeds: give at least one"),
        ({"budget": 0}, "budget: must be at least 1"),
        ({"models": ["tree"]}, "models: 'tree' is not a model; there are 'forest'"),
        ({"held_out": 1.0}, "held_out: must lie between 0 and 1"),
    ],
)
def test_bad_arguments_are_refused(connections, change, message):
    with pytest.raises(InputError, match=message):
        compare(connections.data, connections.target, **change)


def test_boruta_is_left_out_where_it_is_not_installed(monkeypatch):
    monkeypatch.setattr(comparison, "find_spec", lambda _: None)
    names, left_out = comparison.methods_to_compare("all")
    assert "boruta" not in names
    assert "pip install boruta" in left_out[0]["why"]


def test_by_default_a_handful_of_every_family():
    names, left_out = comparison.methods_to_compare(None)
    assert names == list(comparison.DEFAULT_METHODS)
    assert set(names) < set(METHODS)
    assert left_out == []
    assert comparison.methods_to_compare(["all"]) == (["all"], [])  # the baseline of that name


def test_the_page_opens_offline_and_escapes(found):
    document = json.loads(json.dumps(found))
    document["scoring"] = "<script>alert(1)</script>"
    document["methods"][0]["description"] = "a <b> & c"
    page = render_comparison(document)
    assert "<script>alert" not in page
    assert "a &lt;b&gt; &amp; c" in page
    assert not re.search(r"https?://|src=|@import|url\(", page)
    assert page.count("<polyline") == 2 * 3  # for wide windows and for narrow ones
    assert "Friedman" in page
    assert "With which model?" not in page


def test_ranks_and_friedmans_test():
    rng = np.random.default_rng(0)
    scores = rng.random((8, 4)) + np.array([0.0, 0.5, 0.0, -0.5])
    found = compare_ranks(scores)
    assert found.mean.argmin() == 1
    assert found.mean.sum() == pytest.approx(10)  # 1 + 2 + 3 + 4
    theirs = friedmanchisquare(*scores.T)
    assert (found.statistic, found.pvalue) == (theirs.statistic, theirs.pvalue)
    assert compare_ranks(scores[:, :2]).pvalue is None
    assert compare_ranks(np.ones((5, 3))).pvalue is None
    # Demsar 2006, table 5: q of 5 % is 2.343 for 3 methods and 3.164 for 10.
    assert critical_difference(3, 1) == pytest.approx(2.343 * np.sqrt(3 * 4 / 6), abs=1e-3)
    assert critical_difference(10, 20) == pytest.approx(3.164 * np.sqrt(110 / 120), abs=1e-3)
