"""`nffs shift`: which columns moved between two tables in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nffs.atomic import replacing
from nffs.cli import terminal
from nffs.cli.options import REPORT, TRAIN, OutputOptions, option, output_option
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
    target: str | None = option("Column to predict: left out, in whichever table it is."),
    drop: list[str] = _DROP,
    csv: CsvOptions,
    output: OutputOptions,
    seed: int = option("Seed of the folds.", 0, min=0),
    plot: Path | None = _PLOT,
    report: Path | None = REPORT,
    most: int = output_option("Columns to list.", 20, min=1),
) -> None:
    """Say which columns moved between a table and new rows.

    How well does each column alone tell old rows from new ones, and how well does a classifier that
    uses all columns? This is measured by cross-validation, on rows that were not learned from. An
    AUC of 0.5 means that old and new rows cannot be told apart, 1 that every row can. No label is
    used.

    For example:

      nffs shift train.csv new.csv

      nffs shift train.csv new.csv --target label --drop id --report shift.html

      nffs shift january.parquet june.parquet --json
    """
    check_outputs({"--out": output.out, "--plot": plot, "--report": report}, [train, new])
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
    output.give(found.to_dict(), lambda: _show(found, most), report, lambda: str(found.report()))
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

    from nffs.validation.shift_words import answer, together, unpaired

    console = terminal.results_console()
    console.print(Text(answer(found), "bold"))
    console.print(Text(together(found)))
    for line in unpaired(found):
        console.print(Text(on_one_line(line), "yellow"))
    console.print(_table(found.columns[:most], console.encoding, console.width))
    if (n_more := len(found.columns) - most) > 0:
        console.print(Text(f"and {n_more:,} more, which moved less"))


def _table(columns: Sequence[ColumnShift], encoding: str, width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from nffs.report.feature_lines import in_lines
    from nffs.report.sparklines import bar
    from nffs.validation.shift_words import changes

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("AUC", justify="right")
    table.add_column("", style="cyan", no_wrap=True)
    table.add_column(_shown("old \N{RIGHTWARDS ARROW} new", encoding), overflow="fold")
    for column in columns:
        name = "\n".join(in_lines(on_one_line(column.name), max(12, min(28, width // 3))))
        drawn = bar(column.auc - 0.5, 0.5, 8, encoding) if column.moved else ""
        told = _shown("; ".join(map(on_one_line, changes(column))), encoding)
        table.add_row(*map(Text, (name, f"{column.auc:.3f}", drawn, told)))
    return table


def _shown(text: str, encoding: str) -> str:
    """Write arrows as the terminal can show them."""
    try:
        "\N{RIGHTWARDS ARROW}".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.replace("\N{RIGHTWARDS ARROW}", "->")
    return text
