"""`nffs validate`: what a selection is worth on rows that it never saw."""

from __future__ import annotations

import json as json_module
from typing import TYPE_CHECKING, Annotated

import typer

from nffs.cli import options, selectors, terminal
from nffs.cli.table import Rows, positive_label

if TYPE_CHECKING:
    from nffs.validation import NestedScore


def validate(
    train: options.Train,
    target: options.Target,
    folds: Annotated[int, typer.Option(min=2, help="Outer folds.")] = 5,
    cv: Annotated[int, typer.Option(min=2, help="Inner folds that judge subsets.")] = 3,
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
    """Score a selection honestly: the whole selection inside every outer fold.

    The inner score is what the selector believes, the outer score what its selection is worth on
    rows that it never saw; their difference is its optimism.

    For example:

      nffs validate train.csv --target label

      nffs validate train.csv --target label --selector rfecv

      nffs validate train.csv --target label --group patient
    """
    level = terminal.loudness(quiet, verbose)
    X, y, groups = Rows(target, drop or [], group, header, separator).training(train)
    with (
        terminal.spoken_as(X=str(train), y=f"--target {target}", cv="--folds or --cv"),
        terminal.library_notes(level),
        terminal.counting_bar("outer folds", folds, quiet) as step,
    ):
        from nffs.selector.nffs import NFFS
        from nffs.validation import nested_score

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
        score = nested_score(
            selectors.selector_of(method, judge, features),
            X,
            y,
            cv=options.folds(folds, groups, seed),
            evaluator=judge,
            groups=groups,
            random_state=seed,
            on_fold=lambda _: step(),
        )
    if json:
        typer.echo(json_module.dumps(score.to_dict(), indent=2))
    else:
        _print(score)


def _print(score: NestedScore) -> None:
    rows = [
        ("inner, what it believes", score.inner),
        ("outer, on rows never seen", score.outer),
        ("optimism, inner less outer", score.optimism),
        ("all columns, on the same rows", score.all_features),
    ]
    terminal.say(f"{score.scoring} over {len(score.folds)} outer folds, 95 % intervals\n")
    for name, estimate in rows:
        terminal.say(
            f"  {name:<30} {estimate.mean:+.4f}  [{estimate.low:+.4f}, {estimate.high:+.4f}]"
        )
    sizes = [len(fold.selected) for fold in score.folds]
    stability = score.stability
    terminal.say(f"\n  features selected: {min(sizes)} to {max(sizes)}")
    terminal.say(
        f"  stability of the folds' selections: {stability.value:.2f} "
        f"[{stability.low:.2f}, {stability.high:.2f}]"
    )
    terminal.say(terminal.rows_and_label(score.evaluated_on, score.positive))
