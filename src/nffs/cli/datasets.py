"""`nffs datasets`: the paper's data files, where they are and whether they are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nffs.cli import options, terminal
from nffs.errors import InputError, instead

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from nffs.datasets.files import DataFile, OnBytes

app = typer.Typer(no_args_is_help=True, help="Find, fetch and check the paper's data sets.")

NAMES = ["nsl-kdd", "unsw-nb15"]

Name = Annotated[
    str,
    typer.Argument(
        help="nsl-kdd or unsw-nb15; all of them if not given.", autocompletion=lambda: NAMES
    ),
]


@app.command("list")
def list_(json: options.AsJson = False) -> None:
    """List the data sets and their files."""
    files = [
        {"dataset": file.folder, "file": file.name, "bytes": file.size, "sha256": file.sha256}
        for file in _files("")
    ]
    if json:
        typer.echo(options.as_json(files), nl=False)
        return
    for row in files:
        print(f"{row['dataset']}  {row['file']}  {row['bytes']} bytes  sha256 {row['sha256']}")


@app.command()
def where(
    name: Name = "", data_home: options.DataHome = None, json: options.AsJson = False
) -> None:
    """Say where the files are."""
    from nffs.datasets.files import data_folders, locate

    found = {file.name: locate(file, data_home) for file in _files(name)}
    if json:
        places = {name: None if path is None else str(path) for name, path in found.items()}
        typer.echo(options.as_json(places), nl=False)
    else:
        for file, path in found.items():
            print(f"{file}: {'not found' if path is None else path}")
    if None in found.values():
        looked = ", ".join(str(folder) for folder in data_folders(data_home))
        terminal.note(f"looked in {looked}; `nffs datasets fetch` downloads what is missing")
        raise typer.Exit(1)


@app.command()
def verify(name: Name = "", data_home: options.DataHome = None) -> None:
    """Check that the files that are there are the original ones."""
    from nffs.datasets.files import locate

    for file in _files(name):
        path = locate(file, data_home)  # refuses a file with other contents
        state = "not found" if path is None else f"{path} is the original, sha256 {file.sha256}"
        print(f"{file.name}: {state}")


@app.command()
def fetch(name: Name = "", data_home: options.DataHome = None) -> None:
    """Download what is missing; a download that was cut off goes on where it stopped."""
    from rich.console import Console
    from rich.progress import Progress

    from nffs.datasets.files import obtain

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        for file in _files(name):
            task = bar.add_task(file.name, total=file.size)
            path = obtain(file, data_home, on_bytes=_shown_by(bar, task))
            print(f"{file.name}: {path}")


def _shown_by(bar: Progress, task: TaskID) -> OnBytes:
    return lambda done, total: bar.update(task, completed=done)


def _files(name: str) -> list[DataFile]:
    from nffs.datasets.catalog import DATASETS

    if name:
        check_dataset(name)
    return [file for key, files in DATASETS.items() if name in ("", key) for file in files]


def check_dataset(name: str) -> None:
    """Refuse a data set that does not exist, and offer the nearest."""
    from nffs.datasets.catalog import DATASETS

    if name not in DATASETS:
        raise InputError(f"{name!r} is not a data set{instead(name, DATASETS, 'there are')}")
