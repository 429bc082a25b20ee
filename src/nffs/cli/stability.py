"""`nffs stability`: whether the same features are selected again."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from nffs.cli import options, terminal
from nffs.cli.options import EvaluationOptions, OutputOptions
from nffs.cli.parameters import with_groups
from nffs.cli.search import SearchOptions, read_task
from nffs.cli.table import TableOptions

if TYPE_CHECKING:
    from nffs.validation import RepeatedSelection


@with_groups
def stability(
    train: options.Train,
    search: SearchOptions,
    table: TableOptions,
    evaluation: EvaluationOptions,
    output: OutputOptions,
    over: Annotated[
        Literal["seeds", "bootstrap", "subsamples"],
        typer.Option(help="Other seeds, rows drawn with replacement, or 80 % of the rows."),
    ] = "bootstrap",
    runs: Annotated[int, typer.Option(min=2, help="How many selections.")] = 10,
) -> None:
    """Repeat a selection and measure how stable it is.

    Nogueira's measure is 1 for the same selection every time and about 0 for what chance would
    agree on.

    For example:

      nffs stability train.csv --target label --over seeds

      nffs stability train.csv --target label --searches 4

      nffs stability train.csv --target label --method boruta --group patient
    """
    level = output.check()
    selector, X, y, groups = read_task(train, table, evaluation, search)
    with (
        terminal.translated(**table.names(train)),
        terminal.library_notes(level),
        terminal.counting_bar("selections", runs, output.quiet) as step,
    ):
        from nffs.validation import selection_stability

        found = selection_stability(
            selector.set_params(callbacks=terminal.evaluation_log(level)),
            X,
            y,
            over=over,
            n_runs=runs,
            groups=groups,
            random_state=search.seed,
            on_run=lambda _: step(),
        )
    output.give(_document(found), lambda: _print(found))


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
    order = sorted(range(len(found.names)), key=lambda i: -found.share[i])
    for i in order[:most]:
        if found.share[i] == 0:
            break
        terminal.say(
            f"  {found.share[i]:>4.0%}  [{found.low[i]:.2f}, {found.high[i]:.2f}]  {found.names[i]}"
        )
    rest = int((found.share > 0).sum()) - most
    if rest > 0:
        terminal.say(f"  and {rest} features more, less often")
