"""Files of rows, read and parted into features, label and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nffs.cli.files import is_parquet, parquet_columns, read_file
from nffs.cli.options import FILES
from nffs.errors import InputError, instead, quoted

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class CsvOptions:
    """How CSV files are written."""

    header: Annotated[
        bool,
        typer.Option(
            help="Whether a CSV file names its columns; else they are f1, f2, ...",
            rich_help_panel=FILES,
        ),
    ] = True
    separator: Annotated[
        str, typer.Option(help="Between the fields of a CSV line.", rich_help_panel=FILES)
    ] = ","

    def read(self, path: Path) -> pl.DataFrame:
        """Read a table from a file."""
        return read_file(path, header=self.header, separator=self.separator)


@dataclass(frozen=True, kw_only=True)
class TableOptions(CsvOptions):
    """Which columns of the files are what."""

    target: Annotated[str, typer.Option(help="Column that holds the label.")]
    positive: Annotated[
        str | None, typer.Option(help="Of two labels the positive one; else the last by name.")
    ] = None
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out; may be given again.")
    ] = None

    def training(
        self, path: Path, group: str | None = None, *, in_parts: bool = False
    ) -> tuple[Any, pl.Series, Any]:
        """Read features, labels and groups; of a Parquet file only the latter, if in parts."""
        if in_parts and is_parquet(path):
            return self._open_parquet(path, group)
        frame = self.read(path)
        self._check_columns(path, frame.columns, group)
        X, y = self._split(frame, path, [*(self.drop or []), *([group] if group else [])])
        return X, y, None if group is None else frame[group].to_numpy()

    def test(self, path: Path, group: str | None = None) -> tuple[pl.DataFrame, pl.Series]:
        """Read features and labels of other rows; columns to leave out may be missing."""
        frame = self.read(path)
        check_columns("--target", path, [self.target], frame.columns)
        others = [name for name in [*(self.drop or []), group] if name in frame.columns]
        return self._split(frame, path, [str(name) for name in others])

    def label(self, y: pl.Series) -> object:
        """Find the positive label by its text: 1 on the command line is the number 1 in a file."""
        if self.positive is None:
            return None
        labels = y.unique().sort().to_list()
        for label in labels:
            if str(label) == self.positive:
                return label
        listed = instead(self.positive, labels, "there are")
        raise InputError(f"--positive: {self.positive!r} is not a label{listed}")

    def names(self, train: Path, test: Path | None = None) -> dict[str, str]:
        """Say what the library's tables and labels are called here."""
        return {"X": str(train), "y": f"--target {self.target}", "eval_set": str(test)}

    def _check_columns(self, path: Path, columns: Sequence[str], group: str | None) -> None:
        check_columns("--target", path, [self.target], columns)
        check_columns("--drop", path, self.drop or [], columns)
        check_columns("--group", path, [group] if group else [], columns)
        for option, names in (("--drop", self.drop or []), ("--group", [group])):
            if self.target in names:
                raise InputError(f"{option}: {self.target!r} is the target; name another column.")

    def _split(
        self, frame: pl.DataFrame, path: Path, others: list[str]
    ) -> tuple[pl.DataFrame, pl.Series]:
        """Part the target from the features, without some other columns."""
        y = frame[self.target]
        if y.null_count():
            raise InputError(
                f"--target: {y.null_count()} labels are missing in column {self.target!r} of "
                f"{path}; drop those rows."
            )
        X = frame.drop(self.target, *others)
        if not X.width:
            raise InputError(f"{path}: no feature column is left beside the target {y.name!r}.")
        copies = [name for name in X.columns if X[name].dtype == y.dtype and X[name].equals(y)]
        if copies:
            raise InputError(
                f"{path}: the target is among the features: column {quoted(copies)} holds the "
                f"same values as {y.name!r}; leave it out with --drop."
            )
        return X, y

    def _open_parquet(self, path: Path, group: str | None) -> tuple[Any, pl.Series, Any]:
        """Open a Parquet file to be read in parts; give its labels and groups."""
        import polars as pl

        from nffs.table.parquet import ParquetTable

        self._check_columns(path, parquet_columns(path), group)
        drop = [*(self.drop or []), *([group] if group else [])]
        table = ParquetTable(path, target=self.target, drop=drop)
        groups = None if group is None else table.column(group)
        return table, pl.Series(self.target, table.labels()), groups


def check_columns(option: str, path: Path, names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a column that a file does not have, and offer the nearest."""
    for name in names:
        if name not in columns:
            raise InputError(f"{option}: {path} has no column {name!r}{instead(name, columns)}")
