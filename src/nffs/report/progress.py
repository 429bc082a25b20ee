"""Progress for people: a bar in terminals and notebooks, by default or as a callback of `NFFS`.

In a terminal rich draws the bar, as for the command line. In a notebook rich would need ipywidgets,
a package with a front-end half that many notebooks lack; a plain HTML output that is updated in
place works in all of them and stays in the file that is saved.
"""

from __future__ import annotations

import html
import importlib
import logging
import math
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import current_process
from threading import current_thread, main_thread
from typing import Any, ClassVar

from nffs.search.events import Callback, Progress

_log = logging.getLogger(__name__)

#: Latest evaluations that give the pace: it follows the search, whose subsets differ in cost.
_RECENT = 64


class Pace:
    """How many subsets are evaluated in a second, and how long the rest will take."""

    def __init__(self) -> None:
        self._moments: deque[float] = deque(maxlen=_RECENT)
        self._missing = 0

    def step(self, progress: Progress) -> None:
        """Count an evaluation."""
        if self._moments and progress.elapsed < self._moments[-1]:
            self._moments.clear()  # another search
        self._moments.append(progress.elapsed)
        self._missing = progress.total - progress.done

    @property
    def per_second(self) -> float | None:
        """Evaluations in a second; None before there are two."""
        if len(self._moments) < 2 or self._moments[-1] <= self._moments[0]:
            return None
        return (len(self._moments) - 1) / (self._moments[-1] - self._moments[0])

    def text(self) -> str:
        """Say the pace; of slow searches by the minute."""
        pace = self.per_second
        if pace is None:
            return "-/s"
        return f"{pace:.1f}/s" if pace >= 0.1 else f"{60 * pace:.1f}/min"

    def left(self) -> str:
        """Say how long the rest takes."""
        pace = self.per_second
        return "-:-- left" if pace is None else f"{duration(self._missing / pace)} left"


class Parts:
    """Lets one bar show several searches in turn: its count goes on from one to the next.

    Parameters
    ----------
    names : sequence of str
        What every search is called in front of its phases; the first one may have no name.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._number = 0
        self._size = 0
        self._started = time.perf_counter()

    def next(self, *_: object) -> None:
        """Go on to the next search; takes whatever a callback is given."""
        self._number += 1

    def begin(self, number: int) -> None:
        """Go on to a search by its place."""
        self._number = number

    def whole(self, progress: Progress) -> Progress:
        """Give the progress of all searches, each of which counts as much as the first."""
        if not self._number:
            self._size = progress.total
        done = self._number + progress.done / progress.total
        name = self._names[min(self._number, len(self._names) - 1)]
        return replace(
            progress,
            phase=f"{name}: {progress.phase}" if name else progress.phase,
            done=round(done * self._size),
            total=len(self._names) * self._size,
            elapsed=time.perf_counter() - self._started,
        )


class ProgressBar:
    """Show how far a search is: phase, subsets evaluated, best fitness so far, pace and time left.

    A selector without callbacks shows such a bar by itself; give one to
    `NFFS(callbacks=[ProgressBar(), ...])` beside other callbacks. In a notebook it is an output
    that is updated in place; in a terminal a line on stderr; elsewhere it is silent. It needs no
    closing: a search that is interrupted leaves the line as it was. One bar may serve several
    searches in turn.

    Parameters
    ----------
    pause : float, default=0.1
        Least number of seconds between two updates. More frequent ones would not be noticed, and
        a notebook stores each of them.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs.report.progress import ProgressBar
    >>> table = make_connections(300)
    >>> selector = NFFS(n_subsets=8, n_nested=4, callbacks=[ProgressBar()], random_state=0)
    >>> selector = selector.fit(table.data, table.target)
    """

    def __init__(self, pause: float = 0.1) -> None:
        self.pause = pause
        self._begin()

    def _begin(self) -> None:
        self._pace = Pace()
        self._done = 0
        self._shown = -math.inf
        self._handle: Any = None

    def __call__(self, progress: Progress) -> None:
        """Show an evaluation, unless the bar was updated just before."""
        if progress.done < self._done:
            self._begin()  # the last one did not come to its end
        self._done = progress.done
        self._pace.step(progress)
        over, now = progress.done >= progress.total, time.monotonic()
        if over or now - self._shown >= self.pause:
            self._shown = now
            if in_notebook():
                self._show_html(progress)
            elif sys.stderr.isatty():
                self._show_line(progress, over)
        if over:
            self._begin()  # a next search gets a bar of its own

    def __repr__(self) -> str:
        return "ProgressBar()"

    def __reduce__(self) -> tuple[type, tuple[float]]:
        # What is on the screen here means nothing in a copy, or in another process.
        return type(self), (self.pause,)

    def _show_html(self, progress: Progress) -> None:
        ipython: Any = importlib.import_module("IPython.display")
        picture = ipython.HTML(bar_html(progress, self._pace))
        if self._handle is None:
            self._handle = ipython.display(picture, display_id=True)
        else:
            self._handle.update(picture)

    def _show_line(self, progress: Progress, over: bool) -> None:
        _paint_line(progress, self._pace, stays=over)


class _OwnBar(ProgressBar):
    """The bar of a fit that nobody gave callbacks: there from its start, gone with its end.

    In a terminal the line is wiped. In a notebook the fits of a cell share one output, however many
    a grid search makes of them; it stays, and says how the last one ended.
    """

    #: The number of the cell that has the bar, and the handle of its output.
    _cell: ClassVar[tuple[Any, Any]] = (None, None)

    def _begin(self) -> None:
        super()._begin()
        self._last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        super().__call__(progress)
        self._last = progress

    def start(self) -> None:
        """Show that something is at work before the first subset is evaluated."""
        if in_notebook():
            self._put(waiting_html())
        else:
            _paint_line(None, self._pace)

    def end(self) -> None:
        """Leave the screen as it should stay."""
        if not in_notebook():
            _wipe_line()
        elif self._last is None:
            self._put("")
        elif self._last.done < self._last.total:
            self._put(bar_html(self._last, self._pace, ended=True))

    def _show_html(self, progress: Progress) -> None:
        self._put(bar_html(progress, self._pace))

    def _show_line(self, progress: Progress, over: bool) -> None:
        _paint_line(progress, self._pace)

    @classmethod
    def _put(cls, text: str) -> None:
        ipython: Any = importlib.import_module("IPython")
        picture, cell = ipython.display.HTML(text), ipython.get_ipython().execution_count
        if cls._cell[0] == cell:
            cls._cell[1].update(picture)
        else:
            _OwnBar._cell = cell, ipython.display.display(picture, display_id=True)


@contextmanager
def watched(callbacks: Sequence[Callback] | None) -> Iterator[list[Callback]]:
    """Give a fit its callbacks: those that were asked for, or a bar where somebody is watching.

    Somebody does in a terminal and in a notebook, not where stderr is a file. Threads and processes
    that work for another fit, as those of a grid search do, show nothing.
    """
    if callbacks is not None or not _somebody_looks_on():
        yield list(callbacks or ())
        return
    bar = _OwnBar()
    bar.start()
    try:
        yield [bar]
    finally:
        bar.end()


def _somebody_looks_on() -> bool:
    if current_thread() is not main_thread() or current_process().name != "MainProcess":
        return False
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _paint_line(progress: Progress | None, pace: Pace, *, stays: bool = False) -> None:
    """Write the bar over the last one in a terminal. A live display would have to be ended."""
    from rich.segment import Segment, Segments

    if (console := _wipe_line()) is None:
        return
    console.width -= 1  # a full line could make the terminal go on to the next
    bar = rich_bar(console)
    task = bar.add_task("encoding", total=None, best="-", pace=pace.text(), left=pace.left())
    if progress is not None:
        show_in(bar, task, progress, pace)
    (line,) = console.render_lines(bar.get_renderable())
    console.print(Segments([*line, Segment.line()] if stays else line))


def _wipe_line() -> Any:
    """Wipe the terminal's line; gives its console, or None if the terminal cannot do that."""
    from rich.console import Console
    from rich.control import Control
    from rich.segment import ControlType

    console = Console(stderr=True)
    if console.is_dumb_terminal:
        return None
    console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
    return console


def log_evaluation(progress: Progress) -> None:
    """Log an evaluation: a callback for those who read logs."""
    p = progress
    values = p.phase, p.done, p.total, p.n_features, p.fitness, p.best
    _log.debug("%s %d/%d: size %d, fitness %.4f, best %.4f", *values)


def rich_bar(console: Any, **options: Any) -> Any:
    """Make the bar that terminals show, with options of rich's `Progress`; it fits 80 columns."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    def text(what: str, style: str = "none") -> TextColumn:
        return TextColumn(what, style=style, table_column=Column(no_wrap=True))

    return Bar(
        text("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        text("best {task.fields[best]}", "bold"),
        text("{task.fields[pace]}"),
        text("{task.fields[left]}", "progress.remaining"),
        console=console,
        expand=True,
        **options,
    )


def show_in(bar: Any, task: Any, progress: Progress, pace: Pace) -> None:
    """Bring a bar made by `rich_bar` up to date."""
    bar.update(
        task,
        description=progress.phase,
        completed=progress.done,
        total=progress.total,
        best=f"{progress.best:.4f}",
        pace=pace.text(),
        left=pace.left(),
    )


def bar_html(progress: Progress, pace: Pace, *, ended: bool = False) -> str:
    """Draw the bar for a notebook; colours are the notebook's own, light or dark.

    `ended` says that there will be no more, though fewer subsets were evaluated than expected.
    """
    over = ended or progress.done >= progress.total
    total = progress.done if ended else progress.total
    parts = [
        "done" if over else progress.phase,
        f"{progress.done} subsets" if ended else f"{progress.done}/{total}",
        f"best {progress.best:.4f}",
        pace.text(),
        f"{duration(progress.elapsed)} in all" if over else pace.left(),
    ]
    return _bar_html(f'max="{total}" value="{progress.done}"', *parts)


def waiting_html() -> str:
    """Draw the bar before anything is evaluated."""
    return _bar_html("", "encoding")


def _bar_html(how_far: str, *parts: str) -> str:
    return (
        '<div style="font-family:monospace;font-size:0.9em;display:flex;gap:1em;'
        'align-items:center;flex-wrap:wrap">'
        f'<progress {how_far} aria-label="subsets evaluated" style="width:14em"></progress>'
        + "".join(f"<span>{html.escape(part)}</span>" for part in parts)
        + "</div>"
    )


def in_notebook() -> bool:
    """Tell whether outputs go to a notebook or another front end of IPython's kernel."""
    ipython: Any = sys.modules.get("IPython")  # whoever runs in it has it imported
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def duration(seconds: float) -> str:
    """Write seconds as minutes and seconds, and hours where there are.

    >>> duration(75.4), duration(3 * 3600 + 62)
    ('1:15', '3:01:02')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
