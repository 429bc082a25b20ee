"""Selection: what a method chose, how good it is and how it was made. JSON, no pickle."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence, Sized
from dataclasses import asdict, dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import Any, Self

from nffs.atomic import write_text
from nffs.errors import InputError
from nffs.selection import fitted, format_1
from nffs.selection.columns import apply_columns
from nffs.selection.front import check_front
from nffs.selection.parts import (
    Column,
    Evidence,
    Extent,
    Feature,
    Final,
    Front,
    Learned,
    Phases,
    UnlabelledRows,
    Unseen,
)
from nffs.selection.picking import pick
from nffs.selection.typed import parse, read_json
from nffs.table.encoding import EncodedColumn
from nffs.table.features import Unit
from nffs.table.missing import Missing

#: Raised when a reader of this version could misread what an older one wrote.
FORMAT = 2

#: The same with groups of categories: a reader that does not know them would give 0 for a category
#: that was never seen, which belongs to a group.
GROUPED = 3

#: Features of a table, at most, whose file has a line for every value.
MOST_INDENTED = 2000


@dataclass(frozen=True, repr=False)
class Selection:
    """The result of a search: the features it selected, how good they are and how it was made.

    Attributes
    ----------
    method : str
        The name of the method; 'nffs' is the paper's.
    unit : {'category', 'column'}
        What was kept or dropped: single encoded columns, or raw columns as a whole.
    selected_features : tuple of str
        The selected features' names: encoded columns, or raw columns for unit 'column'.
    fitness : float
        The selected subset's score on the rows that `evaluated_on` names.
    standard_error : float or None
        Standard error of the best score, where the method estimates one.
    all_features_fitness : float or None
        The score of all features together, on the same rows, where it was evaluated.
    scoring, evaluated_on : str
        What the scores measure, and which rows gave them.
    classes : tuple
        The classes, sorted; of two classes the positive one comes second.
    partial : bool
        Whether the search was interrupted; the selection is the best subset so far then.
    evaluations, seconds : int, float
        Distinct subsets evaluated, and how long the search took.
    seed : int
        The seed used.
    parameters : dict
        The selector's parameters, without those that do not change the result.
    fingerprint : dict of str to str
        Digests of the table, the target and the evaluation rows: the same for the same data.
    versions : dict of str to str
        Versions of nffs, Python and the packages that compute.
    encoded_features : tuple of str
        All encoded columns.
    columns : tuple of Column
        All raw columns; empty in old files.
    features : tuple of Feature
        All features, in the table's order.
    subset_sizes, subset_fitness : tuple of int, tuple of float
        Size and score of every distinct subset evaluated, in the order of evaluation.
    output_columns : tuple of EncodedColumn
        The columns that `transform` gives, with the raw values each stands for.
    phases : Phases or None
        Results that only the paper's method has.
    final : Final or None
        What the final check found, where there was one: then the scores above are its scores.
    left_out : dict of str to str
        The raw columns that cannot be features, and why: 'identifier', 'free text', 'dates as
        text', 'numbers as text' or 'copy'.
    unseen : Unseen or None
        What models score on held-out rows, if there are any.
    front : Front or None
        The best score for each number of features, from which `at_most` picks; None in old files.
    learned : Learned or None
        Results that only the guided search has.
    picked : int or None
        The most features that `at_most` or `of_size` was asked for; None for what the search
        itself chose.
    extent : Extent or None
        How far the search came: what was cut short, what failed; None in old files.
    evidence : Evidence or None
        The results of repeating the whole selection, if it was repeated.
    reading : tuple of str
        What `nffs select` decided while it read the table from a file, one sentence each.
    unlabelled : UnlabelledRows or None
        Rows without a label, and what they were used for, if there were any.
    """

    method: str
    unit: Unit
    selected_features: tuple[str, ...]
    fitness: float
    standard_error: float | None
    all_features_fitness: float | None
    scoring: str
    evaluated_on: str
    classes: tuple[str | bool | int | float, ...]
    partial: bool
    evaluations: int
    seconds: float
    seed: int
    parameters: dict[str, Any]
    fingerprint: dict[str, str]
    versions: dict[str, str]
    encoded_features: tuple[str, ...]
    columns: tuple[Column, ...]
    features: tuple[Feature, ...]
    subset_sizes: tuple[int, ...]
    subset_fitness: tuple[float, ...]
    output_columns: tuple[EncodedColumn, ...]
    phases: Phases | None = None
    final: Final | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    unseen: Unseen | None = None
    front: Front | None = None
    learned: Learned | None = None
    picked: int | None = None
    extent: Extent | None = None
    evidence: Evidence | None = None
    reading: tuple[str, ...] = ()
    unlabelled: UnlabelledRows | None = None

    @property
    def positive(self) -> str | None:
        """Of two classes, the one that precision, recall and the F-score refer to, as text."""
        return str(self.classes[1]) if len(self.classes) == 2 else None

    @property
    def searched_on(self) -> str:
        """Which rows evaluated the subsets of the search, the final check aside."""
        return self.evaluated_on if self.final is None else self.final.searched_on

    @property
    def searched_all_features(self) -> float | None:
        """The score of all features on those rows."""
        final = self.final
        return self.all_features_fitness if final is None else final.searched_all_features

    def with_unseen(self, unseen: Unseen) -> Self:
        """Add scores on unseen rows, as `nffs.validation.score_models` gives them."""
        return replace(self, unseen=unseen)

    def with_evidence(self, evidence: Evidence) -> Self:
        """Add the results of repeating the whole selection."""
        return replace(self, evidence=evidence)

    def with_reading(self, notes: Sequence[str]) -> Self:
        """Add what was decided while the table was read from a file."""
        return replace(self, reading=tuple(notes))

    def at_most(self, n_features: int) -> Self:
        """Take the best subset of at most `n_features` features, without a new search.

        It is a point of `front`: the evaluated subset with the highest score among those that are
        small enough. A selection that is already small enough is returned as it is.

        Parameters
        ----------
        n_features : int
            The most features.

        Returns
        -------
        Selection
            It has the score of that subset on the same rows and, after a final check, its verdict,
            but no scores on unseen rows. It can be saved, reported and applied.
        """
        most = _count(n_features)
        if len(self.selected_features) <= most:
            return self
        return replace(self, **pick(self, most))

    def of_size(self, n_features: int) -> Self:
        """Take the best subset of a number of features, without a new search.

        Where `at_most` only makes a selection smaller, this takes any point of `front`, larger ones
        too: a higher score may be worth more columns.

        Parameters
        ----------
        n_features : int
            The size of a point of the front.

        Returns
        -------
        Selection
            As for `at_most`.
        """
        size = _count(n_features)
        if len(self.selected_features) == size:
            return self
        return replace(self, **pick(self, size, exactly=True))

    def __repr__(self) -> str:
        """Give it in one line: what was selected, and what the score is and is about."""
        return f"<Selection by {self.method}: {describe(self)}>"

    @property
    def raw_features(self) -> list[str]:
        """The raw columns that `transform` needs, in the table's order."""
        return list(dict.fromkeys(column.column for column in self.output_columns))

    @property
    def feature_names_out(self) -> list[str]:
        """The names of the columns that `transform` gives."""
        return [column.name for column in self.output_columns]

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected columns.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, or array
            It must have the raw columns that the selection uses, in any order; others are ignored.
            The result is of the same kind, with categories as 0/1 columns. Missing numbers stay
            missing, unless the search refused them. An array, whose columns have no names, is
            accepted only if the selection was made from an array.
        """
        missing: Missing = "error" if self.parameters.get("missing") == "error" else "indicate"
        return apply_columns(X, self.output_columns, fitted=self._table, missing=missing)

    @property
    def _table(self) -> list[str]:
        """The raw columns that it was made from; nothing if they are not known (format 1)."""
        kept = [column.name for column in self.columns]
        by_place = [f"x{i}" for i in range(len(kept) + len(self.left_out))]
        if kept == [name for name in by_place if name not in self.left_out]:
            return by_place  # of an array: those that were left out stand among them
        return [*kept, *self.left_out] if kept else []

    def to_json(self) -> str:
        """Write all of it as JSON text."""
        grouped = any(column.groups for column in self.columns)
        document: dict[str, Any] = {"format": GROUPED if grouped else FORMAT}
        for name, value in asdict(self).items():
            document[name] = value
            if name == "classes":
                document["positive"] = self.positive
        front = document["front"]
        for column in (*document["output_columns"], *(front["columns"] if front else ())):
            del column["offset"]  # it only serves the precision of the search
            if column["group"] is None:
                del column["group"]
        for column in document["columns"]:
            if not column["groups"]:
                del column["groups"]
        # Nobody reads thousands of features line by line, and the lines are half of the file.
        wide = len(self.features) > MOST_INDENTED
        how: dict[str, Any] = {"separators": (",", ":")} if wide else {"indent": 2}
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, **how)
        # JSON lets these stand as they are, but a terminal would obey them.
        steering = "[\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
        return re.sub(steering, lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON file, completely or not at all."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`, by this version or an earlier one.

        A file that is not a selection raises an `InputError` that names the key and what was found
        there.
        """
        try:
            return cls._read(read_json(Path(path).read_bytes()))
        except InputError as error:
            raise InputError(
                f"selection: {os.fspath(path)!r} {error}; give the file as `nffs select --out` "
                "wrote it."
            ) from error

    @classmethod
    def _read(cls, document: Any) -> Self:
        found = document.get("format") if isinstance(document, dict) else None
        if type(found) is not int or found not in (1, FORMAT, GROUPED):
            raise InputError(
                f"is not a selection of format 1, {FORMAT} or {GROUPED} (found {found!r:.60})"
            )
        old = found == 1
        selection: Self = cls(**format_1.parts_of(document)) if old else parse(cls, document)
        selection._check_parts()
        return selection

    def _check_parts(self) -> None:
        """Refuse parts that do not agree with each other; the message names the first."""
        features, n, phases = self.features, len(self.features), self.phases
        _check(n > 0, "features", "at least one feature", "none")
        selected = tuple(feature.name for feature in features if feature.selected)
        _check(len(selected) > 0, "features", "at least one that is selected", "none")
        fits = selected == self.selected_features
        _check(fits, "selected_features", "the features marked as selected", "others")
        front = () if self.front is None else self.front.columns
        fits = all(column.is_whole for column in (*self.output_columns, *front))
        _check(fits, "output_columns", "columns that can be made of raw ones", "others")
        output = [column.name for column in self.output_columns]
        fits = len(set(output)) == len(output)
        _check(fits, "output_columns", "columns of different names", "the same name twice")
        if self.unit == "column":
            output = [column.column for column in self.output_columns]
        fits = tuple(dict.fromkeys(output)) == selected
        _check(fits, "output_columns", "those of the selected features", "others")
        fits = not self.columns or {f.column for f in features} == {c.name for c in self.columns}
        _check(fits, "columns", "the features' raw columns", "others")
        lengths: dict[str, tuple[Sized, int]] = {
            "subset_fitness": (self.subset_fitness, len(self.subset_sizes))
        }
        for i, column in enumerate(self.columns):
            for j, group in enumerate(column.groups):  # shares of the classes, or a mean
                key = f"columns[{i}].groups[{j}].profile"
                lengths[key] = group.profile, max(1, len(self.classes))
        if phases is not None:
            for name in ("probability", "top", "bottom", "weight", "rank"):
                lengths[f"phases.{name}"] = getattr(phases, name), n
            for name in ("nested_fitness", "nested_standard_errors"):
                lengths[f"phases.{name}"] = getattr(phases, name), len(phases.nested_sizes)
            if not phases.nested_standard_errors:
                del lengths["phases.nested_standard_errors"]
        if self.final is not None:
            lengths["final.fitness"] = self.final.fitness, len(self.final.sizes)
            _check(len(self.final.members) > 0, "final.members", "at least one", "none")
        if self.unseen is not None:
            _check(len(self.unseen.models) > 0, "unseen.models", "at least one", "none")
        if self.learned is not None:
            for name in ("effect", "effect_error"):
                lengths[f"learned.{name}"] = getattr(self.learned, name), n
            lengths["learned.expected"] = self.learned.expected, len(self.learned.fitness)
        for key, (values, expected) in lengths.items():
            _check(len(values) == expected, key, f"{expected} values", str(len(values)))
        if phases is not None:
            fits = sorted(phases.rank) == list(range(1, n + 1))
            _check(fits, "phases.rank", f"ranks from 1 to {n}", "other")
        check_front(self)

    @classmethod
    def of_fitted(cls, selector: Any) -> Self:
        """Take the result of a fitted `NFFS` or `Selector`."""
        return cls(**fitted.parts_of(selector))


def describe(selection: Selection) -> str:
    """Say in one line what was selected, its score, its positive class and its rows."""
    of = "" if selection.positive is None else f" of label {selection.positive!r}"
    partial = ", interrupted" if selection.partial else ""
    picked = "" if selection.picked is None else f" (at most {selection.picked} asked for)"
    members = () if selection.final is None else selection.final.members
    if len(members) > 1:
        of = f" (mean of {' and '.join(member.name for member in members)}){of}"
    more = "" if selection.unlabelled is None else f"; {selection.unlabelled.told}"
    return (
        f"{len(selection.selected_features)} of {len(selection.features)} features selected{picked}"
        f", {selection.scoring} {selection.fitness:.4f}{of}, evaluated on {selection.evaluated_on}"
        f"{more}{partial}"
    )


def _count(n_features: Any) -> int:
    if not isinstance(n_features, Integral) or n_features < 1:
        raise InputError(f"n_features: must be at least 1, found {n_features!r}.")
    return int(n_features)


def _check(fits: bool, key: str, expected: str, found: str) -> None:
    if not fits:
        raise InputError(f"has {found} at {key!r} where {expected} are expected")
