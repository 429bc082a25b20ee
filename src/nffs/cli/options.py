"""Options that several commands share, each declared once."""

from __future__ import annotations

import json as json_module
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from nffs.cli import files, terminal

# Panels of the help.
SEARCH, PAPER = "The search", "The paper's method: --method nffs without --budget"
FILES, OUTPUT = "Reading the table", "Output"

Train = Annotated[Path, typer.Argument(help="Training table: CSV or Parquet, CSV also .gz.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same result.", rich_help_panel=SEARCH)]
Threads = Annotated[int, typer.Option(help="Threads; -1 for all cores.", rich_help_panel=SEARCH)]
Report = Annotated[
    Path | None, typer.Option(help="Write an HTML report to this file.", rich_help_panel=OUTPUT)
]
DataHome = Annotated[
    Path | None,
    typer.Option("--data-home", help="Folder with the data, before NFFS_DATA and the cache."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=OUTPUT)
]


@dataclass(frozen=True, kw_only=True)
class MessageOptions:
    """How much a command says while it works."""

    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print results, warnings and errors only: no progress bar, no notes.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Log what the library does, every evaluation too, to stderr.",
            rich_help_panel=OUTPUT,
        ),
    ] = False

    @property
    def level(self) -> int:
        """The logging level that the user asked for."""
        return terminal.loudness(self.quiet, self.verbose)

    def note(self, message: str) -> None:
        """Say something that is not a result, unless the user wants quiet."""
        if not self.quiet:
            terminal.note(message)


@dataclass(frozen=True, kw_only=True)
class OutputOptions(MessageOptions):
    """Where a result goes: to a file, and to stdout as JSON or as text for people."""

    out: Annotated[
        Path | None,
        typer.Option(help="Write the result to this JSON file.", rich_help_panel=OUTPUT),
    ] = None
    json: AsJson = False

    def check(self, report: Path | None = None) -> int:
        """Refuse paths that cannot be written before the work; give the logging level."""
        files.check_writable(self.out, "--out")
        files.check_writable(report, "--report")
        return self.level

    def give(
        self, result: dict[str, Any] | str, show: Callable[[], object], report: Path | None = None
    ) -> None:
        """Write the result to --out and print it.

        Parameters
        ----------
        result : dict or str
            Plain data, or JSON text.
        show : callable
            Prints it for people.
        report : Path, optional
            A page that was written, to be named.
        """
        from nffs.atomic import write_text

        text = result if isinstance(result, str) else as_json(result)
        if self.out is not None:
            write_text(self.out, text)
        if self.json:
            typer.echo(text, nl=False)
        else:
            show()
        for path in (self.out, report):
            if path is not None:
                self.note(f"wrote {path}")


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """Everything that decides the score of a subset."""

    cv: Annotated[
        int, typer.Option(min=2, help="Folds of the training rows that score subsets.")
    ] = 3
    group: Annotated[
        str | None,
        typer.Option(
            help="Column whose groups are never split between training and evaluation rows."
        ),
    ] = None
    unit: Annotated[
        Literal["category", "column"],
        typer.Option(help="Keep or drop single categories, or raw columns as a whole."),
    ] = "category"
    scoring: Annotated[
        str | None, typer.Option(help="Any scikit-learn scorer; the F-score by default.")
    ] = None
    engine: Annotated[
        Literal["auto", "forest", "reference"],
        typer.Option(
            help="Who evaluates subsets: the binned forest, or scikit-learn's, which is slow.",
            rich_help_panel=SEARCH,
        ),
    ] = "auto"
    pca: Annotated[
        bool,
        typer.Option(
            help="Project on the components that explain 0.93 of the variance.",
            rich_help_panel=SEARCH,
        ),
    ] = True
    max_rows: Annotated[
        int | None,
        typer.Option(
            min=10,
            help="Score subsets on a stratified sample of so many rows. Where nothing else needs "
            "all rows, a Parquet file is then read in parts and may be larger than memory.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    min_frequency: Annotated[
        int | None,
        typer.Option(
            min=1, help="Fold categories with fewer rows into one.", rich_help_panel=FILES
        ),
    ] = None
    max_categories: Annotated[
        int | None,
        typer.Option(
            min=2, help="Fold the rarest categories beyond so many.", rich_help_panel=FILES
        ),
    ] = None

    def parameters(self, groups: Any, seed: int) -> dict[str, Any]:
        """Give them as a selector takes them."""
        return {
            "unit": self.unit,
            "engine": self.engine,
            "pca": 0.93 if self.pca else None,
            "scoring": self.scoring,
            "cv": folds(self.cv, groups, seed),
            "min_frequency": self.min_frequency,
            "max_categories": self.max_categories,
            "max_rows": self.max_rows,
        }


def folds(n: int, groups: Any, seed: int) -> Any:
    """Give what ``cv`` takes: folds that keep groups together where there are groups."""
    if groups is None:
        return n
    from sklearn.model_selection import StratifiedGroupKFold

    return StratifiedGroupKFold(n, shuffle=True, random_state=seed)


def as_json(result: Any) -> str:
    """Write plain data as a JSON document."""
    return json_module.dumps(result, indent=2) + "\n"
