"""A selection as plain data: written to JSON, read back, applied to new tables. No pickle."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs._version import __version__
from nffs.errors import InputError
from nffs.methods.choosing import standard_error
from nffs.table.encoding import EncodedColumn, Encoding
from nffs.table.reading import frame_like, is_frame, read_table

#: Raised when a reader of this version could misread what an older one wrote.
FORMAT = 1


@dataclass(frozen=True)
class Selection:
    """What a selector chose and how.

    Attributes
    ----------
    document : dict
        All that is known, as it stands in the JSON file.
    """

    document: Mapping[str, Any]

    @property
    def selected_features(self) -> list[str]:
        """The selected features' names: encoded columns, or raw columns for unit 'column'."""
        return list(self.document["selected_features"])

    @property
    def positive(self) -> str | None:
        """Of two classes the one that precision, recall and F-score are about."""
        classes = self.document["classes"]
        return str(classes[1]) if len(classes) == 2 else None

    @property
    def feature_names_out(self) -> list[str]:
        """The names of the columns that `transform` gives."""
        return [column.name for column in self._columns]

    @property
    def _columns(self) -> list[EncodedColumn]:
        return [
            EncodedColumn(c["column"], c["kind"], c["category"], tuple(c["members"]))
            for c in self.document["transform"]
        ]

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected columns.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, or array
            It must have the raw columns that the selection uses, in any order; others are ignored.

        Returns
        -------
        frame of the same kind, or array
            Numeric and boolean columns as they are, categories as 0/1 columns.
        """
        return apply_columns(X, self._columns)

    def to_json(self) -> str:
        """Write the document as JSON text."""
        return json.dumps(self.document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON file, whole or not at all."""
        target = Path(path)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.to_json())
            # mkstemp makes private files; a result is as readable as any other file.
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Selection:
        """Read a file written by `save`."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"selection: {os.fspath(path)!r} is not JSON ({error}).") from error
        found = document.get("format") if isinstance(document, dict) else None
        if found != FORMAT:
            raise InputError(
                f"selection: {os.fspath(path)!r} is not a selection of format {FORMAT} (found "
                f"{found!r}); make it again with this version of nffs."
            )
        return cls(document)


def describe(selector: Any) -> dict[str, Any]:
    """Describe a fitted selector as plain data that JSON can hold.

    How it was computed (threads, callbacks) is left out: it does not change the result.
    """
    kept = [
        column
        for column, selected in zip(selector.encoding_.columns, selector.support_, strict=True)
        if selected
    ]
    return {
        "format": FORMAT,
        "nffs_version": __version__,
        "versions": _versions(),
        "selected_features": list(selector.selected_features_),
        "n_selected": len(selector.selected_features_),
        "unit": selector.unit,
        "partial": selector.partial_,
        "fitness": selector.fitness_,
        "standard_error": selector.standard_error_,
        "one_se_features": list(selector.one_se_features_),
        # nan, of a search that was stopped before, is no JSON
        "all_features_fitness": _number(selector.all_features_fitness_),
        "scoring": selector.scoring_,
        "evaluated_on": selector.evaluated_on_,
        "threshold": selector.threshold_,
        "seed": selector.seed_,
        "fingerprint": dict(selector.fingerprint_),
        "classes": selector.classes_.tolist(),
        "evaluations": selector.n_evaluations_,
        "seconds": round(selector.seconds_, 3),
        "parameters": {**plain_parameters(selector), **asdict(selector.sizes_)},
        "encoded_features": list(selector.encoded_feature_names_),
        "columns": _raw_columns(selector.encoding_),
        "features": _feature_rows(selector),
        "drawn_fitness": selector.drawn_fitness_.tolist(),
        "nested_sizes": selector.nested_.sum(axis=1).tolist(),
        "nested_fitness": selector.nested_fitness_.tolist(),
        "nested_standard_errors": [
            standard_error(selector.nested_scores_, i) for i in range(len(selector.nested_scores_))
        ],
        "transform": transform_plan(kept),
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def plain_parameters(selector: Any) -> dict[str, Any]:
    """Give a selector's parameters as plain data, without those that do not change the result."""
    given = selector.get_params(deep=False)
    for how in ("journal", "callbacks", "n_jobs", "random_state"):
        del given[how]
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return getattr(value, "__name__", None) or repr(value)


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn", "numba")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def _raw_columns(encoding: Encoding) -> list[dict[str, Any]]:
    encoded = Counter(column.column for column in encoding.columns)
    return [
        {"name": name, "kind": kind, "encoded": encoded[name]}
        for name, kind in encoding.kinds.items()
    ]


def _feature_rows(selector: Any) -> list[dict[str, Any]]:
    selected = set(selector.selected_features_)
    sources = (
        [(name, None) for name in selector.features_]
        if selector.unit == "column"
        else [(column.column, column.category) for column in selector.encoding_.columns]
    )
    return [
        {
            "name": name,
            "column": sources[i][0],
            "category": sources[i][1],
            "mi": float(selector.mi_[i]),
            "probability": float(selector.probability_weights_[i]),
            "top": int(selector.top_counts_[i]),
            "bottom": int(selector.bottom_counts_[i]),
            "weight": float(selector.frequency_weights_[i]),
            "rank": int(selector.ranking_[i]),
            "selected": name in selected,
        }
        for i, name in enumerate(selector.features_)
    ]


def transform_plan(columns: list[EncodedColumn]) -> list[dict[str, Any]]:
    """Describe encoded columns as `Selection.transform` needs them."""
    plan = [asdict(column) for column in columns]
    for entry in plan:
        del entry["offset"]  # it only serves the precision of the search
        entry["members"] = list(entry["members"])
    return plan


def apply_columns(X: Any, columns: list[EncodedColumn], *, as_array: bool = False) -> Any:
    """Build the given encoded columns of a table: a frame of its kind, or an array."""
    needed = list(dict.fromkeys(column.column for column in columns))
    table = read_table(X, only=needed)
    Encoding(tuple(columns)).check(table, needed=needed)
    if is_frame(X) and not as_array:
        position = {str(name): i for i, name in enumerate(_frame_names(X))}
        return frame_like(
            X,
            [
                (
                    c.name,
                    c.indicator(table[c.column]) if c.category is not None else position[c.column],
                )
                for c in columns
            ],
        )
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufb":
        return X[:, [int(column.column[1:]) for column in columns]]
    return _stack(
        [
            table[c.column].values if c.category is None else c.indicator(table[c.column])
            for c in columns
        ],
        table.n_rows,
    )


def _frame_names(X: Any) -> list[Any]:
    names = list(getattr(X, "column_names", X.columns))
    return names if all(isinstance(n, str) for n in names) else [f"x{i}" for i in range(len(names))]


def _stack(values: list[NDArray[Any]], n_rows: int) -> NDArray[np.float64]:
    out = np.empty((n_rows, len(values)))
    for i, column in enumerate(values):
        out[:, i] = column
    return out


Selection.of_fitted = classmethod(lambda cls, s: cls(describe(s)))  # type: ignore
