"""`nffs compare`: compares selection methods on a table in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nffs.cli import options, terminal
from nffs.cli.comparing import FOLDER, Runs
from nffs.cli.completion import complete_methods
from nffs.cli.constraints import ConstraintOptions
from nffs.cli.options import EvaluationOptions, OutputOptions, option, search_option
from nffs.cli.search import check_methods
from nffs.cli.table import TableOptions
from nffs.errors import InputError

_KEEP = search_option(
    f"Save every run in this folder; by default in one below {FOLDER}, in the folder of --out or "
    "in the current one. Run the same command again to continue."
)
_TEST = option("Test table that no method sees; without it, some rows are held out.")


def compare(
    *,
    train: Path = options.TRAIN,
    methods: str | None = search_option(
        "Names from `nffs methods`, separated by commas, such as nffs,ga,random; or just `all` for "
        "every one of them. By default one or two of every family: nffs, guided, ig, mrmr, ga, "
        "pso, from-model, random and all columns.",
        metavar="NAMES",
        autocompletion=complete_methods,
    ),
    budget: int = search_option("Distinct subsets that a method may evaluate.", 250, min=1),
    runs: int = search_option("Runs of every method, each with its own seed.", 5, min=1),
    seed: int = options.SEED,
    n_jobs: int = options.THREADS,
    keep: Path | None = _KEEP,
    no_keep: bool = search_option("Do not save runs.", False, "--no-keep"),
    constraints: ConstraintOptions,
    table: TableOptions,
    evaluation: EvaluationOptions,
    test: Path | None = _TEST,
    held_out: float = option(
        "Share of the rows to hold out without --test; different rows in every run.",
        0.25,
        min=0.01,
        max=0.99,
    ),
    models: str = options.MODELS,
    output: OutputOptions,
    report: Path | None = options.REPORT,
) -> None:
    """Compare selection methods: the same rows, the same evaluator, the same budget.

    Every method selects once for every seed; folds of the training rows score its subsets. The
    selection is then scored on rows that no method saw, by the same evaluator and by other
    models. The mean score of these models ranks the methods; with --models none, the evaluator's
    score does. The score of the search minus the evaluator's score on unseen rows is the
    optimism. With --max-rows and --test, a Parquet file is read in blocks.

    Every finished run is reported with an estimate of the time left, and saved. Run the same
    command again to continue; more --runs or --methods add to the results.

    For example:

      nffs compare train.csv --target label

      nffs compare train.csv --target label --methods nffs,ga,mrmr --budget 100

      nffs compare train.csv --target label --methods all --runs 10

      nffs compare train.csv --target label --test test.csv --report compare.html
    """
    output.check(train, test, report=report)
    if keep is not None and no_keep:
        raise InputError("--keep, --no-keep: cannot be used together; give one of them.")
    asked: list[str] | str | None = methods if methods in (None, "all") else options.listed(methods)
    check_methods(asked if isinstance(asked, list) else [], "--methods")
    in_parts = evaluation.max_rows is not None and test is not None
    rows = table.training(train, output.note_reading, evaluation.group, in_parts=in_parts)
    unseen = None
    if test is not None:
        unseen = table.test(test, output.note_reading, evaluation.group, like=rows)

    from nffs.table.target import read_target
    from nffs.validation import compare as compare_methods
    from nffs.validation.comparison.comparison import methods_to_compare

    def folder(digest: str) -> Path | None:
        beside = Path() if output.out is None else output.out.parent
        name = f"{train.name.split('.')[0] or 'table'}-{digest}"
        return None if no_keep else keep or beside / FOLDER / name

    positive = table.label(rows["y"])
    called = {**table.names(train, test), "method": "--methods"}
    with terminal.translated(**called):
        kind = read_target(rows["y"], pos_label=positive, task=table.task).task
        names, _ = methods_to_compare(asked, kind)
    work = Runs(names, range(seed, seed + runs), budget, output.note, folder)

    def step(run: dict[str, Any]) -> None:
        advance()
        work.finish(run)

    counting = output.counting("runs", work.total, called, brief=True)
    try:
        with counting as advance, terminal.interruptible():
            found = compare_methods(
                **rows,
                test=unseen,
                held_out=held_out,
                methods=asked,
                budget=budget,
                seeds=work.seeds,
                models=options.models_named(models),
                keep=work.folder_for,
                random_state=seed,
                on_run=step,
                pos_label=positive,
                **({} if table.task == "auto" else {"task": table.task}),
                callbacks=terminal.evaluation_callbacks(output.level),
                n_jobs=n_jobs,
                **constraints.parameters(),
                **evaluation.parameters(rows["groups"], seed),
            )
    except KeyboardInterrupt:
        if work.done and not output.json:
            terminal.say(*work.so_far())
        terminal.note(work.how_to_go_on())
        raise
    from nffs.validation.comparison.report import render_comparison

    output.give(
        dict(found.document),
        lambda: _show(found.document),
        report,
        lambda: render_comparison(found.document),
    )
    if work.folder is not None:
        output.note(f"runs are in {work.folder}")


def _show(document: Any) -> None:
    from nffs.validation.comparison.verdict import verdict

    terminal.answer(verdict(document))
    terminal.say(*_lines(document))


def _lines(document: Any) -> Iterator[str]:
    from nffs.validation.comparison.verdict import ranked_rows

    rows, models = ranked_rows(document), document["models"]
    yield (
        f"{document['scoring']}, {document['budget']} evaluations, {len(document['seeds'])} seeds\n"
    )
    heads = f"{'models':>6} {'unseen':>6}" if models else f"{'unseen':>13}"
    yield (
        f"  {'method':<17} {'rank':>5} {heads} {'score':>6} {'optimism':>8} {'size':>5} "
        f"{'stable':>6} {'evals':>5} {'s':>5}"
    )
    for row in rows:
        stable = "-" if row["stability"] is None else f"{row['stability']['value']:.2f}"
        mean = row["unseen"]["mean"]
        beside = (
            f"{row['transfer']['mean']:>6.4f} {mean:>6.4f}"
            if models
            else f"{mean:.4f}±{row['unseen']['std']:.4f}"
        )
        yield (
            f"  {row['name']:<17} {row['rank']:>5.2f} {beside:>13} "
            f"{row['score']['mean']:>6.4f} {row['optimism']['mean']:>+z8.4f} "
            f"{row['n_features']['mean']:>5.1f} {stable:>6} {row['evaluations']['mean']:>5.0f} "
            f"{row['seconds']['mean']:>5.1f}"
        )
    if models:
        yield from _model_lines(rows, models)
    test = document["ranks"][document["ranked_by"]]
    if test["pvalue"] is not None:
        apart = "this table does not tell the methods apart"
        if test["pvalue"] <= test["alpha"]:
            apart = (
                "methods whose mean ranks differ by more than "
                f"{test['critical_difference']:.2f} differ (Nemenyi, {test['alpha']:.0%})"
            )
        yield f"\nFriedman's test that no method differs: p = {test['pvalue']:.2g}; {apart}"
    yield f"\nunseen: {document['unseen_on']}"
    yield terminal.rows_and_label(document["evaluated_on"], document["positive"])
    for method in document["left_out"]:
        yield f"left out: {method['name']} ({method['why']})"


def _model_lines(rows: list[dict[str, Any]], models: list[str]) -> Iterator[str]:
    yield (
        "\nModels trained with the selection, on unseen rows: their mean score, which ranks the "
        "methods, and the gain over all columns, on average and for each model\n"
    )
    heads = " ".join(f"{name:>8}" for name in models)
    yield f"  {'method':<17} {'models':>13} {'gain':>8} {heads}"
    for row in rows:
        mean = f"{row['transfer']['mean']:.4f}±{row['transfer']['std']:.4f}"
        each = " ".join(f"{row['models'][name]['difference']['mean']:>+z8.4f}" for name in models)
        yield f"  {row['name']:<17} {mean:>13} {row['gain']['mean']:>+z8.4f} {each}"
