"""`nffs compare`: selection methods beside one another on a table in a file."""

from __future__ import annotations

import json as json_module
import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from nffs.atomic import write_text
from nffs.cli import files, options, terminal
from nffs.cli.options import OUTPUT, SEARCH
from nffs.cli.table import Rows, positive_label


def _list_methods(asked: bool) -> None:
    if asked:
        from nffs.methods import METHODS

        for name, method in METHODS.items():
            typer.echo(f"{name:<18} {method.description} ({method.source})")
        raise typer.Exit


def compare(
    train: options.Train,
    target: options.Target,
    test: Annotated[
        Path | None, typer.Option(help="Rows that no method sees; else some are held out.")
    ] = None,
    held_out: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=0.99,
            help="Share of the rows held out without --test, anew for every seed.",
        ),
    ] = 0.25,
    methods: Annotated[
        str | None,
        typer.Option(help="Names with commas between them, as nffs,ga,random; else all."),
    ] = None,
    list_methods: Annotated[
        bool,
        typer.Option(
            "--list-methods",
            callback=_list_methods,
            is_eager=True,
            help="Print the methods' names, what they are and their sources.",
        ),
    ] = False,
    budget: Annotated[
        int,
        typer.Option(
            min=1, help="Subsets that a method may have evaluated.", rich_help_panel=SEARCH
        ),
    ] = 250,
    seeds: Annotated[
        int, typer.Option(min=1, help="Runs of every method.", rich_help_panel=SEARCH)
    ] = 10,
    max_rows: options.MaxRows = None,
    cv: Annotated[
        int, typer.Option(min=2, help="Folds of the training rows that score subsets.")
    ] = 3,
    group: options.Group = None,
    positive: options.Positive = None,
    drop: options.Drop = None,
    scoring: options.Scoring = None,
    n_jobs: options.Threads = -1,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML report to this file.", rich_help_panel=OUTPUT)
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(help="Write all results to this JSON file.", rich_help_panel=OUTPUT),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Keep every run's result in this folder; the same command goes on from there.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    header: options.Header = True,
    separator: options.Separator = ",",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Compare selection methods: the same rows, the same evaluator, the same budget.

    Every method selects once for every seed; folds of the training rows score its subsets. What it
    selected is then scored on rows that no method saw. The score of the search minus the score on
    unseen rows is its optimism.
    A Parquet file is read in parts with --max-rows and --test; without --test it is read whole.

    For example:

      nffs compare train.csv --target label --methods nffs,ga,mrmr,random --budget 100

      nffs compare train.csv --target label --test test.csv --keep runs --report compare.html
    """
    level = terminal.loudness(quiet, verbose)
    files.check_writable(report, "--report")
    files.check_writable(json, "--json")
    rows = Rows(target, drop or [], group, header, separator)
    X, y, groups = rows.training(train, in_parts=max_rows is not None and test is not None)
    unseen = None if test is None else rows.judging(test)

    from nffs.methods import METHODS
    from nffs.validation import compare as compare_methods

    names = None if methods is None else [n.strip() for n in methods.split(",") if n.strip()]
    total = seeds * len(METHODS if names is None else dict.fromkeys(names))
    with (
        terminal.spoken_as(
            X=str(train), y=f"--target {target}", eval_set=str(test), method="--methods",
            methods="--methods", cv="--cv",
        ),
        # Every run says what it is about to do: too much, unless it is asked for.
        terminal.library_notes(level if verbose else logging.WARNING),
        terminal.interruptible(),
        terminal.counting_bar("runs", total, quiet) as step,
    ):  # fmt: skip
        try:
            found = compare_methods(
                X,
                y,
                test=unseen,
                held_out=held_out,
                methods=names,
                budget=budget,
                seeds=seeds,
                groups=groups,
                keep=keep,
                on_run=lambda _: step(),
                scoring=scoring,
                pos_label=positive_label(y, positive),
                cv=options.folds(cv, groups, 0),
                max_rows=max_rows,
                callbacks=terminal.evaluation_log(level),
                n_jobs=n_jobs,
            )
        except KeyboardInterrupt:
            if keep is not None:
                terminal.note(f"finished runs are in {keep}; the same command goes on from there")
            raise
    if json is not None:
        write_text(json, json_module.dumps(found.document, indent=1) + "\n")
    if report is not None:
        found.write_report(report)
    _print(found.document)
    for path in (json, report):
        if path is not None and not quiet:
            terminal.note(f"wrote {path}")


def _print(document: Any) -> None:
    terminal.say(
        f"{document['scoring']}, {document['budget']} evaluations, {len(document['seeds'])} seeds\n"
    )
    terminal.say(
        f"  {'method':<17} {'rank':>5} {'unseen':>13} {'score':>6} {'optimism':>8} {'size':>5} "
        f"{'stable':>6} {'evals':>5} {'s':>5}"
    )
    for row in sorted(document["methods"], key=lambda row: (row["rank_unseen"], row["name"])):
        stable = "-" if row["stability"] is None else f"{row['stability']['value']:.2f}"
        unseen = f"{row['unseen']['mean']:.4f}±{row['unseen']['std']:.4f}"
        terminal.say(
            f"  {row['name']:<17} {row['rank_unseen']:>5.2f} {unseen:>13} "
            f"{row['score']['mean']:>6.4f} {row['optimism']['mean']:>+8.4f} "
            f"{row['n_features']['mean']:>5.1f} {stable:>6} {row['evaluations']['mean']:>5.0f} "
            f"{row['seconds']['mean']:>5.1f}"
        )
    test = document["ranks"]["unseen"]
    if test["pvalue"] is not None:
        terminal.say(
            f"\nFriedman's test that no method differs: p = {test['pvalue']:.2g}; mean ranks that "
            f"differ by more than {test['critical_difference']:.2f} differ (Nemenyi, "
            f"{test['alpha']:.0%})"
        )
    terminal.say(f"\nunseen: {document['unseen_on']}")
    terminal.say(terminal.rows_and_label(document["evaluated_on"], document["positive"]))
    for method in document["left_out"]:
        terminal.say(f"left out: {method['name']} ({method['why']})")
