"""NFFS from end to end."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from nffs import NFFS
from nffs.errors import InputError
from nffs.methods.threshold import find_threshold
from nffs.methods.weights import normalized_frequencies, probability_weights, rank_subsets
from nffs.search.final import final_phases


@pytest.fixture
def fitted(quick, connections):
    return quick().fit(connections.data, connections.target)


class TestTheMethod:
    """The learned attributes follow from each other as the paper's steps do."""

    def test_phase_one(self, fitted):
        usable = fitted.mi_ > -1
        usable[fitted.features_.index("sensor_version")] = False
        assert fitted.threshold_ == find_threshold(np.sort(fitted.mi_[usable]))
        expected = probability_weights(fitted.mi_[usable], fitted.threshold_)
        np.testing.assert_array_equal(fitted.probability_weights_[usable], expected)
        assert fitted.drawn_.shape == (12, len(fitted.features_))

    def test_phase_two(self, fitted):
        usable = fitted.probability_weights_ > 0
        found = normalized_frequencies(fitted.drawn_[:, usable], fitted.drawn_fitness_, 3, 3)
        np.testing.assert_array_equal(fitted.top_counts_[usable], found.top)
        np.testing.assert_array_equal(fitted.bottom_counts_[usable], found.bottom)
        np.testing.assert_allclose(fitted.frequency_weights_[usable], found.weights)

    def test_nested_subsets_follow_the_ranking(self, fitted):
        for size, mask in enumerate(fitted.nested_, start=1):
            assert set(fitted.ranking_[mask]) == set(range(1, size + 1))
        by_rank = fitted.frequency_weights_[np.argsort(fitted.ranking_)][:-1]
        assert (np.diff(by_rank) <= 0).all()

    def test_the_best_nested_subset_is_kept(self, quick, connections):
        fitted = quick(choose="method").fit(connections.data, connections.target)
        best = rank_subsets(fitted.nested_, fitted.nested_fitness_)[0]
        chosen = [n for n, kept in zip(fitted.features_, fitted.nested_[best], strict=True) if kept]
        assert fitted.selected_features_ == chosen
        assert fitted.fitness_ == fitted.nested_fitness_.max()

    def test_fitness_is_the_mean_of_the_scores(self, fitted):
        assert fitted.drawn_scores_.shape == (12, 3, 1)
        np.testing.assert_allclose(fitted.drawn_scores_.mean(axis=(1, 2)), fitted.drawn_fitness_)

    def test_a_given_threshold_is_used(self, quick, connections):
        selector = quick(threshold=0.1).fit(connections.data, connections.target)
        assert selector.threshold_ == 0.1
        assert (selector.probability_weights_[selector.mi_ <= 0.1] <= 0.5).all()

    def test_more_subsets_keep_the_first(self, quick, connections, fitted):
        more = quick(n_subsets=20).fit(connections.data, connections.target)
        np.testing.assert_array_equal(more.drawn_[:12], fitted.drawn_)
        np.testing.assert_array_equal(more.drawn_fitness_[:12], fitted.drawn_fitness_)

    def test_constant_columns_are_legal_and_never_selected(self, quick, connections):
        constant = connections.data.with_columns(
            pl.lit("x").alias("same_text"), pl.lit(1.5).alias("same_number")
        )
        selector = quick(n_nested=30).fit(constant, connections.target)
        for name in ("same_text_x", "same_number", "sensor_version"):
            place = selector.features_.index(name)
            assert not selector.nested_[:, place].any()
            assert not selector.drawn_[:, place].any()
            assert selector.ranking_[place] > (selector.probability_weights_ > 0).sum()


class TestDeterminism:
    def test_threads_do_not_change_a_bit(self, quick, connections):
        found = []
        for n_jobs in (1, 2, 7):
            selector = quick(n_jobs=n_jobs, estimator=None, param_groups=[{"n_estimators": 3}])
            selector.fit(connections.data, connections.target)
            found.append(replace(selector.selection_, seconds=0.0))
        assert found[0] == found[1] == found[2]

    @pytest.mark.parametrize("estimator", [None, GaussianNB()], ids=["forest", "bayes"])
    def test_shuffled_columns_give_the_same_names(self, quick, connections, estimator):
        names = connections.data.columns
        order = np.random.default_rng(5).permutation(len(names))
        shuffled = connections.data.select([names[i] for i in order])
        plain, other = (
            quick(estimator=estimator).fit(X, connections.target)
            for X in (connections.data, shuffled)
        )
        assert set(other.selected_features_) == set(plain.selected_features_)
        assert sorted(other.drawn_fitness_) == sorted(plain.drawn_fitness_)

    @pytest.mark.parametrize("unit", ["category", "column"])
    def test_pandas_polars_and_pyarrow_agree(self, quick, connections, unit):
        found = []
        for X in (connections.data, connections.data.to_pandas(), connections.data.to_arrow()):
            selection = quick(unit=unit).fit(X, connections.target).selection_
            found.append(replace(selection, seconds=0.0))
        assert found[0] == found[1] == found[2]

    def test_numpy_agrees_whatever_the_names(self, quick):
        X, y = load_breast_cancer(return_X_y=True)
        from_array = quick().fit(X, y)
        named = pd.DataFrame(X, columns=[f"c{i * 7 % 30}" for i in range(30)])
        np.testing.assert_array_equal(quick().fit(named, y).support_, from_array.support_)
        same = pl.DataFrame(X, schema=[f"x{i}" for i in range(30)])
        other = quick().fit(same, y).selection_
        assert replace(from_array.selection_, seconds=0.0) == replace(other, seconds=0.0)

    def test_another_seed_draws_other_subsets(self, quick, connections, fitted):
        other = quick(random_state=1).fit(connections.data, connections.target)
        assert (other.drawn_ != fitted.drawn_).any()

    def test_without_a_seed_the_one_used_is_kept(self, quick, connections):
        first = quick(random_state=None).fit(connections.data, connections.target)
        again = quick(random_state=first.seed_).fit(connections.data, connections.target)
        assert again.fitness_ == first.fitness_

    def test_input_is_not_modified(self, quick, connections):
        frame = connections.data.to_pandas()
        before = frame.copy(deep=True)
        quick().fit(frame, connections.target).transform(frame)
        pd.testing.assert_frame_equal(frame, before)


class TestJudging:
    def test_folds_by_default(self, quick, connections, fitted):
        assert fitted.evaluated_on_ == "10-fold stratified cross-validation of the training rows"
        assert fitted.drawn_scores_.shape[1] == 3
        by_method = quick(choose="method").fit(connections.data, connections.target)
        assert by_method.evaluated_on_ == "3-fold stratified cross-validation of the training rows"

    @pytest.mark.parametrize("wrap", [tuple, lambda pair: [tuple(pair)]])
    def test_an_eval_set(self, quick, connections, wrap):
        X, y = connections.data, connections.target
        pair = wrap([X[300:], y[300:]])
        selector = quick().fit(X[:300], y[:300], eval_set=pair)
        assert selector.evaluated_on_ == "eval_set (100 rows given to fit)"
        assert selector.drawn_scores_.shape == (12, 1, 1)

    def test_an_eval_set_judges(self, quick, connections):
        # With labels turned round the judge says the opposite.
        X, y = connections.data, connections.target
        turned = np.where(y == "normal", "attack", "normal")
        good = quick(scoring="accuracy").fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
        bad = quick(scoring="accuracy").fit(X[:300], y[:300], eval_set=(X[300:], turned[300:]))
        np.testing.assert_allclose(good.drawn_fitness_, 1 - bad.drawn_fitness_)

    def test_groups(self, quick, connections):
        groups = np.arange(400) % 5
        selector = quick(cv=GroupKFold(5)).fit(connections.data, connections.target, groups=groups)
        assert selector.drawn_scores_.shape == (12, 5, 1)

    def test_sample_weights(self, quick, connections):
        weights = np.where(connections.target == "attack", 10.0, 1.0)
        plain = quick().fit(connections.data, connections.target)
        weighted = quick().fit(connections.data, connections.target, sample_weight=weights)
        assert (weighted.mi_ != plain.mi_).any()
        assert (weighted.drawn_fitness_ != plain.drawn_fitness_).any()

    def test_the_positive_label_matters(self, quick, connections):
        attack = quick(pos_label="attack").fit(connections.data, connections.target)
        normal = quick(pos_label="normal").fit(connections.data, connections.target)
        assert attack.fitness_ != normal.fitness_
        assert attack.classes_.tolist() == ["normal", "attack"]
        assert (attack.positive_, normal.positive_) == ("attack", "normal")

    def test_the_rarer_class_is_the_positive_one(self, quick):
        rng = np.random.default_rng(0)
        y = np.array(["fraud"] * 60 + ["legit"] * 61)
        X = rng.normal(size=(121, 4)) + (y == "fraud")[:, None]
        # neither weights nor the rows of an eval_set count, and a sample does not either
        weights = np.where(y == "fraud", 10.0, 1.0)
        eval_set = X[:61], y[:61]
        for parameters, more in (
            ({}, {}),
            ({}, {"sample_weight": weights}),
            ({}, {"eval_set": eval_set}),
            ({"max_rows": 60}, {}),
        ):
            selector = quick(n_nested=3, **parameters).fit(X, y, **more)
            assert selector.positive_ == selector.selection_.positive == "fraud"

    def test_a_fitted_selector_and_its_selection_name_it(self, quick, connections):
        selector = quick()
        unfitted = repr(selector)
        selector.fit(connections.data, connections.target)
        code, found = repr(selector).split("\n# ")
        assert code == unfitted
        score = f"f1 {selector.fitness_:.4f} of label 'attack'"
        assert score in found
        assert selector.evaluated_on_ in found
        assert score in repr(selector.selection_)
        assert json.loads(selector.selection_.to_json())["positive"] == "attack"

    def test_many_classes(self, quick):
        X, y = load_wine(return_X_y=True)
        names = np.array(["barolo", "grignolino", "barbera"])[y]
        selector = quick().fit(X, names)
        assert selector.scoring_ == "f1_macro"
        assert selector.fitness_ > 0.8

    def test_groups_of_parameters(self, quick, connections):
        groups = [{"var_smoothing": 1e-9}, {"var_smoothing": 1e-2}]
        selector = quick(param_groups=groups).fit(connections.data, connections.target)
        assert selector.drawn_scores_.shape == (12, 3, 2)

    def test_progress(self, quick, connections):
        told = []
        selector = quick(callbacks=[told.append]).fit(connections.data, connections.target)
        assert {p.total for p in told} == {12 + 6 + 1 + final_phases(weighs=False)["final check"]}
        assert [p.done for p in told] == list(range(1, 20 + len(selector.final_.sizes)))
        assert list(dict.fromkeys(p.phase for p in told)) == [
            "drawn subsets", "nested subsets", "all features", "final check",
        ]  # fmt: skip
        shares = [p.until for p in told]
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


class TestUnits:
    def test_single_categories(self, fitted):
        assert "service_http" in fitted.features_
        assert fitted.features_ == fitted.encoded_feature_names_

    def test_whole_columns(self, quick, connections):
        selector = quick(unit="column", n_nested=20).fit(connections.data, connections.target)
        assert selector.features_ == connections.data.columns
        out = selector.transform(connections.data)
        assert list(selector.get_feature_names_out()) == out.columns
        for column in ("protocol", "service", "flag"):
            kept = [n for n in out.columns if n.startswith(f"{column}_")]
            all_of_it = [n for n in selector.encoded_feature_names_ if n.startswith(f"{column}_")]
            assert kept == (all_of_it if column in selector.selected_features_ else [])
        assert selector.selection_.unit == "column"

    def test_a_columns_information_is_at_least_its_categories(self, quick, connections):
        by_column = quick(unit="column").fit(connections.data, connections.target)
        by_category = quick().fit(connections.data, connections.target)
        flag = by_column.mi_[by_column.features_.index("flag")]
        single = by_category.mi_[by_category.features_.index("flag_S0")]
        assert flag > single


class TestTransform:
    @pytest.mark.parametrize(
        "convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow]
    )
    def test_the_same_kind_comes_out(self, quick, connections, convert):
        X = convert(connections.data)
        selector = quick().fit(X, connections.target)
        out = selector.transform(X)
        assert type(out) is type(X)
        names = out.column_names if isinstance(out, pa.Table) else list(out.columns)
        assert names == selector.selected_features_ == list(selector.get_feature_names_out())

    def test_values(self, fitted, connections):
        out = fitted.transform(connections.data)
        for name in out.columns:
            if name in connections.data.columns:
                assert out[name].equals(connections.data[name])
            else:
                column, category = name.split("_", 1)
                expected = (connections.data[column] == category).cast(pl.UInt8)
                assert out[name].to_list() == expected.to_list()

    def test_arrays_keep_their_dtype(self, quick):
        X, y = load_breast_cancer(return_X_y=True)
        selector = quick().fit(X, y)
        assert selector.transform(X.astype(np.float32)).dtype == np.float32
        np.testing.assert_array_equal(selector.transform(X), X[:, selector.get_support()])

    def test_mixed_object_arrays(self, quick, connections):
        X = connections.data.to_numpy().astype(object)
        selector = quick().fit(X, connections.target)
        out = selector.transform(X)
        assert out.shape == (400, len(selector.selected_features_))
        assert np.isfinite(out.astype(float)).all()

    @pytest.mark.parametrize("container", ["pandas", "polars"])
    def test_set_output(self, quick, connections, container):
        selector = quick().set_output(transform=container).fit(connections.data, connections.target)
        out = selector.transform(connections.data)
        assert type(out).__module__.startswith(container)
        assert list(out.columns) == selector.selected_features_

    def test_support_is_over_encoded_columns(self, fitted):
        support = fitted.get_support()
        assert len(support) == len(fitted.encoded_feature_names_)
        assert fitted.get_support(indices=True).tolist() == np.flatnonzero(support).tolist()

    def test_categories_never_seen_are_zeros(self, quick, connections):
        texts = connections.data.select("protocol", "service", "flag")
        selector = quick(unit="column", n_nested=2).fit(texts, connections.target)
        out = selector.transform(texts.with_columns(pl.all().replace_strict({}, default="new")))
        assert out.sum_horizontal().sum() == 0

    def test_lacking_columns_are_named(self, fitted, connections):
        with pytest.raises(ValueError, match="duration"):
            fitted.transform(connections.data.drop("duration"))

    @pytest.mark.parametrize(
        "convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow]
    )
    def test_the_needed_columns_are_enough(self, fitted, connections, convert):
        needed, every = fitted.raw_features_, connections.data
        assert 0 < len(needed) < every.width
        assert set(needed) == {c.column for c in fitted.selection_.output_columns}
        expected = fitted.transform(every)
        stranger = pl.Series("stranger", ["?"] * len(every))
        for frame in (
            every[needed],
            every[needed[::-1]],
            every[needed].insert_column(0, stranger),
            every[every.columns[::-1]].with_columns(stranger),
        ):
            assert pl.DataFrame(fitted.transform(convert(frame))).equals(expected)

    def test_an_index_by_name_works_where_a_mask_cannot(self, fitted, connections):
        X = connections.data.to_pandas()
        assert list(X[fitted.raw_features_].columns) == fitted.raw_features_
        assert len(fitted.get_support()) != X.shape[1]

    def test_others_than_scikit_learn_takes_get_the_remedy(self, fitted, connections):
        every, spare = connections.data, set(connections.data.columns) - set(fitted.raw_features_)
        for frame in (every[every.columns[::-1]], every.drop(min(spare))):
            told = r"(?s)feature names should match.*Give X\[selector.raw_features_\], or all col"
            with pytest.raises(InputError, match=told):
                fitted.transform(frame)
            assert fitted.selection_.transform(frame).equals(fitted.transform(every))

    def test_a_frame_after_an_array_is_told_what_to_do(self, quick):
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        selector = quick().fit(X.to_numpy(), y)
        with pytest.raises(InputError, match=r"X: has the columns 'mean radius'.* give an array"):
            selector.transform(X)
        named = X.set_axis([f"x{i}" for i in range(X.shape[1])], axis=1)
        assert (selector.transform(named).to_numpy() == selector.transform(X.to_numpy())).all()

    def test_columns_go_back_to_their_places(self, quick):
        X, y = load_breast_cancer(return_X_y=True)
        X[::9, 0] = np.nan
        selector = quick(include=[0]).fit(X, y)
        reduced = selector.transform(X)
        back = selector.inverse_transform(reduced)
        assert back.shape == (len(X), len(selector.encoded_feature_names_))
        np.testing.assert_array_equal(back[:, selector.support_], reduced)
        assert not back[:, ~selector.support_].any()
        with pytest.raises(InputError, match=r"X: found 1 columns, but .* are selected"):
            selector.inverse_transform(reduced[:, :1])

    def test_an_array_after_a_frame_is_told_what_to_do(self, fitted, connections):
        with pytest.raises(InputError, match=r"has no column names.* give a frame"):
            fitted.transform(connections.data.to_numpy())

    def test_another_type_is_refused(self, fitted, connections):
        wrong = connections.data.with_columns(pl.lit("a").alias("duration"))
        with pytest.raises(InputError, match="'duration' is categorical but was numeric"):
            fitted.transform(wrong)


class TestScikitLearn:
    def test_in_a_pipeline_and_a_grid_search(self, quick, connections):
        pipeline = make_pipeline(quick(pos_label="normal"), LogisticRegression(max_iter=500))
        search = GridSearchCV(pipeline, {"nffs__unit": ["category", "column"]}, cv=2)
        X = connections.data.to_pandas()
        search.fit(X, connections.target)
        assert search.best_score_ > 0.7
        assert set(search.best_estimator_[:-1].get_feature_names_out()) <= set(
            search.best_estimator_[0].encoded_feature_names_
        )

    def test_clone(self, quick):
        selector = quick(threshold=0.2, unit="column")
        assert clone(selector).get_params()["threshold"] == 0.2

    def test_metadata_routing_of_sample_weight(self, quick, connections):
        weights = np.where(connections.target == "attack", 10.0, 1.0)
        direct = quick().fit(connections.data, connections.target, sample_weight=weights)
        with sklearn.config_context(enable_metadata_routing=True):
            pipeline = make_pipeline(
                quick().set_fit_request(sample_weight=True),
                GaussianNB().set_fit_request(sample_weight=False),
            )
            pipeline.fit(connections.data, connections.target, sample_weight=weights)
        np.testing.assert_array_equal(pipeline[0].mi_, direct.mi_)

    @pytest.mark.parametrize(
        ("parameter", "value"),
        [
            ("n_subsets", 2),
            ("threshold", -1),
            ("unit", "row"),
            ("pca", 1.5),
            ("cv", 1),
            ("n_jobs", 0),
        ],
    )
    def test_parameters_are_validated(self, connections, parameter, value):
        with pytest.raises(ValueError, match=f"The '{parameter}' parameter of NFFS must be"):
            NFFS(**{parameter: value}).fit(connections.data, connections.target)


def test_the_paper_sized_defaults_need_no_warning_when_given(quick, connections):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick().fit(connections.data, connections.target)


def test_nsl_kdd_information_and_threshold(nsl_kdd_train, quick):
    """Figure 4 of the paper: 23 features above 0.05, and a threshold that a person would choose."""
    X, y = nsl_kdd_train
    # Judged by a handful of rows: only phase I, step 1 and 2 are looked at here.
    selector = quick(n_subsets=3, n_nested=1).fit(X, y, eval_set=(X[:50], y[:50]))
    assert len(selector.features_) == 122
    assert (selector.mi_ > 0.05).sum() == 23
    assert 0.03 < selector.threshold_ < 0.07
