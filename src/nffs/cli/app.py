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
from nffs.cli.stability import stability
from nffs.cli.terminal import note
from nffs.cli.transform import transform
from nffs.cli.validate import validate
from nffs.errors import EvaluationError, InputError


class _Guarded(TyperGroup):
    """Runs a subcommand; a traceback never reaches a user."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[GIVEN] = args[1:]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with Interruptible() as interrupted:
            return self._guarded(ctx, interrupted)

    def _guarded(self, ctx: Any, interrupted: Interruptible) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            note(str(error))
            raise typer.Exit(2) from error
        except KeyboardInterrupt as error:
            note("interrupted.")
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError as error:
            # The reader (head, less) has gone; so do we, silently.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from error
        except OSError as error:
            note(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "))
            raise typer.Exit(1) from error
        except MemoryError as error:
            note(
                "the memory was not enough; let the search see fewer rows (--max-rows), use fewer "
                "threads (--n-jobs) or leave out columns (--drop)."
            )
            raise typer.Exit(1) from error
        except EvaluationError as error:
            note(f"{error}.")
            raise typer.Exit(1) from error
        except Exception as error:
            if interrupted:
                note("interrupted.")
                raise typer.Exit(INTERRUPTED) from error
            # Misuse of options, and a question answered with no: the parser reports them itself.
            theirs = hasattr(error, "exit_code") or isinstance(error, typer.Abort)
            if theirs or os.environ.get("NFFS_DEBUG"):
                raise
            note(
                f"unexpected {type(error).__name__}: {error}. This is a fault of nffs; "
                "NFFS_DEBUG=1 shows where."
            )
            raise typer.Exit(1) from error


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
    "Is it true?": (validate, stability, compare, evaluate),
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
