"""`nffs pick`: another subset of a finished selection, with fewer features or with more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nffs.cli import terminal
from nffs.cli.options import REPORT, OutputOptions, option
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.selection import Front, Selection

_SELECTION = typer.Argument(..., help="JSON file written by `nffs select --out`.")
_AT_MOST = option(
    "Take the best subset of at most this many features; without it, the sizes are listed.",
    min=1,
    metavar="FEATURES",
)

_SIZE = option(
    "Take the best subset of exactly this many features: one of the listed sizes, which may be "
    "larger than the selection.",
    min=1,
    metavar="FEATURES",
)


def pick(
    output: OutputOptions,
    selection: Path = _SELECTION,
    at_most: int | None = _AT_MOST,
    size: int | None = _SIZE,
    report: Path | None = REPORT,
) -> None:
    """Take another subset from a finished selection, without a new search.

    Every selection keeps the best evaluated subset for each number of features, unless a smaller
    one scores as high. The result is a selection like any other, for `nffs transform` and
    `nffs report`.

    For example:

      nffs pick selection.json

      nffs pick selection.json --at-most 10 --out small.json

      nffs pick selection.json --size 51 --out large.json
    """
    if at_most is not None and size is not None:
        raise InputError("--at-most, --size: they exclude each other; give one of them.")
    output.check(selection, report=report)
    if not selection.is_file():
        raise InputError(f"{selection}: no such file.")

    from nffs.selection import Selection

    found = Selection.load(selection)
    if found.front is None:
        raise InputError(
            f"{selection}: was saved by an earlier version, without other subsets; select again."
        )
    wanted = size if at_most is None else at_most
    if wanted is None:
        for name, path in (("--out", output.out), ("--report", report)):
            if path is not None:
                raise InputError(f"{name}: needs --at-most or --size, which say what to take.")
        points = _listed(found, found.front)
        output.give({"front": points}, lambda: _show(found, points))
        return
    with terminal.translated(n_features="--size" if at_most is None else "--at-most"):
        picked = found.of_size(wanted) if at_most is None else found.at_most(wanted)
    if picked is found:
        n = len(found.selected_features)
        output.note(f"{selection} has only {n} features; it stays as it is")

    from nffs.report import render_report

    output.give(
        picked.to_json(),
        lambda: terminal.print_selection(picked),
        report,
        lambda: render_report(picked),
    )


def _listed(selection: Selection, front: Front) -> list[dict[str, Any]]:
    """Give the front as plain data; features are named, or null where they are too many."""
    names = [feature.name for feature in selection.features]
    return [
        {
            "size": point.size,
            "fitness": point.fitness,
            "features": None if point.features is None else [names[i] for i in point.features],
        }
        for point in front.points
    ]


def _show(selection: Selection, points: list[dict[str, Any]]) -> None:
    lines = [f"{'features':>8}  {selection.scoring}"]
    lines += [f"{point['size']:>8}  {point['fitness']:.4f}" for point in points]
    n = len(selection.selected_features)
    lines.append(f"selected: {n} features, {selection.fitness:.4f}")
    told = None if selection.unlabelled is None else selection.unlabelled.told
    rows = "; ".join(filter(None, (selection.evaluated_on, told)))
    lines.append(terminal.rows_and_label(rows, selection.positive))
    terminal.say(*lines)
