"""`nffs datasets`: the paper's data files, where they are and whether they are right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from nffs.cli import terminal
from nffs.cli.options import DATA_HOME, JSON, print_result
from nffs.cli.printable import on_one_line
from nffs.errors import InputError, instead

if TYPE_CHECKING:
    from nffs.datasets.files import DataFile

app = typer.Typer(no_args_is_help=True, help="Find, fetch and check the paper's data sets.")

NAMES = ["nsl-kdd", "unsw-nb15"]

_NAME = typer.Argument(
    "", help="nsl-kdd or unsw-nb15; both by default.", autocompletion=lambda: NAMES
)


@app.command("list")
def list_(json: bool = JSON) -> None:
    """List the data sets and their files."""
    files = [
        {"dataset": file.folder, "file": file.name, "bytes": file.size, "sha256": file.sha256}
        for file in _files("")
    ]
    line = "{dataset}  {file}  {bytes} bytes  sha256 {sha256}"
    print_result(files, json, (line.format(**row) for row in files))


@app.command()
def where(name: str = _NAME, data_home: Path | None = DATA_HOME, json: bool = JSON) -> None:
    """Say where the files are."""
    from nffs.datasets.files import data_folders, locate

    places = {file.name: locate(file, data_home) for file in _files(name)}
    found = {file: None if path is None else str(path) for file, path in places.items()}
    print_result(found, json, (f"{file}: {path or 'not found'}" for file, path in found.items()))
    if None in found.values():
        looked = ", ".join(str(folder) for folder in data_folders(data_home))
        terminal.note(f"looked in {looked}; `nffs datasets fetch` downloads what is missing")
        raise typer.Exit(1)


@app.command()
def verify(name: str = _NAME, data_home: Path | None = DATA_HOME) -> None:
    """Check that the files that are there are the original ones."""
    from nffs.datasets.files import locate

    for file in _files(name):
        path = locate(file, data_home)  # refuses a file with other contents
        state = "not found" if path is None else f"{path} is the original, sha256 {file.sha256}"
        print(on_one_line(f"{file.name}: {state}"))


@app.command()
def fetch(name: str = _NAME, data_home: Path | None = DATA_HOME) -> None:
    """Download what is missing; an interrupted download continues where it stopped."""
    from nffs.datasets.files import obtain

    with terminal.counter() as bar:

        def get(file: DataFile) -> Path:
            task = bar.add_task(file.name, total=file.size)
            return obtain(
                file, data_home, on_bytes=lambda done, _: bar.update(task, completed=done)
            )

        for file in _files(name):
            print(on_one_line(f"{file.name}: {get(file)}"))


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
