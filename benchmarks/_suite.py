"""The suite's tables, with their missing values filled.

A missing number becomes the mean of its column, a missing category a category of its own. Classes
of fewer than eight rows, which cannot be in every fold, are left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from _common import data_folder
from _tables import TABLES, Table

CLASSIFICATION = (
    "arrhythmia", "attrition", "biodeg", "cervical", "clean1", "coil2000", "credit_data", "dna",
    "gametes_1000", "golub", "khan", "led24", "malgenome", "mice_protein", "ozone_8h", "phishing",
    "semeion", "sick", "sorlie", "soybean", "steel_plates", "wa_churn", "waveform_40",
)  # fmt: skip

#: Rows that a class needs.
_LEAST = 8


def suite_table(name: str, least: int = _LEAST) -> Table:
    """Read a table of the suite, without classes of fewer rows than the least."""
    path = data_folder() / "suite" / f"{name}.parquet"
    if not path.is_file():
        raise LookupError(f"{path} is not there")
    frame = pl.read_parquet(path)
    counts = frame["target"].value_counts()
    often = counts.filter(pl.col("count") >= least)["target"].implode()
    frame = frame.filter(pl.col("target").is_in(often))
    X = frame.drop("target").select(_filled(column) for column in frame.drop("target"))
    y = frame["target"]
    return Table(X, y.to_numpy() if y.dtype.is_numeric() else np.array(y.cast(str).to_list()))


def _filled(column: pl.Series) -> pl.Series:
    if not column.dtype.is_numeric():
        return column.cast(pl.String).fill_null("missing")
    values = column.cast(pl.Float64).fill_nan(None)
    return values.fill_null(values.mean() if values.null_count() < len(values) else 0.0)


#: All classification tables: the suite's, then those of the comparison.
ALL_TABLES: dict[str, Callable[[], Table]] = {
    **{name: lambda name=name: suite_table(name) for name in CLASSIFICATION},
    **TABLES,
}
