"""`nffs evaluate`: score a given subset of features on a test file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import typer

from nffs.cli import terminal
from nffs.cli.options import THREADS, TRAIN, OutputOptions, option
from nffs.cli.table import TableOptions
from nffs.errors import InputError

_TEST = typer.Argument(..., help="Test table.")


def evaluate(
    *,
    train: Path = TRAIN,
    test: Path = _TEST,
    table: TableOptions,
    features: str = option(
        "Names separated by commas, a file with one name per line, or a selection.json, whose "
        "positive label is then used here too. A raw column stands for all its categories.",
        ...,
    ),
    output: OutputOptions,
    seeds: str = option("Seeds of the runs: 7-36, or 1,2,3.", "7-36"),
    engine: Literal["forest", "reference"] = option(
        "What grows the forests: nffs, or scikit-learn.", "forest"
    ),
    n_jobs: int = THREADS,
) -> None:
    """Evaluate a subset of features as the paper does.

    The best forest parameters are found on the test file, from a grid of numbers of trees and
    depths. Runs with other seeds then give the mean and the standard deviation of five indicators:
    precision, recall, accuracy, F-score and AUC, or for regression R2, errors and correlation.

    For example:

      nffs evaluate train.csv test.csv --target label --features service,flag_SF
    """
    output.check(train, test, Path(features))
    (names, selected_for), numbers = _features(features), _seeds(seeds)
    rows = table.training(train, output.note_reading)
    X_test, y_test = table.test(test, output.note_reading, like=rows)

    from nffs.validation.given import SEARCH_SEEDS, evaluate_subset

    total = len(numbers) + len(SEARCH_SEEDS)
    with output.counting("runs", total, table.names(train, test)) as step:
        result = evaluate_subset(
            rows["X"],
            rows["y"],
            X_test,
            y_test,
            names,
            seeds=numbers,
            pos_label=table.label(rows["y"], selected_for),
            task=table.task,
            engine=engine,
            n_jobs=n_jobs,
            on_run=step,
        ).to_dict()
    result["evaluated_on"] = (
        f"{test} ({len(X_test)} rows), which was also used to choose the parameters"
    )
    output.give(result, lambda: _show(result))


def _show(result: dict[str, Any]) -> None:
    from nffs.report.names import counted

    measure, name = ("f_score", "F-score") if "f_score" in result["mean"] else ("r2", "R2")
    mean, std = result["mean"][measure], result["std"][measure]
    terminal.answer(
        f"{counted(result['n_features'], 'encoded feature')}: {name} {mean:z.3f} ± {std:.3f} over "
        f"{counted(len(result['seeds']), 'run')}"
    )
    terminal.say(*_lines(result))


def _lines(result: dict[str, Any]) -> Iterator[str]:
    depth = result["parameters"]["max_depth"] or "unlimited"
    yield f"best parameters: {result['parameters']['n_estimators']} trees, depth {depth}"
    for name, mean in result["mean"].items():
        yield f"  {name:<12} {mean:.4f} ± {result['std'][name]:.4f}"
    yield terminal.rows_and_label(result["evaluated_on"], result["positive"])


def _features(text: str) -> tuple[list[str], str | None]:
    """Give the features' names and, of a selection, the positive label that it is about."""
    path = Path(text)
    if not path.is_file():
        return [name.strip() for name in text.split(",") if name.strip()], None
    if path.suffix == ".json":
        from nffs.selection import Selection

        selection = Selection.load(path)
        return list(selection.selected_features), selection.positive
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"--features: {path} is not a text file ({error}).") from error
    return [line.strip() for line in lines if line.strip()], None


def _seeds(text: str) -> list[int]:
    try:
        first, dash, last = text.partition("-")
        seeds = range(int(first), int(last) + 1) if dash else [int(s) for s in text.split(",")]
    except ValueError:
        seeds = []
    if not seeds or min(seeds) < 0:
        raise InputError(
            f"--seeds: {text!r} is neither a range (7-36) nor a list (1,2,3) of seeds."
        )
    return list(seeds)
