"""`nffs shift`: which columns moved between two tables in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nffs.atomic import replacing
from nffs.cli import terminal
from nffs.cli.options import TRAIN, OutputOptions, option, output_option
from nffs.cli.outputs import check_outputs
from nffs.cli.printable import on_one_line
from nffs.cli.table import CsvOptions, kinds_of
from nffs.errors import InputError, instead

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from nffs.validation import ColumnShift, Shift

_NEW = typer.Argument(..., help="New table, such as the rows to predict; with or without labels.")
_DROP = option("Column to leave out; may be repeated.", [])
_PLOT = output_option("Draw the columns that moved into this .svg, .png or .pdf file.")

#: What pictures can be.
_PICTURES = (".svg", ".png", ".pdf")


def shift(
    *,
    train: Path = TRAIN,
    new: Path = _NEW,
    target: str | None = option("Column that is no feature: left out where there is one."),
    drop: list[str] = _DROP,
    csv: CsvOptions,
    output: OutputOptions,
    seed: int = option("Draws the folds.", 0, min=0),
    plot: Path | None = _PLOT,
    most: int = output_option("Columns to list.", 20, min=1),
) -> None:
    """Say which columns moved between a table and new rows.

    Every column alone, and a classifier of all columns together, tells old rows from new ones, on
    rows of folds that it did not see. An AUC of 0.5 means that they cannot be told apart, 1 that
    every row can. No label is used.

    For example:

      nffs shift train.csv new.csv

      nffs shift train.csv new.csv --target label --drop id --plot shift.svg

      nffs shift january.parquet june.parquet --json
    """
    check_outputs({"--out": output.out, "--plot": plot}, [train, new])
    if plot is not None and plot.suffix not in _PICTURES:
        raise InputError(f"--plot: {plot} must end in .svg, .png or .pdf.")
    named = [*drop, *([] if target is None else [target])]
    old_rows = csv.read(train, output.note_reading, named=named)
    new_rows = csv.read(
        new, output.note_reading, named=[*old_rows.columns, *named],
        kinds=kinds_of(old_rows.get_columns()),
    )  # fmt: skip
    known = [*old_rows.columns, *(n for n in new_rows.columns if n not in old_rows.columns)]
    for given, names in (("--target", [target] if target else []), ("--drop", drop)):
        for name in names:
            if name not in known:
                other = instead(name, known, "there are")
                raise InputError(f"{given}: neither table has a column {name!r}{other}")
    from nffs.validation import shift as find_shift

    with terminal.at_work(output.level, {}), terminal.translated(X=str(train), X_new=str(new)):
        found = find_shift(
            _without(old_rows, named, train), _without(new_rows, named, new), random_state=seed
        )
    output.give(found.to_dict(), lambda: _show(found, most))
    if plot is not None:
        _draw(found, plot, most)
        output.note(f"wrote {plot}")


def _without(frame: pl.DataFrame, names: Sequence[str], path: Path) -> pl.DataFrame:
    kept = [name for name in frame.columns if name not in names]
    if not kept:
        raise InputError(f"{path}: no column is left to compare; leave out fewer with --drop.")
    return frame[kept]  # by a list: a single name such as '^a.*$' may be a pattern to polars


def _draw(found: Shift, path: Path, most: int) -> None:
    import matplotlib

    matplotlib.use("agg")
    from nffs.plotting import ShiftDisplay

    display = ShiftDisplay.from_result(found, n_features=most, width="double")
    kind = path.suffix[1:]
    # So that the same result gives the same file.
    more: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "nffs shift"}), replacing(path) as file:
        display.figure_.savefig(file, format=kind, metadata=more.get(kind), dpi=150)


def _show(found: Shift, most: int) -> None:
    from rich.text import Text

    console = terminal.results_console()
    from nffs.report.names import counted

    n_moved, n = len(found.moved), len(found.columns)
    apart = "can" if found.told_apart else "cannot"
    console.print(
        Text(f"{found.n_old:,} old and {found.n_new:,} new rows {apart} be told apart", "bold")
    )
    console.print(
        Text(
            f"AUC of a classifier of {counted(n, 'column')}: {found.auc:.3f} (0.5: chance, 1: "
            f"every row)\n{n_moved} of {n} moved: alone they tell more than chance does"
        )
    )
    console.print(_table(found.columns[:most], console.encoding, console.width))
    for line in _below(found, most):
        console.print(Text(line))


def _table(columns: Sequence[ColumnShift], encoding: str, width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from nffs.report.feature_lines import in_lines
    from nffs.report.sparklines import bar

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("AUC", justify="right")
    table.add_column("", style="cyan", no_wrap=True)
    table.add_column("old, then new", overflow="fold")
    for column in columns:
        name = "\n".join(in_lines(on_one_line(column.name), max(12, min(28, width // 3))))
        drawn = bar(column.auc - 0.5, 0.5, 8, encoding) if column.moved else ""
        told = "; ".join(map(on_one_line, _told(column)))
        table.add_row(*map(Text, (name, f"{column.auc:.3f}", drawn, told)))
    return table


def _told(column: ColumnShift) -> Iterator[str]:
    """Say in words how a column differs."""
    if column.kinds[0] != column.kinds[1] and column.kind == "categorical":
        yield f"{column.kinds[0]}, {column.kinds[1]}"
    if column.category is not None:
        name, old, new = column.category
        yield f"{name!r} {_share(old)}, {_share(new)}"
    elif column.median is not None:
        yield _moved(column)
    if any(column.missing):
        yield f"missing {_share(column.missing[0])}, {_share(column.missing[1])}"
    for what, categories in (("new", column.added), ("gone", column.gone)):
        if categories is not None:
            shown = ", ".join(repr(name) for name in categories.most[:2])
            more = " ..." if categories.n > 2 else ""
            yield f"{categories.n} {what} ({_share(categories.share)} of rows): {shown}{more}"


def _moved(column: ColumnShift) -> str:
    """Say where the values of a column were and are: by the mean where the median stayed."""
    assert column.median is not None
    if column.kind == "boolean" and column.mean is not None:
        return f"true {_share(column.mean[0])}, {_share(column.mean[1])}"
    what, (old, new) = "median", column.median
    if old == new and column.mean is not None:
        what, (old, new) = "mean", column.mean
    return f"{what} {_number(old)}, {_number(new)}"


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def _share(value: float) -> str:
    """Give a share in per cent; what is not quite nothing, or all, says so.

    >>> _share(0.0), _share(0.0004), _share(0.25), _share(0.9999)
    ('0 %', '<0.1 %', '25 %', '>99.9 %')
    """
    percent = 100 * value
    if 0 < percent < 0.1:
        return "<0.1 %"
    if 99.9 < percent < 100:
        return ">99.9 %"
    return f"{percent:.3g} %"


def _below(found: Shift, most: int) -> Iterator[str]:
    if len(found.columns) > most:
        yield f"and {len(found.columns) - most} more columns, which moved less"
    for names, what in ((found.only_old, "old"), (found.only_new, "new")):
        if names:
            shown = ", ".join(on_one_line(name) for name in names[:10])
            yield f"only in the {what} table: {shown}{' ...' if len(names) > 10 else ''}"
    if found.told_apart:
        yield (
            f"weighted to look like the new rows, the {found.n_old:,} old rows count as "
            f"{found.n_like_new:,.0f}"
        )
