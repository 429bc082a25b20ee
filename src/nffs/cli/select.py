"""`nffs select`: choose features from a table in a file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nffs.cli import cluster, files, options, selectors, terminal
from nffs.cli.options import FILES, OUTPUT, SEARCH
from nffs.cli.table import Rows, positive_label


class Unit(StrEnum):
    """What is kept or dropped."""

    category = "category"
    column = "column"


def select(
    train: options.Train,
    target: options.Target,
    test: Annotated[
        Path | None,
        typer.Option(
            help="Judge subsets by this table instead of by folds of the training rows. That is "
            "the paper's way; its score is not one to expect on new data."
        ),
    ] = None,
    cv: Annotated[int, typer.Option(min=2, help="Folds of the training rows that judge.")] = 3,
    group: options.Group = None,
    unit: Annotated[
        Unit, typer.Option(help="Keep or drop single categories, or raw columns as a whole.")
    ] = Unit.category,
    positive: options.Positive = None,
    drop: options.Drop = None,
    scoring: options.Scoring = None,
    subsets: selectors.Subsets = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, help="Best subsets counted (M); a quarter of L.", rich_help_panel=SEARCH
        ),
    ] = None,
    bottom: Annotated[
        int | None,
        typer.Option(
            min=1, help="Worst subsets counted (N); a quarter of L.", rich_help_panel=SEARCH
        ),
    ] = None,
    nested: selectors.Nested = None,
    searches: selectors.Searches = 1,
    choose: selectors.ChooseOption = selectors.Choose.best,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Mutual information threshold in nats; found if not given.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    pca: Annotated[
        bool,
        typer.Option(
            help="Project on the components that explain 0.93 of the variance.",
            rich_help_panel=SEARCH,
        ),
    ] = True,
    min_frequency: Annotated[
        int | None,
        typer.Option(
            min=1, help="Fold categories with fewer rows into one.", rich_help_panel=FILES
        ),
    ] = None,
    max_categories: Annotated[
        int | None,
        typer.Option(
            min=2, help="Fold the rarest categories beyond so many.", rich_help_panel=FILES
        ),
    ] = None,
    seed: options.Seed = 0,
    n_jobs: options.Threads = -1,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the selection to this JSON file.", rich_help_panel=OUTPUT),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML report to this file.", rich_help_panel=OUTPUT)
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            help="Keep every evaluation in this file; the same command goes on where it stopped.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    max_rows: options.MaxRows = None,
    scheduler: cluster.Scheduler = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            metavar="SECONDS",
            help="Stop drawing after 7 tenths of this, and searching after all of it; what was "
            "judged decides.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    json: options.AsJson = False,
    header: options.Header = True,
    separator: options.Separator = ",",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Select features from a table.

    For example:

      nffs select train.csv --target label --out selection.json

      nffs select train.parquet --target label --unit column --json

      nffs select train.csv --target label --test test.csv --positive attack

      nffs select train.csv --target label --journal search.db

      nffs select train.csv --target label --scheduler tcp://host:8786

      nffs select large.parquet --target label --max-rows 200000
    """
    level = terminal.loudness(quiet, verbose)
    files.check_writable(out, "--out")
    files.check_writable(report, "--report")
    rows = Rows(target, drop or [], group, header, separator)
    X, y, groups = rows.training(train, in_parts=max_rows is not None)
    eval_set = None if test is None else rows.judging(test)
    pos_label = positive_label(y, positive)

    with (
        terminal.spoken_as(X=str(train), y=f"--target {target}", eval_set=str(test)),
        terminal.library_notes(level),
        cluster.on_cluster(scheduler),
        terminal.interruptible(),
        terminal.progress_bar(level) as callbacks,
    ):
        from nffs.search.stopping import TimeBudget
        from nffs.selector.nffs import NFFS

        if time_limit is not None:
            callbacks = [*callbacks, TimeBudget(time_limit)]

        selector = NFFS(
            n_subsets=subsets or "auto",
            n_top=top or "auto",
            n_bottom=bottom or "auto",
            n_nested=nested or "auto",
            n_searches=searches,
            choose=choose.value,
            threshold="auto" if threshold is None else threshold,
            unit=unit.value,
            pca=0.93 if pca else None,
            scoring=scoring,
            pos_label=pos_label,
            cv=options.folds(cv, groups, seed),
            min_frequency=min_frequency,
            max_categories=max_categories,
            max_rows=max_rows,
            journal=journal,
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=seed,
        ).fit(X, y, eval_set=eval_set, groups=groups)

    if not quiet:
        terminal.note(f"judged {selector.n_evaluations_} subsets in {selector.seconds_:.1f} s")
    selection = selector.selection_
    if out is not None:
        selection.save(out)
    if report is not None:
        selector.write_report(report)
    if json:
        typer.echo(selection.to_json(), nl=False)
    else:
        terminal.print_selection(selection)
    for path in (out, report):
        if path is not None and not quiet:
            terminal.note(f"wrote {path}")
    if selector.partial_:
        raise typer.Exit(130)
