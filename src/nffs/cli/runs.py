"""`nffs runs`: look into a journal, also while a search writes it."""

from __future__ import annotations

import csv
import io
import json as json_module
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nffs.atomic import write_text
from nffs.cli import terminal
from nffs.cli.options import JSON, as_json, option, output_option, print_result
from nffs.cli.outputs import check_outputs
from nffs.cli.printable import on_one_line
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.search.journal.file import Entry, Run

app = typer.Typer(help="Inspect a journal, also while a search runs.", no_args_is_help=True)

_JOURNAL = typer.Argument(..., help="The journal of a search.")
_OUT = output_option("Write to this .csv or .json file.")


@app.command("list")
def list_runs(journal: Path = _JOURNAL, json: bool = JSON) -> None:
    """List the runs that a journal has seen."""
    runs, *_ = _read(journal)
    lines = (
        f"{run.number:>3}  {_when(run.started)}  {run.status:<9} {run.evaluations:>6} "
        f"evaluations  {run.host}"
        for run in runs
    )
    print_result([asdict(run) for run in runs], json, lines)


@app.command()
def show(journal: Path = _JOURNAL, json: bool = JSON) -> None:
    """Show what a journal belongs to and its progress."""
    runs, about, entries, failures = _read(journal)
    summary = {
        "runs": len(runs),
        "status": runs[-1].status if runs else "never run",
        "evaluations": len(entries),
        "failed": len(failures),
        "first_failure": failures[0] if failures else None,
        "features": len(about["features"]),
        "best": max((entry.fitness.value for entry in entries), default=None),
        "seconds_of_work": round(sum(entry.seconds for entry in entries), 3),
        "last": _when(entries[-1].finished) if entries else None,
        "identity": about["identity"],
        "parameters": runs[-1].parameters if runs else {},
    }
    print_result(summary, json, _indented(summary))


def _indented(summary: dict[str, Any]) -> Iterator[str]:
    for name, value in summary.items():
        if isinstance(value, dict):
            yield f"{name}:"
            yield from (f"  {key}: {item}" for key, item in value.items())
        else:
            yield f"{name}: {value}"


@app.command()
def best(
    journal: Path = _JOURNAL, top: int = option("How many subsets.", 1, min=1), json: bool = JSON
) -> None:
    """Show the best subsets so far, scored on the rows that the journal names."""
    _, about, entries, _ = _read(journal)
    if not entries:
        raise InputError(f"journal: {journal} has no evaluations yet.")
    order = sorted(entries, key=lambda e: (-e.fitness.value, sum(e.mask), e.mask))[:top]
    rows = [_row(entry, about["features"]) for entry in order]
    from nffs.table.target import positive_in

    identity = about["identity"]
    on, positive = identity["evaluated_on"], positive_in(identity.get("target", ""))
    if json:
        document = {"evaluated_on": on, "positive": positive, "subsets": rows}
        typer.echo(as_json(document), nl=False)
    else:
        lines = (
            f"{row['fitness']:.4f}  {row['n_features']} features: "
            + " ".join(on_one_line(name) for name in row["features"])
            for row in rows
        )
        terminal.say(*lines, terminal.rows_and_label(on, positive))


@app.command()
def export(journal: Path = _JOURNAL, out: Path | None = _OUT, json: bool = JSON) -> None:
    """Write all evaluations to a CSV or JSON file, or print them as CSV (with --json as JSON).

    In CSV the features of a subset are a JSON list, so that any name can be read back.
    """
    if out is not None and out.suffix not in (".csv", ".json"):
        raise InputError(f"--out: must end in .csv or .json, found {out}.")
    check_outputs({"--out": out}, [journal])
    _, about, entries, _ = _read(journal)
    rows = [_row(entry, about["features"]) for entry in entries]
    if out is not None:
        write_text(out, as_json(rows) if out.suffix == ".json" else _csv(rows))
        terminal.note(f"wrote {out}, {len(rows)} evaluations")
    if json or out is None:
        typer.echo(as_json(rows) if json else _csv(rows), nl=False)


@app.command()
def delete(journal: Path = _JOURNAL, yes: bool = option("Do not ask.", False, "--yes")) -> None:
    """Delete a journal and the files that SQLite keeps next to it."""
    runs, _, entries, _ = _read(journal)
    if any(run.status == "running" for run in runs):
        raise InputError(f"journal: a search is writing {journal}; stop it first.")
    from nffs.search.journal.opening import files_of

    if not yes:
        typer.confirm(f"delete {journal} with {len(entries)} evaluations?", abort=True)
    for file in files_of(journal):
        file.unlink(missing_ok=True)


def _read(journal: Path) -> tuple[list[Run], dict[str, Any], list[Entry], list[str]]:
    """Give the runs, what the journal belongs to, its evaluations, and why others failed."""
    from nffs.search.journal import file, schema

    with file.reading(journal) as connection:
        failures = [reason for _, reason in file.failures(connection)]
        entries = [e for e in file.entries(connection) if e.stage == file.SEARCH]
        return file.runs(connection), schema.about(connection), entries, failures


def _row(entry: Entry, names: Sequence[str]) -> dict[str, Any]:
    chosen = [name for name, kept in zip(names, entry.mask, strict=True) if kept]
    return {
        "fitness": entry.fitness.value,
        "n_features": len(chosen),
        "features": chosen,
        "scores": entry.fitness.scores.tolist(),
        "seconds": entry.seconds,
        "worker": entry.worker,
        "finished": _when(entry.finished),
        "run": entry.run,
    }


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    names = ["fitness", "n_features", "seconds", "worker", "finished", "run", "features"]
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    # Names as a list in JSON: it can be read back whatever they are, and begins no formula. A
    # worker is what a journal says, and a journal may come from anywhere.
    writer.writerows(
        {
            **row,
            "worker": _no_formula(on_one_line(row["worker"])),
            "features": _json_list(row["features"]),
        }
        for row in rows
    )
    return text.getvalue()


def _json_list(names: Sequence[str]) -> str:
    return json_module.dumps(list(names))


def _no_formula(text: str) -> str:
    return f"'{text}" if text.startswith(tuple("=+-@")) else text


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
