"""Ctrl-C and SIGTERM, from the first import to the last breath: exit code 130, no traceback.

This module is imported before anything that takes time, so it imports next to nothing itself.
"""

from __future__ import annotations

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

#: What a shell expects of a program that was interrupted.
INTERRUPTED = 130

_SIGNALS = (signal.SIGINT, signal.SIGTERM)

#: In seconds: long enough to be out of the function in which an interrupt was lost.
_MOMENT = 0.01

#: In seconds: how long an interrupt waits for the evaluation that is being made, whose end is a
#: better place to stop than any other.
_PATIENCE = 1.0

#: In seconds: signals that come so soon after one another are one interrupt. `timeout` sends two.
_ONE = 0.5


def leave_at_once() -> None:
    """Let an interrupt end the process where it is: there is nothing to be kept."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup asks for
            signal.signal(number, _leave)


def _leave(_number: int, _frame: FrameType | None) -> None:
    _say("interrupted.")
    os._exit(INTERRUPTED)


def _say(message: str) -> None:
    """Print a line on stderr past Python's own buffer, which may be in the middle of a write."""
    try:  # noqa: SIM105, contextlib takes its time
        os.write(2, f"nffs: {message}\n".encode())
    except OSError:  # nobody listens
        pass


def ignore() -> None:
    """Let interrupts pass: everything is done, and Python is only clearing up."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


class Interruptible:
    """Work in which an interrupt raises `KeyboardInterrupt`, and a second one ends the process.

    What is raised is not always heard: code in between may catch it, drop it or make another error
    of it, an `ImportError` say. So every interrupt is also recorded, once for all work, and the
    record is looked at where work begins, after every evaluation, and before the exit code is
    decided. Once evaluations are reported, one that ends within a moment is what an interrupt waits
    for: anywhere else what was found could be lost. Work is true once an interrupt came, wherever
    that was.

    Parameters
    ----------
    told : str, optional
        What to tell the user when the first one comes.
    waits : bool, default=False
        Only record an interrupt: the work takes a moment, and must come to its end.
    """

    #: The work that is being done, the innermost.
    _now: Interruptible | None = None
    #: When the first interrupt of all this work came, by `time.monotonic`; 0 if none did.
    _came_at = 0.0
    #: Whether an evaluation was reported.
    _reports = False

    def __init__(self, told: str = "", *, waits: bool = False) -> None:
        self._told = told
        self._waits = waits

    def __bool__(self) -> bool:
        return bool(Interruptible._came_at)

    def __enter__(self) -> Interruptible:
        if Interruptible._now is None:
            Interruptible._came_at, Interruptible._reports = 0.0, False
        _call_off()
        if self and not self._waits:
            raise KeyboardInterrupt  # one that was lost before
        self._outer, Interruptible._now = Interruptible._now, self
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        self._handle(self._again if self else self._first)
        return self

    def __exit__(self, *_: object) -> None:
        _call_off()
        sys.unraisablehook = self._hook
        Interruptible._now = self._outer
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self and self._outer is not None:
            self._handle(self._again)

    def wait(self, told: str) -> None:
        """Only record what comes from here on: what was found so far is not to be lost."""
        self._waits, self._told = True, told
        _call_off()

    def _handle(self, handler: Callable[[int, FrameType | None], None]) -> None:
        for number, before in self._before.items():
            if before is not signal.SIG_IGN:
                signal.signal(number, handler)

    def _first(self, _number: int, _frame: FrameType | None) -> None:
        # Nothing here may fail or print as usual: this can come in the middle of anything.
        Interruptible._came_at = time.monotonic()
        self._handle(self._again)
        if self._told:
            _say(self._told)
        if self._waits:
            return
        if not (Interruptible._reports and _raise_in(_PATIENCE)):
            raise KeyboardInterrupt

    def _again(self, number: int, frame: FrameType | None) -> None:
        if time.monotonic() - Interruptible._came_at > _ONE:
            _leave(number, frame)

    def _unraisable(self, error: sys.UnraisableHookArgs) -> None:
        """Raise an interrupt again in a moment, if it came where nothing can be raised.

        That is in a function that code in C called: the loader of compiled kernels, say.
        """
        if isinstance(error.exc_value, KeyboardInterrupt):
            _raise_in(_MOMENT)
        else:
            self._hook(error)


def raise_if_interrupted(*_: object) -> None:
    """End work that was interrupted: called after every evaluation and every step."""
    Interruptible._reports = True
    if Interruptible._now:
        _call_off()
        raise KeyboardInterrupt


def _raise_in(seconds: float) -> bool:
    """Raise an interrupt later, unless that is called off; tells whether it can be done."""
    if sys.platform == "win32":
        return False
    signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    return True


def _call_off() -> None:
    """Let nothing be raised later."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
