"""`nffs validate`: what a selection is worth on unseen rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nffs.cli import options, terminal
from nffs.cli.options import EvaluationOptions, OutputOptions
from nffs.cli.parameters import with_groups
from nffs.cli.search import SearchOptions, read_task
from nffs.cli.table import TableOptions

if TYPE_CHECKING:
    from nffs.validation import NestedScore


@with_groups
def validate(
    train: options.Train,
    search: SearchOptions,
    table: TableOptions,
    evaluation: EvaluationOptions,
    output: OutputOptions,
    folds: Annotated[
        int, typer.Option(min=2, help="Outer folds: each is unseen by the selection it scores.")
    ] = 5,
) -> None:
    """Score a selection honestly: the whole selection inside every outer fold.

    The inner score is the one that chose the features, the outer score the one on unseen
    rows. The inner score minus the outer score is the optimism.

    For example:

      nffs validate train.csv --target label

      nffs validate train.csv --target label --method rfecv

      nffs validate train.csv --target label --group patient
    """
    level = output.check()
    selector, X, y, groups = read_task(train, table, evaluation, search)
    with (
        terminal.translated(**table.names(train), cv="--folds or --cv"),
        terminal.library_notes(level),
        terminal.counting_bar("outer folds", folds, output.quiet) as step,
    ):
        from nffs.validation import nested_score

        score = nested_score(
            selector.set_params(callbacks=terminal.evaluation_log(level)),
            X,
            y,
            cv=options.folds(folds, groups, search.seed),
            groups=groups,
            random_state=search.seed,
            on_fold=lambda _: step(),
        )
    output.give(score.to_dict(), lambda: _print(score))


def _print(score: NestedScore) -> None:
    rows = [
        ("inner, which chose the features", score.inner),
        ("outer, on unseen rows", score.outer),
        ("optimism, inner minus outer", score.optimism),
        ("all columns, on unseen rows", score.all_features),
    ]
    terminal.say(f"{score.scoring} over {len(score.folds)} outer folds, 95 % intervals\n")
    for name, estimate in rows:
        terminal.say(
            f"  {name:<32} {estimate.mean:+.4f}  [{estimate.low:+.4f}, {estimate.high:+.4f}]"
        )
    sizes = [len(fold.selected) for fold in score.folds]
    stability = score.stability
    terminal.say(f"\n  features selected: {min(sizes)} to {max(sizes)}")
    terminal.say(
        f"  stability of the folds' selections: {stability.value:.2f} "
        f"[{stability.low:.2f}, {stability.high:.2f}]"
    )
    terminal.say(terminal.rows_and_label(score.evaluated_on, score.positive))
