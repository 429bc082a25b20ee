"""Which columns moved between old and new rows."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nffs
from nffs import InputError
from nffs.fitness import chance


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)

    def rows(n, age, services, gaps):
        size = rng.normal(size=n)
        size[rng.random(n) < gaps] = np.nan
        return pl.DataFrame(
            {
                "age": rng.normal(age, 9, n),
                "noise": rng.normal(size=n),
                "size": pl.Series(size).fill_nan(None),
                "service": rng.choice(services, n),
                "colour": rng.choice(["red", "blue"], n),
                "seen": rng.random(n) < 0.5,
            }
        )

    old = rows(900, 40, ["http", "ftp", "gopher"], 0.0)
    new = rows(500, 60, ["http", "ftp", "quic"], 0.3)
    return old, new


def test_columns_that_moved_are_told_from_those_that_did_not(tables):
    found = nffs.shift(*tables)
    assert set(found.moved) == {"age", "service", "size"}
    assert found.columns[0].name == "age"
    assert found.columns[0].auc > 0.9
    assert found.told_apart
    assert found.auc > found.columns[0].auc  # columns together know more
    assert found.n_like_new < 0.6 * found.n_old
    assert (found.n_old, found.n_new) == (900, 500)


def test_rows_of_one_kind_cannot_be_told_apart():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        found = nffs.shift(rng.normal(size=(600, 12)), rng.normal(size=(400, 12)))
        assert not found.told_apart
        assert found.moved == ()
        assert 0.42 < found.auc < 0.58


def test_what_chance_gives_is_known():
    """Columns of one kind spread as far as `chance` says, so few of them are called moved."""
    rng = np.random.default_rng(0)
    found = nffs.shift(rng.normal(size=(400, 300)), rng.normal(size=(250, 300)))
    spread = np.array([column.auc - 0.5 for column in found.columns]) / chance(400, 250)
    assert 0.8 < spread.std() < 1.15
    assert abs(spread.mean()) < 0.3
    assert (spread > 2.33).mean() < 0.03


def test_a_column_says_what_changed(tables):
    columns = {column.name: column for column in nffs.shift(*tables).columns}
    age, size, service = columns["age"], columns["size"], columns["service"]
    assert age.median == (tables[0]["age"].quantile(0.5, "lower"), pytest.approx(60, abs=2))
    assert age.mean == pytest.approx((tables[0]["age"].mean(), tables[1]["age"].mean()))
    assert size.missing == (0.0, tables[1]["size"].null_count() / 500)
    assert service.added.most == ("quic",)
    assert service.gone.most == ("gopher",)
    assert service.added.share == (tables[1]["service"] == "quic").mean()
    name, before, after = service.category
    assert name in ("quic", "gopher")
    assert {before, after} & {0.0}
    assert columns["seen"].mean[0] == tables[0]["seen"].mean()
    assert columns["colour"].added is None


def test_columns_need_not_move_alone_to_be_told_apart():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 1500))
    old = np.column_stack([one, np.abs(other) * np.sign(one)])
    new = np.column_stack([one, -np.abs(other) * np.sign(one)])
    found = nffs.shift(old, new)
    assert found.moved == ()
    assert found.auc > 0.9


def test_an_identifier_of_new_categories_is_no_separation_but_is_told():
    rng = np.random.default_rng(0)
    old = pd.DataFrame({"id": [f"a{i}" for i in range(300)], "x": rng.normal(size=300)})
    new = pd.DataFrame({"id": [f"b{i}" for i in range(300)], "x": rng.normal(size=300)})
    column = next(c for c in nffs.shift(old, new).columns if c.name == "id")
    assert not column.moved
    assert column.added.share == column.gone.share == 1.0
    assert column.added.n == 300
    assert len(column.added.most) == 5


def test_tables_of_any_kind_and_order_of_columns_say_the_same(tables):
    old, new = tables
    found = nffs.shift(old, new).to_dict()
    assert nffs.shift(old.to_pandas(), new.to_arrow()).to_dict() == found
    turned = nffs.shift(old, new[new.columns[::-1]]).to_dict()
    assert turned == found
    assert nffs.shift(old, new).to_dict() == found
    assert json.loads(json.dumps(found))["moved"] == found["moved"]


def test_columns_of_one_table_alone_are_named(tables):
    old, new = tables
    found = nffs.shift(old.drop("age"), new.drop("colour").with_columns(pl.lit(1).alias("late")))
    assert found.only_old == ("colour",)
    assert set(found.only_new) == {"age", "late"}


def test_kinds_that_differ_are_compared_as_text():
    old = pd.DataFrame({"code": [1.0, 2.0] * 100})
    new = pd.DataFrame({"code": ["1", "x"] * 100})
    (column,) = nffs.shift(old, new).columns
    assert column.kind == "categorical"
    assert column.kinds == ("numeric", "categorical")
    assert column.added.most == ("x",)
    assert column.gone.most == ("2",)


def test_a_column_that_is_missing_throughout_moved():
    rng = np.random.default_rng(0)
    old = pd.DataFrame({"a": rng.normal(size=200), "b": ["x", "y"] * 100})
    new = pd.DataFrame({"a": [None] * 200, "b": [None] * 200})
    found = nffs.shift(old, new)
    assert set(found.moved) == {"a", "b"}
    assert {column.missing for column in found.columns} == {(0.0, 1.0)}
    assert found.auc == 1.0


def test_dates_and_whole_numbers_keep_their_precision():
    days = pd.date_range("2026-01-01", periods=400, freq="h")
    old = pd.DataFrame({"when": days[:200], "n": 2**60 + np.arange(200)})
    new = pd.DataFrame({"when": days[200:], "n": 2**60 + np.arange(200, 400)})
    found = nffs.shift(old, new)
    when = next(column for column in found.columns if column.name == "when")
    assert when.median[0].startswith("2026-01-05")
    assert min(column.auc for column in found.columns) > 0.99


def test_random_state_draws_the_folds(tables):
    assert nffs.shift(*tables, random_state=1).auc != nffs.shift(*tables).auc


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ([[1.0], [2.0]], pd.DataFrame({"b": [1.0]}), "X_new: has none of the columns 'x0', but"),
        ([[1.0], [2.0]], [[1.0]], "X_new: 2 old and 1 new row"),
        ([[1.0], [2.0]], [[np.inf], [1.0]], "X_new: infinite values"),
    ],
)
def test_what_cannot_be_compared_is_refused(old, new, message):
    with pytest.raises(InputError, match=message):
        nffs.shift(old, new)
