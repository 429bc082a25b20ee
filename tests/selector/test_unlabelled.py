"""Rows without labels: what a selector does with them, and that no label of theirs can enter."""

import json
import sqlite3
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline

from nffs import NFFS, InputError, ParquetTable, Selection, Selector, make_connections

SMALL = {"n_subsets": 6, "n_nested": 3, "param_groups": [{"n_estimators": 4}], "random_state": 0}
USES = ["components", "self-training", "likeness"]


def drawn(n, seed, moved=0.0):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 5))
    numbers[:, 4] += moved
    y = np.where(numbers[:, 0] + 0.5 * numbers[:, 1] + rng.normal(scale=0.4, size=n) > 0, "b", "a")
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(5)])
    frame["kind"] = rng.choice(["red", "green", "blue"], n)
    return frame, pd.Series(y, name="label")


X, Y = drawn(240, 0)
NEW, LABELS = drawn(150, 1, moved=1.5)


def fitted(uses, X=X, y=Y, new=NEW, selector=NFFS, **given):
    how = {**SMALL, **given} if selector is NFFS else {"random_state": 0, **given}
    return selector(**how, unlabelled_for=uses).fit(X, y, unlabelled=new)


def bits(selector):
    return (
        dict(zip(selector.features_, selector.support_.tolist(), strict=True)),
        sorted(selector.archive_fitness_.tolist()),
        selector.unlabelled_,
    )


@pytest.mark.parametrize("uses", [*USES, USES], ids=lambda uses: str(uses))
@pytest.mark.parametrize("evaluator", ["panel", "paper"])
def test_what_was_used_is_said_in_the_result(uses, evaluator):
    found = fitted(uses, evaluator=evaluator).selection_
    told = found.unlabelled.told
    assert found.unlabelled.n_rows == 150
    what = "components" if evaluator == "paper" else "standardisation"
    assert (f"{what} from 150 unlabelled rows" in told) == ("components" in uses)
    assert ("self-training with " in told) == ("self-training" in uses)
    assert ("weighted to look like 150 unlabelled rows" in told) == ("likeness" in uses)
    assert told in repr(found)
    if "likeness" in uses:
        assert found.unlabelled.auc > 0.75
        assert found.unlabelled.effective_rows < 200
        assert f"240 rows count as {found.unlabelled.effective_rows:,.0f}" in told


def test_each_use_changes_the_scores_and_none_leaves_them():
    plain = NFFS(**SMALL, evaluator="paper").fit(X, Y)
    assert plain.unlabelled_ is None
    assert plain.selection_.unlabelled is None
    same = NFFS(**SMALL, evaluator="paper", unlabelled_for="likeness").fit(X, Y)
    assert bits(same) == bits(plain)
    for use in USES:
        assert bits(fitted(use, evaluator="paper"))[1] != bits(plain)[1]


@pytest.mark.parametrize("uses", [None, []])
def test_used_for_nothing_they_are_compared_and_change_no_bit(uses, tmp_path):
    how = {"categories": "cluster", "journal": tmp_path / "search.db"}
    plain = NFFS(**SMALL, **how).fit(X, Y)
    found = fitted(uses, **how)
    assert bits(found)[:2] == bits(plain)[:2]
    assert found.fingerprint_ == plain.fingerprint_
    told = found.unlabelled_.told
    assert told.startswith("compared with 150 unlabelled rows, which are used for nothing (told")
    assert f"240 rows would count as {found.unlabelled_.effective_rows:,.0f}" in told
    alike = fitted(uses, new=drawn(150, 7)[0], **how).unlabelled_
    assert "which are used for nothing (cannot be told apart: AUC 0." in alike.told


@pytest.mark.parametrize("evaluator", ["panel", "paper", "boosting"])
def test_threads_and_the_order_of_columns_change_nothing(evaluator):
    uses = USES[1:] if evaluator == "boosting" else USES
    how = {"evaluator": evaluator, "categories": "cluster"}
    if evaluator == "boosting":
        how["param_groups"] = None
    once = fitted(uses, **how)
    turned = X[X.columns[::-1]]
    assert bits(fitted(uses, turned, new=NEW[["kind", *NEW.columns[:5]]], n_jobs=3, **how)) == bits(
        once
    )


def test_frames_of_any_kind_give_the_same():
    once = bits(fitted(USES))
    polars = fitted(USES, pl.from_pandas(X), pl.from_pandas(Y), pl.from_pandas(NEW))
    arrow = fitted(USES, X, Y, pl.from_pandas(NEW).to_arrow())
    assert bits(polars) == bits(arrow) == once


def test_a_parquet_file_gives_the_same(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    file = tmp_path / "new.parquet"
    NEW.assign(label=LABELS).to_parquet(file)
    assert bits(fitted(USES, new=ParquetTable(file, target="label"))) == bits(fitted(USES))


def test_arrays_belong_together_by_their_places():
    numbers, new = X.to_numpy()[:, :5].astype(float), NEW.to_numpy()[:, :5].astype(float)
    assert fitted("components", numbers, new=new).unlabelled_.n_rows == 150
    with pytest.raises(InputError, match=r"^unlabelled: found 6 columns, but X has 5"):
        fitted("components", numbers, new=np.column_stack([new, LABELS == "b"]))


def test_the_rows_given_are_not_modified():
    before = NEW.copy(deep=True)
    fitted(USES)
    pd.testing.assert_frame_equal(NEW, before)


# Labels of these rows cannot enter.


def test_labels_of_the_rows_are_not_accepted():
    with pytest.raises(InputError, match=r"^unlabelled: column 'label' has the name of the target"):
        fitted("components", new=NEW.assign(label=LABELS))
    with pytest.raises(InputError, match=r"^unlabelled: found a tuple of 2; give the table alone"):
        fitted("components", new=(NEW, LABELS))


def test_further_columns_are_not_looked_at():
    once = fitted(USES)
    more = NEW.assign(answer=np.where(LABELS == "b", 1.0, 0.0), other="?")
    assert bits(fitted(USES, new=more)) == bits(once)


def test_a_feature_may_have_the_name_of_the_target():
    named, new = X.rename(columns={"x3": "label"}), NEW.rename(columns={"x3": "label"})
    assert fitted("components", named, new=new).unlabelled_.n_rows == 150


def test_rows_without_labels_never_evaluate():
    evaluation = NFFS(**SMALL, unlabelled_for=USES).evaluation(X, Y, unlabelled=NEW)
    for part in (evaluation.rows, evaluation.final.rows):
        assert len(part.target) == 240
        for split in part.splits:
            assert max(split.train.max(), split.evaluation.max()) < 240


def test_labels_of_rows_that_evaluate_decide_nothing_that_trains():
    # of an eval_set, whose labels are turned around: what trains is the same
    asked = NFFS(**SMALL, evaluator="paper", unlabelled_for=USES)
    X_val, y_val = drawn(60, 5)
    found = []
    for labels in (y_val, y_val.map({"a": "b", "b": "a"})):
        evaluation = asked.evaluation(X, Y, eval_set=(X_val, labels), unlabelled=NEW).adapted()
        split = evaluation.rows.splits[0]
        named, sure = evaluation.engine.labelled(evaluation.rows.filled(split), split)
        found.append((named.tolist(), sure.tolist(), evaluation.rows.weights.tolist()))
    assert found[0] == found[1]
    assert found[0][2][240:] == [1.0] * 60  # rows of an eval_set weigh as before


# What each use does.


def test_components_come_from_all_rows():
    from nffs.fitness.forest.projection import Projection

    asked = NFFS(**SMALL, evaluator="paper", unlabelled_for="components")
    rows = asked.evaluation(X, Y, unlabelled=NEW).rows
    split = rows.splits[0]
    made = Projection(
        rows.matrix, split.train, split.evaluation, 0.93, None, rows.standardising(split.train)
    )
    everything = rows.matrix[np.concatenate([split.train, np.arange(240, 390)])]
    np.testing.assert_allclose(made.mean, everything.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(made.scale, everything.std(axis=0), atol=1e-5)
    np.testing.assert_allclose(made.correlation, np.corrcoef(everything.T), atol=1e-5)


def test_engines_agree_on_components_from_all_rows():
    mask = np.array([True, True, False, True, True, True, False, True])
    scores = []
    for engine in ("fast", "reference"):
        asked = NFFS(
            evaluator="paper",
            engine=engine,
            param_groups=[{"n_estimators": 60}],
            unlabelled_for="components",
            random_state=0,
        )
        scores.append(asked.evaluation(X, Y, unlabelled=NEW).score(mask))
    assert abs(scores[0] - scores[1]) < 0.05


def test_self_training_trusts_only_what_it_is_sure_of():
    asked = NFFS(**SMALL, unlabelled_for="self-training")
    evaluation = asked.evaluation(X, Y, unlabelled=NEW)
    split = evaluation.rows.splits[0]
    named, sure = evaluation.engine.labelled(evaluation.rows.filled(split), split)
    right = evaluation.rows.target.classes[named] == LABELS.to_numpy()
    assert 0 < sure.sum() < 150
    assert right[sure].mean() > right.mean()
    assert evaluation.n_labelled() > 0


def test_models_learn_from_rows_that_they_label():
    # x0 tells the classes of the old rows, x1 only those of new ones: x0 teaches x1
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    table = rng.normal(scale=0.3, size=(600, 2))
    known, new, rest = slice(0, 200), slice(200, 400), slice(400, 600)
    table[:400, 0] += 3 * y[:400]
    table[200:, 1] += 3 * y[200:]
    table[rest, 0] = 1.5
    asked = {"evaluator": "logistic", "random_state": 0}
    found = []
    for rows in ({}, {"unlabelled": table[new]}):
        selector = NFFS(**asked, unlabelled_for="self-training")
        given = {"eval_set": (table[rest], y[rest]), **rows}
        evaluation = selector.evaluation(table[known], y[known], **given)
        found.append(evaluation.score(np.array([True, True])))
    assert found[0] < 0.8
    assert found[1] > 0.95


def test_rows_that_look_like_the_new_ones_weigh_more():
    rows = NFFS(**SMALL, unlabelled_for="likeness").evaluation(X, Y, unlabelled=NEW).adapted().rows
    assert np.corrcoef(rows.weights, X["x4"])[0, 1] > 0.5
    assert rows.weights.mean() == pytest.approx(1.0)
    assert rows.weights.max() / rows.weights.min() <= 100.1


def test_weights_given_and_likeness_are_multiplied():
    given = np.linspace(1, 2, 240)
    asked = NFFS(**SMALL, unlabelled_for="likeness")
    alone = asked.evaluation(X, Y, unlabelled=NEW).adapted().rows.weights
    both = asked.evaluation(X, Y, unlabelled=NEW, sample_weight=given).adapted().rows.weights
    np.testing.assert_allclose(both, alone * given)


def test_rows_of_one_kind_are_not_weighted():
    found = fitted("likeness", new=drawn(150, 7)[0])
    assert found.unlabelled_.effective_rows is None
    assert "training rows not weighted, because they cannot be told from" in found.unlabelled_.told
    plain = NFFS(**SMALL).fit(X, Y)
    assert sorted(plain.archive_fitness_.tolist()) == sorted(found.archive_fitness_.tolist())


def test_an_excluded_column_tells_no_rows_apart():
    numbered, new = X.assign(number=np.arange(240.0)), NEW.assign(number=np.arange(240.0, 390.0))
    once = fitted("likeness")
    assert fitted("likeness", numbered, new=new, exclude="number").unlabelled_ == once.unlabelled_


def test_numbers_to_predict():
    y = X["x0"] * 2 + X["x1"]
    found = NFFS(**SMALL, unlabelled_for=["components", "likeness"]).fit(X, y, unlabelled=NEW)
    assert "standardisation" in found.unlabelled_.told
    with pytest.raises(InputError, match=r"^unlabelled_for: 'self-training' is for classes"):
        NFFS(**SMALL, unlabelled_for="self-training").fit(X, y, unlabelled=NEW)


def test_missing_numbers_and_new_categories():
    gaps = NEW.assign(kind=["violet", *NEW["kind"][1:]])
    gaps.loc[3:40, "x0"] = np.nan
    for categories in ("onehot", "cluster"):
        found = fitted(USES, new=gaps, categories=categories)
        assert np.isfinite(found.archive_fitness_).all()
    with pytest.raises(InputError, match=r"^unlabelled: missing values \(NaN\) in numeric"):
        fitted(USES, new=gaps, missing="error")


def test_of_many_rows_a_sample_is_used():
    found = fitted(USES, max_rows=100)
    assert (found.unlabelled_.n_rows, found.unlabelled_.n_given) == (100, 150)
    assert "100 of 150 unlabelled rows" in found.unlabelled_.told
    assert bits(fitted(USES, max_rows=100)) == bits(found)


def test_any_estimator_and_method():
    for estimator in (LogisticRegression(), RandomForestClassifier(5)):
        found = Selector(
            "mrmr", max_evaluations=6, estimator=estimator, unlabelled_for=USES, random_state=0
        ).fit(X, Y, unlabelled=NEW)
        assert found.unlabelled_.labelled > 0


def test_a_dask_cluster_gives_the_same():
    distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        joblib.parallel_config(backend="dask", client=client),
    ):
        found = fitted(USES)
    assert bits(found) == bits(fitted(USES))


def test_in_a_pipeline():
    pipeline = make_pipeline(NFFS(**SMALL), LogisticRegression())
    pipeline.fit(X, Y, nffs__unlabelled=NEW)
    assert pipeline[0].unlabelled_.n_rows == 150
    with config_context(enable_metadata_routing=True):
        asked = NFFS(**SMALL).set_fit_request(unlabelled=True)
        pipeline = make_pipeline(asked, LogisticRegression()).fit(X, Y, unlabelled=NEW)
    assert pipeline[0].unlabelled_.n_rows == 150
    assert pipeline.predict(NEW).shape == (150,)


# Mistakes.


@pytest.mark.parametrize(
    ("uses", "more", "message"),
    [
        ("likenes", {}, "unlabelled_for: 'likenes' is unknown; did you mean 'likeness'?"),
        ("components", {"evaluator": "forest"}, "unlabelled_for: 'components' is for models that"),
        (
            "self-training",
            {"estimator": RidgeClassifier(), "param_groups": None},
            "unlabelled_for: 'self-training' needs class probabilities, and RidgeClassifier",
        ),
    ],
)
def test_uses_that_would_have_no_effect_are_refused(uses, more, message):
    with pytest.raises(InputError) as caught:
        fitted(uses, **more)
    assert str(caught.value).startswith(message)


def test_a_table_without_the_columns_is_refused():
    with pytest.raises(InputError, match=r"^unlabelled: lacks the column\(s\) 'x0'"):
        fitted("components", new=NEW.drop(columns="x0"))
    with pytest.raises(
        InputError, match=r"^unlabelled: column 'x0' is categorical but was numeric"
    ):
        fitted("components", new=NEW.assign(x0="many"))


# Journals and files.


def test_a_journal_belongs_to_rows_and_uses(tmp_path):
    journal = tmp_path / "search.db"
    once = fitted(USES, journal=journal)
    again = fitted(USES, journal=journal)
    assert bits(again) == bits(once)
    for uses, new in (("components", NEW), (USES, NEW[:149]), (USES, NEW.assign(x0=NEW["x0"] + 1))):
        with pytest.raises(InputError, match=r"^journal: .* belongs to another search"):
            fitted(uses, new=new, journal=journal)
    with pytest.raises(InputError, match=r"unlabelled was 150 rows for .*, is not given"):
        NFFS(**SMALL, journal=journal).fit(X, Y)


def test_a_journal_of_before_goes_on(tmp_path):
    journal = tmp_path / "search.db"
    once = NFFS(**SMALL, journal=journal).fit(X, Y)
    with sqlite3.connect(journal) as connection:
        (identity,) = connection.execute(
            "SELECT value FROM about WHERE key = 'identity'"
        ).fetchone()
    assert "unlabelled" not in json.loads(identity)  # as journals were before there were such rows
    assert bits(NFFS(**SMALL, journal=journal).fit(X, Y)) == bits(once)


def test_a_selection_comes_back_from_its_file(tmp_path):
    found = fitted(USES).selection_
    found.save(tmp_path / "selection.json")
    assert Selection.load(tmp_path / "selection.json") == found


def test_a_selection_of_before_loads(tmp_path):
    document = json.loads(NFFS(**SMALL).fit(X, Y).selection_.to_json())
    del document["unlabelled"], document["parameters"]["unlabelled_for"]
    old = tmp_path / "old.json"
    old.write_text(json.dumps(document))
    assert Selection.load(old).unlabelled is None
    first = Path(__file__).parents[1] / "selection-format-1.json"
    assert Selection.load(first).unlabelled is None


def test_the_report_and_the_notebook_say_it():
    table, new = make_connections(200), make_connections(120, random_state=1)
    selector = NFFS(**SMALL, evaluator="paper", unlabelled_for="components")
    selector.fit(table.data, table.target, unlabelled=new.data)
    said = "components from 120 unlabelled rows"
    assert said in str(selector.report())
    assert said in selector._repr_html_()
