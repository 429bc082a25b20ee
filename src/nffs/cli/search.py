"""Which method searches and within which budget, and the selector that comes of all options."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nffs.cli import options, terminal
from nffs.cli.completion import complete_method
from nffs.cli.constraints import ConstraintOptions
from nffs.cli.options import EvaluationOptions, OutputOptions, paper_option, search_option
from nffs.cli.table import TableOptions
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.selector.base import TableSelector

#: Options of the paper's method, and the parameters of `NFFS` that they are.
_PAPER = {size: f"n_{size}" for size in terminal.SIZES}
_PAPER |= {"threshold": "threshold"}


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Which method proposes subsets, and how many may be evaluated."""

    method: str = search_option(
        "Method that proposes subsets: a name from `nffs methods`, or package.module:Class.",
        "nffs",
        metavar="NAME",
        autocompletion=complete_method,
    )
    budget: int | None = search_option(
        "Distinct subsets that the method may evaluate. By default 250; for nffs as many as "
        "--subsets, --searches and --nested ask for.",
        min=1,
    )
    subsets: int | None = paper_option("Subsets to draw (L); by default 180.", min=3)
    top: int | None = paper_option("Best subsets to count (M); by default a quarter of L.", min=1)
    bottom: int | None = paper_option(
        "Worst subsets to count (N); by default a quarter of L.", min=1
    )
    nested: int | None = paper_option(
        "Nested subsets (O); by default 70, or one fewer than the features if that is less.", min=1
    )
    searches: int | None = paper_option(
        "How often to run phase I and average the weights; by default once. More runs are more "
        "stable and take more evaluations.",
        min=1,
    )
    threshold: float | None = paper_option(
        "Threshold of mutual information, in nats; by default from the histogram.", min=0
    )
    seed: int = options.SEED
    n_jobs: int = options.THREADS

    def __post_init__(self) -> None:
        given = list(self._of_the_paper())
        if given and self.method != "nffs":
            raise InputError(
                f"--{given[0]}: belongs to --method nffs; --method {self.method} takes --budget."
            )
        if given and self.budget is not None:
            raise InputError(f"--{given[0]}, --budget: cannot be used together; give one of them.")
        if self.method != "nffs":
            check_methods([self.method], "--method")

    def selector(self, **parameters: Any) -> TableSelector:
        """Make the selector; parameters are those that all methods share."""
        from nffs.selector import NFFS, Selector

        parameters |= {"n_jobs": self.n_jobs, "random_state": self.seed}
        if self.method == "nffs" and self.budget is None:
            sizes = {_PAPER[option]: value for option, value in self._of_the_paper().items()}
            return NFFS(**parameters, **sizes)
        if self.budget is not None:
            parameters["max_evaluations"] = self.budget
        return Selector(self.method, **parameters)

    def _of_the_paper(self) -> dict[str, Any]:
        """Give those options of the paper's method that the user gave."""
        return {name: value for name in _PAPER if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """A selection from a table in a file, and where what comes of it goes."""

    train: Path = options.TRAIN
    search: SearchOptions
    constraints: ConstraintOptions
    table: TableOptions
    evaluation: EvaluationOptions
    output: OutputOptions

    def read(self, *, in_parts: bool = False) -> tuple[TableSelector, dict[str, Any]]:
        """Make the selector, and read its X, y and groups; a Parquet file may stay on disk."""
        note, group = self.output.note_reading, self.evaluation.group
        rows = self.table.training(self.train, note, group, in_parts=in_parts)
        selector = self.search.selector(
            pos_label=self.table.label(rows["y"]),
            task=self.table.task,
            callbacks=terminal.evaluation_callbacks(self.output.level),
            **self.constraints.parameters(),
            **self.evaluation.parameters(rows["groups"], self.search.seed),
        )
        return selector, rows


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
