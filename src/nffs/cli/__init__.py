"""The command line: parse, call, print."""

from __future__ import annotations

import os
import sys

try:
    from nffs.cli.interrupts import INTERRUPTED, ignore, leave_at_once
except KeyboardInterrupt:  # `signal` itself takes a moment to import
    os.write(2, b"nffs: interrupted.\n")
    os._exit(130)

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    leave_at_once()  # before anything that takes time, imports among it
    from nffs.cli.frugal import be_frugal

    be_frugal()
    from nffs.cli.app import app

    try:
        app(prog_name="nffs")
    except OSError as error:  # help; commands say themselves what went wrong
        ignore()
        print(f"nffs: {error.strerror}: the help cannot be printed", file=sys.stderr)
        _flush()
        sys.exit(1)
    except SystemExit as ended:
        ignore()
        unprinted = _flush()
        if ended.code == INTERRUPTED:
            os._exit(INTERRUPTED)  # Python might end as the signal would have ended it
        if unprinted is not None and not ended.code:
            print(f"nffs: {unprinted.strerror}: not all was printed", file=sys.stderr)
            sys.exit(1)
        raise


def _flush() -> OSError | None:
    """Print what is left; if it cannot be printed, Python is not to complain at the end.

    Gives why it cannot be printed, unless it is that nobody reads it any more.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return None if isinstance(error, BrokenPipeError) else error
    return None
