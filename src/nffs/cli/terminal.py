"""What people see in the terminal: progress and notes on stderr, results on stdout."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nffs.errors import AdjustedWarning, InputError, PartialWarning

if TYPE_CHECKING:
    from rich.console import Console

    from nffs.search import Progress
    from nffs.selection import Selection

#: What the library calls a thing, and what it is called here.
_OPTIONS = {
    "n_subsets": "--subsets",
    "n_top": "--top",
    "n_bottom": "--bottom",
    "n_nested": "--nested",
    "pos_label:": "--positive:",
    "scoring:": "--scoring:",
    "min_frequency": "--min-frequency",
    "max_categories": "--max-categories",
}


def note(message: str) -> None:
    """Say something that is not a result."""
    print(f"nffs: {message}", file=sys.stderr)


@contextmanager
def spoken_as(**names: str) -> Iterator[None]:
    """Let messages speak of files and options where the library speaks of X, y and parameters.

    Parameters
    ----------
    **names : str
        The words for `X`, `y` and `eval_set`.
    """
    try:
        yield
    except InputError as error:
        raise InputError(_translate(str(error), names)) from error
    except ValueError as error:
        # scikit-learn's own checks of parameter values.
        if type(error).__name__ != "InvalidParameterError":
            raise
        raise InputError(_translate(str(error), names)) from error


def _translate(message: str, names: dict[str, str]) -> str:
    for theirs, ours in _OPTIONS.items():
        message = message.replace(theirs, ours)
    subject, colon, rest = message.partition(":")
    for theirs, ours in names.items():
        if subject.split("[")[0] == theirs:
            return f"{ours}{colon}{rest}"
    return message


class _Notes(logging.Handler):
    """Turns what the library logs into notes."""

    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


@contextmanager
def library_notes() -> Iterator[None]:
    """Turn what the library says while it works into notes.

    What it logs and which defaults it adjusted; other warnings are kept to ourselves.
    """
    logger, notes = logging.getLogger("nffs"), _Notes()
    logger.addHandler(notes)
    logger.setLevel(logging.INFO)
    try:
        with _adjusted_as_notes():
            yield
    finally:
        logger.removeHandler(notes)
        logger.setLevel(logging.NOTSET)


@contextmanager
def _adjusted_as_notes() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (AdjustedWarning, PartialWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = lambda message, *_args, **_kw: note(_translate(str(message), {}))
        yield


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM stop the work as Ctrl-C does; a second one of either ends the process at once."""
    came: list[int] = []

    def stop(number: int, _frame: Any) -> None:
        if came:
            os._exit(128 + number)
        came.append(number)
        note("stopping; once more to stop at once")
        raise KeyboardInterrupt

    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[list[Any]]:
    """Show a bar while the search runs; yields the callbacks to give it.

    Nothing is shown where stderr is not a terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield []
        return
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("best {task.fields[best]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task("encoding", total=None, best="-")

        def show(progress: Progress) -> None:
            bar.update(
                task,
                description=progress.phase,
                completed=progress.done,
                total=progress.total,
                best=f"{progress.best:.4f}",
            )

        yield [show]


@contextmanager
def counting_bar(what: str, total: int, quiet: bool = False) -> Iterator[Callable[[], object]]:
    """Show a bar that counts; yields what to call after every step."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def results_console() -> Console:
    """Give the console for results: stdout, without a fixed theme."""
    from rich.console import Console

    return Console(highlight=False)


def print_selection(selection: Selection, console: Console | None = None) -> None:
    """Print the selected features as a table, best weight first."""
    from rich import box
    from rich.table import Table

    document = selection.document
    rows = sorted((f for f in document["features"] if f["selected"]), key=lambda f: f["rank"])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column("weight", justify="right")
    table.add_column("MI (nats)", justify="right")
    table.add_column("in best", justify="right")
    table.add_column("in worst", justify="right")
    for row in rows:
        table.add_row(
            str(row["rank"]),
            # Names come from data: brackets in them are not markup.
            _plain(row["name"]),
            f"{row['weight']:+.4f}",
            f"{row['mi']:.4f}",
            str(row["top"]),
            str(row["bottom"]),
        )
    console = console or results_console()
    console.print(table)
    console.print(
        _plain(
            f"{document['n_selected']} of {len(document['features'])} features selected, "
            f"{document['scoring']} {document['fitness']:.4f}{_against_all(document)}\n"
            f"judged on: {document['judged_on']}"
            + ("\npartial: the search was interrupted" if document["partial"] else "")
        ),
        soft_wrap=True,
    )


def _against_all(document: Mapping[str, Any]) -> str:
    everything = document["all_features_fitness"]
    return "" if everything is None else f" (all features {everything:.4f})"


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)
