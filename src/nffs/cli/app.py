"""The `nffs` command: its subcommands, and the one place where errors become sentences."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from nffs._version import __version__
from nffs.cli import datasets, runs
from nffs.cli.compare import compare
from nffs.cli.demo import demo
from nffs.cli.evaluate import evaluate
from nffs.cli.interrupts import INTERRUPTED, Interruptible
from nffs.cli.methods import methods
from nffs.cli.options import GIVEN, option
from nffs.cli.parameters import with_groups
from nffs.cli.pick import pick
from nffs.cli.report import report
from nffs.cli.reproduce import reproduce
from nffs.cli.select import select
from nffs.cli.shift import shift
from nffs.cli.stability import stability
from nffs.cli.terminal import note, only_our_warnings
from nffs.cli.transform import transform
from nffs.cli.validate import validate
from nffs.errors import EvaluationError, InputError


class _Guarded(TyperGroup):
    """Runs a subcommand; a traceback never reaches a user."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[GIVEN] = args[1:]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        interrupted = Interruptible()
        try:
            with interrupted, only_our_warnings({}):
                done = super().invoke(ctx)
        except BaseException as error:  # some of polars' errors are no Exception
            # Misuse of options, and a question answered with no: the parser reports them itself.
            if hasattr(error, "exit_code") or isinstance(error, typer.Abort | SystemExit):
                raise
            # whatever the error: an interrupt can look like any other
            if interrupted or isinstance(error, KeyboardInterrupt):
                note("interrupted.")
                raise typer.Exit(INTERRUPTED) from error
            raise typer.Exit(_explain(error)) from error
        if interrupted:  # while the result was written, or where nothing heard of it
            note("interrupted, but all was done.")
            raise typer.Exit(INTERRUPTED)
        return done


def _explain(error: BaseException) -> int:
    """Say in a sentence what went wrong; gives the exit code."""
    match error:
        case InputError():
            note(str(error))
            return 2
        case BrokenPipeError():
            # The reader (head, less) has gone; so do we, silently.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        case OSError():
            note(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "))
        case MemoryError():
            note(
                "not enough memory; use fewer rows (--max-rows), fewer threads (--n-jobs) or fewer "
                "columns (--drop)."
            )
        case EvaluationError():
            note(f"{error}.")
        case _ if os.environ.get("NFFS_DEBUG"):
            raise error
        case _:
            note(
                f"unexpected {type(error).__name__}: {error}. This is a bug in nffs; "
                "NFFS_DEBUG=1 shows where."
            )
    return 1


app = typer.Typer(
    cls=_Guarded,
    name="nffs",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Select": (select, pick, transform, report),
    "Is it true?": (validate, stability, compare, evaluate, shift),
    "Look inside": (methods,),
    "The paper": (reproduce, demo),
}
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(with_groups(command))
app.add_typer(runs.app, name="runs", rich_help_panel="Look inside")
app.add_typer(datasets.app, name="datasets", rich_help_panel="The paper")


def _version(asked: bool) -> None:
    if asked:
        print(f"nffs {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = option(
        "Print the version.", False, "--version", callback=_version, is_eager=True
    ),
) -> None:
    """Select features for tabular data via normalized frequencies.

    Start with [bold]nffs demo[/bold], then [bold]nffs select train.csv --target label[/bold].
    """
