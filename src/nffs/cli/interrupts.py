"""Ctrl-C and SIGTERM, from the first import to the last breath: exit code 130, no traceback.

This module is imported before anything that takes time, so it imports next to nothing itself.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

#: What a shell expects of a program that was interrupted.
INTERRUPTED = 130

_SIGNALS = (signal.SIGINT, signal.SIGTERM)

#: In seconds: long enough to be out of the function in which an interrupt was lost.
_MOMENT = 0.01


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

    It is true once an interrupt came, within work inside of this one too: code in C may make
    another error of it, an `ImportError` say, or none at all.

    Parameters
    ----------
    told : str, optional
        What to tell the user when the first one comes.
    """

    #: The work that is being done, the innermost.
    _now: Interruptible | None = None

    def __init__(self, told: str = "") -> None:
        self._told = told
        self._came = False

    def __bool__(self) -> bool:
        return self._came

    def __enter__(self) -> Interruptible:
        self._outer, Interruptible._now = Interruptible._now, self
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number, handler in self._before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        _call_off()
        sys.unraisablehook = self._hook
        Interruptible._now = self._outer
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        # Nothing here may fail or print as usual: this can come in the middle of anything.
        work: Interruptible | None = self
        while work is not None:
            work._came, work = True, work._outer
        leave_at_once()
        if self._told:
            _say(self._told)
        raise KeyboardInterrupt

    def _unraisable(self, error: sys.UnraisableHookArgs) -> None:
        """Raise an interrupt again in a moment, if it came where nothing can be raised.

        That is in a function that code in C called: the loader of compiled kernels, say.
        """
        if not isinstance(error.exc_value, KeyboardInterrupt):
            self._hook(error)
        elif sys.platform != "win32":
            signal.signal(signal.SIGALRM, _raise)
            signal.setitimer(signal.ITIMER_REAL, _MOMENT)


def raise_what_was_lost(*_: object) -> None:
    """End work whose interrupt somebody caught: called after every evaluation and every step.

    What raises is not always heard: C code may drop the exception, and a subset whose evaluation
    fails, whatever the error, is tried again.
    """
    if Interruptible._now:
        _call_off()
        raise KeyboardInterrupt


def _call_off() -> None:
    """Let nothing be raised in a moment."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
