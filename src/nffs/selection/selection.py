"""Selection: what a method chose, how good it is and how it was made. JSON, no pickle."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from nffs.atomic import write_text
from nffs.errors import InputError
from nffs.selection import format_1
from nffs.selection.checks import check_parts
from nffs.selection.columns import apply_columns
from nffs.selection.fitted import parts_of
from nffs.selection.parts import Column, Feature, Phases
from nffs.selection.typed import MismatchError, parse, read_json
from nffs.table.encoding import EncodedColumn
from nffs.table.features import Unit

#: Raised when a reader of this version could misread what an older one wrote.
FORMAT = 2


@dataclass(frozen=True)
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
    scoring : str
        What the scores measure.
    evaluated_on : str
        Which rows gave the scores.
    classes : tuple
        The classes; of two, the second is the positive one.
    partial : bool
        Whether the search was interrupted; the selection is the best subset so far then.
    evaluations : int
        Distinct subsets evaluated.
    seconds : float
        How long the search took.
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
        What only the paper's method has.
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

    @property
    def positive(self) -> str | None:
        """Of two classes the one that precision, recall and F-score are about."""
        return str(self.classes[1]) if len(self.classes) == 2 else None

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

        Returns
        -------
        frame of the same kind, or array
            Numeric and boolean columns as they are, categories as 0/1 columns.
        """
        return apply_columns(X, self.output_columns)

    def to_json(self) -> str:
        """Write all of it as JSON text."""
        document = {"format": FORMAT, **asdict(self)}
        for column in document["output_columns"]:
            del column["offset"]  # it only serves the precision of the search
        return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON file, whole or not at all."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`, by this version or an earlier one.

        Parameters
        ----------
        path : str or path
            The file. One that is not a selection is refused with an `InputError` that names the
            key and what was found there.
        """
        try:
            return cls._read(Path(path).read_bytes())
        except MismatchError as error:
            raise InputError(
                f"selection: {os.fspath(path)!r} {error}; give the file as `nffs select --out` "
                "wrote it."
            ) from error

    @classmethod
    def _read(cls, data: bytes) -> Self:
        try:
            document = read_json(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise MismatchError(f"is not JSON ({error})") from error
        found = document.get("format") if isinstance(document, dict) else None
        if type(found) is not int or found not in (1, FORMAT):
            raise MismatchError(f"is not a selection of format 1 or {FORMAT} (found {found!r:.60})")
        if found == 1:
            document = format_1.migrate(document)
        selection: Self = parse(cls, document)
        check_parts(selection)
        return selection

    @classmethod
    def of_fitted(cls, selector: Any) -> Self:
        """Take the result of a fitted selector.

        Parameters
        ----------
        selector : NFFS or Selector
            Fitted.
        """
        return cls(**parts_of(selector))
