"""Files of rows, read and parted into features, label and groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nffs.cli.files import is_parquet, read_file
from nffs.errors import InputError, quoted

if TYPE_CHECKING:
    import polars as pl

    from nffs.table.parquet import ParquetTable


@dataclass(frozen=True)
class Rows:
    """Which columns of the files are what, and how CSV files are written.

    Attributes
    ----------
    target : str
        The column of labels.
    drop : list of str
        Columns to leave out.
    group : str or None
        The column of groups, which is no feature.
    header : bool
        Whether CSV files name their columns.
    separator : str
        Between the values of CSV files.
    """

    target: str
    drop: list[str]
    group: str | None
    header: bool
    separator: str

    def training(self, path: Path, *, in_parts: bool = False) -> tuple[Any, pl.Series, Any]:
        """Read features, labels and groups; of a Parquet file only the latter, if in parts."""
        if in_parts and is_parquet(path):
            return _open_parquet(path, self.target, self.group, self.drop)
        frame, groups = _split_group(self._read(path), path, self.group)
        X, y = _split_target(frame, path, self.target, self.drop)
        return X, y, groups

    def judging(self, path: Path) -> tuple[pl.DataFrame, pl.Series]:
        """Read features and labels; columns to leave out may be missing."""
        frame = self._read(path)
        others = [name for name in [*self.drop, self.group] if name in frame.columns]
        return _split_target(frame, path, self.target, others)

    def _read(self, path: Path) -> pl.DataFrame:
        return read_file(path, header=self.header, separator=self.separator)


def _split_target(
    frame: pl.DataFrame, path: Path, target: str, drop: list[str]
) -> tuple[pl.DataFrame, pl.Series]:
    """Part the target from the features, without the columns to drop."""
    for option, name in [("--target", target), *(("--drop", name) for name in drop)]:
        if name not in frame.columns:
            raise InputError(
                f"{option}: {path} has no column {name!r}; it has {quoted(frame.columns, 20)}."
            )
    y = frame[target]
    if y.null_count():
        raise InputError(
            f"--target: {y.null_count()} labels are missing in column {target!r} of {path}; "
            "drop those rows."
        )
    X = frame.drop(target, *drop)
    if not X.width:
        raise InputError(f"{path}: no feature column is left beside the target {target!r}.")
    copies = [name for name in X.columns if X[name].dtype == y.dtype and X[name].equals(y)]
    if copies:
        raise InputError(
            f"{path}: the target is among the features: column {quoted(copies)} holds the same "
            f"values as {target!r}; leave it out with --drop."
        )
    return X, y


def _open_parquet(
    path: Path, target: str, group: str | None, drop: list[str]
) -> tuple[ParquetTable, pl.Series, Any]:
    """Open a Parquet file to be read in parts; give its labels and groups."""
    import polars as pl

    from nffs.table.parquet import ParquetTable

    for option, name in [("--group", group), *(("--drop", name) for name in drop)]:
        if name == target:
            raise InputError(f"{option}: {name!r} is the target; name another column.")
    table = ParquetTable(path, target=target, drop=[*drop, *([group] if group else [])])
    groups = None if group is None else table.column(group)
    return table, pl.Series(target, table.labels()), groups


def _split_group(frame: pl.DataFrame, path: Path, group: str | None) -> tuple[pl.DataFrame, Any]:
    """Part the column of groups from the others; it is no feature."""
    if group is None:
        return frame, None
    if group not in frame.columns:
        raise InputError(
            f"--group: {path} has no column {group!r}; it has {quoted(frame.columns, 20)}."
        )
    return frame.drop(group), frame[group].to_numpy()


def positive_label(y: pl.Series, positive: str | None) -> object:
    """Find the label by its text: 1 on the command line is the number 1 in a file."""
    if positive is None:
        return None
    labels = y.unique().sort().to_list()
    meant = [label for label in labels if str(label) == positive]
    if not meant:
        raise InputError(f"--positive: {positive!r} is not a label; found {quoted(labels)}.")
    return meant[0]
