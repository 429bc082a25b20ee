"""The paper's tables about the data: types of features, class counts, sizes of the subsets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nffs.paper.reported import ReportedSubset
from nffs.paper.tables import Table
from nffs.table.encoding import Encoding
from nffs.validation.given import expand_features


def types_table(train: pl.DataFrame, test: pl.DataFrame) -> Table:
    """Part binary, categorical and numeric columns by their values in both files (table 2)."""
    both = pl.concat([train, test], how="vertical_relaxed")
    kinds: dict[str, list[str]] = {"Binary": [], "Categorical": [], "Numeric": []}
    for column in both.columns:
        if both[column].dtype == pl.String:
            kinds["Categorical"].append(column)
        else:
            values = set(both[column].unique().to_list())
            kinds["Binary" if values == {0, 1} else "Numeric"].append(column)
    return Table(
        "types",
        "Types of features, told by the values in both files",
        ("type", "number", "features"),
        [(kind, str(len(names)), " ".join(names)) for kind, names in kinds.items()],
    )


def classes_table(train: NDArray[np.int8], test: NDArray[np.int8]) -> Table:
    """Count positive and negative rows (table 'TS')."""
    rows = []
    for part, target in (("Training", train), ("Testing", test)):
        positive, total = int(target.sum()), len(target)
        shares = [f"{n} ({n / total:.1%})" for n in (positive, total - positive)]
        rows.append((part, str(total), *shares))
    return Table("classes", "Class counts", ("partition", "rows", "positive", "negative"), rows)


def subsets_table(subsets: Sequence[ReportedSubset], encoding: Encoding) -> Table:
    """Check the sizes of the reported subsets (table 4)."""
    rows = []
    for subset in subsets:
        encoded = int(expand_features(subset.features, encoding).sum())
        raw = len({name.split("_")[0] for name in subset.features})
        rows.append(
            (
                subset.method,
                f"{encoded} ({raw})",
                f"{subset.n_encoded} ({subset.n_raw})",
                "yes" if (encoded, raw) == (subset.n_encoded, subset.n_raw) else "no",
                subset.note,
            )
        )
    header = ("method", "encoded (raw)", "the paper's", "equal", "note")
    return Table("subsets", "Sizes of the reported subsets", header, rows)
