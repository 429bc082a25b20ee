"""`nffs stability`: whether the same features are selected again."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from nffs.cli import options, selectors, terminal
from nffs.cli.table import Rows, positive_label

if TYPE_CHECKING:
    from nffs.validation import RepeatedSelection


class Over(StrEnum):
    """What differs from run to run."""

    seeds = "seeds"
    bootstrap = "bootstrap"
    subsamples = "subsamples"


def stability(
    train: options.Train,
    target: options.Target,
    over: Annotated[
        Over, typer.Option(help="Other seeds, rows drawn with replacement, or 80 % of the rows.")
    ] = Over.bootstrap,
    runs: Annotated[int, typer.Option(min=2, help="How many selections.")] = 10,
    cv: Annotated[int, typer.Option(min=2, help="Folds that judge subsets.")] = 3,
    group: options.Group = None,
    method: selectors.MethodOption = selectors.Method.nffs,
    features: selectors.Features = 10,
    positive: options.Positive = None,
    drop: options.Drop = None,
    scoring: options.Scoring = None,
    subsets: selectors.Subsets = None,
    nested: selectors.Nested = None,
    searches: selectors.Searches = 1,
    choose: selectors.ChooseOption = selectors.Choose.best,
    seed: options.Seed = 0,
    n_jobs: options.Threads = -1,
    json: options.AsJson = False,
    header: options.Header = True,
    separator: options.Separator = ",",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Repeat a selection and measure how stable it is.

    Nogueira's measure is 1 for the same selection every time and about 0 for what chance would
    agree on.

    For example:

      nffs stability train.csv --target label --over seeds

      nffs stability train.csv --target label --searches 4

      nffs stability train.csv --target label --group patient
    """
    level = terminal.loudness(quiet, verbose)
    X, y, groups = Rows(target, drop or [], group, header, separator).training(train)
    with (
        terminal.spoken_as(X=str(train), y=f"--target {target}", cv="--cv"),
        terminal.library_notes(level),
        terminal.counting_bar("selections", runs, quiet) as step,
    ):
        from nffs.selector.nffs import NFFS
        from nffs.validation import selection_stability

        judge = NFFS(
            n_subsets=subsets or "auto",
            n_nested=nested or "auto",
            n_searches=searches,
            choose=choose.value,
            scoring=scoring,
            pos_label=positive_label(y, positive),
            cv=options.folds(cv, groups, seed),
            callbacks=terminal.evaluation_log(level),
            n_jobs=n_jobs,
            random_state=seed,
        )
        found = selection_stability(
            selectors.selector_of(method, judge, features),
            X,
            y,
            over=over.value,
            n_runs=runs,
            evaluator=judge,
            groups=groups,
            random_state=seed,
            on_run=lambda _: step(),
        )
    if json:
        typer.echo(json_module.dumps(_document(found), indent=2))
    else:
        _print(found)


def _document(found: RepeatedSelection) -> dict[str, Any]:
    return {
        "over": found.over,
        "stability": asdict(found.stability),
        "jaccard": found.jaccard,
        "kuncheva": found.kuncheva,
        "features": [
            {"name": name, "share": share, "low": low, "high": high}
            for name, share, low, high in zip(
                found.names,
                found.share.tolist(),
                found.low.tolist(),
                found.high.tolist(),
                strict=True,
            )
        ],
        "selections": [
            [name for name, kept in zip(found.names, row, strict=True) if kept]
            for row in found.selections.tolist()
        ],
    }


def _print(found: RepeatedSelection, most: int = 25) -> None:
    measured = found.stability
    terminal.say(
        f"{measured.n_selections} selections over {found.over}: stability {measured.value:.3f} "
        f"[{measured.low:.3f}, {measured.high:.3f}] (Nogueira)"
    )
    terminal.say(
        f"Jaccard {found.jaccard:.3f}"
        + ("" if found.kuncheva is None else f", Kuncheva {found.kuncheva:.3f}")
        + f"; {measured.mean_size:.1f} of {measured.n_features} features selected on average\n"
    )
    order = np.argsort(-found.share, kind="stable")
    for i in order[:most]:
        if found.share[i] == 0:
            break
        terminal.say(
            f"  {found.share[i]:>4.0%}  [{found.low[i]:.2f}, {found.high[i]:.2f}]  {found.names[i]}"
        )
    rest = int((found.share > 0).sum()) - most
    if rest > 0:
        terminal.say(f"  and {rest} features more, less often")
