"""Any frame: every type of column, any pattern of gaps and any target fit and survive JSON.

The same content as pandas, polars or Arrow gives the same bits.
"""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nffs import NFFS, InputError
from nffs.selection import Selection

ROWS = 24
#: Targets, and the model that evaluates subsets for them.
TARGETS = {
    "two classes": (np.tile(["no", "yes"], ROWS // 2), "logistic"),
    "three classes": (np.arange(ROWS) % 3, "logistic"),
    "a rare class": (np.arange(ROWS) < 2, "logistic"),
    "numbers": (np.sin(np.arange(ROWS)), "ridge"),
    "many whole numbers": (np.arange(ROWS) ** 2, "ridge"),
}
VALUES = {
    pl.Float64: st.floats(-1e6, 1e6),
    pl.Float32: st.floats(-1000, 1000, width=32),
    pl.Int64: st.integers(-(2**40), 2**40),
    pl.UInt8: st.integers(0, 255),
    pl.Boolean: st.booleans(),
    pl.String: st.sampled_from(["a", "b c", "ü", "None", "nan", ""]),
    pl.Categorical: st.sampled_from(["x", "y"]),
    pl.Datetime("us"): st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    pl.Duration("us"): st.timedeltas(dt.timedelta(0), dt.timedelta(days=400)),
}


@st.composite
def frames(draw):
    """Draw frames of one to four columns, each of any type, with any gaps."""
    columns = []
    types = draw(st.lists(st.sampled_from([*VALUES]), min_size=1, max_size=4))
    for number, dtype in enumerate(types):
        cells = st.one_of(st.none(), VALUES[dtype]) if draw(st.booleans()) else VALUES[dtype]
        values = draw(st.lists(cells, min_size=ROWS, max_size=ROWS))
        columns.append(pl.Series(f"c{number}", values, dtype=dtype))
    return pl.DataFrame(columns)


def fitted_or_refused(X, target):
    """Fit a selector, or give what it says."""
    y, model = TARGETS[target]
    selector = NFFS(
        n_subsets=3, n_top=1, n_bottom=1, n_nested=1, evaluator=model, cv=2, choose="method",
        random_state=0, task="regression" if model == "ridge" else "classification",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return selector.fit(X, y), ""
        except InputError as error:
            return None, str(error)


def numbers(reduced):
    """Give a reduced table as numbers, whatever its kind."""
    if not isinstance(reduced, pl.DataFrame):
        read = pl.from_pandas if isinstance(reduced, pd.DataFrame) else pl.from_arrow
        reduced = read(reduced)
    return reduced.cast(pl.Float64).fill_null(float("nan")).to_numpy()


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(frames(), st.sampled_from([*TARGETS]))
def test_any_frame(tmp_path_factory, frame, target):
    fitted, said = fitted_or_refused(frame, target)
    if fitted is None:
        assert "constant" in said or "No feature is left" in said
        return
    reduced = fitted.transform(frame)
    assert fitted.task_ == ("regression" if TARGETS[target][1] == "ridge" else "classification")
    arrow, pandas = frame.to_arrow(), frame.to_pandas()
    for other in (arrow, pandas, frame.to_pandas(use_pyarrow_extension_array=True)):
        again, _ = fitted_or_refused(other, target)
        assert again.fingerprint_ == fitted.fingerprint_
        assert again.archive_fitness_.tobytes() == fitted.archive_fitness_.tobytes()
        assert again.selected_features_ == fitted.selected_features_
        assert np.array_equal(numbers(again.transform(other)), numbers(reduced), equal_nan=True)
    path = tmp_path_factory.mktemp("any") / "selection.json"
    fitted.selection_.save(path)
    loaded = Selection.load(path)
    assert loaded.to_json() == fitted.selection_.to_json()
    assert reduced.columns == list(fitted.get_feature_names_out())
    assert loaded.transform(frame).equals(reduced)
    gone = frame.select(pl.lit(None, dtype=t).alias(n) for n, t in frame.schema.items())
    assert loaded.transform(gone).shape == (1, reduced.width)
