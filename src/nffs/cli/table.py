"""Files of rows, read and parted into features, label and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nffs.cli import reading
from nffs.cli.options import option, table_option
from nffs.cli.reading import How, Kinds, Note
from nffs.cli.reading.cells import MISSING
from nffs.errors import InputError, instead, quoted

if TYPE_CHECKING:
    import polars as pl

    from nffs.table.reading import Kind

#: Of fewer labels, one that looks like a missing value is one of two classes, such as + and -.
_CLASSES = 3

_DROP = option("Column to leave out; may be repeated.", [])
_NA = table_option(
    "Text that marks a missing value, in every column; may be repeated. By default NA, N/A, ?, - "
    "and similar, among numbers, dates and truth values.",
    [],
    metavar="TEXT",
)


@dataclass(frozen=True, kw_only=True)
class CsvOptions:
    """How CSV files are formatted."""

    header: bool = table_option(
        "Whether a CSV file has a header; without one, columns are called f1, f2, ...", True
    )
    separator: str | None = table_option(
        "Separator of a CSV file: one character, or tab. Detected by default.",
        metavar="CHARACTER",
    )
    decimal: str | None = table_option(
        "Decimal sign of a CSV file: , or . Detected by default.",
        metavar="CHARACTER",
    )
    encoding: str | None = table_option(
        "Encoding of a CSV file, such as latin-1 or utf-16. Detected by default.", metavar="NAME"
    )
    na: list[str] = _NA

    def read(
        self, path: Path, note: Note, *, named: Sequence[str] = (), kinds: Kinds | None = None
    ) -> pl.DataFrame:
        """Read a table from a file.

        Parameters
        ----------
        path : Path
            The file, or `-` for standard input.
        note : callable
            Is told what was decided that the file does not say.
        named : sequence of str
            Columns that the user named, which are read whatever they are called.
        kinds : mapping of str to kind, optional
            What is known of columns from another table.
        """
        how = How(
            header=self.header,
            separator=self.separator,
            decimal=self.decimal,
            encoding=self.encoding,
            missing=tuple(self.na) or None,
            named=frozenset(named),
            kinds=kinds or {},
        )
        return reading.read_file(path, how, note)


@dataclass(frozen=True, kw_only=True)
class TableOptions(CsvOptions):
    """Which columns of the files are what."""

    target: str = option("Column to predict: labels or numbers.", ...)
    task: Literal["auto", "classification", "regression"] = option(
        "Whether to predict classes or numbers. auto: numbers with fractions, or more than 30 "
        "distinct whole numbers, mean regression.",
        "auto",
    )
    positive: str | None = option(
        "Which of two labels is the positive one; by default the rarer one in the training table."
    )
    drop: list[str] = _DROP

    def training(
        self, path: Path, note: Note, group: str | None = None, *, in_parts: bool = False
    ) -> dict[str, Any]:
        """Read X, y and groups; of a Parquet file only the latter two, if in parts."""
        named = [self.target, *self._left_out(group)]
        if in_parts and reading.is_parquet(path):
            import polars as pl

            from nffs.table.parquet import ParquetTable

            columns = reading.parquet_columns(path)
            self._check_columns(path, columns, group)
            index = reading.index_columns(path, columns, How(named=frozenset(named)), note)
            table = ParquetTable(path, target=self.target, drop=[*self._left_out(group), *index])
            groups = None if group is None else table.column(group)
            return {"X": table, "y": pl.Series(self.target, table.labels()), "groups": groups}
        frame = self.read(path, note, named=named)
        self._check_columns(path, frame.columns, group)
        X, y = self._split(frame, path, group)
        self._tell_of_labels(y, path, note)
        return {"X": X, "y": y, "groups": None if group is None else frame[group].to_numpy()}

    def test(
        self, path: Path, note: Note, group: str | None = None, *, like: dict[str, Any]
    ) -> tuple[pl.DataFrame, pl.Series]:
        """Read features and labels of other rows, as those of the training table were read.

        Columns to leave out may be missing.
        """
        named = [self.target, *self._left_out(group)]
        frame = self.read(path, note, named=named, kinds=_kinds(like["X"], like["y"]))
        check_columns("--target", path, [self.target], frame.columns)
        return self._split(frame, path, group)

    def features(
        self, path: Path, note: Note, group: str | None = None, *, like: Mapping[str, Any]
    ) -> pl.DataFrame:
        """Read the features of rows without labels, as those of the training table were read.

        A column that the training table has as its target is left out.
        """
        left_out = {self.target, *self._left_out(group)}
        kinds = _kinds(like["X"], like["y"])
        known = {name: kind for name, kind in kinds.items() if name not in left_out}
        frame = self.read(path, note, named=sorted(left_out), kinds=known)
        if self.target in frame.columns:
            note(f"{path}: column {self.target!r} is left out: labels of these rows are not used")
        names = [name for name in frame.columns if name not in left_out]
        if not names:
            raise InputError(f"{path}: no feature column is left.")
        return frame[names]

    def label(self, y: pl.Series, otherwise: str | None = None) -> object:
        """Find the positive label by its text: 1 on the command line is the number 1 in a file.

        Without --positive it is the other text, of a selection, where one is given.
        """
        wanted = otherwise if self.positive is None else self.positive
        if wanted is None:
            return None
        # without its name, which polars would take for a pattern if it were '^a.*$'
        labels = {str(label): label for label in y.alias("").unique().sort()}
        if wanted in labels:
            return labels[wanted]
        listed = instead(wanted, labels, "there are")
        if self.positive is None:
            raise InputError(
                f"--features: the positive label of the selection, {wanted!r}, is not a label "
                f"here{listed} Name the positive label with --positive."
            )
        raise InputError(f"--positive: {wanted!r} is not a label{listed}")

    def names(
        self, train: Path, test: Path | None = None, unlabelled: Path | None = None
    ) -> dict[str, str]:
        """Say what the library's tables and labels are called here."""
        return {
            "X": str(train),
            "y": f"--target {self.target}",
            "eval_set": str(test),
            "unlabelled": str(unlabelled),
        }

    def _tell_of_labels(self, y: pl.Series, path: Path, note: Note) -> None:
        """Tell of labels that look like missing values, among others: they are classes."""
        import polars as pl

        counts = y.value_counts() if y.dtype == pl.String else pl.DataFrame()
        if self.na or len(counts) < _CLASSES:
            return
        for label, count in counts.sort("count").iter_rows():
            if label.strip().lower() in MISSING:
                note(
                    f"{path}: {count} row(s) have the label {label!r}, which is taken for a class; "
                    "drop those rows if their label is missing"
                )

    def _left_out(self, group: str | None) -> list[str]:
        return self.drop if group is None else [*self.drop, group]

    def _check_columns(self, path: Path, columns: Sequence[str], group: str | None) -> None:
        check_columns("--target", path, [self.target], columns)
        for given, names in (("--drop", self.drop), ("--group", [group] if group else [])):
            check_columns(given, path, names, columns)
            if self.target in names:
                raise InputError(f"{given}: {self.target!r} is the target; name another column.")

    def _split(
        self, frame: pl.DataFrame, path: Path, group: str | None
    ) -> tuple[pl.DataFrame, pl.Series]:
        """Part the target from the features, without the columns to leave out."""
        y = frame[self.target]
        if y.null_count():
            raise InputError(
                f"--target: {y.null_count()} labels are missing in column {self.target!r} of "
                f"{path}; drop those rows."
            )
        left_out = {self.target, *self._left_out(group)}
        names = [name for name in frame.columns if name not in left_out]
        if not names:
            raise InputError(f"{path}: no feature column is left besides the target {y.name!r}.")
        X = frame[names]  # by a list: a single name such as '^a.*$' may be a pattern to polars
        copies = [name for name in X.columns if X[name].dtype == y.dtype and X[name].equals(y)]
        if copies:
            raise InputError(
                f"{path}: the target is among the features: column {quoted(copies)} holds the "
                f"same values as {y.name!r}; leave it out with --drop."
            )
        return X, y


def _kinds(X: Any, y: pl.Series) -> Kinds:
    """Tell what the columns of a training table are, if it is in memory."""
    import polars as pl

    return kinds_of([*X.get_columns(), y] if isinstance(X, pl.DataFrame) else [y])


def kinds_of(columns: Sequence[pl.Series]) -> Kinds:
    """Tell what columns are, so that those of another file are read as the same."""
    import polars as pl

    found: dict[str, Kind] = {}
    for column in columns:
        if column.dtype == pl.String:
            found[column.name] = "categorical"
        elif column.dtype.is_numeric():
            found[column.name] = "numeric"
        elif column.dtype.is_temporal():
            is_span = column.dtype in (pl.Duration, pl.Time)
            found[column.name] = "duration" if is_span else "datetime"
        elif column.dtype == pl.Boolean:
            found[column.name] = "boolean"
    return found


def check_columns(option: str, path: Path, names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a column that a file does not have, and offer the nearest."""
    for name in names:
        if name not in columns:
            raise InputError(f"{option}: {path} has no column {name!r}{instead(name, columns)}")
