"""What people see in the terminal: progress and notes on stderr, results on stdout."""

from __future__ import annotations

import io
import logging
import os
import re
import shutil
import signal
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nffs.errors import AdjustedWarning, FailedWarning, InputError, PartialWarning

if TYPE_CHECKING:
    from rich.console import Console

    from nffs.search import Progress
    from nffs.selection import Selection

#: Parameters of the library wherever a message has them, and the options they are here.
_PARAMETERS = {
    "n_subsets": "--subsets",
    "n_top": "--top",
    "n_bottom": "--bottom",
    "n_nested": "--nested",
    "n_searches": "--searches",
    "max_evaluations": "--budget",
    "min_frequency": "--min-frequency",
    "max_categories": "--max-categories",
    "max_rows": "--max-rows",
    "held_out": "--held-out",
    "pos_label": "--positive",
}
#: Those that are words of English: at the start of a message, before its colon.
_SUBJECTS = ("method", "methods", "scoring", "cv", "engine", "journal", "features", "keep")


def note(message: str) -> None:
    """Say something that is not a result: wrapped for a terminal, one line for a file."""
    text = f"nffs: {message}"
    if sys.stderr.isatty():
        text = textwrap.fill(text, shutil.get_terminal_size().columns, subsequent_indent="      ")
    print(text, file=sys.stderr)


@contextmanager
def translated(**names: str) -> Iterator[None]:
    """Let messages name files and options where the library names X, y and parameters.

    Parameters
    ----------
    **names : str
        What `X`, `y` and others are called here, beside the options that parameters are.
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


def _translate(message: str, names: Mapping[str, str]) -> str:
    subject, colon, rest = message.partition(":")
    options = {name: f"--{name}" for name in _SUBJECTS} | dict(names)
    if colon and subject.split("[")[0] in options:
        message = f"{options[subject.split('[')[0]]}:{rest}"
    # In quotes it is a name of the user's.
    parameters = rf"(?<!')\b({'|'.join(_PARAMETERS)})\b"
    return re.sub(parameters, lambda found: _PARAMETERS[found[0]], message)


class _Notes(logging.Handler):
    """Turns what the library logs into notes."""

    def emit(self, record: logging.LogRecord) -> None:
        note(self.format(record))


def loudness(quiet: bool, verbose: bool) -> int:
    """Give the logging level that the user asked for."""
    if quiet and verbose:
        raise InputError("--quiet, --verbose: they exclude each other; give one of them.")
    return logging.WARNING if quiet else logging.DEBUG if verbose else logging.INFO


@contextmanager
def library_notes(level: int = logging.INFO) -> Iterator[None]:
    """Turn what the library says while it works into notes.

    That is what it logs and its own warnings; other warnings are dropped.

    Parameters
    ----------
    level : int
        Of what it logs; details come with their time and origin.
    """
    logger, notes = logging.getLogger("nffs"), _Notes()
    if level <= logging.DEBUG:
        notes.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    logger.addHandler(notes)
    logger.setLevel(level)
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
        for kind in (AdjustedWarning, FailedWarning, PartialWarning):
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


def evaluation_log(level: int) -> list[Any]:
    """Give the callbacks that log evaluations, where details are asked for."""
    from nffs.report.progress import log_evaluation

    return [log_evaluation] if level <= logging.DEBUG else []


@contextmanager
def progress_bar(level: int = logging.INFO) -> Iterator[list[Any]]:
    """Show a bar while the search runs; yields the callbacks to give it.

    Nothing is shown where stderr is not a terminal.

    Parameters
    ----------
    level : int
        Warnings and errors only: no bar. Details too: every evaluation is logged.
    """
    from rich.console import Console

    from nffs.report.progress import Pace, rich_bar, show_in

    logged = evaluation_log(level)
    console = Console(stderr=True)
    if level > logging.INFO or not console.is_terminal:
        yield logged
        return
    with rich_bar(console, transient=True) as bar:
        pace = Pace()
        task = bar.add_task("encoding", total=None, best="-", pace=pace.text(), left=pace.left())

        def show(progress: Progress) -> None:
            pace.step(progress)
            show_in(bar, task, progress, pace)

        yield [show, *logged]


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

    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the terminal's encoding lacks is shown escaped rather than not at all.
        sys.stdout.reconfigure(errors="backslashreplace")
    return Console(highlight=False)


def say(text: str = "") -> None:
    """Print a result for people: wrapped to the terminal, or to 80 columns; never as markup."""
    results_console().print(_plain(text))


def rows_and_label(evaluated_on: str, positive: str | None) -> str:
    """Say which rows gave a score, and of two classes which one it is about."""
    from nffs.report import terminal

    return terminal.rows_and_label(evaluated_on, positive)


def print_selection(selection: Selection) -> None:
    """Print a selection as a result."""
    from nffs.report import terminal

    terminal.print_selection(selection, results_console())


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)
