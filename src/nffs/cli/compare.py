"""`nffs compare`: selection methods beside one another on a table in a file."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from nffs.cli import options, terminal
from nffs.cli.completion import complete_methods
from nffs.cli.options import SEARCH, EvaluationOptions, OutputOptions
from nffs.cli.parameters import with_groups
from nffs.cli.search import check_methods
from nffs.cli.table import TableOptions


@with_groups
def compare(
    train: options.Train,
    *,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Names that `nffs methods` lists, with commas between them, as nffs,ga,random; "
            "all of them if not given.",
            autocompletion=complete_methods,
            rich_help_panel=SEARCH,
        ),
    ] = None,
    budget: Annotated[
        int,
        typer.Option(
            min=1, help="Subsets that a method may have evaluated.", rich_help_panel=SEARCH
        ),
    ] = 250,
    runs: Annotated[
        int,
        typer.Option(
            min=1, help="Runs of every method, each with a seed of its own.", rich_help_panel=SEARCH
        ),
    ] = 10,
    seed: options.Seed = 0,
    n_jobs: options.Threads = -1,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Keep every run's result in this folder; the same command goes on from there.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    table: TableOptions,
    evaluation: EvaluationOptions,
    test: Annotated[
        Path | None, typer.Option(help="Rows that no method sees; else some are held out.")
    ] = None,
    held_out: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=0.99,
            help="Share of the rows held out without --test, anew for every run.",
        ),
    ] = 0.25,
    output: OutputOptions,
    report: options.Report = None,
) -> None:
    """Compare selection methods: the same rows, the same evaluator, the same budget.

    Every method selects once for every seed; folds of the training rows score its subsets.
    What it selected is then scored on rows that no method saw. The score of the search minus
    the score on unseen rows is its optimism. A Parquet file is read in parts with --max-rows
    and --test; without --test it is read whole.

    For example:

      nffs compare train.csv --target label --methods nffs,ga,mrmr,random --budget 100

      nffs compare train.csv --target label --test test.csv --keep runs --report compare.html
    """
    level = output.check(report)
    names = None if methods is None else [n.strip() for n in methods.split(",") if n.strip()]
    check_methods(names or [], "--methods")
    in_parts = evaluation.max_rows is not None and test is not None
    X, y, groups = table.training(train, evaluation.group, in_parts=in_parts)
    unseen = None if test is None else table.test(test, evaluation.group)

    from nffs.methods import METHODS
    from nffs.validation import compare as compare_methods

    total = runs * len(METHODS if names is None else dict.fromkeys(names))
    with (
        terminal.translated(**table.names(train, test), method="--methods"),
        # Every run says what it is about to do: too much, unless it is asked for.
        terminal.library_notes(level if output.verbose else logging.WARNING),
        terminal.interruptible(),
        terminal.counting_bar("runs", total, output.quiet) as step,
    ):
        try:
            found = compare_methods(
                X,
                y,
                test=unseen,
                held_out=held_out,
                methods=names,
                budget=budget,
                seeds=range(seed, seed + runs),
                groups=groups,
                keep=keep,
                random_state=seed,
                on_run=lambda _: step(),
                pos_label=table.label(y),
                callbacks=terminal.evaluation_log(level),
                n_jobs=n_jobs,
                **evaluation.parameters(groups, seed),
            )
        except KeyboardInterrupt:
            if keep is not None:
                terminal.note(f"finished runs are in {keep}; the same command goes on from there")
            raise
    if report is not None:
        found.write_report(report)
    output.give(dict(found.document), lambda: _print(found.document), report)


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
