"""The label: any type in, codes 0, 1, ... out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from nffs.errors import InputError, quoted


@dataclass(frozen=True)
class Labels:
    """Class codes of the rows and what they stand for; of two classes code 1 is the positive."""

    codes: NDArray[np.intp]
    classes: NDArray[Any]

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    @property
    def positive(self) -> str | None:
        """Of two classes the one that precision, recall and F-score are about."""
        return str(self.classes[1]) if self.n_classes == 2 else None

    def take(self, rows: NDArray[np.intp]) -> Labels:
        """Give the labels of some rows."""
        return Labels(self.codes[rows], self.classes)

    def decode(self) -> NDArray[Any]:
        """Give the labels as the user wrote them."""
        labels: NDArray[Any] = self.classes[self.codes]
        return labels


def read_labels(y: Any, *, pos_label: Any = None) -> Labels:
    """Check and encode the training labels."""
    values = _as_array(y, "y")
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise InputError(
            f"y: found one class only ({quoted(classes)}); selection needs at least two."
        )
    if pos_label is not None:
        classes, codes = _positive_last(classes, codes, pos_label)
    return Labels(codes.astype(np.intp), classes)


def read_labels_like(y: Any, known: Labels, *, argument: str) -> Labels:
    """Encode further labels (an eval_set's) with the classes of the training labels."""
    values = _as_array(y, argument)
    code_of = {c: i for i, c in enumerate(known.classes.tolist())}
    strange = sorted({str(v) for v in values.tolist() if v not in code_of})
    if strange:
        raise InputError(
            f"{argument}: holds the class(es) {quoted(strange)} that y does not have; "
            "drop those rows or map them to a known class."
        )
    codes = np.fromiter((code_of[v] for v in values.tolist()), dtype=np.intp, count=len(values))
    return Labels(codes, known.classes)


def label_name(y: Any) -> str | None:
    """Give the name a series of labels carries, if any."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _as_array(y: Any, argument: str) -> NDArray[Any]:
    if nw.dependencies.is_into_series(y):
        series = nw.from_native(y, series_only=True)
        if series.null_count():
            raise InputError(
                f"{argument}: missing labels in {series.null_count()} rows; drop those rows."
            )
        y = series.to_numpy() if series.dtype.is_numeric() else np.array(series.to_list())
    values: NDArray[Any] = column_or_1d(y, warn=True)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError(f"{argument}: missing labels (NaN or inf); drop those rows.")
    if values.dtype.kind == "O":
        values = _objects(values, argument)
    kind = type_of_target(values, input_name=argument)
    if kind not in ("binary", "multiclass"):
        raise InputError(
            f"{argument}: found a {kind} target, but classes are needed "
            f"(Unknown label type: {kind}); bin it or choose another column."
        )
    return values


def _objects(values: NDArray[Any], argument: str) -> NDArray[Any]:
    if any(v is None or v != v for v in values):
        raise InputError(f"{argument}: missing labels; drop those rows.")
    types = {type(v) for v in values}
    if len(types) > 1 and any(issubclass(t, str) for t in types):
        found = ", ".join(sorted(t.__name__ for t in types))
        raise InputError(f"{argument}: mixes types ({found}); use one type for all labels.")
    return np.array(values.tolist())


def _positive_last(
    classes: NDArray[Any], codes: NDArray[np.intp], pos_label: Any
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    if len(classes) > 2:
        raise InputError(
            f"pos_label: given for {len(classes)} classes, but it is for two; leave it out."
        )
    if pos_label not in classes.tolist():
        raise InputError(f"pos_label: {pos_label!r} is not a class; found {quoted(classes)}.")
    if classes[0] == pos_label:
        return classes[::-1], 1 - codes
    return classes, codes
