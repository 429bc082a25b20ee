"""The command line: parse, call, print."""

from __future__ import annotations

import os
import sys

from nffs.cli.frugal import be_frugal
from nffs.cli.interrupts import INTERRUPTED, ignore, leave_at_once

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    leave_at_once()
    be_frugal()
    from nffs.cli.app import app

    try:
        app(prog_name="nffs")
    except SystemExit as ended:
        ignore()
        _flush()
        if ended.code == INTERRUPTED:
            os._exit(INTERRUPTED)  # Python might end as the signal would have ended it
        raise


def _flush() -> None:
    """Print what is left; if nobody reads it any more, Python is not to complain at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
