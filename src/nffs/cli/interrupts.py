"""Ctrl-C and SIGTERM, from the first import to the last breath: exit code 130, no traceback.

This module is imported before anything that takes time, so it imports next to nothing itself.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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
    os.write(2, b"nffs: interrupted.\n")
    os._exit(INTERRUPTED)


def ignore() -> None:
    """Let interrupts pass: everything is done, and Python is only clearing up."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


class Interruptible:
    """Work in which an interrupt raises `KeyboardInterrupt`, and a second one ends the process.

    It is true once an interrupt came: code in C may make another error of it, an `ImportError` say.

    Parameters
    ----------
    told : callable, optional
        Is called when the first one comes.
    """

    def __init__(self, told: Callable[[], object] | None = None) -> None:
        self._told = told
        self._came = False

    def __bool__(self) -> bool:
        return self._came

    def __enter__(self) -> Interruptible:
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number, handler in self._before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._stop)
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        return self

    def __exit__(self, *_: object) -> None:
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = self._hook
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
        leave_at_once()
        if self._told is not None:
            self._told()
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


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
