"""`nffs runs`: look into a journal, also while a search writes it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nffs.atomic import write_text
from nffs.cli import files, options, terminal
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.search.journal.file import Entry, Run

app = typer.Typer(help="Look into a journal, also while a search writes it.", no_args_is_help=True)

JournalFile = Annotated[Path, typer.Argument(help="The journal of a search.")]


@app.command("list")
def list_runs(journal: JournalFile, json: options.AsJson = False) -> None:
    """List the runs that a journal has seen."""
    runs, _, _ = _read(journal)
    if json:
        typer.echo(options.as_json([asdict(run) for run in runs]), nl=False)
        return
    for run in runs:
        print(
            f"{run.number:>3}  {_when(run.started)}  {run.status:<9} {run.evaluations:>6} "
            f"evaluations  {run.host}"
        )


@app.command()
def show(journal: JournalFile, json: options.AsJson = False) -> None:
    """Show what a journal belongs to and how far it is."""
    runs, about, entries = _read(journal)
    failures = _failures(journal)
    seconds = sum(entry.seconds for entry in entries)
    summary = {
        "runs": len(runs),
        "status": runs[-1].status if runs else "never run",
        "evaluations": len(entries),
        "failed": len(failures),
        "first_failure": failures[0] if failures else None,
        "features": len(about["features"]),
        "best": max((entry.fitness.value for entry in entries), default=None),
        "seconds_of_work": round(seconds, 3),
        "last": _when(entries[-1].finished) if entries else None,
        "identity": about["identity"],
        "parameters": runs[-1].parameters if runs else {},
    }
    if json:
        typer.echo(options.as_json(summary), nl=False)
        return
    for name, value in summary.items():
        if isinstance(value, dict):
            print(f"{name}:")
            for key, item in value.items():
                print(f"  {key}: {item}")
        else:
            print(f"{name}: {value}")


@app.command()
def best(
    journal: JournalFile,
    top: Annotated[int, typer.Option(min=1, help="How many subsets.")] = 1,
    json: options.AsJson = False,
) -> None:
    """Show the best subsets so far, scored on the rows that the journal names."""
    _, about, entries = _read(journal)
    if not entries:
        raise InputError(f"journal: {journal} holds no evaluation yet.")
    order = sorted(entries, key=lambda e: (-e.fitness.value, sum(e.mask), e.mask))[:top]
    rows = [_row(entry, about["features"]) for entry in order]
    if json:
        best = {"evaluated_on": about["identity"]["evaluated_on"], "subsets": rows}
        typer.echo(options.as_json(best), nl=False)
        return
    for row in rows:
        names = " ".join(row["features"])
        terminal.say(f"{row['fitness']:.4f}  {row['n_features']} features: {names}")
    terminal.say(f"evaluated on: {about['identity']['evaluated_on']}")


@app.command()
def export(
    journal: JournalFile,
    out: Annotated[
        Path | None,
        typer.Option(help="Write to this .csv or .json file.", rich_help_panel=options.OUTPUT),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Write all evaluations to a CSV or JSON file, or to stdout: as CSV, or with --json."""
    if out is not None and out.suffix not in (".csv", ".json"):
        raise InputError(f"--out: must end in .csv or .json, found {out}.")
    files.check_writable(out, "--out")
    _, about, entries = _read(journal)
    rows = [_row(entry, about["features"]) for entry in entries]
    if out is not None:
        write_text(out, options.as_json(rows) if out.suffix == ".json" else _csv(rows))
        terminal.note(f"wrote {out}, {len(rows)} evaluations")
    if json or out is None:
        typer.echo(options.as_json(rows) if json else _csv(rows), nl=False)


@app.command()
def delete(
    journal: JournalFile,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a journal and the files that SQLite keeps beside it."""
    runs, _, entries = _read(journal)
    if any(run.status == "running" for run in runs):
        raise InputError(f"journal: a search is writing {journal}; stop it first.")
    if not yes:
        typer.confirm(f"delete {journal} with {len(entries)} evaluations?", abort=True)
    for ending in ("", "-wal", "-shm"):
        journal.with_name(journal.name + ending).unlink(missing_ok=True)


def _failures(journal: Path) -> list[str]:
    from nffs.search.journal import file as journal_file

    with journal_file.reading(journal) as connection:
        return [reason for _, reason in journal_file.failures(connection)]


def _read(journal: Path) -> tuple[list[Run], dict[str, Any], list[Entry]]:
    from nffs.search.journal import file as journal_file
    from nffs.search.journal import schema as journal_schema

    with journal_file.reading(journal) as connection:
        return (
            journal_file.runs(connection),
            journal_schema.about(connection),
            list(journal_file.entries(connection)),
        )


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
    writer = csv.writer(text, lineterminator="\n")
    names = ["fitness", "n_features", "seconds", "worker", "finished", "run", "features"]
    writer.writerow(names)
    for row in rows:
        writer.writerow([*(row[name] for name in names[:-1]), " ".join(row["features"])])
    return text.getvalue()


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
