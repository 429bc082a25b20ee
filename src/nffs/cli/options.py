"""Options that several commands share, each declared once."""

from __future__ import annotations

import json as json_module
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import typer

from nffs.cli import terminal
from nffs.cli.outputs import check_outputs, rescue, save
from nffs.cli.printable import on_one_line
from nffs.errors import InputError


def option(
    help: str, default: Any = None, *names: str, panel: str | None = None, **more: Any
) -> Any:
    """Declare an option where its default would stand; `...` is for one that must be given."""
    return typer.Option(default, *names, help=help, rich_help_panel=panel, **more)


def _threads(given: int) -> int:
    if given == 0:
        raise InputError("--n-jobs: 0 threads do nothing; give 1 or more, or -1 for all cores.")
    return given


# By panels of the help.
search_option = partial(option, panel="The search")
paper_option = partial(option, panel="The paper's method: --method nffs without --budget")
table_option = partial(option, panel="Reading the table")
output_option = partial(option, panel="Output")

# Files and lists are declared beside commands and groups: in place, a linter would take them for
# defaults that all calls share.
TRAIN = typer.Argument(
    ...,
    help="Training table: CSV, Parquet, Arrow, JSON lines or a spreadsheet; - for standard input.",
)
SEED = search_option("Same seed, same result.", 0, min=0)
THREADS = search_option("Threads; -1 for all cores.", -1, callback=_threads)
OUT = output_option("Write the result to this JSON file.")
REPORT = output_option("Write an HTML report to this file.")
JSON = output_option("Print the result as JSON.", False, "--json")
MODELS = option(
    "Models such as you deploy, with commas between them, or none. Each is scored on unseen rows "
    "with the selection, and with all columns. If not given forest, boosting and logistic, of "
    "numbers forest, boosting and linear.",
    "usual",
    metavar="NAMES",
    show_default=False,
)
DATA_HOME = option("Folder with the data, before NFFS_DATA and the cache.")


#: Where the context of a command keeps the words that it was given.
GIVEN = "nffs.given"


@dataclass(frozen=True, kw_only=True)
class MessageOptions:
    """How much a command says while it works."""

    quiet: bool = output_option(
        "Print results, warnings and errors only: no progress bar, no notes.",
        False,
        "--quiet",
        "-q",
    )
    verbose: bool = output_option(
        "Log what the library does, every evaluation too, to stderr.", False, "--verbose", "-v"
    )

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise InputError("--quiet, --verbose: they exclude each other; give one of them.")

    @property
    def level(self) -> int:
        """The logging level that the user asked for."""
        return logging.WARNING if self.quiet else logging.DEBUG if self.verbose else logging.INFO

    def note(self, message: str) -> None:
        """Say something that is not a result, unless the user wants quiet."""
        if not self.quiet:
            terminal.note(message)

    def searching(self, names: Mapping[str, str]) -> AbstractContextManager[list[Any]]:
        """Let a search be seen at work; gives its callbacks."""
        return terminal.progress_bar(self.level, names)

    def counting(
        self, what: str, total: int, names: Mapping[str, str], *, brief: bool = False
    ) -> AbstractContextManager[Callable[..., object]]:
        """Count the steps of some work; gives what to call after each.

        Brief is for work whose every step would say what it is about to do.
        """
        level = logging.WARNING if brief and not self.verbose else self.level
        return terminal.counting_bar(what, total, level, names, self.quiet)


@dataclass(frozen=True, kw_only=True)
class OutputOptions(MessageOptions):
    """Where a result goes: to a file, and to stdout as JSON or as text for people."""

    out: Path | None = OUT
    json: bool = JSON

    def check(self, *reads: Path | None, report: Path | None = None) -> None:
        """Refuse, before the work, files that could not be written or that the command reads."""
        check_outputs({"--out": self.out, "--report": report}, reads)

    def give(
        self,
        result: dict[str, Any] | str,
        show: Callable[[], object],
        report: Path | None = None,
        page: Callable[[], str] | None = None,
    ) -> None:
        """Print a result, then write it to --out, and its page to --report.

        Whatever of this fails, the rest is still done, and no result is lost.

        Parameters
        ----------
        result : dict or str
            Plain data, or JSON text.
        show : callable
            Prints it for people.
        report : path, optional
            Where the page goes.
        page : callable, optional
            Renders it.
        """
        text = result if isinstance(result, str) else as_json(result)
        unprinted = None
        try:
            typer.echo(text, nl=False) if self.json else show()
            sys.stdout.flush()
        except OSError as error:
            unprinted = error
        failed = []
        if self.out is not None:
            failed.append(self._save(self.out, text, "--out"))
        elif unprinted is not None and not isinstance(unprinted, BrokenPipeError):
            failed.append(f"the result cannot be printed; {rescue('result.json', text)}")
        if report is not None and page is not None:
            failed.append(self._save(report, page(), "--report"))
        for told in filter(None, failed):
            terminal.note(told)
        if unprinted is not None:
            raise unprinted
        if any(failed):
            raise typer.Exit(1)

    def _save(self, path: Path, text: str, option: str) -> str:
        failed = save(path, text, option)
        if not failed:
            self.note(f"wrote {path}")
        return failed


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """Everything that decides the score of a subset."""

    cv: int = option("Folds of the training rows that score subsets.", 3, min=2)
    group: str | None = option(
        "Column whose groups are never split between training and evaluation rows."
    )
    unit: Literal["category", "column"] = option(
        "Keep or drop single categories, or raw columns as a whole.", "category"
    )
    scoring: str | None = option("Any scikit-learn scorer; the F-score by default, R2 for numbers.")
    evaluator: str = search_option(
        "Which models score subsets: panel (forest and logistic, of numbers forest and ridge), "
        "paper (forests on principal components), or one or more of forest, boosting, logistic or "
        "ridge, components, separated by commas.",
        "panel",
    )
    engine: Literal["auto", "fast", "reference"] = search_option(
        "What computes these models: kernels of this package, or scikit-learn, which is slow.",
        "auto",
    )
    choose: Literal["auto", "best", "one_se", "all", "method"] = search_option(
        "Who wins the final check on other folds: the best of the last candidates, the smallest "
        "within one standard error of it, all features unless a subset beats them, or whatever the "
        "method chose, without a check. auto: best for nffs, method for others and for the paper.",
        "auto",
    )
    max_rows: int | None = search_option(
        "Score subsets on a stratified sample of so many rows. Where nothing else needs "
        "all rows, a Parquet file is then read in parts and may be larger than memory.",
        min=10,
    )
    min_frequency: int | None = table_option("Fold categories with fewer rows into one.", min=1)
    max_categories: int | None = table_option(
        "Fold the rarest categories beyond so many; where neither this nor --min-frequency is "
        "given, only columns of more than 200 are folded.",
        min=2,
    )
    missing: Literal["indicate", "error"] = table_option(
        "What becomes of missing numbers: a feature of their own tells where they are and the mean "
        "stands for them, or the table is refused.",
        "indicate",
    )
    keep_all: bool = table_option(
        "Keep copies of other columns, and strings that are nearly all different, as identifiers "
        "and free text are; refuse those that are all different.",
        False,
        "--keep-all",
    )

    def parameters(self, groups: Any, seed: int) -> dict[str, Any]:
        """Give them as a selector takes them."""
        names = [name.strip() for name in self.evaluator.split(",")]
        own = {
            "evaluator": names[0] if len(names) == 1 else names,
            "cv": folds(self.cv, groups, seed),
            "max_categories": self.max_categories or "auto",
        }
        return {k: v for k, v in asdict(self).items() if k != "group"} | own


def folds(n: int, groups: Any, seed: int) -> Any:
    """Give what ``cv`` takes: folds that keep groups together where there are groups."""
    if groups is None:
        return n
    from sklearn.model_selection import StratifiedGroupKFold

    return StratifiedGroupKFold(n, shuffle=True, random_state=seed)


def listed(names: str) -> list[str]:
    """Read names with commas between them; `none` alone is no name."""
    found = [name.strip() for name in names.split(",") if name.strip()]
    return [] if found == ["none"] else found


def models_named(names: str) -> list[str] | str:
    """Read the models of --models; `usual` alone is those that suit the task."""
    return names if names == "usual" else listed(names)


def as_json(result: Any) -> str:
    """Write plain data as a JSON document."""
    return json_module.dumps(result, indent=2) + "\n"


def print_result(result: Any, json: bool, lines: Iterable[str]) -> None:
    """Print plain data as JSON, or for people line by line."""
    text = as_json(result) if json else "".join(f"{on_one_line(line)}\n" for line in lines)
    typer.echo(text, nl=False)
