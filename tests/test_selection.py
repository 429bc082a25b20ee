"""A selection as typed data: complete, written to JSON, read back with care, applied to tables."""

import copy
import json
import random
from contextlib import suppress
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from documents import UNSEEN, checked

from nffs import Selection, Selector
from nffs.errors import InputError
from nffs.report import render_report
from nffs.selection import FORMAT, GROUPED, MemberScore
from nffs.selection import selection as written
from nffs.selection.verdict import verdict_of

OLD = Path(__file__).with_name("selection-format-1.json")


@pytest.fixture
def fitted(quick, connections):
    return quick().fit(connections.data, connections.target)


@pytest.fixture
def selection(fitted):
    return fitted.selection_


@pytest.fixture(scope="module")
def genetic(connections):
    selector = Selector("ga", max_evaluations=15, random_state=0)
    return selector.fit(connections.data, connections.target)


@pytest.fixture
def loaded(tmp_path):
    """Load a document from a file."""

    def load(document):
        path = tmp_path / "selection.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return Selection.load(path)

    return load


def test_what_it_holds(fitted, selection):
    assert selection.method == "nffs"
    assert selection.fitness == fitted.fitness_
    assert selection.selected_features == tuple(fitted.selected_features_)
    assert selection.parameters["n_subsets"] == 12
    assert "n_jobs" not in selection.parameters
    assert {"nffs", "python", "numpy"} <= set(selection.versions)
    assert [f.name for f in selection.features] == fitted.features_
    assert [f.mi for f in selection.features] == fitted.mi_.tolist()
    assert sum(f.constant for f in selection.features) == 1
    phases = selection.phases
    assert phases.nested_sizes == tuple(range(1, 7))
    assert phases.nested_fitness == tuple(fitted.nested_fitness_.tolist())
    assert len(phases.nested_standard_errors) == 6
    assert phases.rank == tuple(fitted.ranking_.tolist())
    with pytest.raises(FrozenInstanceError):
        selection.fitness = 1.0


def test_every_distinct_subset_once_in_order(fitted, selection):
    # All features, which are evaluated for comparison, are not the method's, nor is what the final
    # check evaluates.
    n_final = len(selection.final.sizes)
    assert selection.evaluations == fitted.n_evaluations_
    assert len(selection.subset_fitness) == selection.evaluations - 1 - n_final
    assert selection.subset_fitness[0] == fitted.drawn_fitness_[0]
    assert selection.subset_fitness[-1] == fitted.nested_fitness_[-1]
    counted = sum(f.subsets for f in selection.features)
    assert counted == sum(selection.subset_sizes)


def test_a_method_without_phases(genetic, tmp_path, connections):
    selection = genetic.selection_
    assert (selection.method, selection.phases) == ("ga", None)
    assert selection.subset_fitness == tuple(genetic.archive_fitness_.tolist())
    assert [f.subsets for f in selection.features] == genetic.archive_masks_.sum(axis=0).tolist()
    assert selection.parameters["max_evaluations"] == 15
    selection.save(tmp_path / "selection.json")
    again = Selection.load(tmp_path / "selection.json")
    assert again == selection
    assert again.transform(connections.data).equals(genetic.transform(connections.data))


def test_every_feature_knows_its_column_and_category(selection, connections):
    columns = {column.name: column for column in selection.columns}
    assert list(columns) == connections.data.columns
    for feature in selection.features:
        end = "" if feature.category is None else f"_{feature.category}"
        assert feature.name == feature.column + end
        categorical = columns[feature.column].kind == "categorical"
        assert categorical is (feature.category is not None)


def test_the_fingerprint_is_the_datas(quick, connections, selection):
    X, y = connections.data, connections.target
    same = quick(n_subsets=6).fit(X.select(reversed(X.columns)), y).selection_
    assert same.fingerprint == selection.fingerprint
    other = quick().fit(X.with_columns(pl.col("duration") + 1), y).selection_
    assert other.fingerprint["values"] != selection.fingerprint["values"]
    assert other.fingerprint["target"] == selection.fingerprint["target"]


def test_there_and_back(selection, tmp_path, connections):
    path = tmp_path / "selection.json"
    selection.save(path)
    again = Selection.load(path)
    assert again == selection
    assert json.loads(path.read_text())["format"] == FORMAT == 2
    assert again.transform(connections.data).equals(selection.transform(connections.data))
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(selection, tmp_path):
    (tmp_path / "link.json").symlink_to(tmp_path / "file.json")
    selection.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert Selection.load(tmp_path / "file.json") == selection


def test_only_groups_of_categories_need_the_later_format(quick, connections, loaded):
    X, y = connections.data, connections.target
    plain, grouped = (quick(categories=way).fit(X, y).selection_ for way in ("onehot", "cluster"))
    documents = [json.loads(selection.to_json()) for selection in (plain, grouped)]
    assert [document["format"] for document in documents] == [FORMAT, GROUPED]
    # A file with one feature for each category is as it was before there were groups.
    assert not any("group" in column for column in documents[0]["output_columns"])
    assert not any("groups" in column for column in documents[0]["columns"])
    service = next(column for column in grouped.columns if column.name == "service")
    assert {c for group in service.groups for c in group.categories} == set(X["service"])
    assert sum(group.rows for group in service.groups) == len(X)
    assert sum(group.unseen for group in service.groups) == 1
    assert loaded(grouped.to_json()) == grouped


@pytest.mark.parametrize(
    "options", [{}, {"min_frequency": 30}, {"unit": "column"}, {"categories": "cluster"}]
)
def test_transform_is_the_estimators(quick, connections, options, loaded):
    selector = quick(n_nested=15, **options).fit(connections.data, connections.target)
    reloaded = loaded(selector.selection_.to_json())
    out = reloaded.transform(connections.data)
    assert out.equals(selector.transform(connections.data))
    assert reloaded.feature_names_out == out.columns


def test_missing_values_of_categories_survive_json(quick, loaded):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    texts = [None if label and i % 3 else "ab"[i % 2] for i, label in enumerate(y)]
    frame = pl.DataFrame({"t": texts, "n": rng.normal(size=200)})
    selector = quick(n_nested=3).fit(frame, y)
    assert "t_None" in selector.selected_features_
    out = loaded(selector.selection_.to_json()).transform(frame)
    assert out["t_None"].to_list() == frame["t"].is_null().cast(pl.UInt8).to_list()


def test_only_the_columns_it_uses_are_needed(selection, connections):
    used = {c.column for c in selection.output_columns}
    few = connections.data.select(sorted(used))
    assert selection.transform(few).equals(selection.transform(connections.data))


def test_columns_it_does_not_use_may_hold_anything(selection, connections):
    extra = connections.data.with_columns(pl.lit(None, dtype=pl.Float64).alias("extra"))
    assert selection.transform(extra).equals(selection.transform(connections.data))


class TestFinalCheckAndUnseenRows:
    def test_they_are_written_and_read_back(self, loaded):
        selection = checked()
        document = json.loads(selection.to_json())
        assert document["final"]["members"][1] == {
            "name": "logistic", "selected": 0.8765, "all_features": 0.6112,
        }  # fmt: skip
        assert document["unseen"]["n_rows"] == 1234
        again = loaded(document)
        assert again == selection
        assert again.unseen.models[1].difference == pytest.approx(0.0033)

    def test_files_of_before_have_neither(self, loaded):
        document = json.loads(checked().to_json())
        del document["final"], document["unseen"]
        again = loaded(document)
        assert again.final is again.unseen is None
        assert again.searched_on == again.evaluated_on

    def test_a_fitted_selector_has_its_check_and_no_unseen_rows(self, fitted, selection):
        assert selection.final == fitted.final_
        assert selection.unseen is None
        assert selection.searched_on.startswith("3-fold")
        assert selection.evaluated_on.startswith("10-fold")
        assert selection.with_unseen(UNSEEN).unseen == UNSEEN

    @pytest.mark.parametrize("key", ["final", "unseen"])
    def test_one_without_models_is_refused(self, loaded, key):
        document = json.loads(checked().to_json())
        members = "members" if key == "final" else "models"
        document[key][members] = []
        with pytest.raises(InputError, match=f"'{key}.{members}' where at least one"):
            loaded(document)

    def test_one_line_says_whose_score_it_is(self):
        assert repr(checked()) == (
            "<Selection by nffs: 12 of 30 features selected, f1 0.8654 (mean of forest and "
            "logistic) of label 'normal', evaluated on ten other folds>"
        )


class TestVerdict:
    """Each side is scored by the model of the panel that suits it best."""

    def say(self, selected, everything, *, gain, sizes=(9, 40), guess=0.5, **more):
        members = [MemberScore("forest", *selected), MemberScore("logistic", *everything)]
        return verdict_of(members, *sizes, gain=gain, gain_error=0.01, guess=guess, **more)

    def test_better(self):
        assert self.say((0.9, 0.7), (0.8, 0.85), gain=0.05) == (
            "9 of 40 features do better than all 40 (0.900 by forest against 0.850 by logistic)."
        )

    def test_as_well(self):
        said = self.say((0.9, 0.9), (0.8, 0.85), gain=0.0)
        assert "9 of 40 features do as well as all 40" in said

    def test_worse(self):
        said = self.say((0.8, 0.9), (0.8, 0.85), gain=-0.1)
        assert "do worse than all 40" in said
        assert said.endswith("Consider keeping all of them.")

    def test_nothing_beats_a_guess(self):
        said = self.say((0.5, 0.5), (0.49, 0.5), gain=0.0)
        assert said.startswith("Nothing beats a constant guess: it scores 0.5000")

    def test_all_are_kept(self):
        both = (0.9, 0.9), (0.8, 0.8)
        assert self.say(*both, gain=0.0, sizes=(40, 40)) == (
            "No subset beats all 40 features; all are kept."
        )
        assert self.say(*both, gain=0.0, sizes=(40, 40), n_constant=2) == (
            "No subset beats all 42 features; all that vary are kept."
        )

    def test_constant_features_count_as_features(self):
        assert self.say((0.9, 0.8), (0.8, 0.8), gain=0.1, n_constant=2).startswith("9 of 42 ")

    def test_a_single_model_needs_no_name(self):
        said = verdict_of(
            [MemberScore("group 1", 0.9, 0.8)], 9, 40, gain=0.1, gain_error=0.01, guess=0.5
        )
        assert said == "9 of 40 features do better than all 40 (0.900 against 0.800)."


class TestFormat1:
    """Files of earlier versions load."""

    def test_of_the_last_version(self, loaded, connections):
        old, selection = json.loads(OLD.read_text()), Selection.load(OLD)
        assert selection.method == "nffs"
        assert selection.evaluated_on == old["judged_on"]
        assert selection.versions == {"nffs": old["nffs_version"], **old["versions"]}
        assert [f.mi for f in selection.features] == [f["mi"] for f in old["features"]]
        assert [f.category for f in selection.features] == [f["category"] for f in old["features"]]
        assert selection.phases.rank == tuple(f["rank"] for f in old["features"])
        assert selection.phases.threshold == old["threshold"]
        assert selection.subset_sizes == tuple(old["nested_sizes"])
        assert sum(f.subsets for f in selection.features) == sum(old["nested_sizes"])
        assert selection.transform(connections.data).columns == selection.feature_names_out
        assert loaded(selection.to_json()) == selection

    def test_of_the_first_version(self, loaded):
        old = first_version()
        selection = loaded(old)
        assert selection.selected_features == tuple(old["selected_features"])
        assert selection.phases.nested_sizes == tuple(range(1, 13))
        assert selection.phases.nested_standard_errors == selection.columns == ()
        assert selection.standard_error is None
        assert not selection.partial

    def test_stopped_in_phase_one(self, loaded):
        old = {**first_version(), "partial": True, "nested_fitness": [0.5]}
        assert loaded(old).phases.nested_sizes == (len(old["selected_features"]),)


def first_version():
    """What the very first version would have written."""
    old = json.loads(OLD.read_text())
    for key in (
        "versions", "fingerprint", "columns", "nested_sizes", "nested_standard_errors",
        "standard_error", "one_se_features", "partial",
    ):  # fmt: skip
        del old[key]
    for feature in old["features"]:
        del feature["column"], feature["category"]
    return old


def places(value, path=()):
    """Every place of a document, the first two items of lists only."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


def inner_of(document, path):
    for key in path:
        document = document[key]
    return document


def tampered(document):
    """A document with one thing wrong, each time another."""
    wrong = [None, True, 3, -1.5, "text", [], {}, [None], [[1]], {"a": 1}, [{"a": None}], 10**400,
             1e300, "\udfff"]  # fmt: skip
    rng = random.Random(0)
    for path in places(document):
        without = copy.deepcopy(document)
        inner = without
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        yield without
        value = inner_of(document, path)
        more = [value[::-1], value * 2, value[:-1]] if isinstance(value, list) else []
        for value in (*rng.sample(wrong, 2), *rng.sample(more, min(1, len(more)))):
            other = copy.deepcopy(document)
            inner = other
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            yield other


class TestRefused:
    def test_a_lacking_column(self, selection, connections):
        used = selection.output_columns[0].column
        with pytest.raises(InputError, match=f"lacks the column.* {used!r}"):
            selection.transform(connections.data.drop(used))

    @pytest.mark.parametrize(
        "text", ["", "{", "[" * 10**5, '{"a": NaN}', '{"a": 1e999}', "1" * 5000, "\udcff"]
    )
    def test_not_json(self, tmp_path, text):
        path = tmp_path / "selection.json"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(InputError, match=r"selection.json' is not"):
            Selection.load(path)

    @pytest.mark.parametrize("text", ["{}", "[]", "null", '{"format": 99}', '{"format": true}'])
    def test_another_format(self, loaded, text):
        with pytest.raises(InputError, match=r"is not a selection of format 1, 2 or 3"):
            loaded(text)

    @pytest.mark.parametrize(
        ("path", "value", "sentence"),
        [
            (("fitness",), "high", "has 'high' at 'fitness' where a number is expected"),
            (("features", 3, "mi"), None, r"has null at 'features\[3\].mi' where a number"),
            (("features", 0), 7, r"has 7 at 'features\[0\]' where an object is expected"),
            (("seed",), True, "has true at 'seed' where a whole number"),
            (("unit",), "row", "has 'row' at 'unit' where 'category' or 'column' is expected"),
            (("phases", "rank"), [1], "has 1 at 'phases.rank' where 46 values are expected"),
            (("selected_features",), [], "at 'selected_features' where the features marked"),
            (("columns",), [], None),
            (("output_columns",), [], "has others at 'output_columns' where those of the selected"),
            (("output_columns", 0, "column"), "other", "has others at 'output_columns' where"),
            (("fitness",), 1e308, r"has 1e\+308 at 'fitness' where a number of usual size"),
            (("scoring",), "\ud800", "is not JSON .*surrogates not allowed"),
            (("parameters",), {"a": ["\udfff"]}, "is not JSON .*surrogates not allowed"),
        ],
    )
    def test_the_sentence_names_file_key_and_what_was_found(
        self, selection, loaded, path, value, sentence
    ):
        document = json.loads(selection.to_json())
        inner = document
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        if sentence is None:
            loaded(document)
            return
        with pytest.raises(InputError, match=rf"^selection: '.*selection.json' .*{sentence}"):
            loaded(document)

    def test_a_column_that_comes_twice(self, selection, loaded):
        document = json.loads(selection.to_json())
        document["output_columns"].append(document["output_columns"][0])
        with pytest.raises(InputError, match="has the same name twice at 'output_columns' where"):
            loaded(document)

    def test_groups_of_categories_that_say_nothing_of_the_classes(self, quick, connections, loaded):
        selector = quick(categories="cluster").fit(connections.data, connections.target)
        document = json.loads(selector.selection_.to_json())
        del document["classes"][1]
        sentence = r"has 2 at 'columns\[\d+\].groups\[0\].profile' where 1 values are expected"
        with pytest.raises(InputError, match=sentence):
            loaded(document)

    def test_a_character_that_takes_two_escapes_is_text(self, selection, loaded):
        document = {**json.loads(selection.to_json()), "scoring": "\N{ROCKET}"}
        assert "ud83d" in json.dumps(document)
        assert loaded(document).scoring == "\N{ROCKET}"

    def test_a_lacking_key(self, selection, loaded):
        document = json.loads(selection.to_json())
        del document["phases"]["weight"]
        with pytest.raises(InputError, match=r"selection.json' lacks 'phases.weight'; give the"):
            loaded(document)

    @pytest.mark.parametrize("which", ["now", "ga", "groups", "format 1", "first"])
    def test_tampered_files_work_or_get_one_sentence(
        self, which, selection, genetic, loaded, connections, quick
    ):
        def groups():
            selector = quick(categories="cluster").fit(connections.data, connections.target)
            return json.loads(selector.selection_.to_json())

        documents = {
            "groups": groups,
            "now": lambda: json.loads(selection.to_json()),
            "ga": lambda: json.loads(genetic.selection_.to_json()),
            "format 1": lambda: json.loads(OLD.read_text()),
            "first": first_version,
        }
        sentences = []
        for document in tampered(documents[which]()):
            try:
                found = loaded(document)
            except InputError as error:
                sentences.append(str(error))
                continue
            found.to_json()
            render_report(found)
            with suppress(InputError):  # a raw column of another kind, say
                assert found.transform(connections.data[:3]).columns == found.feature_names_out
        assert len(sentences) > 100
        assert all(s.startswith("selection: ") and "\n" not in s for s in sentences)


def test_the_file_of_a_wide_table_has_no_lines_for_every_value(selection, monkeypatch):
    indented = selection.to_json()
    monkeypatch.setattr(written, "MOST_INDENTED", 10)
    short = selection.to_json()
    assert json.loads(short) == json.loads(indented)
    assert short.count("\n") == 1
    assert len(short) < 0.8 * len(indented)
