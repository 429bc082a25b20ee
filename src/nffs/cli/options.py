"""Options that several commands share, each declared once."""

from __future__ import annotations

import json as json_module
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from nffs.cli import terminal
from nffs.cli.outputs import check_outputs, rescue, save
from nffs.cli.printable import on_one_line
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.report.progress import Parts


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
    "Models to score on unseen rows, with the selection and with all columns: names separated by "
    "commas, or none. By default forest, boosting and logistic, and for regression forest, "
    "boosting and linear.",
    "usual",
    metavar="NAMES",
    show_default=False,
)
DATA_HOME = option("Folder with the data; tried before NFFS_DATA and the cache.")


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
        "Log to stderr what the library does, with every evaluation.", False, "--verbose", "-v"
    )

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise InputError("--quiet, --verbose: cannot be used together; give one of them.")

    @property
    def level(self) -> int:
        """The logging level that the user asked for."""
        return logging.WARNING if self.quiet else logging.DEBUG if self.verbose else logging.INFO

    def note(self, message: str) -> None:
        """Say something that is not a result, unless the user wants quiet."""
        if not self.quiet:
            terminal.note(message)

    def searching(
        self, names: Mapping[str, str], parts: Parts | None = None
    ) -> AbstractContextManager[list[Any]]:
        """Let a search be seen at work, or several in turn; gives its callbacks."""
        return terminal.progress_bar(self.level, names, parts)

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

    @cached_property
    def reading(self) -> list[str]:
        """What was decided while files were read: a part of the result."""
        return []

    def note_reading(self, message: str) -> None:
        """Say what was decided while a file was read, and keep it for the result."""
        self.reading.append(message)
        self.note(message)

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

        Whatever of this fails, the rest is still done, and no result is lost; nor is one if an
        interrupt comes meanwhile.

        Parameters
        ----------
        result : dict or str
            Plain data, to which it is added what was decided while files were read, or JSON text.
        show : callable
            Prints it for people.
        report : path, optional
            Where the page goes.
        page : callable, optional
            Renders it.
        """
        text = result if isinstance(result, str) else as_json({**result, "reading": self.reading})
        with terminal.finishing():
            self._give(text, show, report, page)

    def _give(
        self,
        text: str,
        show: Callable[[], object],
        report: Path | None,
        page: Callable[[], str] | None,
    ) -> None:
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
    """Everything that determines the score of a subset."""

    cv: int = option("Folds of the training rows that score subsets.", 3, min=2)
    group: str | None = option(
        "Column whose groups are never split between training and evaluation rows."
    )
    unit: Literal["category", "column"] = option(
        "Keep or drop single categories, or raw columns as a whole.", "category"
    )
    scoring: str | None = option(
        "Any scikit-learn scorer; by default the F-score, average precision if fewer than one row "
        "in ten is positive, and R2 for regression."
    )
    class_weight: Literal["balanced"] | None = option(
        "balanced: all classes weigh the same for the models that score subsets, however few rows "
        "they have."
    )
    evaluator: str = search_option(
        "Models that score subsets: panel (forest and logistic, for regression forest and ridge), "
        "paper (forests on principal components), or a list, separated by commas, of forest, "
        "boosting, components (the paper's forests), and logistic for classes or ridge for "
        "numbers.",
        "panel",
    )
    engine: Literal["auto", "fast", "gpu", "reference"] = search_option(
        "What computes these models: compiled kernels of nffs, a GPU (forests of two classes), or "
        "scikit-learn, which is slow. auto takes a GPU if there is one and the table is large.",
        "auto",
    )
    choose: Literal["auto", "best", "one_se", "all", "method"] = search_option(
        "What to select after the final check on other folds: the best of the last candidates, the "
        "smallest within one standard error of it, all features unless a subset beats them, or the "
        "method's choice, without a check. auto: best for nffs, method for others and for the "
        "paper.",
        "auto",
    )
    max_rows: int | None = search_option(
        "Score subsets on a stratified sample of this many rows. If nothing else needs all rows, a "
        "Parquet file is then read in blocks and may be larger than memory.",
        min=10,
    )
    categories: Literal["onehot", "cluster"] = table_option(
        "How categories become features: one each, or one for each group of categories that say "
        "the same about the target.",
        "onehot",
    )
    min_frequency: int | None = table_option("Merge categories with fewer rows.", min=1)
    max_categories: int | None = table_option(
        "Merge the rarest categories beyond this many. Without this and --min-frequency, only "
        "columns with more than 200 categories are reduced. With --categories cluster: the most "
        "groups of a column.",
        min=2,
    )
    missing: Literal["indicate", "error"] = table_option(
        "Missing numbers: replace them by the mean and add a feature that marks them, or stop "
        "with an error.",
        "indicate",
    )
    keep_all: bool = table_option(
        "Keep copies of other columns, and text columns that look like identifiers or free text. "
        "A text column whose values are all different is then an error.",
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
