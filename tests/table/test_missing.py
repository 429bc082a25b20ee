"""Missing values: a mean and an indicator for numbers, a category for categories."""

import pickle
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from nffs import NFFS, BinnedForestClassifier, InputError, ParquetTable, Selector
from nffs.errors import AdjustedWarning
from nffs.fitness import Split, feature_codes
from nffs.fitness.information import mutual_information
from nffs.selection import Selection
from nffs.table.encoding import fit_encoding
from nffs.table.missing import Filling
from nffs.table.reading import read_table
from nffs.validation import nested_score, score_models

SMALL = {
    "n_subsets": 6,
    "n_nested": 1,
    "param_groups": [{"n_estimators": 5}],
    "cv": 2,
    "choose": "method",
    "random_state": 0,
}


def table_with_gaps(n=120):
    """Give a table in which it matters that `age` is missing, and the labels."""
    rng = np.random.default_rng(0)
    gone = rng.random(n) < 0.3
    frame = pd.DataFrame(
        {
            "age": np.where(gone, np.nan, rng.normal(50, 10, n)),
            "income": rng.normal(size=n),
            "member": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "visits": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "city": pd.array(rng.choice(["Bonn", "Köln", "Ulm"], n), dtype="string"),
        }
    )
    for name in ("member", "visits", "city"):
        frame.loc[rng.random(n) < 0.1, name] = pd.NA
    return frame, np.where(gone ^ (frame["income"] > 1.5), "yes", "no")


FRAME, LABELS = table_with_gaps()
ENCODED = [
    "age", "age_missing", "income", "member", "member_missing", "visits", "visits_missing",
    "city_Bonn", "city_Köln", "city_Ulm", "city_None",
]  # fmt: skip
KINDS = {
    "pandas": FRAME,
    "objects": FRAME.astype(object).where(FRAME.notna(), None),
    "arrow-backed pandas": FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas(FRAME),
    "pyarrow": pa.Table.from_pandas(FRAME),
}


@pytest.fixture(scope="module")
def fitted():
    return NFFS(**SMALL, include="age_missing").fit(FRAME, LABELS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame_says_the_same(kind, fitted):
    found = NFFS(**SMALL, include="age_missing").fit(KINDS[kind], LABELS)
    assert found.encoded_feature_names_ == ENCODED
    assert found.fingerprint_ == fitted.fingerprint_
    assert found.mi_.tobytes() == fitted.mi_.tobytes()
    assert found.archive_fitness_.tobytes() == fitted.archive_fitness_.tobytes()
    assert found.selected_features_ == fitted.selected_features_


def test_an_encoded_column_tells_what_is_missing_only_where_something_is():
    encoding = fit_encoding(read_table(FRAME))
    assert encoding.names == ENCODED
    matrix = encoding.matrix(read_table(FRAME))
    gone = FRAME["age"].isna().to_numpy()
    assert np.isnan(matrix[:, 0]).tolist() == gone.tolist()
    assert (matrix[:, 1] == gone).all()
    assert not np.isnan(matrix[:, ENCODED.index("city_None")]).any()


class TestFilling:
    def test_by_the_rows_that_train_alone(self):
        evaluation = NFFS(**SMALL).evaluation(FRAME, LABELS)
        split = Split(np.arange(0, 40), np.arange(40, 120))
        filled = evaluation.rows.filled(split)
        given, matrix = evaluation.rows.matrix[:, 0], filled.matrix[:, 0]
        gone = np.isnan(given)
        mean = np.float32(np.nanmean(given[:40].astype(np.float64)))
        assert set(matrix[gone].tolist()) == {float(mean)}
        assert (matrix[~gone] == given[~gone]).all()

    def test_rows_without_gaps_are_not_copied(self):
        evaluation = NFFS(**SMALL).evaluation(FRAME[["income"]], LABELS)
        assert evaluation.rows.filled(evaluation.rows.splits[0]) is evaluation.rows

    def test_a_column_of_which_nothing_was_observed(self):
        nothing = np.full((2, 1), np.nan, dtype=np.float32)
        assert Filling(nothing)(nothing).tolist() == [[0.0], [0.0]]

    def test_what_is_left_is_what_an_imputer_would_leave(self):
        numbers = FRAME[["age", "income"]]
        ours = NFFS(**SMALL, evaluator="logistic").set_params(param_groups=None)
        mask = np.array([True, True, True])
        train, evaluation = np.arange(80), np.arange(80, 120)
        found = ours.evaluation(
            numbers.iloc[train], LABELS[train], eval_set=(numbers.iloc[evaluation], LABELS[80:])
        ).score(mask)
        imputer = SimpleImputer(add_indicator=True).fit(numbers.iloc[train])
        imputed = imputer.transform(numbers)
        expected = ours.evaluation(
            imputed[train], LABELS[train], eval_set=(imputed[evaluation], LABELS[80:])
        ).score(mask)
        assert found == pytest.approx(expected)


class TestTransform:
    @pytest.mark.parametrize("kind", KINDS)
    def test_gives_the_gaps_back_and_the_indicator(self, kind, fitted):
        whole = NFFS(**SMALL, include=["age", "age_missing"]).fit(FRAME, LABELS)
        given = KINDS[kind]
        reduced = whole.transform(given)
        assert type(reduced) is type(given)
        seen = reduced.to_pandas() if hasattr(reduced, "to_pandas") else reduced
        gone = FRAME["age"].isna().to_numpy()
        assert seen["age"].isna().to_numpy().tolist() == gone.tolist()
        assert seen["age_missing"].tolist() == gone.astype(int).tolist()

    def test_arrays(self):
        array = FRAME[["age", "income"]].to_numpy()
        selector = NFFS(**SMALL, include=["x0", "x0_missing"]).fit(array, LABELS)
        reduced = selector.transform(array)
        assert np.array_equal(reduced[:, 0], array[:, 0], equal_nan=True)
        assert (reduced[:, 1] == np.isnan(array[:, 0])).all()

    def test_gaps_in_columns_that_were_not_selected_do_not_matter(self):
        X = pd.DataFrame({"a": [0.0, 1.0] * 20, "b": [0.0, 1.0, 2.0, 5.0] * 10})
        selector = NFFS(**SMALL, missing="error", exclude="b").fit(X, X["a"].to_numpy().astype(str))
        assert len(selector.transform(X.assign(b=np.nan))) == 40

    def test_gaps_that_fit_did_not_see(self):
        fitted = NFFS(**SMALL, include="income").fit(FRAME, LABELS)
        new = FRAME.assign(income=np.nan, city=None)
        assert fitted.transform(new)["income"].isna().all()

    def test_a_category_column_without_any_value(self):
        whole = NFFS(**SMALL, include="city_None").fit(FRAME, LABELS)
        for nothing in (None, np.nan):
            reduced = whole.transform(FRAME.assign(city=pd.Series([nothing] * 120, dtype=object)))
            assert (reduced["city_None"] == 1).all()

    def test_the_same_by_a_file(self, fitted, tmp_path):
        fitted.selection_.save(tmp_path / "selection.json")
        loaded = Selection.load(tmp_path / "selection.json")
        assert loaded.transform(FRAME).equals(fitted.transform(FRAME))


class TestError:
    @pytest.mark.parametrize("kind", KINDS)
    def test_names_all_columns(self, kind):
        with pytest.raises(InputError, match=r"X: missing values \(NaN\) .* 'age', 'member', 'vis"):
            NFFS(**SMALL, missing="error").fit(KINDS[kind], LABELS)

    def test_in_rows_that_evaluate(self):
        X = FRAME[["income"]]
        broken = X.assign(income=np.nan)
        with pytest.raises(InputError, match=r"eval_set\[0\]: missing values"):
            NFFS(**SMALL, missing="error").fit(X, LABELS, eval_set=(broken, LABELS))

    def test_in_transform_of_what_was_selected(self, tmp_path):
        X = FRAME[["income"]]
        selector = NFFS(**SMALL, missing="error").fit(X, LABELS)
        selector.selection_.save(tmp_path / "selection.json")
        for transformer in (selector, Selection.load(tmp_path / "selection.json")):
            with pytest.raises(InputError, match="missing values"):
                transformer.transform(X.assign(income=np.nan))


class TestColumnsAsAWhole:
    def test_the_indicator_stays_with_its_column(self):
        selector = NFFS(**SMALL, unit="column", include="age").fit(FRAME, LABELS)
        assert selector.features_ == ["age", "income", "member", "visits", "city"]
        assert {"age", "age_missing"} <= set(selector.transform(FRAME).columns)

    def test_their_information_is_that_of_value_and_gap_together(self):
        rng = np.random.default_rng(1)
        value, y = rng.integers(0, 3, 4000), rng.integers(0, 2, 4000)
        gone = (y == 1) & (rng.random(4000) < 0.5)
        filled = np.where(gone, 1, np.where(y == 0, value, 2 * value))  # 1 was observed, too
        block = np.column_stack([filled, gone]).astype(np.float32)
        together = mutual_information(feature_codes(block), y)
        alone = [mutual_information(feature_codes(block[:, [i]]), y) for i in (0, 1)]
        assert together > max(alone) + 0.01


class _Watching(HistGradientBoostingClassifier):
    """Remembers whether it was given gaps."""

    seen: ClassVar[list[bool]] = []

    def fit(self, X, y, **more):
        self.seen.append(bool(np.isnan(X).any()))
        return super().fit(X, y, **more)


class TestEstimators:
    def test_one_that_takes_gaps_gets_them(self):
        _Watching.seen.clear()
        model = _Watching(max_iter=2)
        evaluation = (
            NFFS(**SMALL).set_params(estimator=model, param_groups=None).evaluation(FRAME, LABELS)
        )
        evaluation.score(np.ones(len(ENCODED), dtype=bool))
        assert _Watching.seen == [True, True]

    def test_any_other_gets_means(self):
        model = LogisticRegression()  # refuses NaN
        evaluation = (
            NFFS(**SMALL).set_params(estimator=model, param_groups=None).evaluation(FRAME, LABELS)
        )
        assert 0 <= evaluation.score(np.ones(len(ENCODED), dtype=bool)) <= 1

    @pytest.mark.parametrize("evaluator", ["logistic", "paper"])
    def test_engines_agree(self, evaluator):
        groups = None if evaluator == "logistic" else [{"n_estimators": 60}]
        X, y = table_with_gaps(600)
        scores = [
            NFFS(**{**SMALL, "param_groups": groups}, evaluator=evaluator, engine=engine)
            .evaluation(X, y)
            .score(np.ones(len(ENCODED), dtype=bool))
            for engine in ("fast", "reference")
        ]
        assert scores[0] == pytest.approx(scores[1], abs=0.03)

    def test_a_pipeline_ends_in_our_forest(self):
        model = make_pipeline(NFFS(**SMALL), BinnedForestClassifier(n_estimators=5, random_state=0))
        numbers = FRAME[["age", "income"]]
        assert model.fit(numbers, LABELS).score(numbers, LABELS) > 0.7

    def test_our_forest_counts_gaps_as_means(self):
        X = FRAME[["age", "income"]].to_numpy()
        imputed = SimpleImputer().fit_transform(X.astype(np.float32))
        forest = BinnedForestClassifier(n_estimators=3, random_state=0)
        ours = forest.fit(X, LABELS).predict_proba(X)
        assert np.array_equal(ours, forest.fit(imputed, LABELS).predict_proba(imputed))


@pytest.mark.parametrize("method", ["mrmr", "kbest", "rule-based", "guided", "pso-rough"])
def test_other_methods_take_gaps(method):
    given = {k: v for k, v in SMALL.items() if k not in ("n_subsets", "n_nested")}
    for unit in ("category", "column"):
        selector = Selector(method, max_evaluations=5, unit=unit, **given).fit(FRAME, LABELS)
        assert selector.selected_features_


def test_files_in_parts_say_what_tables_say(tmp_path):
    KINDS["polars"].with_columns(label=pl.Series(LABELS)).write_parquet(tmp_path / "t.parquet")
    table = ParquetTable(tmp_path / "t.parquet", target="label")
    in_parts, whole = (
        NFFS(**SMALL, max_rows=60, evaluator="paper").fit(X, y)
        for X, y in ((table, table.labels()), (KINDS["polars"], LABELS))
    )
    assert in_parts.archive_fitness_.tobytes() == whole.archive_fitness_.tobytes()
    assert "age_missing" in in_parts.encoded_feature_names_
    assert np.isfinite(in_parts.archive_fitness_).all()
    with pytest.raises(InputError, match=r"t\.parquet: missing values \(NaN\)"):
        NFFS(**SMALL, max_rows=60, missing="error").fit(table, table.labels())


def test_a_journal_knows_what_is_missing(tmp_path):
    journal = tmp_path / "journal"
    first = NFFS(**SMALL, journal=journal).fit(FRAME, LABELS)
    again = NFFS(**SMALL, journal=journal).fit(FRAME, LABELS)
    assert first.archive_fitness_.tobytes() == again.archive_fitness_.tobytes()
    imputed = FRAME.assign(age=FRAME["age"].fillna(50.0))
    with pytest.raises(InputError, match="belongs to another search: features was 11"):
        NFFS(**SMALL, journal=journal).fit(imputed, LABELS)


def test_workers_elsewhere_score_the_same():
    evaluator = NFFS(**SMALL).evaluation(FRAME, LABELS).evaluator
    masks = np.ones((1, len(ENCODED)), dtype=bool)
    (here,), (there,) = evaluator(masks), pickle.loads(pickle.dumps(evaluator))(masks)
    assert here.scores.tobytes() == there.scores.tobytes()


def test_validation_takes_gaps(fitted):
    unseen = score_models(fitted, FRAME[:80], LABELS[:80], FRAME[80:], LABELS[80:])
    assert unseen.n_columns == len(ENCODED)
    found = nested_score(NFFS(**SMALL), FRAME, LABELS, cv=2, models=["boosting"])
    assert np.isfinite(found.outer.mean)


class TestMissingInTheSameRows:
    """Columns of a page that some people did not fill in: one indicator says that."""

    PAGE = pd.DataFrame(
        {
            "income": [1.0, np.nan, 3, 4] * 15,
            "debt": [np.nan, 2.0, 3, 4] * 15,
            "assets": [4.0, np.nan, 2, 2] * 15,
            "since": pd.to_datetime(["2024-01-01", None, "2024-02-03", "2025-04-04"] * 15),
        }
    )
    Y = np.tile([0, 1, 1, 0], 15)
    ENCODED: ClassVar = [
        "income", "debt", "debt_missing", "assets", "assets_missing", "since_day", "since_weekday",
        "since_month",
    ]  # fmt: skip

    def fit(self, **parameters):
        return NFFS(**SMALL, **parameters).fit(self.PAGE, self.Y)

    def test_have_one_indicator_and_that_is_told(self):
        said = (
            "X: missing in the same rows: 'income', 'since' as 'assets'; each group has one "
            "indicator. Set keep_all to keep one for every column."
        )
        with pytest.warns(AdjustedWarning) as told:
            fitted = self.fit()
        assert said in [str(warned.message) for warned in told]
        assert fitted.encoded_feature_names_ == self.ENCODED

    def test_the_order_of_the_columns_does_not_matter(self):
        turned = NFFS(**SMALL).fit(self.PAGE[self.PAGE.columns[::-1]], self.Y)
        assert {"debt_missing", "assets_missing"} < set(turned.encoded_feature_names_)
        assert "income_missing" not in turned.encoded_feature_names_

    def test_unless_all_are_to_be_kept(self):
        names = self.fit(keep_all=True).encoded_feature_names_
        assert {"income_missing", "since_missing", "assets_missing"} < set(names)

    def test_a_column_as_a_whole_keeps_its_own(self):
        names = self.fit(unit="column").encoded_feature_names_
        assert {"income_missing", "since_missing", "assets_missing"} < set(names)


def test_naming_an_indicator_that_these_rows_do_not_have_is_only_noted():
    with pytest.warns(UserWarning, match=r"nothing is missing .*so 'income_missing'"):
        NFFS(**SMALL, exclude="income_missing").fit(FRAME[["age", "income"]], LABELS)
