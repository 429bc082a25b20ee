"""`nffs select`: choose features from a table in a file."""

from __future__ import annotations

from pathlib import Path

import typer

from nffs.cli import cluster, terminal
from nffs.cli.holdout import Holdout
from nffs.cli.interrupts import INTERRUPTED
from nffs.cli.next_steps import next_steps
from nffs.cli.options import GIVEN, REPORT, option, search_option
from nffs.cli.reading import is_parquet
from nffs.cli.search import TaskOptions
from nffs.errors import InputError

_TEST = option(
    "Score subsets on this table instead of on folds of the training rows. That is "
    "the paper's way; the score is not one to expect on new data."
)
_HOLDOUT = option(
    "Share of the rows, by label and whole groups, that the search never sees: models are scored "
    "on them in the end. 0.2 if not given and there are 500 rows or more, unless --test, "
    "--scheduler or --max-rows with Parquet is given; 0 for none.",
    min=0,
    max=0.5,
    metavar="SHARE",
)
_JOURNAL = search_option(
    "Keep every evaluation in this file; the same command goes on where it stopped."
)


def select(
    *,
    context: typer.Context,
    task: TaskOptions,
    test: Path | None = _TEST,
    holdout: float | None = _HOLDOUT,
    journal: Path | None = _JOURNAL,
    scheduler: str | None = search_option(
        "Search on the Dask cluster of this scheduler, such as tcp://host:8786.", metavar="ADDRESS"
    ),
    time_limit: float | None = search_option(
        "Stop searching after so long and choose among what was evaluated; nffs stops "
        "drawing after 7 tenths of it.",
        min=0.001,
        metavar="SECONDS",
    ),
    report: Path | None = REPORT,
) -> None:
    """Select features from a table.

    For example:

      nffs select train.csv --target label --out selection.json

      nffs select train.csv --target label --method mrmr --budget 100

      nffs select train.parquet --target label --unit column --json

      nffs select train.csv --target label --include age --exclude 'id_*' --max-features 10

      nffs select train.csv --target label --test test.csv --positive attack

      nffs select train.csv --target label --holdout 0.3

      nffs select houses.csv --target price --task regression

      nffs select train.csv --target label --journal search.db

      nffs select train.csv --target label --scheduler tcp://host:8786

      nffs select large.parquet --target label --max-rows 200000
    """
    evaluation, table, output = task.evaluation, task.table, task.output
    output.check(task.train, test, journal, report=report)
    in_parts = evaluation.max_rows is not None and is_parquet(task.train)
    if in_parts and holdout:
        raise InputError(
            "--holdout: no rows can be set aside of a file that --max-rows reads in parts; leave "
            "out one of them."
        )
    selector, rows = task.read(in_parts=in_parts)
    parted = Holdout.part(
        rows,
        holdout,
        seed=task.search.seed,
        n_folds=evaluation.cv,
        usual=test is None and scheduler is None and not in_parts,
        task=table.task,
    )
    parted.announce(selector, output)
    eval_set = None
    if test is not None:
        eval_set = table.test(test, output.note, evaluation.group, like=rows)

    with (
        output.searching(table.names(task.train, test)) as callbacks,
        cluster.on_cluster(scheduler),
        terminal.interruptible(),
    ):
        from nffs.search.stopping import TimeBudget

        limits = [] if time_limit is None else [TimeBudget(time_limit)]
        selector.set_params(journal=journal, callbacks=[*callbacks, *limits])
        selector.fit(**parted.seen, eval_set=eval_set)

    output.note(f"evaluated {selector.n_evaluations_} subsets in {selector.seconds_:.1f} s")
    with terminal.interruptible():
        selection = parted.scored(selector, output)
    from nffs.report import render_report

    output.give(
        selection.to_json(),
        lambda: terminal.print_selection(selection),
        report,
        lambda: render_report(selection),
    )
    if selector.partial_:
        raise typer.Exit(INTERRUPTED)
    if not output.quiet and not output.json:
        width = terminal.results_console().width
        terminal.advise(next_steps(context.meta[GIVEN], output.out, report, width))
