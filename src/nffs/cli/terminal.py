"""What people see in the terminal: progress and notes on stderr, results on stdout."""

from __future__ import annotations

import io
import logging
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nffs.cli.interrupts import Interruptible, raise_if_interrupted
from nffs.cli.printable import on_one_line, printable
from nffs.errors import AdjustedWarning, FailedWarning, InputError, PartialWarning, WaitingWarning

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

    from nffs.report.progress import Parts
    from nffs.search import Progress
    from nffs.selection import Selection

#: Sizes of the paper's method: options here, parameters of the library with n_ before them.
SIZES = ("subsets", "top", "bottom", "nested", "searches")
#: Parameters of the library wherever a message has them, and the options they are here.
_PARAMETERS = {
    **{f"n_{name}": f"--{name}" for name in SIZES},
    **{
        name: f"--{name.replace('_', '-')}"
        for name in (
            "min_frequency",
            "max_categories",
            "max_rows",
            "keep_all",
            "class_weight",
            "held_out",
            "min_features",
            "max_features",
            "unlabelled_for",
        )
    },
    "max_evaluations": "--budget",
    "pos_label": "--positive",
    "task": "--task",
}
#: Those that are words of English: at the start of a message, before its colon.
_SUBJECTS = (
    "method", "methods", "models", "scoring", "cv", "evaluator", "engine", "journal", "features",
    "keep", "include", "exclude", "together",
)  # fmt: skip

#: Warnings that are for users.
_OURS = (AdjustedWarning, FailedWarning, PartialWarning, WaitingWarning)


def note(message: str) -> None:
    """Say something that is not a result: wrapped for a terminal, one line for a file."""
    text = f"nffs: {printable(message)}"
    if sys.stderr.isatty():
        text = textwrap.fill(text, shutil.get_terminal_size().columns, subsequent_indent="      ")
    print(text, file=sys.stderr)


def advise(lines: Iterable[str]) -> None:
    """Print commands to copy below a result: as they are, for a terminal breaks no words."""
    print("\n".join(["", *lines]), file=sys.stderr)


@contextmanager
def translated(**names: str) -> Iterator[None]:
    """Let messages name files and options where the library names X, y and parameters.

    Names say what `X`, `y` and others are called here, beside the options that parameters are.
    """
    try:
        yield
    except ValueError as error:
        # Ours, or scikit-learn's own check of a parameter's value.
        if isinstance(error, InputError) or type(error).__name__ == "InvalidParameterError":
            raise InputError(_translate(str(error), names)) from error
        raise


def _translate(message: str, names: Mapping[str, str]) -> str:
    subject, colon, rest = message.partition(":")
    options = {name: f"--{name}" for name in _SUBJECTS} | dict(names)
    if colon and subject.split("[")[0] in options:
        message = f"{options[subject.split('[')[0]]}:{rest}"
    # In quotes it is a name of the user's.
    parameters = rf"(?<!')\b({'|'.join(_PARAMETERS)})\b"
    message = re.sub(parameters, lambda found: _PARAMETERS[found[0]], message)
    return re.sub(r"(--[a-z-]+)='([\w-]+)'", r"\1 \2", message)  # as one would type it


class _Notes(logging.Handler):
    """Turns what the library logs into notes.

    A command may search many times, in folds or on samples: the size of the first search stands for
    all of them, except in a detailed log.
    """

    def __init__(self, *, detailed: bool) -> None:
        super().__init__()
        self._detailed, self._told_size = detailed, False

    def emit(self, record: logging.LogRecord) -> None:
        if str(record.msg).startswith("searching "):
            if self._told_size and not self._detailed:
                return
            self._told_size = True
        note(self.format(record))


@contextmanager
def only_our_warnings(names: Mapping[str, str]) -> Iterator[None]:
    """Turn our warnings into notes and drop others: they are not for users, nor safe to print."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in _OURS:
            warnings.simplefilter("always", kind)

        def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
            # Threads of scikit-learn's come with filters of their own.
            if issubclass(category, _OURS):
                note(_translate(str(message), names))

        warnings.showwarning = show
        yield


@contextmanager
def at_work(level: int, names: Mapping[str, str]) -> Iterator[None]:
    """Translate errors, and turn what the library logs and its warnings into notes.

    Other warnings are dropped.
    """
    detailed = level <= logging.DEBUG
    logger, notes = logging.getLogger("nffs"), _Notes(detailed=detailed)
    if detailed:
        notes.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    logger.addHandler(notes)
    logger.setLevel(level)
    try:
        with translated(**names), only_our_warnings(names):
            yield
    finally:
        logger.removeHandler(notes)
        logger.setLevel(logging.NOTSET)


@contextmanager
def without_notes(level: int) -> Iterator[None]:
    """Let searches that are parts of one work say nothing of themselves, unless all is logged."""
    logger = logging.getLogger("nffs")
    if level > logging.DEBUG:
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def interruptible() -> Interruptible:
    """Do work whose results are kept when it is interrupted, and tell the user so."""
    return Interruptible("stopping; once more to stop at once")


#: What to say to an interrupt that will not stop the work at once.
FINISHING = "finishing; once more to stop at once"


def finishing() -> Interruptible:
    """Do work that takes a moment and comes to its end when it is interrupted."""
    return Interruptible(FINISHING, waits=True)


def evaluation_callbacks(level: int) -> list[Any]:
    """Give the callbacks of every search: for interrupts, and for logs where details are wanted."""
    from nffs.report.progress import log_evaluation

    return [raise_if_interrupted, *([log_evaluation] if level <= logging.DEBUG else [])]


@contextmanager
def progress_bar(
    level: int, names: Mapping[str, str], parts: Parts | None = None
) -> Iterator[list[Any]]:
    """Show a bar while a search is at work, in a terminal and unless quiet; gives its callbacks.

    It tells of several searches in turn where `parts` says how many.
    """
    from rich.console import Console

    from nffs.report.progress import Pace, rich_bar, show_in

    console, pace = Console(stderr=True), Pace()
    hidden = level > logging.INFO or not console.is_terminal
    with at_work(level, names), rich_bar(console, transient=True, disable=hidden) as bar:
        task = bar.add_task("encoding", total=None, best="-", pace=pace.text(), left=pace.left())

        def show(progress: Progress) -> None:
            if parts is not None:
                progress = parts.whole(progress)
            pace.step(progress)
            show_in(bar, task, progress, pace)

        yield [show, *evaluation_callbacks(level)]


@contextmanager
def counting_bar(
    what: str, total: int, level: int, names: Mapping[str, str], quiet: bool
) -> Iterator[Callable[..., object]]:
    """Show a bar that counts steps while they are at work; gives what to call after each."""
    with at_work(level, names), counter(quiet) as bar:
        task = bar.add_task(what, total=total)

        def step(*_: object) -> None:
            bar.advance(task)
            raise_if_interrupted()

        yield step


def counter(quiet: bool = False) -> Bar:
    """Make bars that are shown in a terminal alone, and go when the work is done."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    return Bar(console=console, transient=True, disable=quiet or not console.is_terminal)


def results_console() -> Console:
    """Give the console for results: stdout, without a fixed theme; nothing printed can steer it."""
    from rich.console import Console
    from rich.segment import Segment

    class Results(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich would end the process, but there may be files to write

        def render(self, *what: Any, **how: Any) -> Iterator[Segment]:
            for text, style, control in super().render(*what, **how):
                yield Segment(text if control else printable(text), style, control)

    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the terminal's encoding lacks is shown escaped rather than not at all.
        sys.stdout.reconfigure(errors="backslashreplace")
    return Results(highlight=False)


def say(*lines: str) -> None:
    """Print a result for people: wrapped to the terminal, or to 80 columns; never as markup."""
    from rich.text import Text

    # Here and when it is rendered: lines are broken by the width of what is shown.
    results_console().print(Text(printable("\n".join(lines))))


def answer(*sentences: str) -> None:
    """Print what a result says in words, before its numbers: the first sentence stands out."""
    from rich.text import Text

    console = results_console()
    for place, sentence in enumerate(sentences):
        console.print(Text(printable(sentence), "" if place else "bold"))


def rows_and_label(evaluated_on: str, positive: str | None) -> str:
    """Say which rows gave a score, and of two classes which one it is about."""
    from nffs.report import terminal

    label = None if positive is None else on_one_line(positive)
    return terminal.rows_and_label(on_one_line(evaluated_on), label)


def print_selection(selection: Selection) -> None:
    """Print a selection as a result."""
    from nffs.report import terminal

    terminal.print_selection(selection, results_console())
