"""`nffs evaluate`: judge a given subset of features by a test file."""

from __future__ import annotations

import json as json_module
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from nffs.cli import options, terminal
from nffs.cli.table import Rows, positive_label
from nffs.errors import InputError


class Engine(StrEnum):
    """Who grows the forests."""

    binned = "binned"
    sklearn = "sklearn"


def evaluate(
    train: options.Train,
    test: Annotated[Path, typer.Argument(help="Test table.")],
    target: options.Target,
    features: Annotated[
        str,
        typer.Option(
            help="Names with commas between them, a file with one name a line, or a "
            "selection.json. Raw columns stand for all their categories."
        ),
    ],
    seeds: Annotated[str, typer.Option(help="Seeds of the runs: 7-36, or 1,2,3.")] = "7-36",
    positive: options.Positive = None,
    drop: options.Drop = None,
    engine: Annotated[Engine, typer.Option(help="Who grows the forests of the runs.")] = (
        Engine.binned
    ),
    n_jobs: options.Threads = -1,
    json: options.AsJson = False,
    header: options.Header = True,
    separator: options.Separator = ",",
    quiet: options.Quiet = False,
) -> None:
    """Evaluate a subset of features as the paper does.

    The best forest parameters are found on the test file, from a grid of trees and depths; then
    runs with other seeds give mean and standard deviation of five indicators.

    For example:

      nffs evaluate train.csv test.csv --target label --features service,src_bytes,flag_SF
    """
    names, numbers = _features(features), _seeds(seeds)
    rows = Rows(target, drop or [], None, header, separator)
    X, y, _ = rows.training(train)
    X_test, y_test = rows.judging(test)
    pos_label = positive_label(y, positive)

    from nffs.validation.given import SEARCH_SEEDS, evaluate_subset

    with (
        terminal.spoken_as(
            X=str(train), y=f"--target {target}", X_test=str(test), y_test=str(test),
            features="--features",
        ),
        terminal.counting_bar("runs", len(numbers) + len(SEARCH_SEEDS), quiet) as step,
    ):  # fmt: skip
        result = evaluate_subset(
            X,
            y,
            X_test,
            y_test,
            names,
            seeds=numbers,
            pos_label=pos_label,
            engine=engine.value,
            n_jobs=n_jobs,
            on_run=step,
        ).to_dict()
    result["evaluated_on"] = f"{test} ({len(X_test)} rows), which chose the parameters too"
    if json:
        typer.echo(json_module.dumps(result, indent=2))
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    depth = result["parameters"]["max_depth"] or "unlimited"
    terminal.say(f"{result['n_features']} encoded features, {len(result['seeds'])} runs")
    terminal.say(f"best parameters: {result['parameters']['n_estimators']} trees, depth {depth}")
    for name, mean in result["mean"].items():
        terminal.say(f"  {name:<10} {mean:.4f} ± {result['std'][name]:.4f}")
    terminal.say(terminal.rows_and_label(result["evaluated_on"], result["positive"]))


def _features(text: str) -> list[str]:
    path = Path(text)
    if not path.is_file():
        return [name.strip() for name in text.split(",") if name.strip()]
    if path.suffix == ".json":
        from nffs.selection import Selection

        return list(Selection.load(path).selected_features)
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _seeds(text: str) -> list[int]:
    try:
        first, dash, last = text.partition("-")
        seeds = range(int(first), int(last) + 1) if dash else [int(s) for s in text.split(",")]
    except ValueError:
        seeds = []
    if not seeds or min(seeds) < 0:
        raise InputError(f"--seeds: {text!r} is no range (7-36) or list (1,2,3) of seeds.")
    return list(seeds)
