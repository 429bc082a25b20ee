"""A selection as JSON: complete, readable, applicable to new tables."""

import json

import numpy as np
import polars as pl
import pytest

from nffs import Selection
from nffs.errors import InputError


@pytest.fixture
def selection(quick, connections):
    return quick().fit(connections.data, connections.target).selection_


def test_what_it_holds(selection):
    document = json.loads(selection.to_json())
    assert {
        "selected_features",
        "encoded_features",
        "n_selected",
        "fitness",
        "evaluated_on",
        "scoring",
        "threshold",
        "seed",
        "parameters",
        "evaluations",
        "seconds",
        "nffs_version",
        "versions",
        "fingerprint",
        "columns",
    } <= set(document)
    nested = document["nested_fitness"]
    assert len(document["nested_standard_errors"]) == len(nested)
    assert document["nested_sizes"] == list(range(1, len(nested) + 1))
    assert document["n_selected"] == len(document["selected_features"])
    assert len(document["encoded_features"]) == len(document["features"])
    assert document["parameters"]["n_subsets"] == 12
    assert "n_jobs" not in document["parameters"]


def test_every_feature_knows_its_column_and_category(selection, connections):
    columns = {column["name"]: column for column in selection.document["columns"]}
    assert list(columns) == connections.data.columns
    for feature in selection.document["features"]:
        category = feature["category"]
        end = "" if category is None else f"_{category}"
        assert feature["name"] == feature["column"] + end
        assert (columns[feature["column"]]["kind"] == "categorical") is (category is not None)


def test_the_fingerprint_is_the_datas(quick, connections, selection):
    X, y = connections.data, connections.target
    same = quick(n_subsets=6).fit(X.select(reversed(X.columns)), y).selection_
    assert same.document["fingerprint"] == selection.document["fingerprint"]
    other = quick().fit(X.with_columns(pl.col("duration") + 1), y).selection_.document
    assert other["fingerprint"]["values"] != selection.document["fingerprint"]["values"]
    assert other["fingerprint"]["labels"] == selection.document["fingerprint"]["labels"]


def test_there_and_back(selection, tmp_path, connections):
    path = tmp_path / "selection.json"
    selection.save(path)
    again = Selection.load(path)
    assert again.document == selection.document
    assert again.transform(connections.data).equals(selection.transform(connections.data))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("options", [{}, {"min_frequency": 30}, {"unit": "column"}])
def test_transform_is_the_estimators(quick, connections, options):
    selector = quick(n_nested=15, **options).fit(connections.data, connections.target)
    reloaded = Selection(json.loads(selector.selection_.to_json()))
    out = reloaded.transform(connections.data)
    assert out.equals(selector.transform(connections.data))
    assert reloaded.feature_names_out == out.columns


def test_missing_values_of_categories_survive_json(quick):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    texts = [None if label and i % 3 else "ab"[i % 2] for i, label in enumerate(y)]
    frame = pl.DataFrame({"t": texts, "n": rng.normal(size=200)})
    selector = quick(n_nested=3).fit(frame, y)
    assert "t_None" in selector.selected_features_
    out = Selection(json.loads(selector.selection_.to_json())).transform(frame)
    assert out["t_None"].to_list() == frame["t"].is_null().cast(pl.UInt8).to_list()


def test_only_the_columns_it_uses_are_needed(selection, connections):
    used = {c["column"] for c in selection.document["transform"]}
    few = connections.data.select(sorted(used))
    assert selection.transform(few).equals(selection.transform(connections.data))


def test_columns_it_does_not_use_may_hold_anything(selection, connections):
    extra = connections.data.with_columns(pl.lit(None, dtype=pl.Float64).alias("extra"))
    assert selection.transform(extra).equals(selection.transform(connections.data))


class TestRefused:
    def test_a_lacking_column(self, selection, connections):
        used = selection.document["transform"][0]["column"]
        with pytest.raises(InputError, match=f"lacks the column.* {used!r}"):
            selection.transform(connections.data.drop(used))

    def test_not_json(self, tmp_path):
        path = tmp_path / "selection.json"
        path.write_text("{")
        with pytest.raises(InputError, match="is not JSON"):
            Selection.load(path)

    @pytest.mark.parametrize("text", ["{}", "[]", '{"format": 99}'])
    def test_another_format(self, tmp_path, text):
        path = tmp_path / "selection.json"
        path.write_text(text)
        with pytest.raises(InputError, match=r"is not a selection of format 1"):
            Selection.load(path)
