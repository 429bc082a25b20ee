"""Processes as journals know them: their numbers come again, after a restart even at once."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import psutil

_PROC = Path("/proc")


def this_process() -> str:
    """Tell this process from every other that has had, or will have, its number."""
    return f"{_boot()} {_started(os.getpid())}"


def is_running(pid: int, process: str) -> bool:
    """Tell whether the process of this machine that called itself so is alive.

    An earlier nffs wrote numbers only; then the number decides.
    """
    started = _started(pid)
    return started is not None and process in ("", f"{_boot()} {started}")


@cache
def _boot() -> str:
    """Name the time since the machine was started; nothing where it has no name."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """Say when a process was started; None if it is not there, or has ended."""
    try:
        # ticks since the machine's start, which a change of the clock does not move
        state, *fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return None if state in "ZX" else fields[18]
    except (FileNotFoundError, ProcessLookupError):
        if (_PROC / "self").exists():
            return None
    except (OSError, IndexError):
        pass
    try:
        return str(psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return None
