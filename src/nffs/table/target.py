"""The target: what is to be predicted, behind one protocol.

Everything that depends on what kind of target there is, classes or numbers, asks the target: mutual
information, folds, samples, default scores, engines and reports.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import type_of_target

from nffs.errors import InputError, quoted
from nffs.table.numbers import Numbers
from nffs.table.target_values import as_numbers, target_values

Rows = NDArray[np.intp]

#: What is to be predicted: classes or numbers.
Task = Literal["classification", "regression"]
TASKS = ("auto", "classification", "regression")

#: More distinct whole numbers than this are taken for numbers, fewer for classes.
MANY_VALUES = 30


#: Where fewer of the rows are positive, the F-score hardly tells subsets apart: models predict none
#: of them. See `benchmarks/imbalance.py`.
RARE = 0.1


class Target(Protocol):
    """What the rest of the package asks of the target of some rows."""

    @property
    def task(self) -> Task:
        """Whether classes or numbers are to be predicted."""
        ...

    @property
    def said(self) -> str:
        """What to tell a user who did not say what the target is; nothing of obvious classes."""
        ...

    @property
    def values(self) -> NDArray[Any]:
        """What models are trained on: class codes, or numbers."""
        ...

    @property
    def strata(self) -> NDArray[np.intp]:
        """Whole numbers from 0 that mutual information and stratified samples go by."""
        ...

    @property
    def n_strata(self) -> int:
        """How many strata there are."""
        ...

    @property
    def positive(self) -> str | None:
        """Of two classes the one that precision, recall and F-score are about, as text."""
        ...

    @property
    def positive_label(self) -> Any:
        """The same as the label that the user wrote; None where there are not two classes."""
        ...

    @property
    def default_scoring(self) -> str:
        """The name of the scorer to use if none is given."""
        ...

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, in the order of their codes; none of numbers."""
        ...

    @property
    def most_folds(self) -> int:
        """How many folds the rows can be split into at most."""
        ...

    def __len__(self) -> int: ...

    def take(self, rows: Rows) -> Self:
        """Give the target of some rows."""
        ...

    def followed_by(self, y: Any, *, argument: str) -> Self:
        """Give these rows and further ones (an eval_set's), read as these were."""
        ...

    def decode(self) -> NDArray[Any]:
        """Give the target as the user wrote it."""
        ...

    def folds(self, n_folds: int, seed: int) -> tuple[Any, str]:
        """Give a splitter of shuffled rows into folds, and what it is called."""
        ...

    def check_training(self, rows: Rows, split: int) -> None:
        """Refuse training rows that no model could learn from."""
        ...

    def digest(self) -> str:
        """Name the target in a few characters: the same for the same values."""
        ...


@dataclass(frozen=True)
class Labels:
    """Class codes of the rows and what they stand for; of two classes code 1 is the positive."""

    codes: NDArray[np.intp]
    classes: NDArray[Any]

    task: Literal["classification"] = "classification"

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def said(self) -> str:
        """Say that several whole numbers are taken for classes, and how to change that."""
        if self.n_classes == 2 or self.classes.dtype.kind not in "iuf":
            return ""
        return (
            f"task: classification, because the target holds {self.n_classes} distinct whole "
            "numbers; set the task to regression to predict them as numbers"
        )

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.classes)

    @property
    def values(self) -> NDArray[np.intp]:
        """The class codes."""
        return self.codes

    @property
    def strata(self) -> NDArray[np.intp]:
        """The class codes."""
        return self.codes

    @property
    def n_strata(self) -> int:
        """How many classes there are."""
        return self.n_classes

    @property
    def positive(self) -> str | None:
        """Of two classes the one that precision, recall and F-score are about, as text."""
        return str(self.classes[1]) if self.n_classes == 2 else None

    @property
    def positive_label(self) -> Any:
        """The same as the label that the user wrote; None where there are not two classes."""
        return self.classes.tolist()[1] if self.n_classes == 2 else None

    @property
    def default_scoring(self) -> str:
        """The F-score, or its macro mean for more than two classes; average precision if rare."""
        if self.n_classes > 2:
            return "f1_macro"
        return "average_precision" if self.positive_share < RARE else "f1"

    @property
    def positive_share(self) -> float:
        """Of two classes the share of the rows that are positive, counted without weights."""
        return float(self.codes.mean())

    @property
    def most_folds(self) -> int:
        """As many as the rarest class has rows."""
        return int(np.bincount(self.codes).min())

    def take(self, rows: Rows) -> Labels:
        """Give the labels of some rows."""
        return Labels(self.codes[rows], self.classes)

    def followed_by(self, y: Any, *, argument: str) -> Labels:
        """Give these rows and further ones, with the same classes."""
        values = _checked_classes(target_values(y, argument), argument)
        code_of = {c: i for i, c in enumerate(self.classes.tolist())}
        strange = sorted({str(v) for v in values.tolist() if v not in code_of})
        if strange:
            raise InputError(
                f"{argument}: holds the class(es) {quoted(strange)} that y does not have; "
                "drop those rows or map them to a known class."
            )
        codes = np.fromiter((code_of[v] for v in values.tolist()), dtype=np.intp, count=len(values))
        return Labels(np.concatenate([self.codes, codes]), self.classes)

    def decode(self) -> NDArray[Any]:
        """Give the labels as the user wrote them."""
        labels: NDArray[Any] = self.classes[self.codes]
        return labels

    def folds(self, n_folds: int, seed: int) -> tuple[Any, str]:
        """Give stratified, shuffled folds; refuse more of them than a class has rows.

        Of more than two classes a rare one may be missing where some folds evaluate, if all train
        on it.
        """
        counts = np.bincount(self.codes, minlength=self.n_classes)
        few = self.n_classes > 2 and n_folds <= counts.max()
        small = counts < (min(2, n_folds) if few else n_folds)
        if small.any():
            found = ", ".join(str(c) for c in counts[small][:5])
            numeric = self.n_classes > 2 and self.classes.dtype.kind in "iuf"
            other = " To predict them as numbers, set task='regression'." if numeric else ""
            raise InputError(
                f"y: class(es) {quoted(self.classes[small])} have {found} rows, fewer than the "
                f"{n_folds} folds of cv; use fewer folds, or merge or drop rare classes.{other}"
            )
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return splitter, f"{n_folds}-fold stratified cross-validation"

    def check_training(self, rows: Rows, split: int) -> None:
        """Refuse training rows of one class."""
        if len(np.unique(self.codes[rows])) < 2:
            raise InputError(
                f"cv: the training rows of split {split} hold one class only; choose a splitter "
                "that keeps at least two classes in every training part."
            )

    def digest(self) -> str:
        """Name codes and classes in a few characters, and the positive class in full."""
        codes = hashlib.blake2b(self.codes.astype("<i8").tobytes(), digest_size=8)
        classes = hashlib.blake2b("\0".join(map(str, self.classes)).encode(), digest_size=8)
        positive = "" if self.positive is None else f", positive {self.positive}"
        return f"{codes.hexdigest()} {classes.hexdigest()}{positive}"


def read_target(y: Any, *, pos_label: Any = None, task: str = "auto") -> Labels | Numbers:
    """Check the target of the training rows and tell what it is: classes or numbers.

    Parameters
    ----------
    y : array-like
        The target of every row: classes of any type, or numbers.
    pos_label : label, optional
        Of two classes the positive one; by default the one that fewer rows have, whatever their
        weights, and the second in sorted order where both have as many.
    task : {'auto', 'classification', 'regression'}, default='auto'
        What the target is. By default numbers with fractions, and more than `MANY_VALUES` distinct
        whole numbers, are numbers; everything else is classes.
    """
    if task not in TASKS:
        raise InputError(f"task: {task!r} is not a task; choose one of {quoted(TASKS)}.")
    values = target_values(y, "y")
    if task == "regression" or (task == "auto" and pos_label is None and _are_numbers(values)):
        if pos_label is not None:
            raise InputError("pos_label: is for classes, but task is 'regression'; leave it out.")
        return Numbers.of(as_numbers(values, "y"))
    return _labels(_checked_classes(values, "y"), pos_label)


def _labels(values: NDArray[Any], pos_label: Any) -> Labels:
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise InputError(
            f"y: found one class only ({quoted(classes)}); selection needs at least two."
        )
    if pos_label is None:
        pos_label = _rarer(classes, codes)
    if pos_label is not None:
        classes, codes = _positive_last(classes, codes, pos_label)
    return Labels(codes.astype(np.intp), classes)


def positive_in(digest: str) -> str | None:
    """Find the positive class in the digest of a target; None if there is none."""
    return digest.partition(", positive ")[2] or None


def target_name(y: Any) -> str | None:
    """Give the name a series of labels carries, if any."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _are_numbers(values: NDArray[Any]) -> bool:
    """Tell whether a target looks like numbers to predict."""
    if values.dtype.kind not in "iuf":
        return False
    return bool((values % 1).any()) or len(np.unique(values)) > MANY_VALUES


def _checked_classes(values: NDArray[Any], argument: str) -> NDArray[Any]:
    kind = type_of_target(values, input_name=argument)
    if kind not in ("binary", "multiclass"):
        raise InputError(
            f"{argument}: found a {kind} target, but classes are needed "
            f"(Unknown label type: {kind}); bin it, choose another column, or predict numbers "
            "with task='regression'."
        )
    return values


def _rarer(classes: NDArray[Any], codes: NDArray[np.intp]) -> Any:
    """Give the rarer of two classes, or the second of equals; None for more classes."""
    if len(classes) > 2:
        return None
    first, second = np.bincount(codes)
    return classes[0] if first < second else classes[1]


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
