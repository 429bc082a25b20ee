"""`nffs stability`: whether the same features are selected again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from nffs.cli import terminal
from nffs.cli.options import option
from nffs.cli.printable import on_one_line
from nffs.cli.search import TaskOptions

if TYPE_CHECKING:
    from nffs.validation import RepeatedSelection


def stability(
    task: TaskOptions,
    over: Literal["seeds", "bootstrap", "subsamples"] = option(
        "What differs between runs: the seed, rows drawn with replacement, or 80 % of the rows.",
        "bootstrap",
    ),
    runs: int = option("How many selections.", 10, min=2),
) -> None:
    """Repeat a selection and measure how stable it is.

    Nogueira's measure is 1 if every selection is the same, and about 0 if they agree no more than
    random selections.

    For example:

      nffs stability train.csv --target label --over seeds

      nffs stability train.csv --target label --searches 4

      nffs stability train.csv --target label --method boruta --group patient
    """
    task.output.check(task.train)
    selector, rows = task.read()
    with task.output.counting("selections", runs, task.table.names(task.train)) as step:
        from nffs.validation import selection_stability

        found = selection_stability(
            selector, **rows, over=over, n_runs=runs, random_state=task.search.seed, on_run=step
        )
    task.output.give(found.to_dict(), lambda: _show(found))


def _show(found: RepeatedSelection) -> None:
    from nffs.report.validated import stability_facts

    facts = stability_facts(found)
    assert facts is not None
    terminal.answer(facts["verdict"])
    terminal.say(*_lines(found))


def _lines(found: RepeatedSelection, most: int = 25) -> Iterator[str]:
    from nffs.report.validated import over_what

    measured, over = found.stability, over_what(found.over)
    yield (
        f"{measured.n_selections} selections over {over}; {measured.mean_size:.1f} of "
        f"{measured.n_features} features selected on average\n"
    )
    measures = {
        "Nogueira": f"{measured.value:z.3f} [{measured.low:z.3f}, {measured.high:z.3f}]",
        "Jaccard": f"{found.jaccard:.3f}",
        "Kuncheva": None if found.kuncheva is None else f"{found.kuncheva:.3f}",
    }
    yield from (f"  {name:<9} {value}" for name, value in measures.items() if value)
    yield "\nhow often each feature is selected, and the 95 % interval\n"
    order = sorted(range(len(found.names)), key=lambda i: -found.share[i])
    chosen = [i for i in order if found.share[i] > 0]
    for i in chosen[:most]:
        interval = f"[{found.low[i]:.2f}, {found.high[i]:.2f}]"
        yield f"  {found.share[i]:>4.0%}  {interval}  {on_one_line(found.names[i])}"
    if len(chosen) > most:
        yield f"  and {len(chosen) - most} more features, selected less often"
    if found.positive is not None:
        yield f"\npositive label: {on_one_line(found.positive)}"
