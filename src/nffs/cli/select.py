"""`nffs select`: choose features from a table in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nffs.cli import cluster, options, terminal
from nffs.cli.options import SEARCH, EvaluationOptions, OutputOptions
from nffs.cli.parameters import with_groups
from nffs.cli.search import SearchOptions, read_task
from nffs.cli.table import TableOptions


@with_groups
def select(
    train: options.Train,
    search: SearchOptions,
    table: TableOptions,
    evaluation: EvaluationOptions,
    output: OutputOptions,
    test: Annotated[
        Path | None,
        typer.Option(
            help="Score subsets on this table instead of on folds of the training rows. That is "
            "the paper's way; the score is not one to expect on new data."
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            help="Keep every evaluation in this file; the same command goes on where it stopped.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    scheduler: cluster.Scheduler = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            metavar="SECONDS",
            help="Stop searching after so long and choose among what was evaluated; nffs stops "
            "drawing after 7 tenths of it.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    report: options.Report = None,
) -> None:
    """Select features from a table.

    For example:

      nffs select train.csv --target label --out selection.json

      nffs select train.csv --target label --method mrmr --budget 100

      nffs select train.parquet --target label --unit column --json

      nffs select train.csv --target label --test test.csv --positive attack

      nffs select train.csv --target label --journal search.db

      nffs select train.csv --target label --scheduler tcp://host:8786

      nffs select large.parquet --target label --max-rows 200000
    """
    level = output.check(report)
    in_parts = evaluation.max_rows is not None
    selector, X, y, groups = read_task(train, table, evaluation, search, in_parts=in_parts)
    eval_set = None if test is None else table.test(test, evaluation.group)

    with (
        terminal.translated(**table.names(train, test)),
        terminal.library_notes(level),
        cluster.on_cluster(scheduler),
        terminal.interruptible(),
        terminal.progress_bar(level) as callbacks,
    ):
        from nffs.search.stopping import TimeBudget

        limits = [] if time_limit is None else [TimeBudget(time_limit)]
        selector.set_params(journal=journal, callbacks=[*callbacks, *limits])
        selector.fit(X, y, eval_set=eval_set, groups=groups)

    output.note(f"evaluated {selector.n_evaluations_} subsets in {selector.seconds_:.1f} s")
    selection = selector.selection_
    if report is not None:
        selector.write_report(report)
    output.give(selection.to_json(), lambda: terminal.print_selection(selection), report)
    if selector.partial_:
        raise typer.Exit(130)
