"""`nffs select`: choose features from a table in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nffs.cli import cluster, terminal
from nffs.cli.check import FOLDS, RUNS, Check
from nffs.cli.holdout import Holdout
from nffs.cli.interrupts import INTERRUPTED, Interruptible
from nffs.cli.limits import TimeLimit
from nffs.cli.next_steps import next_steps
from nffs.cli.options import GIVEN, REPORT, option, search_option
from nffs.cli.reading import is_parquet
from nffs.cli.search import TaskOptions
from nffs.cli.unlabelled import UnlabelledOptions
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.selector.base import TableSelector

_TEST = option(
    "Score subsets on this table instead of on folds of the training rows, as the paper does. "
    "Do not expect that score on new data."
)
_HOLDOUT = option(
    "Share of the rows to hold out: the search never sees them, and models are scored on them at "
    "the end. Stratified by label; groups stay together. By default 0.2 if there are 500 rows or "
    "more, unless --test, --scheduler or --max-rows with Parquet is given; 0 for none.",
    min=0,
    max=0.5,
    metavar="SHARE",
)
_JOURNAL = search_option(
    "Save every evaluation in this file; run the same command again to continue."
)


_CHECK = option(
    f"Repeat the whole search afterwards, in {FOLDS} outer folds and on {RUNS} bootstrap samples: "
    "what does it score on rows that no selection saw, and does it select the same features again? "
    f"Takes about {1 + FOLDS + RUNS} times as long; with --journal, run the same command again to "
    "continue.",
    False,
    "--check",
)


def select(
    *,
    context: typer.Context,
    task: TaskOptions,
    test: Path | None = _TEST,
    new: UnlabelledOptions,
    holdout: float | None = _HOLDOUT,
    journal: Path | None = _JOURNAL,
    scheduler: str | None = search_option(
        "Search on the Dask cluster of this scheduler, such as tcp://host:8786.", metavar="ADDRESS"
    ),
    time_limit: float | None = search_option(
        "End the search after this time, preparation included, and choose among the subsets "
        "evaluated so far; every phase gets its share, and nothing is begun that would take "
        "longer. Reading the table, and scoring models (trained on at most 10000 rows) on held-out "
        "rows, take extra time.",
        min=0.001,
        metavar="SECONDS",
    ),
    check: bool = _CHECK,
    report: Path | None = REPORT,
) -> None:
    """Select features from a table.

    Scores subsets of the features by cross-validation, selects one of them, and says whether it
    does as well as all features. The score was used to choose, so models are also scored on rows
    that the search never saw: by default a fifth of them, if there are 500 or more.

    For example:

      nffs select train.csv --target label --out selection.json

      nffs select train.csv --target label --method mrmr --budget 100

      nffs select train.parquet --target label --unit column --json

      nffs select train.csv --target label --include age --max-features 10

      nffs select train.csv --target label --test test.csv --positive attack

      nffs select train.csv --target label --holdout 0.3

      nffs select train.csv --target label --check --report report.html

      nffs select train.csv --target label --unlabelled new.csv --unlabelled-for likeness

      nffs select houses.csv --target price --task regression

      nffs select train.csv --target label --journal search.db

      nffs select train.csv --target label --scheduler tcp://host:8786

      nffs select large.parquet --target label --max-rows 200000
    """
    evaluation, table, output = task.evaluation, task.table, task.output
    limit = TimeLimit(time_limit, output)
    output.check(task.train, test, new.unlabelled, journal, report=report)
    new.check(repeats=check)
    if check and test is not None:
        raise InputError(
            "--check, --test: subsets are scored on folds of the training rows in a check; leave "
            "out one of them."
        )
    in_parts = evaluation.max_rows is not None and is_parquet(task.train) and not check
    if in_parts and holdout:
        raise InputError(
            "--holdout: no rows can be held out of a file that --max-rows reads in blocks; leave "
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
        eval_set = table.test(test, output.note_reading, evaluation.group, like=rows)
    given = new.read(table, output.note_reading, evaluation.group, rows)

    checked, evidence = Check(output) if check else None, None
    if checked is not None:
        checked.announce(time_limit)
    limit.announce(held_out=parted.unseen is not None)
    with terminal.interruptible() as work:
        with (
            output.searching(
                table.names(task.train, test, new.unlabelled),
                None if checked is None else checked.parts,
            ) as callbacks,
            cluster.on_cluster(scheduler),
        ):
            from nffs.report.names import counted

            selector.set_params(
                journal=journal, callbacks=[*callbacks, *limit.callbacks()], **new.parameters
            )
            _search(work, selector, eval_set=eval_set, **given, **parted.seen)
            done = counted(selector.n_evaluations_, "subset")
            output.note(f"evaluated {done} in {selector.seconds_:.1f} s")
            if checked is not None and not selector.partial_:
                evidence = checked.run(selector, parted.seen, task.search.seed)
        selection = parted.scored(selector, output, limit.most_rows)
        selection = selection.with_reading(output.reading)
        if evidence is not None:
            selection = selection.with_evidence(evidence)
        limit.account(selector)
        from nffs.report import render_report

        output.give(
            selection.to_json(),
            lambda: terminal.print_selection(selection),
            report,
            lambda: render_report(selection),
        )
    if selector.partial_:
        raise typer.Exit(INTERRUPTED)
    if work or (checked is not None and checked.interrupted):
        terminal.note("interrupted after the search was done: the selection is complete.")
        raise typer.Exit(INTERRUPTED)
    if not output.quiet and not output.json:
        width = terminal.results_console().width
        terminal.advise(next_steps(context.meta[GIVEN], task.train, output.out, report, width))


def _search(work: Interruptible, selector: TableSelector, **rows: Any) -> None:
    """Search; from here on, an interrupt costs nothing of what was found."""
    try:
        selector.fit(**rows)
        work.wait(terminal.FINISHING)
    except KeyboardInterrupt:
        if not hasattr(selector, "seconds_"):  # the last thing that `fit` sets
            raise
        work.wait(terminal.FINISHING)
