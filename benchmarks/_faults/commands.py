"""The command line, run in this process, and what it must never print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.testing import CliRunner

from nffs.cli.app import app


def nffs(*arguments: object) -> Any:
    """Run `nffs`; the result has exit_code, stdout and stderr."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fault_of(done: Any) -> Iterator[str]:
    """Say what a command did that no command may do."""
    said = f"{done.stdout}\n{done.stderr}"
    if done.exit_code not in (0, 1, 2):
        yield f"exit code {done.exit_code}"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        yield repr(done.exception)[:200]
    for words in ("Traceback", "bug in nffs"):
        if words in said:
            yield f"said {words!r}: {done.stderr[-200:].strip()}"
