"""Which method searches and within which budget, and the selector that comes of all options."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from nffs.cli import terminal
from nffs.cli.completion import complete_method
from nffs.cli.options import PAPER, SEARCH, EvaluationOptions, Seed, Threads
from nffs.cli.table import TableOptions
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.selector.base import TableSelector

#: Options of the paper's method, and the parameters of `NFFS` that they are.
_PAPER = {
    "subsets": "n_subsets",
    "top": "n_top",
    "bottom": "n_bottom",
    "nested": "n_nested",
    "searches": "n_searches",
    "choose": "choose",
    "threshold": "threshold",
}


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Who proposes subsets, and how many may be evaluated."""

    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who proposes subsets: a name that `nffs methods` lists, or package.module:Class.",
            autocompletion=complete_method,
            rich_help_panel=SEARCH,
        ),
    ] = "nffs"
    budget: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Subsets that the method may have evaluated: 250 if not given, and for nffs what "
            "the paper's options add up to.",
            rich_help_panel=SEARCH,
        ),
    ] = None
    subsets: Annotated[
        int | None,
        typer.Option(min=3, help="Subsets drawn (L); 180 if not given.", rich_help_panel=PAPER),
    ] = None
    top: Annotated[
        int | None,
        typer.Option(
            min=1, help="Best subsets counted (M); a quarter of L.", rich_help_panel=PAPER
        ),
    ] = None
    bottom: Annotated[
        int | None,
        typer.Option(
            min=1, help="Worst subsets counted (N); a quarter of L.", rich_help_panel=PAPER
        ),
    ] = None
    nested: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Nested subsets (O); 70, or the number of features minus one.",
            rich_help_panel=PAPER,
        ),
    ] = None
    searches: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Phases I to pool, 1 if not given: more are more stable, and cost as many times "
            "the evaluations.",
            rich_help_panel=PAPER,
        ),
    ] = None
    choose: Annotated[
        Literal["best", "one_se"] | None,
        typer.Option(
            help="Keep the best nested subset (if not given), or the smallest within one standard "
            "error of it.",
            rich_help_panel=PAPER,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Mutual information threshold in nats; found if not given.",
            rich_help_panel=PAPER,
        ),
    ] = None
    seed: Seed = 0
    n_jobs: Threads = -1

    @property
    def by_the_paper(self) -> bool:
        """Whether the paper's sizes say how many subsets are evaluated."""
        return self.method == "nffs" and self.budget is None

    def check(self) -> None:
        """Refuse what does not go together, and methods that do not exist."""
        given = [name for name in _PAPER if getattr(self, name) is not None]
        if given and self.method != "nffs":
            raise InputError(
                f"--{given[0]}: belongs to --method nffs; --method {self.method} takes --budget."
            )
        if given and self.budget is not None:
            raise InputError(f"--{given[0]}, --budget: they exclude each other; give one of them.")
        if self.method != "nffs":
            check_methods([self.method], "--method")

    def selector(self, **parameters: Any) -> TableSelector:
        """Make the selector; parameters are those that all methods share."""
        from nffs.selector import NFFS, Selector

        parameters |= {"n_jobs": self.n_jobs, "random_state": self.seed}
        if not self.by_the_paper:
            if self.budget is not None:
                parameters["max_evaluations"] = self.budget
            return Selector(self.method, **parameters)
        for option, parameter in _PAPER.items():
            if getattr(self, option) is not None:
                parameters[parameter] = getattr(self, option)
        return NFFS(**parameters)


class Task(NamedTuple):
    """A selector and the rows to give it."""

    selector: TableSelector
    X: Any
    y: Any
    groups: Any


def read_task(
    train: Path,
    table: TableOptions,
    evaluation: EvaluationOptions,
    search: SearchOptions,
    *,
    in_parts: bool = False,
) -> Task:
    """Read the training rows and make the selector that the options ask for.

    Parameters
    ----------
    train : Path
        The file of training rows.
    table, evaluation, search : groups of options
        As the user gave them.
    in_parts : bool
        Whether a Parquet file may stay on disk.
    """
    search.check()
    X, y, groups = table.training(train, evaluation.group, in_parts=in_parts)
    shared = evaluation.parameters(groups, search.seed)
    return Task(search.selector(pos_label=table.label(y), **shared), X, y, groups)


def check_methods(names: list[str], option: str) -> None:
    """Refuse methods that do not exist, or whose code cannot be imported."""
    from nffs.methods import method_of

    if any(":" in name for name in names) and "" not in sys.path:
        sys.path.insert(0, "")  # as `python -m nffs` does: code may lie in this folder
    for name in names:
        try:
            with terminal.translated(method=option):
                method_of(name)
        except InputError:
            raise
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise InputError(f"{option}: {name!r} cannot be used ({found}).") from error
