"""Dates become the numbers in them that vary; durations are seconds."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nffs import NFFS, InputError
from nffs.selection import Selection
from nffs.table.encoding import fit_encoding
from nffs.table.reading import read_table

SMALL = {
    "n_subsets": 4,
    "n_top": 1,
    "n_bottom": 1,
    "n_nested": 1,
    "evaluator": "logistic",
    "cv": 2,
    "choose": "method",
    "random_state": 0,
}
N = 80
RNG = np.random.default_rng(0)
START = dt.datetime(2026, 1, 1)
WHEN = [START + dt.timedelta(hours=int(h)) for h in RNG.integers(0, 24 * 200, N)]
MOMENTS = np.array(WHEN, dtype="datetime64[us]")
WEEKEND = np.array([moment.weekday() >= 5 for moment in WHEN])
ENCODED = ["when_day", "when_weekday", "when_month", "when_hour"]


def encoded(X):
    table = read_table(X)
    encoding = fit_encoding(table)
    return encoding.names, encoding.matrix(table)


FRAMES = {
    "pandas": pd.DataFrame({"when": MOMENTS}),
    "pandas, time zone": pd.DataFrame({"when": pd.Series(MOMENTS).dt.tz_localize("Asia/Tokyo")}),
    "pandas of arrow": pd.DataFrame({"when": pd.Series(MOMENTS, dtype="timestamp[us][pyarrow]")}),
    "objects": pd.DataFrame({"when": pd.Series(WHEN, dtype=object)}),
    "polars": pl.DataFrame({"when": WHEN}),
    "polars, time zone": pl.DataFrame(
        {"when": pl.Series(WHEN).dt.replace_time_zone("Europe/Berlin", non_existent="null")}
    ),
    "pyarrow": pa.table({"when": WHEN}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_parts_of_every_kind_of_frame(kind):
    names, matrix = encoded(FRAMES[kind])
    assert names == ENCODED
    expected = [
        [(moment - dt.datetime(1970, 1, 1)).days, moment.weekday(), moment.month, moment.hour]
        for moment in WHEN
    ]
    assert matrix.tolist() == expected


def test_dates_without_a_time():
    days = [moment.date() for moment in WHEN]
    frames = [pl.DataFrame({"when": days}), pa.table({"when": days}), pd.DataFrame({"when": days})]
    for frame in frames:
        assert encoded(frame)[0] == ENCODED[:-1]


def test_only_parts_that_vary():
    hours = [dt.datetime(2026, 5, 5, hour) for hour in range(8)]
    assert encoded(pl.DataFrame({"when": hours}))[0] == ["when_hour"]


def test_arrays_of_dates():
    names, matrix = encoded(np.column_stack([MOMENTS, MOMENTS[::-1]]))
    assert names[:4] == ["x0_day", "x0_weekday", "x0_month", "x0_hour"]
    assert matrix[:, 1].tolist() == [moment.weekday() for moment in WHEN]


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"long": [dt.timedelta(minutes=1), None, dt.timedelta(days=1)]}),
        pa.table({"long": [dt.timedelta(minutes=1), None, dt.timedelta(days=1)]}),
        pd.DataFrame({"long": pd.to_timedelta(["1min", None, "1D"])}),
        pl.DataFrame({"long": [dt.time(0, 1), None, dt.time(23, 59)]}),
    ],
)
def test_durations_are_seconds(frame):
    names, matrix = encoded(frame)
    assert names == ["long", "long_missing"]
    assert matrix[0].tolist() == [60.0, 0.0]
    assert np.isnan(matrix[1, 0])
    assert matrix[2, 0] >= 86340


class TestSelecting:
    X = pd.DataFrame({"when": MOMENTS, "noise": RNG.normal(size=N)})

    def test_the_part_that_tells(self):
        selector = NFFS(**SMALL, include="when_weekday").fit(self.X, WEEKEND)
        assert "when_weekday" in selector.transform(self.X).columns
        assert selector.transform(self.X)["when_weekday"].tolist() == [m.weekday() for m in WHEN]

    def test_columns_as_a_whole(self):
        selector = NFFS(**SMALL, unit="column", include="when").fit(self.X, WEEKEND)
        assert selector.features_ == ["when", "noise"]
        assert list(selector.transform(self.X[["when", "noise"]]).columns)[:4] == ENCODED
        assert selector.mi_[0] > selector.mi_[1]

    def test_by_a_file(self, tmp_path):
        selector = NFFS(**SMALL, include="when_weekday").fit(self.X, WEEKEND)
        selector.selection_.save(tmp_path / "selection.json")
        loaded = Selection.load(tmp_path / "selection.json")
        assert loaded.transform(self.X).equals(selector.transform(self.X))

    @pytest.mark.filterwarnings("error::RuntimeWarning")
    def test_missing_dates(self):
        X = self.X.assign(when=self.X["when"].where(RNG.random(N) < 0.8))
        selector = NFFS(**SMALL, include=["when_weekday", "when_missing"]).fit(X, WEEKEND)
        reduced = selector.transform(X)
        assert (reduced["when_weekday"].isna() == X["when"].isna()).all()
        assert (reduced["when_missing"] == X["when"].isna()).all()

    def test_numbers_where_dates_were(self):
        selector = NFFS(**SMALL).fit(self.X, WEEKEND)
        with pytest.raises(InputError, match="column 'when' is numeric but was datetime"):
            selector.transform(self.X.assign(when=1.0))

    def test_durations_come_out_as_numbers(self):
        X = pd.DataFrame({"long": self.X["when"] - self.X["when"].min()})
        reduced = NFFS(**SMALL).fit(X, WEEKEND).transform(X)
        assert reduced["long"].tolist() == (X["long"] / pd.Timedelta(seconds=1)).tolist()
